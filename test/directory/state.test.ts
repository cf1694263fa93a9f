import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decode, encode } from "../../src/core/files.js";
import {
  type InstallerState,
  parseState,
  type StateView,
  upstreamKey,
  writeState,
} from "../../src/directory/state.js";
import { fileMembers } from "../../src/directory/state-files.js";
import { readMembers, writeMembers } from "../../src/directory/state-json.js";
import { record } from "../helpers/cli.js";
import { PLANTED } from "../helpers/planted.js";
import { withShared } from "../helpers/shared.js";

const test = suite("directory/state");

const pem = (name: string): string =>
  `-----BEGIN RSA PRIVATE KEY-----\n${Buffer.from(name).toString("base64")}\n-----END RSA PRIVATE KEY-----\n`;
const file = (path: string, text: string) => ({ path, data: encode(text) });

const VIEW: StateView = {
  installConfig: {
    config: { apiVersion: "v1", metadata: { name: "wren" }, pullSecret: "{}" },
    text: "apiVersion: v1\nmetadata:\n  name: wren\npullSecret: '{}'\n",
  },
  clusterID: { uuid: "00000000-0000-4000-8000-000000000000", infraID: "wren-abcde" },
  kubeadmin: { password: "aaaaa-bbbbb-ccccc-ddddd", hash: "$2a$10$x" },
  rootCA: { key: pem("root"), certificate: "-----BEGIN CERTIFICATE-----\nroot\n" },
  machineConfigServer: { key: pem("mcs"), certificate: "-----BEGIN CERTIFICATE-----\nmcs\n" },
  openshiftInstall: file("openshift/openshift-install-manifests.yaml", "a: 1\n"),
  files: [
    file("manifests/cluster-config.yaml", "apiVersion: v1\nkind: ConfigMap\ndata:\n  install-config: x\n"),
    file("openshift/99_openshift-cluster-api_master-machines-0.yaml", "m0"),
    file("openshift/99_openshift-cluster-api_master-user-data-secret.yaml", "u"),
    file("openshift/99_openshift-machineconfig_99-worker-ssh.yaml", "w"),
    file("openshift/99_kubeadmin-password-secret.yaml", "k"),
  ],
  keys: new Map([["service-account", pem("sa")]]),
  options: { release: "4.22", lenient: true },
};

async function parsed(bytes: Uint8Array): Promise<InstallerState> {
  const { state, problems } = await parseState(bytes);
  assert.equal(problems, []);
  if (state === undefined) throw new Error("no state");
  return state;
}

function viewOf({ members: _, bytes: __, ...view }: InstallerState): StateView {
  return view;
}

const normal = (view: StateView): unknown => ({
  ...view,
  keys: Object.fromEntries(view.keys ?? []),
  openshiftInstall: view.openshiftInstall && decode(view.openshiftInstall.data),
  files: Object.fromEntries((view.files ?? []).map(({ path, data }) => [path, decode(data)])),
});

test("what is written is read back", async () => {
  const state = await parsed(writeState(undefined, VIEW));
  assert.equal(normal(viewOf(state)), normal(VIEW));
});

test("the form is upstream's: four blanks, sorted keys, no final newline, < > & escaped", () => {
  const text = decode(writeState(undefined, { options: { b: "<&>\u2028", a: true } })) ?? "";
  assert.is(
    text,
    '{\n    "slipway.dev/options": {\n        "a": true,\n        "b": "\\u003c\\u0026\\u003e\\u2028"\n    }\n}',
  );
});

test("writing the same again changes no byte", async () => {
  const first = writeState(undefined, VIEW);
  const state = await parsed(first);
  assert.equal(writeState(state, VIEW), first);
  assert.equal(writeState(state, {}), first);
});

test("unknown members and their numbers stay byte for byte", async () => {
  const text = `{
    "*future.Asset": {
        "big": 123456789012345678901234567890,
        "one": 1.0,
        "text": "\\u0041 \\"quoted\\" {[,]}",
        "list": [
            1e400
        ]
    },
    "*tls.RootCA": {
        "CertRaw": null,
        "KeyRaw": null,
        "FileList": null
    }
}`;
  const state = await parsed(encode(text));
  assert.is(state.rootCA, undefined);
  assert.is(decode(writeState(state, {})), text);
  const changed = decode(writeState(state, { options: { release: "4.22" } })) ?? "";
  assert.ok(changed.startsWith(text.slice(0, text.indexOf("*tls.RootCA"))));
});

