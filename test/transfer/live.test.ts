/**
 * Plans as they are printed, on a real API server with its controllers: followed to their end for objects made in each
 * usual way, and stopped anywhere while somebody changes something. Bytes are real: the binder removes the folder of a
 * volume that is released with the policy Delete.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import { listAt, textAt } from "../../src/transfer/object.js";
import { kubeTests } from "../helpers/kube-servers.js";
import {
  CONTROLLER_FLAGS,
  CONTROLLERS,
  holds,
  LiveCluster,
  ORIGINS,
  type PrintedStep,
  stepsOf,
} from "../helpers/live-transfer.js";

const test = suite("plans on a real cluster");

const live = kubeTests(test, { controllers: CONTROLLERS, controllerManager: CONTROLLER_FLAGS });

let count = 0;
/** Names that no other test of the file uses. */
const fresh = () => {
  count++;
  return { prod: `prod-${count}`, stage: `stage-${count}`, third: `third-${count}`, volume: `pv-${count}` };
};

function ask(cluster: LiveCluster, from: string, to: string, ...more: readonly string[]): void {
  cluster.slipwayOk(
    ...["transfer", "new", "--source", from, "--target", to],
    ...["--state", "dump.yaml", "--expires", "1d", "--out", "git", ...more],
  );
}

function plan(cluster: LiveCluster, ...more: readonly string[]): void {
  cluster.slipwayOk("transfer", "plan", "git", "--state", "dump.yaml", "--out", "plan", ...more);
}

function nothingIsLeft(cluster: LiveCluster): void {
  cluster.dump("later.yaml");
  assert.match(
    cluster.slipwayOk("transfer", "resume", "--plan", "plan/plan.json", "--state", "later.yaml"),
    "no steps left",
  );
}

for (const origin of ORIGINS)
  live(`one claim, made by ${origin}, of a pair that lives in Git alone`, async (kube) => {
    const cluster = new LiveCluster(kube);
    const { prod, stage, volume } = fresh();
    cluster.namespaces(prod, stage);
    await cluster.bound(prod, "db", volume, origin);
    cluster.dump("dump.yaml");
    ask(cluster, `${prod}/db`, `${stage}/db-copy`);
    plan(cluster);
    assert.is(await cluster.followRunbook("plan"), "");
    await holds(cluster, volume, [stage, "db-copy"]);
    nothingIsLeft(cluster);
  });

live("a batch, late", async (kube) => {
  const cluster = new LiveCluster(kube);
  const { prod, stage, volume } = fresh();
  cluster.namespaces(prod, stage);
  await cluster.bound(prod, "a", `${volume}-a`, "create", {
    spec: { persistentVolumeReclaimPolicy: "Retain" },
  });
  await cluster.bound(prod, "b", `${volume}-b`);
  cluster.dump("dump.yaml");
  ask(cluster, `${prod}/a`, `${stage}/a`);
  ask(cluster, `${prod}/b`, `${stage}/b`);
  plan(cluster, "--late-create");
  assert.is(await cluster.followRunbook("plan"), "");
  await holds(cluster, `${volume}-a`, [stage, "a"], "Retain");
  await holds(cluster, `${volume}-b`, [stage, "b"]);
  nothingIsLeft(cluster);
});

live("two claims that exchange their places", async (kube) => {
  const cluster = new LiveCluster(kube);
  const { prod, stage, volume } = fresh();
  cluster.namespaces(prod, stage);
  await cluster.bound(prod, "db", `${volume}-a`);
  await cluster.bound(stage, "db", `${volume}-b`);
  cluster.dump("dump.yaml");
  ask(cluster, `${prod}/db`, `${stage}/db`);
  ask(cluster, `${stage}/db`, `${prod}/db`);
  plan(cluster, "--allow-cycles");
  assert.is(await cluster.followRunbook("plan"), "");
  await holds(cluster, `${volume}-a`, [stage, "db"]);
  await holds(cluster, `${volume}-b`, [prod, "db"]);
});

