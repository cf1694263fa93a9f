/** cluster-api/ in an asset directory: who writes it, what keeps it up to date, and what becomes of edits in it. */

import { dump } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decode, encode } from "../../src/core/files.js";
import { STATE_FILE } from "../../src/directory/index.js";
import {
  type ClusterInput,
  type ClusterOutput,
  compareCluster,
  compileCluster,
} from "../../src/pipeline/cluster.js";
import { rsaKey, seededRandom } from "../helpers/inputs.js";
import { edit } from "../helpers/install-configs.js";
import { PLANTED } from "../helpers/planted.js";
import { VSPHERE } from "../helpers/vsphere.js";

const test = suite("cluster-api/ in a directory");

const KEY = rsaKey();
const BASE: Omit<ClusterInput, "files" | "target"> = {
  inputs: {
    clock: { now: () => new Date("2026-11-30T00:00:00Z") },
    random: seededRandom("cluster-api"),
    keys: { generate: async () => KEY },
  },
  tool: "slipway",
  infraID: "heron-abcde",
  clusterID: "00000000-0000-4000-8000-000000000000",
};
const CONFIG = encode(dump(VSPHERE));
const isOurs = (path: string): boolean => path.startsWith("cluster-api/");

const compile = (
  target: ClusterInput["target"],
  files: ReadonlyMap<string, Uint8Array>,
  flags: ClusterInput["flags"] = {},
): Promise<ClusterOutput> => compileCluster({ ...BASE, files, target, flags });

/** The directory that a run leaves. */
const after = (output: ClusterOutput): Map<string, Uint8Array> =>
  new Map([
    ["install-config.yaml", CONFIG],
    ...output.files.map(({ path, data }): [string, Uint8Array] => [path, data]),
    ...(output.state === undefined ? [] : [[STATE_FILE, output.state.data] as const]),
    ...(output.record === undefined ? [] : [[".slipway/record.json", output.record] as const]),
  ]);

const first = await compile("manifests", new Map([["install-config.yaml", CONFIG]]));
const CLUSTER = "cluster-api/01_vsphere-cluster-0.yaml";

test("create manifests writes the folder, secrets apart", () => {
  const files = first.files.filter(({ path }) => isOurs(path));
  assert.is(files.length, 12);
  assert.equal(
    files.filter(({ secret }) => secret).map(({ path }) => path),
    ["cluster-api/01_vsphere-creds-0.yaml"],
  );
  const open = files.filter(({ secret }) => !secret).map(({ data }) => decode(data) ?? "");
  for (const text of open)
    for (const secret of [PLANTED.password, Buffer.from(PLANTED.password).toString("base64")])
      assert.not.ok(text.includes(secret));
});

test("the state lists the files as the installer does", () => {
  const state: unknown = JSON.parse(decode(first.state?.data ?? new Uint8Array()) ?? "");
  const listed = (member: string): string[] => {
    const { FileList = [] } = isObjectOf(state, member);
    return (Array.isArray(FileList) ? FileList : []).map(({ Filename }) => String(Filename));
  };
  assert.equal(
    [...listed("*clusterapi.Cluster"), ...listed("*machines.ClusterAPI")].sort(),
    first.files.map(({ path }) => path).filter(isOurs),
  );
});

const isObjectOf = (value: unknown, member: string): { FileList?: { Filename: string }[] } =>
  typeof value === "object" && value !== null
    ? (Object.entries(value).find(([key]) => key === member)?.[1] ?? {})
    : {};

test("other phases do not write the folder", async () => {
  const output = await compile("infrastructure-manifests", new Map([["install-config.yaml", CONFIG]]));
  assert.ok(output.ok);
  assert.equal(
    output.files.filter(({ path }) => isOurs(path)),
    [],
  );
});

test("the wrapped state is the same with and without the folder", async () => {
  const wrapped = (output: ClusterOutput): string | undefined =>
    decode(output.files.find(({ path }) => path.endsWith("20_install-state.yaml"))?.data ?? new Uint8Array());
  const bare = new Map(
    [...after(first)].filter(([path]) => path === STATE_FILE || path === "install-config.yaml"),
  );
  const [one, two] = [
    await compile("infrastructure-manifests", after(first)),
    await compile("infrastructure-manifests", bare),
  ];
  assert.ok(one.ok && two.ok);
  assert.is(wrapped(one), wrapped(two));
  assert.match(wrapped(one) ?? "", "install-state");
});

