/**
 * The versions that a running component reports of itself: in its metrics (`version_info`, component-base
 * metrics/prometheus/compatversion) and, an API server, at /version.
 */
import type { Position } from "../../core/diagnostics.js";
import { child, type YamlNode } from "../../text/yaml-read.js";
import { type Minor, minorOf, parseVersion, type Version } from "../version.js";
import { textOf } from "./container.js";

export interface ReportedVersions {
  readonly binary: Version;
  readonly emulation: Minor;
  readonly minCompatibility: Minor;
  readonly place: Position;
}

const METRIC = /^version_info\{([^}]*)\} 1$/;
const LABEL = /(?<!\w)(\w+)="([^"]*)"/g;

/** Families of metrics that only one component has. */
const FAMILIES: readonly (readonly [string, RegExp])[] = [
  ["kube-scheduler", /^scheduler_/m],
  [
    "kube-controller-manager",
    /^(?:node_collector|cronjob_controller|job_controller|garbagecollector_controller)_/m,
  ],
];

const versionIn = (text: string | undefined): Version | undefined => {
  const parsed = text === undefined ? undefined : parseVersion(text);
  return parsed !== undefined && "version" in parsed ? parsed.version : undefined;
};

/** The versions of kube in a dump of metrics, each different one once; older releases do not report them. */
export function versionsInMetrics(text: string, file: string): ReportedVersions[] {
  const found = new Map<string, ReportedVersions>();
  for (const [index, line] of text.split("\n").entries()) {
    const labels = METRIC.exec(line.trimEnd())?.[1];
    if (labels === undefined) continue;
    const values = new Map([...labels.matchAll(LABEL)].map(([, name = "", value = ""]) => [name, value]));
    const [binary, emulation, minimum] = ["binary", "emulation", "min_compat"].map((name) =>
      versionIn(values.get(name)),
    );
    if (values.get("component") !== "kube") continue;
    if (binary === undefined || emulation === undefined || minimum === undefined) continue;
    const place = { file, line: index + 1, column: 1 };
    if (!found.has(labels))
      found.set(labels, {
        binary,
        emulation: minorOf(emulation),
        minCompatibility: minorOf(minimum),
        place,
      });
  }
  return [...found.values()];
}

/** Whose metrics a dump has: a component by its own families, else the API server. */
export const componentOfMetrics = (text: string): string =>
  FAMILIES.find(([, family]) => family.test(text))?.[0] ?? "kube-apiserver";

/** The answer of /version; undefined for any other object. */
export function versionsInAnswer(root: YamlNode, place: Position): ReportedVersions | undefined {
  const value = (name: string): string => textOf(child(root, name));
  const binary = versionIn(value("gitVersion"));
  if (binary === undefined || value("major") === "" || child(root, "kind") !== undefined) return undefined;
  const pair = (name: string): Minor | undefined => {
    const version = versionIn(`${value(`${name}Major`)}.${value(`${name}Minor`)}`);
    return version && minorOf(version);
  };
  const own = minorOf(binary);
  const emulation = pair("emulation") ?? own;
  return { binary, emulation, minCompatibility: pair("minCompatibility") ?? emulation, place };
}