live("a claim that was never bound", async (kube) => {
  const cluster = new LiveCluster(kube);
  const { prod, stage } = fresh();
  cluster.namespaces(prod, stage);
  const storageClassName = `waits-${prod}`;
  cluster.make([
    {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: storageClassName },
      provisioner: "none.example.com",
      volumeBindingMode: "WaitForFirstConsumer",
    },
    cluster.claim(prod, "scratch", undefined, { spec: { storageClassName } }),
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: prod, name: "user" },
      spec: {
        containers: [{ name: "c", image: "none.example.com/none" }],
        volumes: [{ name: "v", persistentVolumeClaim: { claimName: "scratch" } }],
      },
    },
  ]);
  await cluster.until(
    "the claim waits",
    async () => textAt(await cluster.claimNow(prod, "scratch"), "status", "phase") === "Pending",
  );
  cluster.dump("dump.yaml");
  ask(cluster, `${prod}/scratch`, `${stage}/scratch`);
  plan(cluster, "--recreate-unbound");
  const answer = await cluster.followRunbook("plan", {
    before: (step) => {
      if (step.title.includes("nothing uses"))
        kube.kubectlOk(["delete", "pod", "user", "--namespace", prod, "--grace-period=0", "--force"]);
    },
  });
  assert.is(answer, "");
  assert.is(await cluster.claimNow(prod, "scratch"), undefined);
  assert.is(textAt(await cluster.claimNow(stage, "scratch"), "status", "phase"), "Pending");
  nothingIsLeft(cluster);
});

/** A StatefulSet whose claims go with its replicas, so that its controller writes to the claims while the plan runs. */
const statefulSet = (namespace: string): JsonObject => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { namespace, name: "db" },
  spec: {
    replicas: 2,
    podManagementPolicy: "Parallel",
    persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" },
    selector: { matchLabels: { app: "db" } },
    serviceName: "db",
    template: {
      metadata: { labels: { app: "db" } },
      spec: {
        containers: [
          { name: "c", image: "none.example.com/none", volumeMounts: [{ name: "data", mountPath: "/d" }] },
        ],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        spec: {
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "1Gi" } },
          storageClassName: "by-hand",
        },
      },
    ],
  },
});

live(
  "all claims of a StatefulSet that deletes its claims; requests and approvals in the cluster",
  async (kube) => {
    const cluster = new LiveCluster(kube);
    const { prod, stage, volume } = fresh();
    cluster.namespaces(prod, stage);
    cluster.slipwayOk("generate", "crds", "--out", "api");
    kube.kubectlOk(["apply", "--filename", `${cluster.root}/api`, "--namespace", stage]);
    kube.kubectlOk(["wait", "--for=condition=Established", "crd", "--all", "--timeout=600s"]);
    const claims = [0, 1].map((ordinal) => `data-db-${ordinal}`);
    cluster.make(
      claims.map((name, ordinal) =>
        cluster.volume(`${volume}-${ordinal}`, { spec: { claimRef: { namespace: prod, name } } }),
      ),
    );
    cluster.make([statefulSet(prod)], "client-side apply");
    await cluster.until("the claims are bound and owned", async () => {
      const seen = await Promise.all(claims.map((name) => cluster.claimNow(prod, name)));
      return seen.every(
        (claim) =>
          textAt(claim, "status", "phase") === "Bound" &&
          listAt(claim, "metadata", "ownerReferences").length > 0,
      );
    });
    cluster.dump("dump.yaml");
    cluster.slipwayOk(
      ...["transfer", "new", "--statefulset", `old=${prod}/db`, `new=${stage}/pg`, "--state", "dump.yaml"],
      ...["--out", "git"],
    );
    kube.kubectlOk(["apply", "--recursive", "--filename", `${cluster.root}/git`]);
    cluster.dump("dump.yaml");
    plan(cluster);
    let stopped = false;
    const answer = await cluster.followRunbook("plan", {
      before: async (step) => {
        if (!step.title.includes("nothing uses") || stopped) return;
        stopped = true;
        // What the gate's remedies say, in their order.
        kube.kubectlOk([
          ...["patch", "statefulset", "db", "--namespace", prod, "--type=merge", "--patch"],
          '{"spec":{"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain","whenScaled":"Retain"}}}',
        ]);
        await cluster.until("the claims have no owner", async () => {
          const seen = await Promise.all(claims.map((name) => cluster.claimNow(prod, name)));
          return seen.every((claim) => listAt(claim, "metadata", "ownerReferences").length === 0);
        });
        kube.kubectlOk(["scale", "statefulset", "db", "--namespace", prod, "--replicas=0"]);
      },
    });
    assert.is(answer, "");
    for (const ordinal of [0, 1]) await holds(cluster, `${volume}-${ordinal}`, [stage, `data-pg-${ordinal}`]);
    const group = "transfer.slipway.dev/v1alpha1";
    for (const name of claims.map((each) => each.replace("-db-", "-pg-"))) {
      const request = await cluster.get(`${group}/storagetransferrequests`, `transfer-${name}`, stage);
      assert.is(textAt(request, "status", "phase"), "Complete");
    }
    nothingIsLeft(cluster);
    kube.kubectlOk(["delete", "crd", "--all"]);
  },
);

