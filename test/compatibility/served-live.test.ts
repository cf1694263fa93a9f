/**
 * What a kube-apiserver serves, stores and switches on at pairs of emulated and minimum compatibility version, with and
 * without `api/all`, and what `slipway compat` answers: of whichever release from 1.31 on the binary is. A sample of the
 * pairs; SLIPWAY_LIVE=all asks each.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isList, isObject, type Json, type JsonObject, textAt } from "../../src/core/json.js";
import { slipway } from "../helpers/cli.js";
import { type KubeServers, kubeTests, noKube } from "../helpers/kube-servers.js";

const test = suite("compat and a real kube-apiserver");

/** Oldest release that a binary emulates, and the first whose servers take a minimum. */
const [OLDEST, MINIMUM_SINCE] = [31, 35];

interface Pair {
  readonly emulated: number;
  readonly minimum?: number;
}

const BINARY = kubeMinor();
/** A binary emulates three releases back at the most, and its minimum is not below that. */
const PAIRS: readonly Pair[] = upTo(Math.max(OLDEST, BINARY - 3), BINARY).flatMap(
  (emulated): readonly Pair[] =>
    BINARY < MINIMUM_SINCE
      ? [{ emulated }]
      : upTo(Math.max(OLDEST, BINARY - 3), emulated).map((minimum) => ({ emulated, minimum })),
);
const SAMPLE = [PAIRS[0], PAIRS[Math.floor(PAIRS.length / 2)], PAIRS.at(-1)];

function upTo(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Minor of the kube-apiserver under test; without one any will do, since its tests are skipped. */
function kubeMinor(): number {
  if (noKube !== "") return 37;
  const binary = join(process.env["SLIPWAY_KUBE_BIN"] ?? "", "kube-apiserver");
  const { stdout } = spawnSync(binary, ["--version"], { encoding: "utf8" });
  const [, minor] = /^Kubernetes v1\.(\d+)\./.exec(stdout) ?? [];
  if (minor === undefined) throw new Error(`${binary} does not say its version: ${stdout}`);
  return Number(minor);
}

const objectsAt = (value: Json, key: string): JsonObject[] => {
  const list = isObject(value) ? value[key] : undefined;
  return isList(list) ? list.filter(isObject) : [];
};

/** Every resource as GROUP/VERSION/RESOURCE, with the hash of what it is stored as. */
async function servedBy(kube: KubeServers): Promise<Map<string, string>> {
  const { body } = await kube.request("GET", "/apis");
  const versions = objectsAt(body, "groups").flatMap((group) =>
    objectsAt(group, "versions").map((each) => textAt(each, "groupVersion")),
  );
  const found = new Map<string, string>();
  for (const version of ["v1", ...versions]) {
    const path = version === "v1" ? "/api/v1" : `/apis/${version}`;
    for (const resource of objectsAt((await kube.request("GET", path)).body, "resources")) {
      const name = textAt(resource, "name");
      const group = version === "v1" ? "/v1" : version;
      if (!name.includes("/")) found.set(`${group}/${name}`, textAt(resource, "storageVersionHash"));
    }
  }
  return found;
}

/** Gates that are on, of those that the server counts. */
async function gatesOf(kube: KubeServers): Promise<Map<string, boolean>> {
  const text = kube.kubectlOk(["get", "--raw", "/metrics"]);
  const lines = text.matchAll(/^kubernetes_feature_enabled\{name="(\w+)",stage="[A-Z]*"\} ([01])$/gm);
  const gates = [...lines].map(([, name = "", value]): [string, boolean] => [name, value === "1"]);
  return new Map(gates.filter(([name]) => name !== "AllAlpha" && name !== "AllBeta"));
}

const answer = (command: string, ...flags: readonly string[]): JsonObject => {
  const { stdout } = slipway(["compat", command, "--output", "json", ...flags]);
  const value: unknown = JSON.parse(stdout);
  return isJson(value) && isObject(value) ? value : {};
};

/** As Kubernetes' discovery hashes the version that a resource is stored in (apiserver `discovery.StorageVersionHash`). */
const hashOf = (text: string): string =>
  createHash("sha256").update(text).digest().subarray(0, 8).toString("base64");

const live = kubeTests(test);

for (const pair of PAIRS) {
  if (process.env["SLIPWAY_LIVE"] !== "all" && !SAMPLE.includes(pair)) continue;
  const { emulated, minimum } = pair;
  for (const all of [false, true])
    live(
      `1.${BINARY} at 1.${emulated}, ${minimum ?? "no minimum"}, ${all ? "with" : "without"} api/all`,
      async (kube) => {
        const versions = [
          `--emulated-version=1.${emulated}`,
          ...(minimum === undefined ? [] : [`--min-compatibility-version=1.${minimum}`]),
        ];
        const runtime = all ? ["--runtime-config=api/all=true"] : [];
        await kube.restart({ apiServer: [...versions, ...runtime] });
        const flags = ["--binary-version", `1.${BINARY}`, ...versions];
        const lifecycle = ["--lifecycle", "kubernetes"];

        const served = await servedBy(kube);
        const ours = objectsAt(answer("apis", ...lifecycle, ...flags, ...runtime), "groupVersions").flatMap(
          (each) => {
            const { resources } = each;
            const prefix = `${textAt(each, "group")}/${textAt(each, "version")}`;
            return isList(resources) ? resources.map((name) => `${prefix}/${String(name)}`) : [];
          },
        );
        assert.equal(ours.sort(), [...served.keys()].sort());

        const stored = new Map(
          objectsAt(answer("storage-versions", ...lifecycle, ...flags, ...runtime), "resources").map(
            (each) => [
              `${textAt(each, "group")}/${textAt(each, "resource")}`,
              hashOf(["storedGroup", "version", "kind"].map((key) => textAt(each, key)).join("/")),
            ],
          ),
        );
        for (const [name, hash] of served) {
          const [group, , resource] = name.split("/");
          if (hash !== "") assert.is(stored.get(`${group}/${resource}`), hash, `storage version of ${name}`);
        }

        const on = await gatesOf(kube);
        assert.ok(on.size > 100 && served.size > 50);
        const table = answer("gates", "--table", "kubernetes", "--component", "kube-apiserver", ...flags);
        const told = new Map(
          objectsAt(table, "gates").flatMap((gate) =>
            gate["stage"] === "PreAlpha" ? [] : [[textAt(gate, "name"), gate["enabled"]]],
          ),
        );
        const differ = (some: ReadonlyMap<string, unknown>, others: ReadonlyMap<string, unknown>) =>
          [...some].filter(([name, value]) => others.get(name) !== value);
        assert.equal({ server: differ(on, told), compat: differ(told, on) }, { server: [], compat: [] });
      },
    );
}

test.run();
