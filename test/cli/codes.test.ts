/**
 * Codes that no other test brings to a user: each by the command line, as it would be met. Together with what all other
 * tests report, every code of `src/core/codes.ts` is seen; `scripts/test.mjs` looks at that when all tests are done.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
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
  tells(["ETC010"], "etcd audit --dump foreign.json --target 1.36", folder);
  tells(["ETC037"], "etcd audit --dump unknown.json --target 1.36", folder);
  tells(
    ["ETC056"],
    "etcd extract --dump unknown.json --as yaml --plan plan.json --target 1.36 --out out",
    folder,
  );
});

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
