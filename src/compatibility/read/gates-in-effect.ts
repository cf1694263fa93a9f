/**
 * What is set on components, from their own files: KubeletConfiguration, KubeProxyConfiguration, kubeadm's
 * configuration, manifests of static pods, OpenShift's configuration of a server, and dumps of /metrics
 * (kubernetes_feature_enabled).
 */

import type { Report } from "../../core/diagnostics.js";
import { problemList } from "../../core/problem.js";
import { child, readYaml, type YamlNode } from "../../text/yaml-read.js";
import type { FlagText } from "../flags.js";
import { formatMinor, formatVersion } from "../version.js";
import { COMPONENT_FLAGS, type ComponentFlag, flagText, itemsOf, processOf, textOf } from "./container.js";
import { objectsIn } from "./document.js";
import { placeIn, type Source } from "./fields.js";
import { type ReportedVersions, versionsInMetrics } from "./version-info.js";

/** The flags of one component; `observed` are gates as a running component shows them, set or not. */
export interface InEffect {
  readonly component: string;
  /** Where it stands: files that a component merges, or the flags of one process, which count before those. */
  readonly origin: "configuration" | "process" | "metrics";
  readonly flags: Readonly<Record<ComponentFlag, readonly FlagText[]>>;
  readonly observed: ReadonlyMap<string, boolean> | undefined;
  /** The versions that a dump of metrics reports. */
  readonly reported?: ReportedVersions | undefined;
}

const METRIC = /^kubernetes_feature_enabled\{name="([^"]+)",stage="[^"]*"\} ([01])$/gm;
const KUBEADM = {
  apiServer: "kube-apiserver",
  controllerManager: "kube-controller-manager",
  scheduler: "kube-scheduler",
};

/** Everything that a file says about gates; one that says nothing is reported. */
export function readGatesInEffect(text: string, file: string, report: Report): InEffect[] {
  const start = { file, line: 1, column: 1 };
  const shown = [...text.matchAll(METRIC)].map(([, name = "", value]) => [name, value === "1"] as const);
  if (shown.length > 0) {
    const observed = new Map(shown);
    const [both] = shown.find(([name, on]) => observed.get(name) !== on) ?? [];
    if (both !== undefined)
      problemList(report, "", start).report(
        "TAB005",
        "Invalid",
        `the dump reports ${both} both on and off; it contains the metrics of several servers`,
        "use the metrics of one server",
      );
    const [reported, other] = versionsInMetrics(text, file);
    if (other !== undefined)
      problemList(report, "", other.place).report(
        "TAB005",
        "Invalid",
        "the dump reports several versions; it contains the metrics of several servers",
        "use the metrics of one server",
      );
    return [{ component: "", origin: "metrics", flags: inEffect([]), observed, reported }];
  }
  const { documents, problems } = readYaml(text, file);
  for (const problem of problems) report(problem);
  const source: Source = { file, report, lineOffset: 0 };
  const objects = documents.flatMap(({ root }) => (root === undefined ? [] : objectsIn(root)));
  const found = objects.flatMap((root) => ofObject(root, source));
  if (found.length === 0 && problems.length === 0)
    problemList(report, "", start).report(
      "TAB005",
      "Invalid",
      "no feature gates in effect found",
      "use a KubeletConfiguration, KubeProxyConfiguration, kubeadm ClusterConfiguration, static pod or /metrics dump",
    );
  const others = objects.filter((root) => !isRead(root));
  const [other] = others;
  if (found.length > 0 && other !== undefined)
    problemList(report, "", placeIn(source, other)).infos.report(
      "TAB005",
      "Invalid",
      `ignored, as these kinds contain no feature gates in effect: ${[...new Set(others.map((root) => textOf(child(root, "kind")) || "an object without a kind"))].join(", ")}`,
    );
  return found;
}

type Reader = (root: YamlNode, source: Source) => InEffect[];

const of = (component: string, origin: InEffect["origin"], flags: readonly FlagText[]): InEffect => ({
  component,
  origin,
  flags: inEffect(flags),
  observed: undefined,
});

const configurationOf =
  (component: string): Reader =>
  (root, source) => [of(component, "configuration", gatesOf(child(root, "featureGates"), source))];

/** kubeadm's configuration of a node: flags of its kubelet, where there are any. */
const nodeFlags: Reader = (root, source) => {
  const extra = child(child(root, "nodeRegistration"), "kubeletExtraArgs");
  return extra === undefined ? [] : [of("kubelet", "process", argumentsIn(extra, source))];
};

/** OpenShift's configuration of a server: flag → the values that it is given, one after the other. */
const serverFlags =
  (component: string, key: string): Reader =>
  (root, source) => [of(component, "process", argumentsIn(child(root, key), source))];