test("edits, additions and removals are kept", async () => {
  const files = after(first);
  files.set(CLUSTER, encode((decode(files.get(CLUSTER) ?? CONFIG) ?? "").replace("6443", "7443")));
  files.set(
    "cluster-api/machines/own.yaml",
    encode("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
  );
  const again = await compile("manifests", files);
  assert.ok(again.ok);
  const text = (path: string): string =>
    decode(again.files.find((each) => each.path === path)?.data ?? CONFIG) ?? "";
  assert.match(text(CLUSTER), "port: 7443");
  assert.match(text("cluster-api/machines/own.yaml"), "ConfigMap");
});

test("check passes a directory of an earlier version, and create adds the folder", async () => {
  const files = after(first);
  for (const path of [...files.keys()]) if (isOurs(path)) files.delete(path);
  const record = decode(files.get(".slipway/record.json") ?? CONFIG) ?? "";
  files.set(
    ".slipway/record.json",
    encode(
      record
        .split("\n")
        .filter((line) => !line.includes("cluster-api/") && !line.includes('"phase":"cluster-api"'))
        .join("\n"),
    ),
  );
  const state = JSON.parse(decode(files.get(STATE_FILE) ?? CONFIG) ?? "");
  delete state["*clusterapi.Cluster"];
  delete state["*machines.ClusterAPI"];
  files.set(STATE_FILE, encode(JSON.stringify(state)));
  const { clean, files: found } = await compareCluster({ ...BASE, files });
  assert.ok(clean);
  assert.not.ok(found.some(({ path }) => isOurs(path)));
  const again = await compile("manifests", files);
  assert.is(again.files.filter(({ path }) => isOurs(path)).length, 12);
});

test("check finds a file that is out of date", async () => {
  const files = after(first);
  const config = decode(CONFIG) ?? "";
  files.set("install-config.yaml", encode(config.replaceAll("/bay/datastore/east", "/bay/datastore/north")));
  const { clean, files: found } = await compareCluster({ ...BASE, files });
  assert.not.ok(clean);
  assert.ok(found.some(({ path, status }) => isOurs(path) && status === "stale"));
});

test("a run with machines elsewhere removes the folder", async () => {
  const output = await compile("manifests", after(first), { machineManagement: "none" });
  assert.ok(output.ok);
  assert.equal(
    output.files.filter(({ path }) => isOurs(path)),
    [],
  );
});

test("what openshift-install lists as found on disk stays the user's", async () => {
  for (const path of [CLUSTER, "manifests/cluster-scheduler-02-config.yml"]) {
    const files = after(first);
    const text = `${decode(files.get(path) ?? CONFIG) ?? ""}`.replace(
      /^metadata:/m,
      "metadata:\n  annotations: {mine: here}",
    );
    files.set(path, encode(text));
    const state = decode(files.get(STATE_FILE) ?? CONFIG) ?? "";
    const old = first.files.find((each) => each.path === path)?.data ?? CONFIG;
    const base64 = (data: Uint8Array): string => Buffer.from(data).toString("base64");
    assert.ok(state.includes(base64(old)));
    files.set(STATE_FILE, encode(state.replaceAll(base64(old), base64(encode(text)))));
    const again = await compile("manifests", files);
    assert.match(decode(again.files.find((each) => each.path === path)?.data ?? CONFIG) ?? "", "mine: here");
  }
});

test("an object that its provider refuses is left out with one warning", async () => {
  const config = edit(VSPHERE, { "controlPlane.platform": { vsphere: { cpus: 1, coresPerSocket: 1 } } });
  const output = await compile("manifests", new Map([["install-config.yaml", encode(dump(config))]]));
  assert.ok(output.ok);
  assert.equal(
    output.diagnostics.filter(({ code }) => code === "FACT010").map(({ file }) => file),
    ["cluster-api/machines/"],
  );
  assert.not.ok(output.files.some(({ path }) => path.startsWith("cluster-api/machines/")));
  assert.ok(output.files.some(({ path }) => path === CLUSTER));
});

test.run();
