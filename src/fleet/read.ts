/** `--fleet FILE`: a list of directories, or a table of what clusters share and what each has of its own. */
import { createHash } from "node:crypto";
import { posix } from "node:path";
import type { Position, Problem, Report } from "../core/diagnostics.js";
import { isJson, isObject, type Json, type JsonObject, textAt } from "../core/json.js";
import { problem } from "../core/problem.js";
import schema from "../generated/schemas/inputs/fleet.js";
import type { Fleet as Table } from "../generated/types/fleet.js";
import validate from "../generated/validators/fleet.js";
import { DNS_SUBDOMAIN_HINT, isDnsSubdomain } from "../kubernetes/names.js";
import { positionOf, schemaProblems } from "../text/schema-problems.js";
import { readYaml, toJson } from "../text/yaml-read.js";
import { writeYaml } from "../text/yaml-write.js";
import { mergePatch } from "./merge-patch.js";

/** The value of a flag, as a table has it. */
export type FlagValue = string | boolean | readonly string[];

export interface FleetCluster {
  /** By which reports and shards know it: its name in a table, else its directory as it is written. */
  readonly name: string;
  /** Relative to where the user is, or absolute. */
  readonly directory: string;
  readonly flags: Readonly<Record<string, FlagValue>>;
  /** The install-config that the table gives it. */
  readonly installConfig: string | undefined;
  /** What a table calls a directory that has an install-config of its own, which may say another name. */
  readonly called?: string | undefined;
  /** Name and base domain, where the table tells them. */
  readonly domain?: string | undefined;
  readonly position: Position;
}

/** First line of an install-config that comes from a table; by it a later run knows its own work. */
const ORIGIN = "# Written by slipway from a fleet table: change it there.\n";
/** Its second line: by it a later run knows whether somebody changed what follows. */
const digestLine = (content: string): string =>
  `# Digest of what follows: ${createHash("sha256").update(content).digest("hex")}\n`;

/** True for an install-config that came from a table and was edited since. */
export function isEditedByHand(text: string): boolean {
  if (!text.startsWith(ORIGIN)) return false;
  const rest = text.slice(ORIGIN.length);
  const content = rest.slice(rest.indexOf("\n") + 1);
  return rest.startsWith("# Digest of what follows: ") && rest !== digestLine(content) + content;
}

const HOW =
  "see slipway explain fleet for the format of a table; any other file is a list with one directory per line";

/**
 * The clusters of a fleet file. Undefined when something is wrong with it, which is reported.
 * @param base folder of a table, by which the directories in it go; those of a list go by where the user is
 */
