/**
 * Command lines with their files: every step of every golden case, and lines of our own for the inputs that no case
 * has. `every input of every command is in the battery` (battery.test.ts) says what is missing here.
 */
import { generateKeyPairSync } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { load } from "js-yaml";
import { isJson, isObject, type Json } from "../../src/core/json.js";
import { dump, envelope, snapshot } from "../etcd/copies.js";
import { readTree } from "../helpers/temp.js";
import { answer } from "./answer.js";

/** A command line, the files that lie there when it runs, and those of them that it reads; `-` is standard input. */
export interface Unit {
  readonly name: string;
  readonly words: readonly string[];
  readonly tree: ReadonlyMap<string, Buffer>;
  readonly inputs: readonly string[];
}

/** The name of standard input among the files of a unit. */
export const STDIN = "-";

/** Lays a tree in an empty folder; standard input is none of its files. */
export function lay(tree: ReadonlyMap<string, Uint8Array>, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [path, data] of tree) {
    if (path === STDIN) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), data);
  }
}

export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

/** Commands that read a whole directory, whatever files their words name. */
const WHOLE = /^(?:create|validate|check|graph|report --dir|init|keys)\b/;
const LARGEST = 200_000;

/** Files of a tree that a command reads: those that its words name, those in its directory. */
function inputsOf(words: readonly string[], tree: ReadonlyMap<string, Buffer>): string[] {
  const files = [...tree].filter(([, data]) => data.length <= LARGEST).map(([path]) => path);
  if (WHOLE.test(words.join(" "))) return files;
  const parts = words.map((word) => word.replace(/:.*/, ""));
  return files.filter(
    (file) => file === STDIN || parts.some((word) => file === word || file.startsWith(`${word}/`)),
  );
}

const golden = (): readonly string[] =>
  readdirSync("golden")
    .filter((name) => existsSync(join("golden", name, "case.yaml")))
    .sort();

const inputOf = (name: string): Map<string, Buffer> =>
  existsSync(join("golden", name, "input")) ? readTree(join("golden", name, "input")) : new Map();

/** Keys are made anew where there are none; those of this kind cost next to nothing. */
const quickKeys = (words: readonly string[], tree: ReadonlyMap<string, Buffer>): readonly string[] =>
  words[0] === "create" &&
  words[1] !== "install-config" &&
  words[1] !== "facts" &&
  ![...tree.keys()].some((path) => path.endsWith(".openshift_install_state.json")) &&
  !words.includes("--key-algorithm") &&
  !words.includes("--keys")
    ? [...words, "--key-algorithm", "ecdsa-p256"]
    : words;

/** The steps of a golden case, each with the files as the steps before left them. */
async function goldenUnits(name: string, folder: string): Promise<Unit[]> {
  const spec: unknown = load(readFileSync(join("golden", name, "case.yaml"), "utf8"));
  if (typeof spec !== "object" || spec === null || !("steps" in spec) || !Array.isArray(spec.steps))
    return [];
  lay(new Map(), folder);
  const input = join("golden", name, "input");
  if (existsSync(input)) cpSync(input, folder, { recursive: true });
  const units: Unit[] = [];
  const steps: readonly Json[] = spec.steps;
  for (const step of steps) {
    if (!isObject(step) || typeof step["run"] !== "string") continue;
    const tree = readTree(folder);
    const { stdin } = step;
    if (typeof stdin === "string") tree.set(STDIN, Buffer.from(stdin));
    const words = quickKeys(wordsOf(step["run"]), tree);
    const inputs = inputsOf(words, tree);
    if (inputs.length > 0) units.push({ name: `${name}: ${step["run"]}`, words, tree, inputs });
    await answer(words, folder, tree.get(STDIN));
  }
  return units;
}

const text = (value: string): Buffer => Buffer.from(value);
const json = (value: Json): Buffer => text(JSON.stringify(value, null, 2));