const READERS: ReadonlyMap<string, Reader> = new Map([
  ["KubeletConfiguration", configurationOf("kubelet")],
  ["KubeProxyConfiguration", configurationOf("kube-proxy")],
  [
    "ClusterConfiguration",
    (root, source) =>
      Object.entries(KUBEADM).map(([key, component]) =>
        of(component, "process", argumentsIn(child(child(root, key), "extraArgs"), source)),
      ),
  ],
  ["InitConfiguration", nodeFlags],
  ["JoinConfiguration", nodeFlags],
  ["KubeAPIServerConfig", serverFlags("kube-apiserver", "apiServerArguments")],
  ["KubeControllerManagerConfig", serverFlags("kube-controller-manager", "extendedArguments")],
  [
    "Pod",
    (root, source) =>
      itemsOf(child(child(root, "spec"), "containers")).flatMap((container) =>
        ofContainer(container, source),
      ),
  ],
]);

const isRead = (root: YamlNode): boolean => READERS.has(textOf(child(root, "kind")));

const ofObject: Reader = (root, source) => READERS.get(textOf(child(root, "kind")))?.(root, source) ?? [];

function ofContainer(container: YamlNode, source: Source): InEffect[] {
  const { component, shell, flags } = processOf(container, source);
  if (shell)
    problemList(source.report, "", placeIn(source, container)).warnings.report(
      "TAB005",
      "NotSupported",
      `container ${textOf(child(container, "name"))} runs a shell script; the flags in it are not read`,
      "set --feature-gates and --emulated-version, or use the component's configuration file",
    );
  return component === "" || shell ? [] : [of(component, "process", flags)];
}

const inEffect = (flags: readonly FlagText[]): InEffect["flags"] => {
  const named = (name: ComponentFlag): FlagText[] => flags.filter(({ flag }) => flag === `--${name}`);
  return {
    "feature-gates": named("feature-gates"),
    "emulated-version": named("emulated-version"),
    "min-compatibility-version": named("min-compatibility-version"),
  };
};

/** A map gate → boolean as the flag's text, each with its own place. */
function gatesOf(node: YamlNode | undefined, source: Source): FlagText[] {
  if (node?.type !== "mapping") return [];
  return node.entries.map(({ key, name, value }) =>
    flagText("feature-gates", `${name}=${textOf(value)}`, key, source),
  );
}

/**
 * Flags as configurations hold them: a map (kubeadm's up to v1beta3), with a list of values for each in OpenShift, or a
 * list of {name, value} (kubeadm's from v1beta4 on).
 */
function argumentsIn(node: YamlNode | undefined, source: Source): FlagText[] {
  const named = (name: string, value: YamlNode | undefined): FlagText[] => {
    const flag = COMPONENT_FLAGS.find((each) => each === name.replaceAll("_", "-"));
    if (flag === undefined || value === undefined) return [];
    const values = value.type === "sequence" ? value.items : [value];
    return values.map((each) => flagText(flag, textOf(each), each, source));
  };
  if (node?.type === "mapping") return node.entries.flatMap(({ name, value }) => named(name, value));
  return itemsOf(node).flatMap((each) => named(textOf(child(each, "name")), child(each, "value")));
}

/** Two of one component that cannot be one: processes, or dumps, in which something else is set. */
export interface Differing {
  readonly component: string;
  readonly flag: string;
}

/**
 * What several files say of one component, as one: its configuration files, in their order, then its flags. Processes
 * that are set alike are one; others are two servers, of which nobody can say what the component is set to.
 */
export function mergeInEffect(all: readonly InEffect[]): InEffect | Differing | undefined {
  const first = all.find(({ component }) => component !== "") ?? all[0];
  if (first === undefined) return undefined;
  const { component } = first;
  const [process, ...processes] = all.filter(({ origin }) => origin === "process");
  const [dump, ...dumps] = all.flatMap(({ observed }) => observed ?? []);
  const [reported, ...reports] = all.flatMap((each) => each.reported ?? []);
  if (reports.some((other) => reported === undefined || versionWords(other) !== versionWords(reported)))
    return { component: component || "a /metrics dump", flag: "its versions" };
  for (const other of processes)
    for (const flag of COMPONENT_FLAGS)
      if (settings(other.flags[flag]) !== settings(process?.flags[flag] ?? []))
        return { component, flag: `--${flag}` };
  for (const other of dumps)
    if (other.size !== dump?.size || [...other].some(([name, on]) => dump.get(name) !== on))
      return { component: component || "a /metrics dump", flag: "its feature gates" };
  const files = all.filter(({ origin }) => origin === "configuration");
  const flagsOf = (flag: ComponentFlag): FlagText[] => [
    ...lastOfEach(files.flatMap(({ flags }) => flags[flag])),
    ...(process?.flags[flag] ?? []),
  ];
  return {
    component,
    origin: first.origin,
    flags: {
      "feature-gates": flagsOf("feature-gates"),
      "emulated-version": flagsOf("emulated-version"),
      "min-compatibility-version": flagsOf("min-compatibility-version"),
    },
    observed: dump,
    reported,
  };
}

const versionWords = ({ binary, emulation, minCompatibility }: ReportedVersions): string =>
  [formatVersion(binary), formatMinor(emulation), formatMinor(minCompatibility)].join(" ");

const settings = (flags: readonly FlagText[]): string => flags.map(({ text }) => text).join(",");

/** Of a gate that several files of a configuration set, the last one counts. */
const lastOfEach = (flags: readonly FlagText[]): FlagText[] => [
  ...new Map(flags.map((each) => [each.text.slice(0, each.text.lastIndexOf("=")), each])).values(),
];
