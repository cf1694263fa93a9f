// Matching of transfer pairs: 5,000 pairs in 200 files against an empty node, and twice as many against that.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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

export default [
  {
    name: "transfer match, 5000 pairs / node -e 0",
    command: ["slipway", "transfer", "match", "single", "--output", "json"],
    limit: 10,
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
