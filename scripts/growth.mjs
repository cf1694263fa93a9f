// How the cost of commands grows with their inputs: CPU time of every process of a command (user and system) at a tiny
// size, at n and at 4 n. The tiny one is what a start costs; the exponent is log4 of the ratio of what is above it: 1 for
// a line, 2 for a square. Best of some tries, so that a busy machine does not matter much.
// `node scripts/growth.mjs [part of a name …]`; exit 1 where an exponent is above the limit.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BENCH_CONFIG, writeBenchFile } from "./etcd-bench-file.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const slipway = join(root, "dist/slipway.js");
const TRIES = Number(process.env.GROWTH_TRIES ?? 2);
const LIMIT = 1.3;
/** Less than this above the start is noise. */
const QUICK_MS = 20;
const work = mkdtempSync(join(tmpdir(), "slipway-growth-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));

const spent = join(work, "spent");
/** Every process of the command notes what it took, workers of a fleet too. */
const hook = `data:text/javascript,${encodeURIComponent(
  `import { appendFileSync } from "node:fs"; process.on("exit", () => { const { user, system } = process.cpuUsage(); appendFileSync(${JSON.stringify(spent)}, (user + system) + "\\n"); });`,
)}`;

const many = (count, text) => Array.from({ length: count }, (_, i) => text(i)).join("");

function run(words, cwd, exits = [0]) {
  writeFileSync(spent, "");
  const { status, stderr } = spawnSync(process.execPath, [slipway, ...words], {
    cwd,
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: `--import ${hook}`, SOURCE_DATE_EPOCH: "1800000000" },
  });
  if (!exits.includes(status))
    throw new Error(`${words.join(" ")}: exit ${status}\n${stderr.slice(0, 2000)}`);
  return (
    readFileSync(spent, "utf8")
      .split("\n")
      .reduce((sum, line) => sum + Number(line), 0) / 1000
  );
}

/** An asset directory of the example for no platform, with its keys, and so many manifests of a user's. */
function directory(folder, manifests) {
  cpSync(join(root, "examples/none/install-config.yaml"), join(folder, "install-config.yaml"));
  run(["create", "manifests", "--key-algorithm", "ecdsa-p256"], folder);
  for (let i = 0; i < manifests; i++)
    writeFileSync(
      join(folder, `manifests/own-${i}.yaml`),
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own-${i}, namespace: default}\ndata: {a: "${i}"}\n`,
    );
}

const STAGES = ["Alpha", "Beta", "GA"];
const gates = (count) =>
  many(
    count,
    (i) =>
      `- name: MadeUpFeatureNumber${i}\n  versionedSpecs:\n${many(1 + (i % 3), (spec) => `  - {default: ${spec > 0}, lockToDefault: ${spec === 2}, preRelease: ${STAGES[spec]}, version: "1.${28 + spec * 2}"}\n`)}`,
  );

const lifecycle = (count) =>
  `apiVersion: slipway.dev/v1alpha1\nkind: APILifecycle\nkinds:\n${many(count, (i) =>
    ["v1beta1", "v1"]
      .map(
        (version) =>
          `- {group: g${i >> 3}.example.com, version: ${version}, kind: Kind${i}, resource: kind${i}s, introduced: "1.${version === "v1" ? 22 : 18}", registered: {first: "1.18", last: "1.37"}}\n`,
      )
      .join(""),
  )}`;

const definition = (fields, version) =>
  JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      names: { kind: "Widget", listKind: "WidgetList", plural: "widgets", singular: "widget" },
      scope: "Namespaced",
      versions: ["v1alpha1", "v1"].map((name) => ({
        name,
        served: true,
        storage: name === "v1",
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: Object.fromEntries(
                  Array.from({ length: fields }, (_, i) => [
                    `field${i}`,
                    {
                      type: "string",
                      description: `${i} of ${version}`,
                      maxLength: 10 + version,
                      pattern: "^[a-z]+$",
                    },
                  ]),
                ),
              },
            },
          },
        },
      })),
    },
    status: { storedVersions: ["v1"] },
  });

const pair = (i) => `---
apiVersion: transfer.slipway.dev/v1alpha1
kind: StorageTransferRequest
metadata: {name: transfer-${i}, namespace: target-${i % 97}}
spec:
  approvalName: approve-${i}
  source: {kind: PersistentVolumeClaim, name: volume-${i}, namespace: source-${i % 89}}
  targetName: volume-${i}
---
apiVersion: transfer.slipway.dev/v1alpha1
kind: StorageTransferApproval
metadata: {name: approve-${i}, namespace: source-${i % 89}}
spec:
  requestName: transfer-${i}
  source: {kind: PersistentVolumeClaim, name: volume-${i}}
  targetNamespace: target-${i % 97}
`;
const claim = (i) => `- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: {name: volume-${i}, namespace: source-${i % 89}, resourceVersion: "${i}", uid: claim-${i}}
  spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}, storageClassName: fast, volumeMode: Filesystem, volumeName: pv-${i}}
  status: {capacity: {storage: 10Gi}, phase: Bound}
