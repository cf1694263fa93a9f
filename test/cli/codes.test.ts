/**
 * Codes that no other test brings to a user: each by the command line, as it would be met. Together with what all other
 * tests report, every code of `src/core/codes.ts` is seen; `scripts/test-checks.mjs` looks at that when all tests are done.
 */
import { createCipheriv, createDecipheriv } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { run as runCli } from "../../src/cli/frame.js";
import { violation } from "../../src/compatibility/gate-rules.js";
import type { Code } from "../../src/core/codes.js";
import type { Problem } from "../../src/core/diagnostics.js";
import type { JsonObject } from "../../src/core/json.js";
import { manifestRenderings } from "../../src/phases/infrastructure-manifests/manifests.js";
import { type CliResult, slipway } from "../helpers/cli.js";
import { configText } from "../helpers/install-config.js";
import { tempFolder } from "../helpers/temp.js";
import { claim, namespace, pairObjects, textOf, volume } from "../helpers/transfer.js";

const test = suite("codes by the command line");

const FIXED = { SOURCE_DATE_EPOCH: "1800000000" };
type Files = Readonly<Record<string, string>>;

function lay(files: Files, folder: string = tempFolder()): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const run = (line: string, cwd: string): CliResult => slipway(line.split(" "), { cwd, env: FIXED });

const codesOf = ({ stdout, stderr }: CliResult): string[] =>
  [
    ...`${stderr}\n${stdout}`.matchAll(
      /(?:^|: )(?:error|warning|info) ([A-Z]+\d{3}):|"code": "([A-Z]+\d{3})"/gm,
    ),
  ].map(([, text, json]) => text ?? json ?? "");

/** Runs a command line in a folder; the codes are among those that it tells. */
function tells(codes: readonly Code[], line: string, cwd: string): void {
  const result = run(line, cwd);
  const told = codesOf(result);
  for (const code of codes)
    assert.ok(told.includes(code), `${line}: no ${code}\n${result.stderr}${result.stdout}`);
}

/** A directory with the Cluster API objects, made once. */
const made = lay({ "install-config.yaml": configText() });
const image = `quay.io/example/release@sha256:${"ab".repeat(32)}`;
run(
  `create infrastructure-manifests --key-algorithm ecdsa-p256 --infra-id heron-abcde --release-image ${image}`,
  made,
);
const copyOfMade = (files: Files = {}): string => {
  const folder = join(tempFolder(), "copy");
  cpSync(made, folder, { recursive: true });
  return lay(files, folder);
};

test("an install-config", () => {
  tells(["YAML004"], "validate a.yaml", lay({ "a.yaml": `? [a]\n: b\n${configText()}` }));
});

test("manifests of the user", () => {
  const crd = JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "herons.example.org" },
    spec: {
      group: "example.org",
      scope: "Cluster",
      names: { kind: "Heron", plural: "herons" },
      versions: [{ name: "v1", served: true, storage: true }],
    },
  });
  tells(["KUB007"], "validate --dir .", copyOfMade({ "openshift/crd.yaml": crd }));
  // Names are told apart by 48 bits of a digest, which nobody meets twice by accident.
  const problems: Problem[] = [];
  const twice = [1, 2].map(() => ({ path: "openshift/A.yaml", data: new Uint8Array(), secret: false }));
  manifestRenderings(
    twice,
    { infraID: "heron-abcde", clusterID: "" },
    "birds",
    (each) => void problems.push(each),
  );
  assert.equal(
    problems.map(({ code }) => code),
    ["CAPI005"],
  );
  const gone = copyOfMade();
  rmSync(join(gone, "infrastructure-manifests"), { recursive: true });
  tells(["CAPI022"], "validate --dir .", gone);
});

test("an update that cannot keep the comments", () => {
  const folder = copyOfMade();
  const file = join(folder, "manifests/cluster-dns-02-config.yml");
  const text = readFileSync(file, "utf8").replace("baseDomain: ", "baseDomain: &domain ");
  writeFileSync(file, `# mine\n${text}\nextra: *domain\n`);
  writeFileSync(
    join(folder, "install-config.yaml"),
    configText({ baseDomain: "baseDomain: other.example.org" }),
  );
  tells(["DIR033"], "create manifests --dir .", folder);
});