test("unknown members inside of a changed member stay", async () => {
  const state = await parsed(
    encode('{"*installconfig.InstallConfig": {"config": {"a": 1}, "file": null, "aws": {"x": 1}}}'),
  );
  const { installConfig } = VIEW;
  if (installConfig === undefined) throw new Error("the view has no install-config");
  const text = decode(writeState(state, { installConfig })) ?? "";
  assert.match(text, /"aws": \{\s+"x": 1/);
  assert.match(text, /"name": "wren"/);
});

test("lists that became shorter lose their files, lists without files are emptied", async () => {
  const state = await parsed(writeState(undefined, VIEW));
  const next = await parsed(writeState(state, { files: [file("manifests/only.yaml", "x")] }));
  assert.equal(
    next.files?.map(({ path }) => path),
    ["manifests/only.yaml"],
  );
});

test("machine files go where upstream looks for them", () => {
  const members = fileMembers(
    [
      "99_openshift-cluster-api_master-user-data-secret.yaml",
      "99_openshift-cluster-api_worker-user-data-secret.yaml",
      "99_openshift-cluster-api_arbiter-user-data-secret.yaml",
      "99_openshift-machineconfig_99-arbiter-ssh.yaml",
      "99_openshift-machine-api_master-control-plane-machine-set.yaml",
      "99_openshift-cluster-api_worker-machineset-0.yaml",
      "99_openshift-cluster-api_host-bmc-secrets-0.yaml",
      "99_openshift-cluster-api_arbiter_host-bmc-secrets-0.yaml",
      "99_openshift-machine-api_claim-x-master-0.yaml",
      "99_feature-gate.yaml",
    ].map((name) => file(`openshift/${name}`, name)),
  );
  const names = (key: string, member: string): string =>
    JSON.stringify(members.get(key)?.[member]).replaceAll(/"Data":"[^"]*"/g, "");
  assert.match(names("*machines.Master", "UserDataFile"), /master-user-data/);
  assert.match(names("*machines.Master", "ControlPlaneMachineSet"), /control-plane-machine-set/);
  assert.match(names("*machines.Master", "SecretFiles"), /api_host-bmc-secrets-0/);
  assert.match(names("*machines.Master", "IPClaimFiles"), /claim-x-master-0/);
  assert.match(names("*machines.Worker", "MachineSetFiles"), /worker-machineset-0/);
  assert.match(names("*machines.Arbiter", "SecretFiles"), /arbiter_host-bmc/);
  assert.match(names("*machines.Arbiter", "MachineConfigFiles"), /99-arbiter-ssh/);
  assert.match(names("*manifests.Openshift", "FileList"), /^\[\{"Filename":"openshift\/99_feature-gate/);
});

test("members are cut out of any JSON exactly", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 1, 4), (object, indent) => {
      const text = JSON.stringify(object, null, indent);
      const members = readMembers(text);
      for (const [key, value] of Object.entries(object))
        assert.equal(JSON.parse(members?.get(key)?.text ?? "null"), JSON.parse(JSON.stringify(value)));
      assert.is(members?.size, Object.keys(object).length);
      assert.equal(JSON.parse(writeMembers(members ?? new Map())), JSON.parse(text));
    }),
  );
});

test("keys that upstream made are found, whatever it calls them", async () => {
  const b64 = (text: string): string => Buffer.from(text).toString("base64");
  const state = await parsed(
    encode(
      JSON.stringify({
        "*tls.KubeletCSRSignerCertKey": { CertRaw: b64("c"), KeyRaw: b64(pem("a")) },
        "*tls.ServiceAccountKeyPair": { Pvt: b64(pem("b")), Pub: b64("p") },
        "*tls.BootstrapSSHKeyPair": { Priv: b64(pem("c")), Pub: b64("p") },
        "*tls.IRICertKey": { CertRaw: null, KeyRaw: null },
      }),
    ),
  );
  assert.is(upstreamKey(state, "*tls.KubeletCSRSignerCertKey"), pem("a"));
  assert.is(upstreamKey(state, "*tls.ServiceAccountKeyPair"), pem("b"));
  assert.is(upstreamKey(state, "*tls.BootstrapSSHKeyPair"), pem("c"));
  assert.is(upstreamKey(state, "*tls.IRICertKey"), undefined);
  assert.is(upstreamKey(state, "*tls.JournalCertKey"), undefined);
});

