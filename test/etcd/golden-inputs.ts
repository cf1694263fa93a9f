/** The inputs of the golden cases about copies of etcd: node scripts/etcd-golden.mjs writes them. */
import { dump, envelope, field, type TestRecord } from "./copies.js";
import { aescbc, aesgcm, keyOf } from "./values.js";

export interface GoldenInput {
  readonly path: string;
  readonly data: Uint8Array;
}

const PRESENT = keyOf("golden present");
const LOST = keyOf("golden lost");

const config = `# The key named ${"`2026-01`"} was taken out of this file by accident.
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources:
  - secrets
  - configmaps
  providers:
  - aesgcm:
      keys:
      - name: 2026-07
        secret: ${PRESENT.toString("base64")}
  - identity: {}
`;

const encrypted = (key: string, plain: Buffer, name = "2026-07", secret = PRESENT): TestRecord => ({
  key,
  value: name === "2026-07" ? aesgcm(name, secret, plain, key) : aescbc(name, secret, plain, key),
});
const lost = (key: string, plain: Buffer): TestRecord => encrypted(key, plain, "2026-01", LOST);
const namespace = (name: string, phase = "Active"): TestRecord => ({
  key: `/registry/namespaces/${name}`,
  value: envelope("v1", "Namespace", { name }, field(3, field(1, phase))),
});
const secret = (ns: string, name: string): [string, Buffer] => [
  `/registry/secrets/${ns}/${name}`,
  envelope("v1", "Secret", { name, namespace: ns }),
];
const admin: TestRecord = {
  key: "/registry/clusterroles/cluster-admin",
  value: envelope(
    "rbac.authorization.k8s.io/v1",
    "ClusterRole",
    { name: "cluster-admin" },
    Buffer.from("12090a012a12012a1a012a", "hex"),
  ),
};
const adminBinding: TestRecord = {
  key: "/registry/clusterrolebindings/cluster-admin",
  value: envelope(
    "rbac.authorization.k8s.io/v1",
    "ClusterRoleBinding",
    { name: "cluster-admin" },
    Buffer.concat([
      field(
        2,
        Buffer.concat([field(1, "Group"), field(2, "rbac.authorization.k8s.io"), field(3, "system:masters")]),
      ),
      field(
        3,
        Buffer.concat([
          field(1, "rbac.authorization.k8s.io"),
          field(2, "ClusterRole"),
          field(3, "cluster-admin"),
        ]),
      ),
    ]),
  ),
};

/** The design's first story: a key was removed, and only a few objects were encrypted with it. */
const lostKey: readonly TestRecord[] = [
  admin,
  adminBinding,
  namespace("shop"),
  namespace("billing"),
  encrypted(...secret("shop", "database")),
  lost(...secret("shop", "payment-token")),
  lost(...secret("billing", "ledger")),
  lost(
    "/registry/configmaps/billing/rates",
    envelope("v1", "ConfigMap", { name: "rates", namespace: "billing" }),
  ),
  { key: "/registry/secrets/shop/unencrypted", value: secret("shop", "unencrypted")[1] },
  {
    key: "/registry/pods/billing/ledger-0",
    value: envelope("v1", "Pod", {
      name: "ledger-0",
      namespace: "billing",
      owners: [{ apiVersion: "v1", kind: "Secret", name: "ledger" }],
    }),
  },
];

/** The second: a namespace that will not go, since some of what is in it cannot be read. */
const stuckNamespace: readonly TestRecord[] = [
  admin,
  adminBinding,
  namespace("old-project", "Terminating"),
  namespace("shop"),
  lost(...secret("old-project", "builder")),
  lost(...secret("old-project", "deployer")),
  lost(...secret("shop", "payment-token")),
  encrypted(...secret("shop", "database")),
];

const COUNTS = [0, 1, 99, 100, 101, 250];

/** A namespace for each number of unreadable objects. */
const statuses: readonly TestRecord[] = COUNTS.flatMap((count) => [
  namespace(`n${count}`),
  encrypted(...secret(`n${count}`, "fine")),
  ...Array.from({ length: count }, (_, i) => lost(...secret(`n${count}`, `s${String(i).padStart(3, "0")}`))),
]);

export const goldenInputs = (): readonly GoldenInput[] =>
  [
    { name: "etcd-lost-key", records: lostKey },
    { name: "etcd-stuck-namespace", records: stuckNamespace },
    { name: "etcd-statuses", records: statuses },
  ].flatMap(({ name, records }) => [
    { path: `${name}/input/etcd.json`, data: dump(records) },
    { path: `${name}/input/encryption.yaml`, data: Buffer.from(config) },
  ]);