test("what is wrapped", () => {
  const edited = (edit: (state: JsonObject) => JsonObject): string => {
    const folder = copyOfMade();
    const file = join(folder, "infrastructure-manifests/20_install-state.yaml");
    const text = readFileSync(file, "utf8").replace(
      /(\.openshift_install_state\.json: )(\S+)/,
      (_, key: string, data: string) => {
        const state: JsonObject = JSON.parse(Buffer.from(data, "base64").toString());
        return `${key}${Buffer.from(JSON.stringify(edit(state))).toString("base64")}`;
      },
    );
    writeFileSync(file, text);
    return folder;
  };
  const without = (state: JsonObject, part: string): JsonObject =>
    Object.fromEntries(Object.entries(state).filter(([name]) => !name.includes(part)));
  tells(
    ["REC018"],
    "reconstruct --from infrastructure-manifests --dir new",
    edited((state) => without(state, "KubeadminPassword")),
  );
  tells(
    ["REC022"],
    "reconstruct --from infrastructure-manifests --dir new",
    edited((state) => without(state, "slipway")),
  );
  const other = copyOfMade();
  const file = join(other, "infrastructure-manifests/60_openshift-control-plane.yaml");
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace("cluster-name: heron-abcde", "cluster-name: egret-abcde"),
  );
  tells(["REC019"], "reconstruct --from infrastructure-manifests --dir new", other);
});

test("what the release's own installer does instead", () => {
  const left = tempFolder();
  cpSync("examples/aws", left, { recursive: true });
  run("create infrastructure-manifests --dir . --facts facts.yaml --key-algorithm ecdsa-p256", left);
  tells(["IGN006"], "create ignition-configs --dir .", left);
  tells(["IGN007"], "create ignition-configs --dir .", copyOfMade());
});

test("a range of pods that assisted-service has no room in", () => {
  const folder = tempFolder();
  cpSync("golden/openshift-assisted-single/input", folder, { recursive: true });
  const file = join(folder, "cluster/install-config.yaml");
  const text = readFileSync(file, "utf8");
  const narrow = text.replace("cidr: 10.128.0.0/14", "cidr: 10.128.0.0/24");
  assert.is.not(narrow, text);
  writeFileSync(file, narrow);
  tells(
    ["CAPI046"],
    `create infrastructure-manifests --dir cluster --control-plane-provider openshift-assisted --release-image mirror.example.org:5000/ocp/release:4.22.3-x86_64 --control-plane-api-version v1alpha2 --custom-infrastructure infrastructure --namespace dipper`,
    folder,
  );
  tells(
    ["CAPI047"],
    "create ignition-configs --dir cluster --control-plane-provider openshift-assisted",
    folder,
  );
});

test("keys and recipients of age", () => {
  tells(["SOPS003"], "check --dir . --age-key-file key.txt", copyOfMade({ "key.txt": "AGE-SECRET-KEY\n" }));
});

test("templates of the user", () => {
  const name = "openshift/99_kubeadmin-password-secret.yaml.hbs";
  const render = (text: string): string => copyOfMade({ [`templates/${name}`]: text });
  const line = "create manifests --dir . --templates templates";
  tells(["TPL001"], line, render("{{#if"));
  tells(["TPL002"], line, render("- a list\n"));
  tells(["TPL003"], line, render("apiVersion: v1\nkind: Secret\nmetadata: {name: 5}\n"));
});

test("copies of etcd", () => {
  const kv = (key: string, value: string) => ({
    key: Buffer.from(key).toString("base64"),
    value: Buffer.from(value).toString("base64"),
    create_revision: 2,
    mod_revision: 2,
    version: 1,
  });
  const dump = (...kvs: readonly object[]): string =>
    JSON.stringify({ header: { revision: 9 }, kvs, count: kvs.length });
  const folder = lay({
    "foreign.json": dump(kv("/somewhere/else", "x")),
    "unknown.json": dump(
      kv(
        "/registry/namespaces/a",
        JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } }),
      ),
      kv("/registry/herons/a/b", "x"),
    ),
    "plan.json": "{}",
  });
  const crd = (versions: readonly string[]): object =>
    kv(
      "/registry/apiextensions.k8s.io/customresourcedefinitions/herons.example.org",
      JSON.stringify({
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: "herons.example.org", uid: "u" },
        spec: {
          group: "example.org",
          scope: "Cluster",
          names: { kind: "Heron", plural: "herons" },
          versions: [{ name: "v1", served: true, storage: true }],
        },
        status: { storedVersions: versions },
      }),
    );
  const heron = { apiVersion: "example.org/v1", kind: "Heron", metadata: { name: "a" } };
  lay(
    {
      "stored.json": dump(
        crd(["v1beta1", "v1"]),
        kv("/registry/example.org/herons/a", JSON.stringify(heron)),
      ),
    },
    folder,
  );
  tells(["ETC035"], "etcd inventory --dump stored.json", folder);
  lay(wrongKey(), folder);
  tells(["ETC031"], "etcd inventory --dump secret.json --encryption-config keys.yaml", folder);
  tells(["ETC010"], "etcd audit --dump foreign.json --target 1.36", folder);
  tells(["ETC037"], "etcd audit --dump unknown.json --target 1.36", folder);
  tells(
    ["ETC056"],
    "etcd extract --dump unknown.json --as yaml --plan plan.json --target 1.36 --out out",
    folder,
  );
  lay(
    {
      "plan.json": JSON.stringify({ kind: "EtcdRepairPlan", deletions: [{ key: "/a", recoverable: false }] }),
    },
    folder,
  );
  tells(
    ["ETC050"],
    "etcd extract --dump unknown.json --as yaml --plan plan.json --target 1.36 --out out",
    folder,
  );
});

