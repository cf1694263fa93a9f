/** Cases of each platform that has machines, compiled in memory, and the objects that come out. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decode } from "../../src/core/files.js";
import { isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { type ClusterInput, compileCluster } from "../../src/pipeline/cluster.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { ellipticKey, seededRandom } from "./inputs.js";

const KEY = ellipticKey();

export const SEED = new Uint8Array(32).map((_, i) => (i * 53 + 7) % 256);
export const EXAMPLES = [
  "machines-aws",
  "aws-subnets",
  "azure",
  "azure-gateways",
  "baremetal",
  "gcp",
  "ibmcloud",
  "nutanix-failure-domains",
  "openstack",
  "powervs",
  "vsphere",
  "vsphere-host-groups",
].map((name) => [name, join("golden", name, "input")] as const);

const fileIn = (folder: string, names: readonly string[]): string | undefined =>
  names.map((name) => join(folder, name)).find((file) => existsSync(file));

/** The cluster of a case with this install-config; `more` are other files of the directory, `factsText` facts in the place of its own. */
export const compile = (
  folder: string,
  config: string,
  flags: NonNullable<ClusterInput["flags"]>,
  { more = {}, factsText }: { more?: Readonly<Record<string, string>>; factsText?: string } = {},
): ReturnType<typeof compileCluster> => {
  const texts: Record<string, { file: string; text: string }> = {};
  const facts = fileIn(folder, ["facts.yaml"]);
  if (facts !== undefined) texts["facts"] = { file: facts, text: factsText ?? readFileSync(facts, "utf8") };
  const login = fileIn(folder, [
    "clouds.yaml",
    "service-principal.json",
    "service-account.json",
    "credentials",
  ]);
  if (login !== undefined) texts["credentials"] = { file: login, text: readFileSync(login, "utf8") };
  return compileCluster({
    files: new Map(
      Object.entries({ "install-config.yaml": config, ...more }).map(([path, text]) => [
        path,
        Buffer.from(text),
      ]),
    ),
    target: "infrastructure-manifests",
    flags,
    texts,
    // The same cluster each time.
    inputs: {
      clock: { now: () => new Date(1.8e12) },
      random: seededRandom("compute"),
      keys: { generate: async () => KEY },
    },
    tool: "test",
  });
};

export const at = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
export const objectsOf = ({ files }: Awaited<ReturnType<typeof compileCluster>>): JsonObject[] =>
  files
    .filter(({ path }) => /\.ya?ml$/.test(path))
    .map(({ data }) => parseYaml(decode(data) ?? ""))
    .filter(isObject);
export const ofKind = (objects: readonly JsonObject[], kind: string, group: string): JsonObject[] =>
  objects.filter((each) => each["kind"] === kind && String(each["apiVersion"]).startsWith(`${group}/`));

/** A deterministic sequence of small numbers. */
export function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * sides);
  };
}
