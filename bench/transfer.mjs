// Matching of transfer pairs: 5,000 pairs in 200 files against an empty node, and twice as many against that. Plans over a
// dump of a big cluster: twice the dump, and twice the transfers, in a heap that the tree of a whole dump would not fit.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const slipway = fileURLToPath(new URL("../dist/slipway.js", import.meta.url));

const made = [];
process.on("exit", () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

const pair = (index) => `---
apiVersion: transfer.slipway.dev/v1alpha1
kind: StorageTransferRequest
metadata:
  name: transfer-volume-${index}
  namespace: target-${index % 97}
spec:
  approvalName: approve-volume-${index}
  source:
    kind: PersistentVolumeClaim
    name: volume-${index}
    namespace: source-${index % 89}
  targetName: volume-${index}
---
apiVersion: transfer.slipway.dev/v1alpha1
kind: StorageTransferApproval
metadata:
  name: approve-volume-${index}
  namespace: source-${index % 89}
spec:
  requestName: transfer-volume-${index}
  source:
    kind: PersistentVolumeClaim
    name: volume-${index}
  targetNamespace: target-${index % 97}
`;

/** A folder with `single/` and `double/`: the pairs, and twice as many. */
function prepare() {
  const root = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  made.push(root);
  for (const [name, pairs] of [
    ["single", 5000],
    ["double", 10000],
  ]) {
    mkdirSync(join(root, name));
    const each = pairs / 200;
    for (let file = 0; file < 200; file++) {
      const text = Array.from({ length: each }, (_, i) => pair(file * each + i)).join("");
      writeFileSync(join(root, name, `${file}.yaml`), text);
    }
  }
  return root;
}

const claim = (index) => `- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata:
    name: volume-${index}
    namespace: source-${index % 89}
    resourceVersion: "${index}"
    uid: claim-${index}
  spec:
    accessModes:
    - ReadWriteOnce
    resources:
      requests:
        storage: 10Gi
    storageClassName: fast
    volumeMode: Filesystem
    volumeName: pv-${index}
  status:
    capacity:
      storage: 10Gi
    phase: Bound
- apiVersion: v1
  kind: PersistentVolume
  metadata:
    name: pv-${index}
    resourceVersion: "${index}"
    uid: volume-${index}
  spec:
    accessModes:
    - ReadWriteOnce
    capacity:
      storage: 10Gi
    claimRef:
      apiVersion: v1
      kind: PersistentVolumeClaim
      name: volume-${index}
      namespace: source-${index % 89}
      uid: claim-${index}
    csi:
      driver: csi.example.com
      volumeHandle: handle-${index}
    persistentVolumeReclaimPolicy: Delete
    storageClassName: fast
    volumeMode: Filesystem
  status:
    phase: Bound
- apiVersion: v1
  kind: Pod
  metadata:
    name: pod-${index}
    namespace: source-${index % 89}
    uid: pod-${index}
  spec:
    containers:
    - env:
${Array.from({ length: 20 }, (_, i) => `      - name: VALUE_${i}\n        value: "${i}"\n`).join("")}      image: registry.example.com/app
      name: app
    volumes:
    - name: data
      persistentVolumeClaim:
        claimName: volume-${index}
  status:
    phase: Running
`;

/** Dumps of 2,500 and 5,000 claims with their volumes and pods, and folders of 500 and 1,000 pairs. */
function prepareDumps() {
  const root = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  made.push(root);
  for (const claims of [2500, 5000]) {
    const items = Array.from({ length: claims }, (_, index) => claim(index)).join("");
    writeFileSync(join(root, `${claims}.yaml`), `apiVersion: v1\nitems:\n${items}kind: List\nmetadata: {}\n`);
  }
  for (const pairs of [1, 500, 1000]) {
    mkdirSync(join(root, `pairs-${pairs}`));
    const text = Array.from({ length: pairs }, (_, index) => pair(index)).join("");
    writeFileSync(join(root, `pairs-${pairs}`, "pairs.yaml"), text);
  }
  return root;
}

/** The tree of nodes of the bigger dump takes several hundred megabytes. */
const plan = (pairs, claims) => [
  "env",
  "NODE_OPTIONS=--max-old-space-size=200",
  process.execPath,
  slipway,
  "transfer",
  "plan",
  `pairs-${pairs}`,
  "--state",
  `${claims}.yaml`,
  "--output",
  "json",
];

export default [
  {
    name: "transfer plan, dump of 5000 claims and pods / 2500",
    command: plan(1, 5000),
    against: plan(1, 2500),
    limit: 2.6,
    prepare: prepareDumps,
  },
  {
    name: "transfer plan, 1000 transfers / 500 transfers",
    command: plan(1000, 5000),
    against: plan(500, 5000),
    limit: 2.6,
    prepare: prepareDumps,
  },
  {
    name: "transfer match, 5000 pairs / node -e 0",
    command: ["slipway", "transfer", "match", "single", "--output", "json"],
    limit: 28,
    prepare,
  },
  {
    name: "transfer match, 10000 pairs / 5000 pairs",
    command: ["slipway", "transfer", "match", "double", "--output", "json"],
    against: ["slipway", "transfer", "match", "single", "--output", "json"],
    limit: 2.3,
    prepare,
  },
];