const BROKEN: readonly (readonly [name: string, text: string, code: string])[] = [
  ["empty", "", "DIR010"],
  ["cut off", '{\n    "*tls.RootCA": {\n        "CertRaw": "', "DIR010"],
  ["a list", "[]", "DIR010"],
  ["null", "null", "DIR010"],
  ["a member that is a number", '{"*installconfig.ClusterID": 1}', "DIR011"],
  [
    "an identity that is none",
    '{"*installconfig.ClusterID": {"UUID": "__proto__", "InfraID": "a-abcde"}}',
    "DIR011",
  ],
  ["a member without its parts", '{"*installconfig.ClusterID": {}}', "DIR011"],
  ["a key that is not base64", '{"*tls.RootCA": {"CertRaw": "%%", "KeyRaw": null}}', "DIR011"],
  ["a list that is none", '{"*manifests.Manifests": {"FileList": {"a": 1}}}', "DIR011"],
  ["a key that is not PEM", `{"slipway.dev/keys": {"service-account": "${PLANTED.token}"}}`, "DIR011"],
  ["machines that are a text", '{"*machines.Master": {"UserDataFile": "x"}}', "DIR011"],
];

for (const [name, text, code] of BROKEN)
  test(`broken: ${name}`, async () => {
    const { state, problems } = await parseState(encode(text));
    record(JSON.stringify(problems));
    assert.is(state, undefined);
    assert.ok(problems.length > 0 && problems.every((each) => each.code === code), JSON.stringify(problems));
  });

test("broken: one fault is told once, as what the member has to be", async () => {
  const cases: readonly (readonly [text: string, ...told: string[]])[] = [
    ['{"*tls.RootCA": {"CertRaw": "", "KeyRaw": 5}}', "*tls.RootCA.KeyRaw: must be string"],
    ['{"*manifests.Manifests": {"FileList": 1}}', "*manifests.Manifests.FileList: must be array"],
    ['{"*installconfig.ClusterID": 1}', "*installconfig.ClusterID: must be object or null"],
  ];
  for (const [text, ...told] of cases) {
    const { problems } = await parseState(encode(text));
    assert.equal(
      problems.map(({ field, message }) => `${field}: ${message}`),
      told,
      text,
    );
  }
});

test("broken: two versions that Git left in one file", async () => {
  const lines = decode(writeState(undefined, VIEW))?.split("\n") ?? [];
  const halves = ["<<<<<<< HEAD", ...lines.slice(3, 5), "=======", ...lines.slice(5, 7), ">>>>>>> theirs"];
  const { problems } = await parseState(
    encode([...lines.slice(0, 3), ...halves, ...lines.slice(7)].join("\n")),
  );
  assert.equal(
    problems.map(({ code, line, message }) => [code, line, message]),
    [["DIR010", 4, "unresolved Git merge conflict"]],
  );
  assert.match(problems[0]?.hint ?? "", /git checkout --ours/);
});

test("broken: bytes that are no text", async () => {
  const { problems } = await parseState(new Uint8Array([0xff, 0xfe, 0x7b]));
  assert.is(problems[0]?.code, "DIR010");
});

test("broken: every prefix of a state is refused, none crashes", async () => {
  const bytes = writeState(undefined, VIEW);
  for (let length = 0; length < bytes.length; length += 37) {
    const { state, problems } = await parseState(bytes.subarray(0, length));
    assert.is(state, undefined);
    assert.ok(problems.length > 0);
  }
});

for (const name of ["none-dual-stack", "none-workers-ecdsa", "external-proxy-mirrors"])
  withShared(test, `data/upstream-4.22/${name}`, `a state of the real installer: ${name}`, async (folder) => {
    const bytes = readFileSync(join(folder, "state.json"));
    const state = await parsed(bytes);
    assert.is(Buffer.compare(writeState(state, {}), bytes), 0);
    // Its own lists and keys, given back, change nothing.
    const { installConfig, clusterID, kubeadmin, rootCA, machineConfigServer, openshiftInstall, files } =
      state;
    if (
      !installConfig ||
      !clusterID ||
      !kubeadmin ||
      !rootCA ||
      !machineConfigServer ||
      !openshiftInstall ||
      !files
    )
      throw new Error("a member is missing");
    const same = {
      installConfig,
      clusterID,
      kubeadmin,
      rootCA,
      machineConfigServer,
      openshiftInstall,
      files,
    };
    assert.is(Buffer.compare(writeState(state, same), bytes), 0);
    // Everything that the installer wrote to the two folders is in the lists.
    for (const { path, data } of files)
      assert.is(Buffer.compare(readFileSync(join(folder, path)), data), 0, path);
    // Written from nothing, each member that we write has upstream's members.
    const desired = readMembers(decode(writeState(undefined, same)) ?? "") ?? new Map();
    for (const [key, { value }] of desired)
      assert.equal(
        Object.keys(value).sort(),
        Object.keys(JSON.parse(state.members.get(key)?.text ?? "{}")).sort(),
        key,
      );
  });

test.run();
