/** Agent-based installations compiled in memory. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { encode } from "../../src/core/files.js";
import { isJson, isObject, type Json } from "../../src/core/json.js";
import { type ClusterInput, type ClusterOutput, compileCluster } from "../../src/pipeline/cluster.js";
import { quickKeys, seededRandom } from "./inputs.js";

/** The release image of the cases that the real installer answered. */
export const AGENT_IMAGE = `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`;

/** nmstatectl where this machine names one: the real program, which the tests of images compare with. */
export const NMSTATECTL = process.env["SLIPWAY_NMSTATECTL"];

interface AgentOptions {
  readonly release?: string;
  readonly releaseImage?: string;
  readonly target?: "agent-manifests" | "agent-config-image" | "image-based-config-image";
  readonly nmstate?: ClusterInput["nmstate"];
  /** Files beside the two configs, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** What `create agent-manifests`, or another target, makes of two texts; one that is left out is absent. */
export function compileAgent(
  {
    installConfig,
    agentConfig,
  }: { readonly installConfig: string; readonly agentConfig?: string | undefined },
  {
    release = "4.22",
    releaseImage = AGENT_IMAGE,
    target = "agent-manifests",
    nmstate,
    files: more = {},
  }: AgentOptions = {},
): Promise<ClusterOutput> {
  const files = new Map([["install-config.yaml", encode(installConfig)]]);
  if (agentConfig !== undefined) files.set("agent-config.yaml", encode(agentConfig));
  for (const [path, text] of Object.entries(more)) files.set(path, encode(text));
  return compileCluster({
    files,
    target,
    ...(nmstate === undefined ? {} : { nmstate }),
    flags: { release, releaseImage },
    inputs: {
      clock: { now: () => new Date("2026-11-30T00:00:00Z") },
      random: seededRandom("agent"),
      keys: quickKeys(),
    },
    tool: "slipway test",
  });
}

/** Both inputs of a case of the reference data. */
export function agentCase(folder: string): { installConfig: string; agentConfig: string | undefined } {
  const agent = join(folder, "in/agent-config.yaml");
  return {
    installConfig: readFileSync(join(folder, "in/install-config.yaml"), "utf8"),
    agentConfig: existsSync(agent) ? readFileSync(agent, "utf8") : undefined,
  };
}

/** The fields and kinds of the errors, as the installer prints them. */
export const errorsOf = ({ diagnostics }: ClusterOutput): string[] =>
  [
    ...new Set(
      diagnostics
        .filter(({ severity }) => severity === "error")
        .map(({ field, kind }) => `${field}: ${KINDS[kind] ?? kind}`),
    ),
  ].sort();

const KINDS: Readonly<Record<string, string>> = {
  Invalid: "Invalid value",
  NotSupported: "Unsupported value",
  Required: "Required value",
  Forbidden: "Forbidden",
  Duplicate: "Duplicate value",
  TooMany: "Too many",
};

const OVERRIDES = "agent-install.openshift.io/install-config-overrides";

/** The documents of a manifest; what stands in it as JSON is parsed as well. */
export function parsedDocuments(text: string): Json[] {
  return loadAll(text).flatMap((value) => (isJson(value) && value !== null ? [withOverrides(value)] : []));
}

function withOverrides(object: Json): Json {
  if (!isObject(object)) return object;
  const { metadata } = object;
  const annotations = isObject(metadata) ? metadata["annotations"] : undefined;
  const text = isObject(annotations) ? annotations[OVERRIDES] : undefined;
  if (typeof text !== "string" || !isObject(metadata) || !isObject(annotations)) return object;
  const parsed: unknown = JSON.parse(text);
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...annotations, [OVERRIDES]: isJson(parsed) ? parsed : text } },
  };
}

/** The statements of a TOML file, comments and blanks left out. */
export const tomlLines = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