export function readFleet(
  text: string,
  file: string,
  base: string,
  report: Report,
): readonly FleetCluster[] | undefined {
  const found: Problem[] = [];
  const add: Report = (problem) => void found.push(problem);
  const isTableText = /^(?:[ \t]*\{|(?:---\s+)?(?:"?(?:apiVersion|kind|clusters)"?)\s*:)/m.test(text);
  const clusters = isTableText ? readTable(text, file, base, add) : readList(text, file);
  reportOddNames(clusters, add);
  if (clusters.length === 0 && found.length === 0)
    add(problem("FLEET001", "Required", "", "no clusters in the fleet", { file, hint: HOW }));
  reportDoubles(clusters, isTableText, add);
  found.forEach(report);
  return found.length === 0 ? clusters : undefined;
}

/** Lines that are empty or begin with `#` name nothing. */
const readList = (text: string, file: string): readonly FleetCluster[] =>
  text.split(/\r?\n/).flatMap((line, index): FleetCluster[] => {
    const directory = line.trim();
    if (directory === "" || directory.startsWith("#")) return [];
    const position = { file, line: index + 1, column: 1 };
    return [{ name: normal(directory), directory, flags: {}, installConfig: undefined, position }];
  });

/** One spelling of a path, so that `./a/` and `a` are in one shard. */
const normal = (directory: string): string => posix.normalize(directory).replace(/(?<=.)\/$/, "");

const isTable = (value: Json): value is Json & Table => validate(value);

function readTable(text: string, file: string, base: string, report: Report): readonly FleetCluster[] {
  const { documents, problems } = readYaml(text, file);
  problems.forEach(report);
  const [first, second] = documents.flatMap(({ root }) => (root === undefined ? [] : [root]));
  if (second !== undefined)
    report(
      problem("YAML007", "Invalid", "", "must be a single document", {
        ...positionOf(second, file, []),
        hint: "remove the other documents",
      }),
    );
  if (problems.length > 0 || first === undefined) return [];
  const value = toJson(first);
  if (!isTable(value)) {
    for (const problem of schemaProblems(validate.errors ?? [], schema, first, file, "FLEET001"))
      report({ hint: HOW, ...problem });
    return [];
  }
  const { defaults, clusters } = value;
  return clusters.map(({ dir, name, flags, installConfig }, index): FleetCluster => {
    const steps = ["clusters", index];
    if (name !== undefined && !isDnsSubdomain(name))
      report(
        problem(
          "FLEET002",
          "Invalid",
          `clusters[${index}].name`,
          `${JSON.stringify(name)} is not a valid cluster name`,
          { ...positionOf(first, file, [...steps, "name"]), hint: DNS_SUBDOMAIN_HINT },
        ),
      );
    const patches = [defaults?.installConfig, installConfig].filter((each) => each !== undefined).map(json);
    const config = patches.length === 0 ? undefined : named(patches, name);
    const content = config === undefined ? "" : writeYaml(config);
    return {
      name: name ?? normal(dir),
      directory: below(base, dir),
      flags: flagsOf(mergePatch(json(defaults?.flags ?? {}), json(flags ?? {}))),
      installConfig: config === undefined ? undefined : ORIGIN + digestLine(content) + content,
      called: config === undefined ? name : undefined,
      domain: config === undefined ? undefined : domainOf(config),
      position: positionOf(first, file, steps),
    };
  });
}

const metadataOf = ({ metadata }: JsonObject): JsonObject => (isObject(metadata) ? metadata : {});

function domainOf(config: JsonObject): string | undefined {
  const parts = [textAt(metadataOf(config), "name"), textAt(config, "baseDomain")];
  return parts.includes("") ? undefined : parts.join(".");
}

/** A path of a table, from where the user is. */
export const below = (base: string, path: string): string =>
  posix.isAbsolute(path) || base === "." || base === "" ? path : posix.join(base, path);

/** What the generated types call an object is JSON: it was read from one. */
const json = (value: unknown): Json => (isJson(value) ? value : null);

/** Patches over each other; the name of the cluster where they say none. */
function named(patches: readonly Json[], name: string | undefined): JsonObject {
  const merged = patches.reduce<Json>((under, patch) => mergePatch(under, patch), {});
  const config = isObject(merged) ? merged : {};
  const given = config["metadata"];
  // What cannot be a metadata stays for whoever judges the install-config.
  const isWrong = given !== undefined && !isObject(given);
  const metadata = metadataOf(config);
  return name === undefined || isWrong || textAt(metadata, "name") !== ""
    ? config
    : { ...config, metadata: { ...metadata, name } };
}

function flagsOf(merged: Json): Record<string, FlagValue> {
  const flags = Object.entries(isObject(merged) ? merged : {});
  return Object.fromEntries(
    flags.flatMap(([name, value]): [string, FlagValue][] =>
      typeof value === "string" || typeof value === "boolean"
        ? [[name, value]]
        : Array.isArray(value)
          ? [[name, value.map(String)]]
          : [],
    ),
  );
}

const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function reportOddNames(clusters: readonly FleetCluster[], report: Report): void {
  for (const { directory, position } of clusters)
    if (CONTROL.test(directory))
      report(
        problem("FLEET002", "Invalid", "", "the directory name contains invisible characters", {
          ...position,
          hint: "rename the directory",
        }),
      );
}

/**
 * Two clusters with one name in the fleet, or with one domain. Any file of lines can be given in the place of a list, one
 * of secrets too: its lines are told by their numbers.
 */
function reportDoubles(clusters: readonly FleetCluster[], isTableText: boolean, report: Report): void {
  const names = new Map<string, FleetCluster>();
  const domains = new Map<string, FleetCluster>();
  const isNew = (seen: Map<string, FleetCluster>, name: string, cluster: FleetCluster): boolean => {
    const other = seen.get(name);
    if (other === undefined) seen.set(name, cluster);
    else
      report(
        problem(
          "FLEET002",
          "Duplicate",
          "",
          `duplicate ${isTableText ? name : "directory"}, also on line ${other.position.line}`,
          { ...cluster.position, hint: "remove one of them, or use another name" },
        ),
      );
    return other === undefined;
  };
  for (const cluster of clusters)
    if (isNew(names, cluster.name, cluster) && cluster.domain !== undefined)
      isNew(domains, cluster.domain, cluster);
}
