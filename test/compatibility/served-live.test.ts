/**
 * What a kube-apiserver of 1.37 serves, stores and switches on at pairs of emulated and minimum compatibility version, with
 * and without `api/all`, and what `slipway compat` answers. A sample of the pairs; SLIPWAY_LIVE=all asks each.
 */
import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isList, isObject, type Json, type JsonObject, textAt } from "../../src/core/json.js";
import { slipway } from "../helpers/cli.js";
import { type KubeServers, kubeTests } from "../helpers/kube-servers.js";

const test = suite("compat and a real kube-apiserver");

/** A binary of 1.37 emulates 1.34 at the least, and its minimum is not below that. */
const PAIRS = ["1.34", "1.35", "1.36", "1.37"].flatMap((emulated, i, all) =>
  all.slice(0, i + 1).map((minimum) => ({ emulated, minimum })),
);
const SAMPLE = ["1.34 1.34", "1.36 1.35", "1.37 1.37"];

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

for (const { emulated, minimum } of PAIRS) {
  if (process.env["SLIPWAY_LIVE"] !== "all" && !SAMPLE.includes(`${emulated} ${minimum}`)) continue;
  for (const all of [false, true])
    live(`1.37 at ${emulated}, ${minimum} ${all ? "with" : "without"} api/all`, async (kube) => {
      const versions = [`--emulated-version=${emulated}`, `--min-compatibility-version=${minimum}`];
      const runtime = all ? ["--runtime-config=api/all=true"] : [];
      await kube.restart({ apiServer: [...versions, ...runtime] });
      const flags = ["--binary-version", "1.37", ...versions];
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
        objectsAt(answer("storage-versions", ...lifecycle, ...flags, ...runtime), "resources").map((each) => [
          `${textAt(each, "group")}/${textAt(each, "resource")}`,
          hashOf(["storedGroup", "version", "kind"].map((key) => textAt(each, key)).join("/")),
        ]),
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
    });
}

test.run();
