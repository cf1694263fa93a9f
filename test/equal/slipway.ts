/** What slipway answers to an install-config: the files of `create manifests`, or why it refuses. */
import { decode, encode } from "../../src/core/files.js";
import type { Inputs } from "../../src/core/inputs.js";
import { compileCluster } from "../../src/pipeline/cluster.js";
import { rsaKey, seededRandom } from "../helpers/inputs.js";
import type { FileTexts } from "./compare.js";

export interface Answer {
  /** The files of manifests/ and openshift/; undefined where the config is refused. */
  readonly files: FileTexts | undefined;
  /** Why it is refused: code, field and message, a problem a line. */
  readonly refusal: string;
}

export interface Identity {
  readonly infraID: string;
  readonly clusterID: string;
}

/** One key for all: that keys differ is not looked at. */
const KEY = rsaKey();

const INPUTS: Inputs = {
  clock: { now: () => new Date("2026-11-30T00:00:00Z") },
  random: seededRandom("equal"),
  keys: { generate: async () => KEY },
};

export async function askSlipway(text: string, release: string, identity?: Identity): Promise<Answer> {
  const output = await compileCluster({
    files: new Map([["install-config.yaml", encode(text)]]),
    target: "manifests",
    flags: { release },
    inputs: INPUTS,
    tool: "slipway",
    ...identity,
  });
  const refusal = output.diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, field, message }) => `${code} ${field}: ${message}`)
    .join("\n");
  if (!output.ok) return { files: undefined, refusal };
  const files = output.files.map(({ path, data }): [string, string] => [path, decode(data) ?? ""]);
  return { files: new Map(files), refusal };
}