/** A Secret that was encrypted with another AES-CBC key than the configuration has, one that the padding does not give away. */
function wrongKey(): Files {
  const iv = Buffer.alloc(16, 7);
  const cipher = createCipheriv("aes-256-cbc", Buffer.alloc(32, 1), iv);
  const sealed = Buffer.concat([cipher.update("k8s\0 a Secret"), cipher.final()]);
  const opens = (key: Buffer): boolean => {
    const decipher = createDecipheriv("aes-256-cbc", key, iv);
    try {
      decipher.update(sealed);
      decipher.final();
      return true;
    } catch {
      return false;
    }
  };
  const key = Buffer.alloc(32, 2);
  for (let i = 0; !opens(key); i++) key.writeUInt32BE(i);
  const value = Buffer.concat([Buffer.from("k8s:enc:aescbc:v1:key1:"), iv, sealed]);
  const entry = {
    key: Buffer.from("/registry/secrets/a/b").toString("base64"),
    value: value.toString("base64"),
    create_revision: 2,
    mod_revision: 2,
    version: 1,
  };
  return {
    "secret.json": JSON.stringify({ header: { revision: 9 }, kvs: [entry], count: 1 }),
    "keys.yaml": `apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: [secrets]\n  providers:\n  - aescbc: {keys: [{name: key1, secret: ${key.toString("base64")}}]}\n`,
  };
}

test("tables of gates", () => {
  const table = (specs: string): string =>
    lay({
      "gates.yaml": `apiVersion: slipway.dev/v1alpha1\nkind: FeatureGateTable\nmetadata: {name: heron}\ngates:\n- name: A\n  versionedSpecs:\n${specs}`,
    });
  const line = "compat gates --table gates.yaml --binary-version 1.36";
  tells(["TAB009"], "compat gates --table kubernetes@1.10 --binary-version 1.36", tempFolder());
  tells(["GATE102"], line, table('  - {version: "1.30.1", preRelease: Alpha, default: false}\n'));
  tells(
    ["GATE104"],
    line,
    table(
      '  - {version: "1.30", preRelease: Alpha, default: false}\n  - {version: "1.30", preRelease: Alpha, default: true, minCompatibilityVersion: "1.29.1"}\n',
    ),
  );
  tells(
    ["GATE105"],
    line,
    table(
      '  - {version: "1.30", preRelease: Alpha, default: false}\n  - {version: "1.30", preRelease: Alpha, default: true, minCompatibilityVersion: "1.31"}\n',
    ),
  );
  tells(["GATE117"], line, table('  - {version: "1.30", preRelease: Removed, default: false}\n'));
});

test("a spec without a version", () => {
  assert.is(violation("R1", "", { file: "", line: 0, column: 0 }, ["", ""]).code, "GATE101");
});

test("a bug, in json", async () => {
  let said = "";
  let broken = true;
  const stream = (write: (text: string) => void) => ({
    isTerminal: false,
    columns: 80,
    fault: undefined,
    write,
  });
  const stdout = stream((text) => {
    if (broken) {
      broken = false;
      throw new Error("on purpose");
    }
    said += text;
  });
  assert.is(await runCli(["--help", "--output", "json"], { stdout, stderr: stream(() => {}) }), 70);
  assert.match(said, /"code": "CLI002"/);
});

test("transfers", () => {
  const DIGEST = "transfer.slipway.dev/request-digest";
  const VOLUME = "transfer.slipway.dev/persistent-volume";
  const pair = (annotations: Readonly<Record<string, string>>): string =>
    textOf(pairObjects({ from: "prod/db", to: "stage/db", annotations }));
  const dump = textOf([
    namespace("prod"),
    namespace("stage"),
    claim("prod", "db", "pv-1"),
    volume("pv-1", "prod", "db"),
  ]);
  const folder = lay({
    "groups/a.yaml": pair({}).replace("transfer.slipway.dev/v1alpha1", "transfer.example.org/v1alpha1"),
    "digest/a.yaml": pair({ [DIGEST]: "sha256:short" }),
    "volume/a.yaml": pair({ [VOLUME]: "pv-9" }),
    "dump.yaml": dump,
  });
  tells(["TRF017"], "transfer match groups", folder);
  tells(["TRF025"], "transfer match digest --state dump.yaml", folder);
  tells(["TRF023"], "transfer match volume --state dump.yaml", folder);
});

test("storage versions", () => {
  const crd = JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "herons.example.org" },
    spec: {
      group: "example.org",
      scope: "Cluster",
      names: { kind: "Heron", plural: "herons" },
      versions: [
        { name: "v1", served: true, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
    status: { storedVersions: ["v1"] },
  });
  tells(["STO033"], "storage migrations --to 1.36 --crd crd.yaml", lay({ "crd.yaml": crd }));
});

test.run();
