/** The secret files of whole directories, as the golden cases of the installer make them: sealed, and opened again. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isSealed, open } from "../../src/sops/file.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { slipway } from "../helpers/cli.js";
import { skipTest } from "../helpers/shared.js";
import { noSops, sops } from "../helpers/sops.js";
import { readModes, readTree, tempFolder } from "../helpers/temp.js";

const test = suite("golden trees, encrypted");

/** For each case what makes all of its directory. */
const CASES = {
  aws: "infrastructure-manifests --facts facts.yaml",
  "aws-subnets": "infrastructure-manifests --facts facts.yaml",
  none: "infrastructure-manifests",
  external: "infrastructure-manifests --release 4.20 --contract v1beta2",
  "custom-external":
    "infrastructure-manifests --dir cluster --namespace herons --infra-id heron-x7k2p --custom-infrastructure infrastructure --crds definitions",
  "machines-aws": "infrastructure-manifests --facts facts.yaml --machine-management cluster-api",
  "openshift-assisted":
    "infrastructure-manifests --control-plane-provider openshift-assisted --release-image quay.io/openshift-release-dev/ocp-release:4.22.3-x86_64",
  "ignition-configs": `ignition-configs --release-image registry.example.com/ocp/release@sha256:${"0123456789abcdef".repeat(4)}`,
} as const;

const identity = await generateX25519Identity();
const other = await generateX25519Identity();
const SECRETS = "infrastructure-manifests-secrets";
const recipient = await identityToRecipient(identity);

const isYaml = (path: string): boolean => /\.ya?ml$/.test(path);

/** Secret files of a directory, by their mode; what they mean: the value of YAML, the text of anything else. */
function secretsOf(folder: string): Map<string, Buffer> {
  const modes = readModes(folder);
  // What says that a folder of plain Secrets must not be committed, and lists them, is not a secret.
  const isSecret = (path: string): boolean =>
    modes.get(path) === 0o600 && !/\/(?:\.gitignore|kustomization\.yaml)$/.test(path);
  return new Map([...readTree(folder)].filter(([path]) => isSecret(path)));
}
const meaning = (path: string, data: Uint8Array | string): unknown =>
  isYaml(path) ? parseYaml(Buffer.from(data).toString()) : Buffer.from(data).toString();

/** What is said meanwhile. */
function create(words: string, cwd: string): string {
  const { code, stderr } = slipway(["create", ...words.split(" ")], {
    cwd,
    env: { SOURCE_DATE_EPOCH: "1800000000", SOPS_AGE_KEY: identity },
  });
  assert.is(code, 0, stderr);
  return stderr;
}

/** By case, the secret files as they are and as they lie encrypted. */
const trees = new Map<
  string,
  { readonly plain: Map<string, Buffer>; readonly sealed: Map<string, Buffer> }
>();

for (const [name, words] of Object.entries(CASES)) {
  test(`${name}: every secret file is sealed and opens to what it was, and is the same when it is plain again`, async () => {
    const folder = join(tempFolder(), "work");
    cpSync(join("golden", name, "input"), folder, { recursive: true });
    create(`${words} --secrets separate`, folder);
    const plain = secretsOf(folder);
    assert.ok(plain.size > 5);
    create(`${words} --secrets sops --age-recipient ${recipient}`, folder);
    const sealed = secretsOf(folder);
    trees.set(name, { plain, sealed });
    assert.equal([...sealed.keys()], [...plain.keys()]);
    for (const [path, data] of sealed) {
      assert.ok(isSealed(path, data), path);
      const opened = await open(path, data, [identity], ({ message }) => assert.unreachable(message));
      assert.equal(meaning(path, opened?.data ?? data), meaning(path, plain.get(path) ?? ""), path);
    }
    create(`${words} --secrets separate`, folder);
    for (const [path, data] of secretsOf(folder)) assert.ok(plain.get(path)?.equals(data), path);
  });

  const inSops = `${name}: the real sops opens each to what it was`;
  if (noSops !== "") skipTest(test, inSops, noSops);
  else
    test(inSops, () => {
      const tree = trees.get(name);
      assert.ok(tree !== undefined, "the tree was not made");
      const { plain, sealed } = tree;
      const folder = tempFolder();
      for (const [path, data] of sealed) {
        const file = join(folder, path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, data);
        const binary = isYaml(path) ? [] : ["--input-type", "binary", "--output-type", "binary"];
        const opened = sops(["decrypt", ...binary, file], identity);
        assert.equal(meaning(path, opened), meaning(path, plain.get(path) ?? ""), path);
      }
    });
}