- apiVersion: v1
  kind: PersistentVolume
  metadata: {name: pv-${i}, resourceVersion: "${i}", uid: volume-${i}}
  spec:
    accessModes: [ReadWriteOnce]
    capacity: {storage: 10Gi}
    claimRef: {apiVersion: v1, kind: PersistentVolumeClaim, name: volume-${i}, namespace: source-${i % 89}, uid: claim-${i}}
    csi: {driver: csi.example.com, volumeHandle: handle-${i}}
    persistentVolumeReclaimPolicy: Delete
    storageClassName: fast
    volumeMode: Filesystem
  status: {phase: Bound}
`;
const claims = (count) => `apiVersion: v1\nitems:\n${many(count, claim)}kind: List\nmetadata: {}\n`;

const secret = (i) =>
  `---\napiVersion: v1\nkind: Secret\nmetadata: {name: other-${i}, namespace: clusters}\ntype: Opaque\ndata: {value: ${Buffer.from(`value ${i} `.repeat(40)).toString("base64")}}\n`;

const table = (folder, size) => writeFileSync(join(folder, "gates.yaml"), gates(size));
const copy = (folder, size) => {
  writeBenchFile(join(folder, "etcd.db"), 4096 * 4 * (size + 100), size);
  writeFileSync(join(folder, "encryption.yaml"), BENCH_CONFIG);
};
const COPY = ["--snapshot", "etcd.db", "--encryption-config", "encryption.yaml"];

/** What is measured: what is made at a size, the words, the size, and the exit codes that are answers. */
const CASES = [
  { name: "validate, manifests", size: 500, make: directory, words: ["validate"], exits: [0, 1] },
  {
    name: "create manifests --dry-run, manifests",
    size: 500,
    make: directory,
    words: ["create", "manifests", "--dry-run"],
  },
  {
    name: "create ignition-configs --dry-run, manifests",
    size: 500,
    make: directory,
    words: [
      "create",
      "ignition-configs",
      "--dry-run",
      "--release-image",
      `a.example.com/b@sha256:${"0123456789abcdef".repeat(4)}`,
    ],
  },
  { name: "check, manifests", size: 500, make: directory, words: ["check"], exits: [0, 3] },
  {
    name: "compat gates, gates",
    size: 1000,
    make: table,
    words: ["compat", "gates", "--table", "gates.yaml", "--binary-version", "1.37"],
  },
  {
    name: "generate feature-gates, gates",
    size: 1000,
    make: table,
    words: ["generate", "feature-gates", "--table", "gates.yaml", "--out", "gates.ts"],
    fresh: "gates.ts",
  },
  {
    name: "report, gates",
    size: 1000,
    make: table,
    words: ["report", "--html", "page.html", "--table", "gates.yaml"],
  },
  {
    name: "storage behaviors, kinds",
    size: 1000,
    make: (folder, size) => writeFileSync(join(folder, "apis.yaml"), lifecycle(size)),
    words: ["storage", "behaviors", "--lifecycle", "apis.yaml"],
  },
  {
    name: "report, kinds",
    size: 500,
    make: (folder, size) => writeFileSync(join(folder, "apis.yaml"), lifecycle(size)),
    words: ["report", "--html", "page.html", "--lifecycle", "apis.yaml"],
  },
  {
    name: "storage crd-guard, fields",
    size: 1000,
    make(folder, size) {
      writeFileSync(join(folder, "old.json"), definition(size, 1));
      writeFileSync(join(folder, "new.json"), definition(size, 2));
    },
    words: ["storage", "crd-guard", "old.json", "new.json", "--target", "1.36"],
    exits: [0, 3],
  },
  {
    name: "etcd inventory, keys",
    size: 16_000,
    make: copy,
    words: ["etcd", "inventory", ...COPY],
    exits: [0, 3],
  },
  {
    name: "etcd audit, keys",
    size: 16_000,
    make: copy,
    words: ["etcd", "audit", "--target", "1.36", ...COPY],
    exits: [0, 3],
  },
  {
    name: "transfer match, pairs",
    size: 1000,
    make: (folder, size) => writeFileSync(join(folder, "pairs.yaml"), many(size, pair)),
    words: ["transfer", "match", "pairs.yaml"],
    exits: [0, 3],
  },
  {
    name: "transfer plan, pairs",
    size: 250,
    make(folder, size) {
      writeFileSync(join(folder, "pairs.yaml"), many(size, pair));
      writeFileSync(join(folder, "dump.yaml"), claims(1000));
    },
    words: ["transfer", "plan", "pairs.yaml", "--state", "dump.yaml"],
    exits: [0, 3],
  },
  {
    name: "transfer plan, claims of the dump",
    size: 2000,
    make(folder, size) {
      writeFileSync(join(folder, "pairs.yaml"), pair(0));
      writeFileSync(join(folder, "dump.yaml"), claims(size));
    },
    words: ["transfer", "plan", "pairs.yaml", "--state", "dump.yaml"],
    exits: [0, 3],
  },
  {
    name: "reconstruct, Secrets beside it",
    size: 1000,
    make(folder, size) {
      cpSync(join(root, "examples/none/install-config.yaml"), join(folder, "install-config.yaml"));
      run(["create", "infrastructure-manifests", "--key-algorithm", "ecdsa-p256"], folder);
      writeFileSync(join(folder, "infrastructure-manifests/zz.yaml"), many(size, secret));
    },
    words: ["reconstruct", "--from", "infrastructure-manifests", "--dir", "scratch"],
    fresh: "scratch",
    exits: [0, 1],
  },
  {
    name: "validate --fleet, clusters",
    size: 40,
    make(folder, size) {
      const first = join(folder, "clusters/0");
      mkdirSync(first, { recursive: true });
      directory(first, 0);
      for (let i = 1; i < size; i++) cpSync(first, join(folder, `clusters/${i}`), { recursive: true });
      writeFileSync(
        join(folder, "fleet.txt"),
        many(size, (i) => `clusters/${i}\n`),
      );
    },
    words: ["validate", "--fleet", "fleet.txt"],
    exits: [0, 1],
  },
];

/** CPU milliseconds at a size. */
function cost({ name, make, words, fresh, exits }, size) {
  const folder = join(work, `${name.replaceAll(/\W+/g, "-")}-${size}`);
  mkdirSync(folder);
  make(folder, size);
  const costs = Array.from({ length: TRIES }, () => {
    if (fresh !== undefined) rmSync(join(folder, fresh), { recursive: true, force: true });
    return run(words, folder, exits);
  });
  rmSync(folder, { recursive: true });
  return Math.min(...costs);
}

const wanted = process.argv.slice(2);
let over = 0;
const columns = (cells) =>
  `${cells[0].padEnd(46)}${cells
    .slice(1)
    .map((cell) => cell.padStart(10))
    .join("")}\n`;
process.stdout.write(columns(["command, what grows", "n", "start ms", "n ms", "4 n ms", "exponent"]));
for (const each of CASES) {
  if (wanted.length > 0 && !wanted.some((part) => each.name.includes(part))) continue;
  const [start, once, four] = [1, each.size, 4 * each.size].map((size) => cost(each, size));
  // What the tiny size hides cannot be told from noise; a square that begins late shows at 4 n.
  const exponent =
    once - start < QUICK_MS && four - start < 16 * QUICK_MS
      ? Number.NaN
      : Math.log((four - start) / Math.max(QUICK_MS, once - start)) / Math.log(4);
  if (exponent > LIMIT) over++;
  process.stdout.write(
    columns([
      each.name,
      String(each.size),
      ...[start, once, four].map((ms) => ms.toFixed(0)),
      `${Number.isNaN(exponent) ? "-" : exponent.toFixed(2)}${exponent > LIMIT ? " !" : ""}`,
    ]),
  );
}
process.stdout.write(`load ${loadavg()[0].toFixed(1)}\n`);
process.exitCode = over > 0 ? 1 : 0;