const PULL_SECRET = json({ auths: { "registry.example.com": { auth: "dXNlcjpwYXNz" } } });
const SSH_KEY = text(
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f a@example.com\n",
);
const SEED = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
const AGE_RECIPIENT = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";
const AGE_KEYS = text(
  "# created: 2026-01-01T00:00:00Z\n# public key: age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p\nAGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX\n",
);
const CREATION_RULES = text(
  "creation_rules:\n- path_regex: secrets/.*\n  age: age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p\n  encrypted_regex: ^(data|stringData)$\n",
);
const STREAM = json({
  stream: "rhcos-4.20",
  metadata: { "last-modified": "2026-01-01T00:00:00Z" },
  architectures: {
    x86_64: {
      artifacts: { aws: { release: "9.6", formats: {} } },
      images: { aws: { regions: { "eu-west-1": { release: "9.6", image: "ami-0123456789abcdef0" } } } },
    },
  },
});
const AWS_CREDENTIALS = text("[default]\naws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = example\n");
const KMS_ANSWERS = json({
  apiVersion: "slipway.dev/v1alpha1",
  kind: "KMSAnswers",
  answers: [
    { provider: "p", api: "v2", keyID: "1", encryptedDEKSource: "AAAA", plaintext: "AAAA", current: true },
    { provider: "q", api: "v1", encryptedDEKSource: "AAAA", error: "gone" },
  ],
});
const KUBELET = text(
  "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nfeatureGates: {CachedLists: true}\n",
);
const CRDS = "crds/widgets.yaml";
const RESOURCE_LIST = json({
  apiVersion: "config.kubernetes.io/v1",
  kind: "ResourceList",
  functionConfig: {
    apiVersion: "slipway.dev/v1alpha1",
    kind: "ClusterFunction",
    spec: {
      keyAlgorithm: "ecdsa-p256",
      files: { "install-config.yaml": readFileSync("examples/none/install-config.yaml", "utf8") },
      inputs: { seed: SEED.toString("base64") },
    },
  },
  items: [
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: "state",
        annotations: { "config.kubernetes.io/local-config": "true", "slipway.dev/input": "seed" },
      },
      data: { value: SEED.toString("base64") },
    },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "kept", annotations: { "config.kubernetes.io/path": "a.yaml" } },
      data: { a: "b" },
    },
  ],
});

const SCENARIO = text(
  "apiVersion: slipway.dev/v1alpha1\nkind: StorageScenario\nmetadata: {name: rolling}\nservers:\n- {name: old, release: '1.30'}\nobjects:\n- {resource: widgets.example.com, name: only, version: v1beta1}\nsteps:\n- {action: start, server: new, release: '1.31'}\n- {action: write, server: old, object: widgets.example.com}\n- {action: restart, server: new}\n",
);
const PAIRS = "new --statefulset old=shop/db new=shop-2/pg --state dump.yaml --out git";

function etcdRecords() {
  const widget = (name: string) =>
    json({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name, namespace: "ns" } });
  return [
    { key: "/registry/namespaces/ns", value: envelope("v1", "Namespace", { name: "ns" }) },
    {
      key: "/registry/secrets/ns/s",
      value: envelope("v1", "Secret", { name: "s", finalizers: ["a.example.com/b"] }),
    },
    { key: "/registry/example.com/widgets/ns/w", value: widget("w") },
    { key: "/registry/configmaps/ns/lost", value: text("k8s:enc:kms:v2:p:xx") },
  ];
}

/** What phases that boot machines cannot do without. */
const imageFor = (phase: string): string =>
  phase.endsWith("ignition-configs") || phase.endsWith("ignition-config")
    ? ` --release-image registry.example.com/ocp/release@sha256:${"0123456789abcdef".repeat(4)}`
    : "";

/** The options that `create`, `check` and `validate` read from files. */
const COMPILE_FILES: Readonly<Record<string, Buffer>> = {
  "stream.json": STREAM,
  "pull-secret.json": PULL_SECRET,
  "id.pub": SSH_KEY,
  "age.txt": AGE_KEYS,
  ".sops.yaml": CREATION_RULES,
  credentials: AWS_CREDENTIALS,
};
const COMMON =
  "--facts facts.yaml --coreos-stream stream.json --pull-secret pull-secret.json --ssh-key id.pub";