live("volumes whose claims are gone: Released, and reserved by name alone", async (kube) => {
  const cluster = new LiveCluster(kube);
  const { prod, stage, volume } = fresh();
  cluster.namespaces(prod, stage);
  await cluster.bound(prod, "gone", `${volume}-a`, "create", {
    spec: { persistentVolumeReclaimPolicy: "Retain" },
  });
  kube.kubectlOk(["delete", "pvc", "gone", "--namespace", prod]);
  await cluster.until(
    "the volume is Released",
    async () => textAt(await cluster.volumeNow(`${volume}-a`), "status", "phase") === "Released",
  );
  // A volume made by hand has no annotations, so that the first patch has to make the mapping.
  cluster.make([
    cluster.volume(`${volume}-b`, {
      metadata: { annotations: undefined },
      spec: { claimRef: { namespace: prod, name: "never" } },
    }),
  ]);
  await cluster.until(
    "the volume is Available",
    async () => textAt(await cluster.volumeNow(`${volume}-b`), "status", "phase") === "Available",
  );
  cluster.dump("dump.yaml");
  ask(cluster, `${prod}/gone`, `${stage}/a`);
  ask(cluster, `${prod}/never`, `${stage}/b`);
  plan(cluster);
  assert.is(await cluster.followRunbook("plan"), "");
  await holds(cluster, `${volume}-a`, [stage, "a"], "Retain");
  await holds(cluster, `${volume}-b`, [stage, "b"]);
  nothingIsLeft(cluster);
});

live(
  "the generated roles let each side apply its object, again and again, and nothing of the other's",
  async (kube) => {
    const cluster = new LiveCluster(kube);
    const { prod, stage } = fresh();
    cluster.namespaces(prod, stage);
    cluster.slipwayOk("generate", "crds", "--out", "api");
    kube.kubectlOk(["apply", "--filename", `${cluster.root}/api`, "--namespace", prod]);
    kube.kubectlOk(["apply", "--filename", `${cluster.root}/api`, "--namespace", stage]);
    kube.kubectlOk(["wait", "--for=condition=Established", "crd", "--all", "--timeout=600s"]);
    for (const [user, namespace, role] of [
      ["alice", stage, "slipway-storage-transfer-requester"],
      ["bob", prod, "slipway-storage-transfer-approver"],
    ] as const)
      kube.kubectlOk([
        ...["create", "rolebinding", user, "--namespace", namespace],
        ...[`--role=${role}`, `--user=${user}`],
      ]);
    cluster.slipwayOk("transfer", "new", "--source", `${prod}/db`, "--target", `${stage}/db`, "--out", "git");
    for (const [user, side, other] of [
      ["alice", "target", "source"],
      ["bob", "source", "target"],
    ] as const)
      for (const more of [[], [], ["--server-side", "--force-conflicts"], ["--server-side"]]) {
        const apply = (folder: string) =>
          kube.kubectl(
            ["apply", ...more, "--recursive", "--filename", `${cluster.root}/git/${folder}`],
            "",
            user,
          );
        const { code, stderr } = apply(side);
        assert.is(code, 0, `${user}: ${stderr}`);
        assert.is.not(apply(other).code, 0, user);
      }
    kube.kubectlOk(["delete", "crd", "--all"]);
  },
);

test("a runbook is read as it is printed", () => {
  const steps: readonly PrintedStep[] = stepsOf(
    "# R\n\n## Steps\n\n### 01 Do\n\n```sh\na\nb\n```\n\n### 02 Wait\n\n- [ ] So.\n\n  ```sh\n  c\n  # prints d\n  ```\n\n## End\n\n```sh\ne\n```\n",
  );
  assert.equal(steps, [
    { title: "01 Do", commands: ["a\nb"], questions: [] },
    { title: "02 Wait", commands: [], questions: [{ ask: "c", expected: { type: "text", text: "d" } }] },
  ]);
});

test.run();