test("a Secret that the user adds in the open is told of, until it is encrypted", async () => {
  const folder = join(tempFolder(), "work");
  cpSync("golden/none/input", folder, { recursive: true });
  const words = `${CASES.none} --secrets sops --age-recipient ${recipient}`;
  create(words, folder);
  const path = "manifests/own.yaml";
  const text =
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: own\n  namespace: default\nstringData:\n  word: plain\n";
  writeFileSync(join(folder, path), text);
  writeFileSync(
    join(folder, "manifests/other.yaml"),
    text.replaceAll("Secret", "ConfigMap").replace("stringData", "data"),
  );
  const said = create(words, folder);
  assert.match(said, `${path}: warning CAPI008`);
  assert.not.match(said, "other.yaml: warning");
  const sealed = readFileSync(join(folder, ".openshift_install_state.json"));
  assert.ok(isSealed(".openshift_install_state.json", sealed));
  assert.is(readFileSync(join(folder, path), "utf8"), text);
});

/** What a directory reconstructs from: manifests and state. */
const wrapped = (folder: string): ReadonlyMap<string, Buffer> =>
  new Map(
    [...readTree(folder)].filter(([path]) =>
      /^(?:manifests\/|openshift\/|\.openshift_install_state\.json$)/.test(path),
    ),
  );

for (const [name, within] of [
  ["custom-external", "cluster"],
  ["machines-aws", "."],
] as const)
  test(`${name}: manifests and state come back from the objects`, () => {
    const folder = join(tempFolder(), "work");
    cpSync(join("golden", name, "input"), folder, { recursive: true });
    create(`${CASES[name]} --secrets separate`, folder);
    const from = ["infrastructure-manifests", SECRETS].flatMap((each) => ["--from", join(within, each)]);
    const { code, stderr } = slipway(["reconstruct", ...from, "--dir", "back"], { cwd: folder });
    assert.is(code, 0, stderr);
    assert.equal(wrapped(join(folder, "back")), wrapped(join(folder, within)));
  });

test("there is nothing to reconstruct of a cluster with assisted-service, which is said", () => {
  const folder = join(tempFolder(), "work");
  cpSync("golden/openshift-assisted/input", folder, { recursive: true });
  create(CASES["openshift-assisted"], folder);
  const words = ["reconstruct", "--from", "infrastructure-manifests", "--dir", "back"];
  const { code, stderr } = slipway(words, { cwd: folder });
  assert.is(code, 1);
  assert.match(stderr, /error REC002: .*assisted-service/);
  assert.not.ok(existsSync(join(folder, "back")));
});

test("reconstruct opens encrypted Secrets with the key as plain ones, and makes nothing without it", () => {
  const folder = join(tempFolder(), "work");
  cpSync("golden/external/input", folder, { recursive: true });
  create(`${CASES.external} --secrets separate`, folder);
  const back = (to: string, key?: string): number | null =>
    slipway(["reconstruct", "--from", "infrastructure-manifests", "--from", SECRETS, "--dir", to], {
      cwd: folder,
      env: key === undefined ? {} : { SOPS_AGE_KEY: key },
    }).code;
  assert.is(back("plain"), 0);
  const said = create(`${CASES.external} --secrets sops --age-recipient ${recipient}`, folder);
  assert.match(said, /warning CAPI008: pullSecret: the pull secret is not encrypted/);
  assert.is(back("opened", identity), 0);
  assert.equal(readTree(join(folder, "opened")), readTree(join(folder, "plain")));
  assert.is(back("closed"), 1);
  assert.is(back("other", other), 1);
  assert.not.ok(existsSync(join(folder, "closed")));
  // The way back that is named where the state is missing.
  rmSync(join(folder, ".openshift_install_state.json"));
  const { stderr } = slipway(["create", "infrastructure-manifests"], { cwd: folder });
  assert.match(
    stderr,
    `slipway reconstruct --from infrastructure-manifests --from ${SECRETS} --dir reconstructed `,
  );
});

test.run();