const COMPILE = `${COMMON} --credentials credentials --age-key-file age.txt --templates templates`;

const rsaKey = (): string =>
  generateKeyPairSync("rsa", { modulusLength: 2048 })
    .privateKey.export({ type: "pkcs1", format: "pem" })
    .toString();

const NONE = readFileSync("examples/none/install-config.yaml", "utf8");

/** What makes one machine that installs itself of a config. */
const DISK = "/dev/disk/by-id/wwn-0x64cd98f04fde1000";
const IN_PLACE = {
  bootstrapInPlace: { installationDisk: DISK },
  controlPlane: { name: "master", replicas: 1 },
};
const AWS = readFileSync("golden/aws/input/install-config.yaml", "utf8");
const EXTERNAL = readFileSync("golden/custom-external/input/cluster/install-config.yaml", "utf8");
/** An install-config with one machine, which installs itself. */
const inPlace = (config: string): Buffer =>
  text(
    `${config.replace("replicas: 3", "replicas: 1").replace(/replicas: [34]/, "replicas: 0")}bootstrapInPlace: {installationDisk: ${DISK}}\n`,
  );
const FEW = { compute: [{ name: "worker", replicas: 5 }] };

/** A table of a fleet with every member, flags of every kind, and what a cluster takes back. */
const fleetTable = (changes: Readonly<Record<string, Json>> = FEW): Buffer => {
  const config: unknown = load(NONE);
  return json({
    apiVersion: "slipway.dev/v1alpha1",
    kind: "Fleet",
    defaults: {
      flags: {
        "key-algorithm": "ecdsa-p256",
        secrets: "separate",
        lenient: true,
        release: "4.22",
        "pull-secret": "pull-secret.json",
        "ssh-key": "id.pub",
      },
      installConfig: { ...(isJson(config) && isObject(config) ? config : {}), ...changes, metadata: {} },
    },
    clusters: [
      { dir: "clusters/egret", name: "egret" },
      {
        dir: "clusters/stork",
        name: "stork",
        flags: { "pull-secret": null, "age-recipient": [AGE_RECIPIENT], secrets: "sops" },
        installConfig: { fips: null },
      },
    ],
  });
};
const OF_FLEET = { "pull-secret.json": PULL_SECRET, "id.pub": SSH_KEY };
const LISTED = {
  list: text("# two\negret\n./stork/\n"),
  "egret/install-config.yaml": text(NONE),
  "stork/install-config.yaml": text(NONE.replace(/name: heron/, "name: stork")),
};

/** Changed paths that concern clusters of both fleets. */
const CHANGED = { changed: text("clusters/egret/install-config.yaml\0egret/install-config.yaml\0") };

/**
 * Lines for the inputs that no golden case has: the case whose files lie there, more files, what is run before, and the
 * words. Undamaged, each does its work (battery.test.ts): a line that is refused at once tries nothing.
 */
interface Line {
  readonly of: string;
  readonly files?: Readonly<Record<string, Buffer>>;
  readonly before?: readonly string[];
  readonly words: string;
}

function lines(): readonly Line[] {
  const template = readFileSync("templates/openshift/99_feature-gate.yaml.hbs");
  const compile = { ...COMPILE_FILES, "templates/openshift/99_feature-gate.yaml.hbs": template };
  const records = etcdRecords();
  const copies = {
    "copy.snapshot": snapshot(records),
    "member.db": snapshot(records),
    "etcd.json": dump(records),
    "kms.json": KMS_ANSWERS,
  };
  const crd = readFileSync("golden/storage-crd-guard/input/old.yaml");
  const annotated = {
    "minimums.yaml": text("- {name: FractionalShares, index: 2, minCompatibilityVersion: '1.35'}\n"),
    "needs.yaml": text("FractionalShares: [CachedLists]\n"),
    "kubelet.yaml": KUBELET,
    "pod.yaml": text(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: kube-apiserver}\nspec:\n  containers:\n  - name: kube-apiserver\n    command: [kube-apiserver, '--feature-gates=CachedLists=true']\n    env: []\n",
    ),
    "metrics.txt": text('kubernetes_feature_enabled{name="CachedLists",stage="BETA"} 1\n'),
  };
  const etcd = "--dump etcd.json --encryption-config encryption.yaml --kms-answers kms.json --target 1.36";
  const gates = "--table gates.yaml --annotations minimums.yaml --dependencies needs.yaml";
  const targets = ["manifests", "infrastructure-manifests", "ignition-configs"];
  const SINGLE = "single-node-ignition-config";
  const create = targets.map(
    (phase): Line => ({
      of: "aws",
      files: { ...compile, seed: SEED },
      words: `create ${phase} ${COMPILE} --seed seed${imageFor(phase)}`,
    }),
  );
  const pool = text(
    `# slipway key pool v1: secret, and each key is used once; move this file, never copy it\n${rsaKey().repeat(3)}`,
  );
  const custom = "--dir cluster --custom-infrastructure infrastructure --crds definitions";
  const own = "--pull-secret pull-secret.json --ssh-key id.pub --age-key-file age.txt --templates templates";
  return [
    ...create,
    {
      of: "aws",
      files: { ...compile, seed: SEED, "install-config.yaml": inPlace(AWS) },
      words: `create ${SINGLE} ${COMPILE} --seed seed${imageFor(SINGLE)}`,
    },
    {
      of: "ignition-in-place",
      files: { "keys.pool": pool },
      words: `create ${SINGLE} --keys keys.pool${imageFor(SINGLE)}`,
    },
    {
      of: "custom-external",
      files: {
        "cluster/install-config.yaml": inPlace(EXTERNAL),
      },
      words: `create ${SINGLE} ${custom} --namespace herons${imageFor(SINGLE)}`,
    },
    ...targets.flatMap((phase): Line[] => [
      {
        of: "git-seed",
        files: { "keys.pool": pool },
        words: `create ${phase} --keys keys.pool${imageFor(phase)}`,
      },
      { of: "custom-external", words: `create ${phase} ${custom} --namespace herons${imageFor(phase)}` },
    ]),
    // Of a fleet every command takes a table, a list or standard input; each of the three is here with some of them.
    ...(
      [
        ["manifests", FEW],
        [SINGLE, IN_PLACE],
      ] as const
    ).map(
      ([phase, changes]): Line => ({
        of: "help",
        files: { "fleet.yaml": fleetTable(changes), ...OF_FLEET, ...CHANGED },
        words: `create ${phase} --fleet fleet.yaml --changed changed --jobs 1${imageFor(phase)}`,
      }),
    ),
    ...["create infrastructure-manifests", "check"].map(
      (command): Line => ({
        of: "help",
        files: { ...LISTED, ...CHANGED },
        words: `${command} --fleet list --changed changed --jobs 1 --output json`,
      }),
    ),
    ...["create ignition-configs", "validate"].map(
      (command): Line => ({
        of: "help",
        files: { ...LISTED, [STDIN]: fleetTable(), ...OF_FLEET, ...CHANGED },
        words: `${command} --fleet - --changed changed --shard 0/1 --jobs 1${imageFor(command)}`,
      }),
    ),
    { of: "custom-external", words: `check ${custom}` },
    { of: "custom-external", words: `validate ${custom}` },
    { of: "none", files: compile, words: "validate --templates templates" },
    {
      of: "aws",
      files: COMPILE_FILES,
      words: "create facts --coreos-stream stream.json --credentials credentials --age-key-file age.txt",
    },
    {
      of: "agent-single",
      files: {
        ...compile,
        "keys.pool": pool,
        "request.json": PULL_SECRET,
        "id.pub": SSH_KEY,
        "age.txt": AGE_KEYS,
      },
      words:
        "create agent-manifests --keys keys.pool --pull-secret request.json --ssh-key id.pub --templates templates --age-key-file age.txt --release-image quay.io/example/release:4.22.3-x86_64",
    },
    {
      of: "agent-single",
      files: { ...compile, "keys.pool": pool, "request.json": PULL_SECRET, "id.pub": SSH_KEY },
      words:
        "create agent-config-image --keys keys.pool --pull-secret request.json --ssh-key id.pub --templates templates --nmstatectl /bin/cat --release-image quay.io/example/release:4.22.3-x86_64",
    },
    {
      of: "image-based",
      files: {
        // Without a network, which only the real nmstatectl turns into files.
        "image-based-config.yaml": text(
          readFileSync("golden/image-based/input/image-based-config.yaml", "utf8").replace(
            /^networkConfig:[\s\S]*/m,
            "",
          ),
        ),
        "keys.pool": pool,
        "request.json": PULL_SECRET,
        "id.pub": SSH_KEY,
        "age.txt": AGE_KEYS,
      },
      words:
        "create image-based-config-image --keys keys.pool --pull-secret request.json --ssh-key id.pub --age-key-file age.txt --nmstatectl /bin/cat",
    },
    {
      of: "help",
      files: {
        list: text("one\n"),
        "one/install-config.yaml": readFileSync("golden/image-based/input/install-config.yaml"),
        "one/image-based-config.yaml": readFileSync("golden/image-based/input/image-based-config.yaml"),
        changed: text("one/image-based-config.yaml\0"),
        seed: readFileSync("golden/openstack/input/seed").subarray(0, 32),
      },
      words: "create image-based-config-image --fleet list --changed changed --jobs 1 --seed seed",
    },
    {
      of: "help",
      files: {
        list: text("one\n"),
        "one/install-config.yaml": readFileSync("golden/agent-single/input/install-config.yaml"),
        "one/agent-config.yaml": readFileSync("golden/agent-single/input/agent-config.yaml"),
        changed: text("one/agent-config.yaml\0"),
      },
      words:
        "create agent-manifests --fleet list --changed changed --jobs 1 --release-image quay.io/example/release:4.22.3-x86_64",
    },
    {
      of: "help",
      files: {
        list: text("one\n"),
        "one/install-config.yaml": readFileSync("golden/agent-single/input/install-config.yaml"),
        "one/agent-config.yaml": readFileSync("golden/agent-single/input/agent-config.yaml"),
        changed: text("one/agent-config.yaml\0"),
        seed: readFileSync("golden/openstack/input/seed").subarray(0, 32),
        "age.txt": AGE_KEYS,
      },
      words:
        "create agent-config-image --fleet list --changed changed --jobs 1 --seed seed --age-key-file age.txt --release-image quay.io/example/release:4.22.3-x86_64",
    },
    {
      of: "help",
      files: { ...LISTED, "age.txt": AGE_KEYS, ".sops.yaml": CREATION_RULES },
      words: "secrets update-keys --fleet list --age-key-file age.txt",
    },
    {
      of: "aws",
      files: {
        ...compile,
        seed: SEED,
        "dump.yaml": readFileSync("golden/none/expected/files/infrastructure-manifests/70_cluster.yaml"),
      },
      before: [`create infrastructure-manifests ${COMPILE} --seed seed --key-algorithm ecdsa-p256`],
      words: `upgrade-impact --cluster-state dump.yaml ${COMPILE}`,
    },
    {
      of: "custom-external",
      files: {
        "dump.yaml": readFileSync("golden/none/expected/files/infrastructure-manifests/70_cluster.yaml"),
      },
      before: [`create infrastructure-manifests ${custom} --namespace herons --key-algorithm ecdsa-p256`],
      words: `upgrade-impact --cluster-state dump.yaml ${custom}`,
    },
    { of: "git-seed", files: { "keys.pool": pool }, words: "keys --count 2 --out keys.pool" },
    {
      of: "none",
      files: { "request.json": PULL_SECRET, "id.pub": SSH_KEY },
      words:
        "create install-config --platform none --name egret --base-domain example.com --pull-secret request.json --ssh-key id.pub --dir new",
    },
    {
      of: "none",
      words: "init --dir . --secrets sops",
      files: { ".sops.yaml": CREATION_RULES, ".gitignore": text("x\n"), ".gitattributes": text("y\n") },
    },
    {
      of: "none",
      words: "init --fleet list --age-key-file age.txt",
      files: { ...LISTED, "age.txt": AGE_KEYS },
    },
    {
      of: "aws",
      files: { ...compile, [CRDS]: crd },
      words: `validate ${COMMON} --credentials credentials --age-key-file age.txt --crds crds`,
    },
    { of: "aws", words: "validate install-config.yaml" },
    {
      of: "none",
      files: { [STDIN]: readFileSync("golden/none/input/install-config.yaml") },
      words: "validate -",
    },
    { of: "git-clone", files: compile, words: `check ${own}` },
    {
      of: "aws",
      files: { ...compile, seed: SEED },
      before: [`create infrastructure-manifests ${COMPILE} --seed seed --key-algorithm ecdsa-p256`],
      words: `check ${COMPILE}`,
    },
    {
      of: "aws",
      files: { ...compile, seed: SEED },
      before: [
        `create infrastructure-manifests ${COMPILE} --seed seed --key-algorithm ecdsa-p256 --secrets separate`,
      ],
      words: `reconstruct --from infrastructure-manifests --from infrastructure-manifests-secrets --dir other --control-plane heron-abcde ${COMMON} --credentials credentials --age-key-file age.txt`,
    },
    {
      of: "none",
      files: { [STDIN]: RESOURCE_LIST, "age.txt": AGE_KEYS },
      words: "function --age-key-file age.txt",
    },
    { of: "git-clone", words: "explain --dir . --origin infrastructure-manifests/70_cluster.yaml:spec" },
    { of: "git-clone", words: "explain --dir . --origin infrastructure-manifests/70_cluster.yaml:5" },
    { of: "git-clone", words: "report --dir . --html page.html" },
    {
      of: "git-clone",
      files: { "plan.json": readFileSync("golden/transfer-statefulset/expected/files/plan/plan.json") },
      words: "report --html page.html --plan plan.json",
    },
    { of: "help", files: LISTED, words: "report --html page.html --fleet list" },
    { of: "git-clone", words: "graph" },
    { of: "etcd-lost-key", files: copies, words: `report --html page.html ${etcd}` },
    {
      of: "etcd-lost-key",
      files: copies,
      words:
        "report --html page.html --snapshot copy.snapshot --db member.db --encryption-config encryption.yaml",
    },
    {
      of: "compat-gates",
      files: annotated,
      words: "report --html page.html --table gates.yaml --annotations minimums.yaml",
    },
    ...["inventory", "audit", "plan --out repair", "extract --all --out raw --as yaml"].flatMap(
      (command): Line[] => [
        { of: "etcd-lost-key", files: copies, words: `etcd ${command} ${etcd}` },
        {
          of: "etcd-lost-key",
          files: copies,
          words: `etcd ${command} --snapshot copy.snapshot --encryption-config encryption.yaml --kms-answers kms.json --target 1.36`,
        },
        { of: "etcd-lost-key", files: copies, words: `etcd ${command} --db member.db --target 1.36` },
      ],
    ),
    {
      of: "compat-gates",
      files: annotated,
      words: `compat gates ${gates} --gates-from kubelet.yaml --binary-version 1.36`,
    },
    ...["metrics.txt", "pod.yaml"].map(
      (file): Line => ({
        of: "compat-gates",
        files: annotated,
        words: `compat gates --table gates.yaml --gates-from ${file} --binary-version 1.36`,
      }),
    ),
    {
      of: "compat-gates",
      files: annotated,
      words: "compat matrix --table gates.yaml --annotations minimums.yaml --binary-version 1.36",
    },
    {
      of: "compat-lint",
      files: annotated,
      before: [
        `compat lint ${gates} --base gates-1.34.yaml --list list.yaml --policy policy.yaml --current 1.36 --update`,
      ],
      words: `compat lint ${gates} --base gates-1.34.yaml --list list.yaml --policy policy.yaml --current 1.36`,
    },
    {
      of: "compat-lint",
      files: annotated,
      words:
        "compat lifecycle --table gates.yaml --annotations minimums.yaml --policy policy.yaml --current 1.36",
    },
    {
      of: "compat-plan",
      files: { ...annotated, "pins.yaml": readFileSync("golden/compat-apis/input/pins.yaml") },
      words: `compat plan ${gates} --base gates-1.34.yaml --lifecycle apis.yaml --pins pins.yaml --from 1.34 --to 1.36`,
    },
    {
      of: "compat-plan",
      files: annotated,
      words:
        "compat plan --table gates-1.34.yaml gates.yaml --gates-from kubelet.yaml --from 1.34 --to 1.36 --components kube-apiserver,kubelet",
    },
    {
      of: "compat-import",
      words:
        "compat import --from versioned-feature-list list.yaml --annotations minimums.yaml --dependencies needs.yaml",
    },
    { of: "compat-apis", words: "storage behaviors --lifecycle apis.yaml" },
    {
      of: "storage-verify-policy",
      files: { "upgrade.yaml": SCENARIO },
      words: "storage simulate --scenario upgrade.yaml --table behaviors.yaml",
    },
    {
      of: "compat-apis",
      words: "storage migrations --lifecycle apis.yaml --pins pins.yaml --from 1.34 --to 1.36",
    },
    { of: "storage-crd-guard", words: "storage migrations --crd old.yaml --to 1.36" },
    {
      of: "generate-tables",
      files: annotated,
      words:
        "generate feature-gates --input gates.yaml --annotations minimums.yaml --dependencies needs.yaml --into app.ts --declaration gates",
    },
    {
      of: "generate-tables",
      words: "generate api-availability --input apis.yaml --into app.ts --declaration gates",
    },
    {
      of: "storage-verify-policy",
      files: {
        "app.ts": text("export const a = {};\n"),
        "policy.yaml": text(
          "apiVersion: slipway.dev/v1alpha1\nkind: StoragePolicy\nmetadata: {name: ours}\npreset: kep\nsupported: 1\nmigrated: 1\nmaxUpgrade: 1\n",
        ),
      },
      words:
        "generate storage-behaviors --table behaviors.yaml --policy policy.yaml --into app.ts --declaration a",
    },
    {
      of: "etcd-lost-key",
      files: {
        ...copies,
        "plan.json": json({
          apiVersion: "slipway.dev/v1alpha1",
          kind: "EtcdRepairPlan",
          deletions: [{ key: "/registry/secrets/ns/s", recoverable: true }],
        }),
      },
      words:
        "etcd extract --dump etcd.json --encryption-config encryption.yaml --plan plan.json --as yaml --out raw",
    },
    ...["match git", "plan git --simulate"].map(
      (words): Line => ({
        of: "transfer-statefulset",
        before: [`transfer ${PAIRS}`],
        words: `transfer ${words} --state dump.yaml`,
      }),
    ),
    { of: "transfer-statefulset", words: `transfer ${PAIRS}` },
    {
      of: "transfer-statefulset",
      before: [`transfer ${PAIRS}`],
      words:
        "transfer approve git/target/shop-2/request-transfer-data-pg-0.yaml --state dump.yaml --out approvals",
    },
    {
      of: "transfer-golden-images",
      files: { [STDIN]: readFileSync("golden/transfer-golden-images/input/dump.yaml") },
      words: "transfer approve --all-requests git --source-namespace golden-images --state - --out git",
    },
  ];
}

/** What the names of units have that are lines of our own, and no steps of golden cases. */
export const OWN = "+: ";

/** Every unit; `only` keeps those whose name has it. The folder is one to work in. */
export async function unitsIn(folder: string, only = ""): Promise<Unit[]> {
  const units: Unit[] = [];
  for (const name of golden()) if (name.includes(only)) units.push(...(await goldenUnits(name, folder)));
  for (const { of, files = {}, before = [], words } of lines()) {
    const name = `${of}${OWN}${words}`;
    if (!name.includes(only)) continue;
    lay(new Map([...inputOf(of), ...Object.entries(files)]), folder);
    for (const line of before) await answer(wordsOf(line), folder);
    const tree = readTree(folder);
    const stdin = files[STDIN];
    if (stdin !== undefined) tree.set(STDIN, stdin);
    const split = quickKeys(wordsOf(words), tree);
    units.push({ name, words: split, tree, inputs: inputsOf(split, tree) });
  }
  return units;
}
