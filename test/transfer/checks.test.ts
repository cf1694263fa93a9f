/** Every row of docs/reference/pvc-transfer.md §3, §5: what is found, how severely, and what is said about it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonObject } from "../../src/core/json.js";
import type { PlanOptions } from "../../src/transfer/transfer-context.js";
import {
  type Changes,
  changed,
  claim,
  codesOf,
  type Move,
  namespace,
  planFor,
  pod,
  stateOf,
  summary,
  volume,
} from "../helpers/transfer.js";

const test = suite("checks of a plan");

const MOVE: Move = { from: "prod/db", to: "stage/db-copy" };
const SPACES = [namespace("prod"), namespace("stage")];
/** A pod of something else: the dump has pods. */
const BYSTANDER = pod("other", "web", "cache");
const base = (claimChanges: Changes = {}, volumeChanges: Changes = {}): JsonObject[] => [
  ...SPACES,
  BYSTANDER,
  claim("prod", "db", "pv-1", claimChanges),
  volume("pv-1", "prod", "db", volumeChanges),
];

const plan = (
  objects: readonly JsonObject[],
  options: Partial<PlanOptions> = {},
  moves: readonly Move[] = [MOVE],
) => planFor(moves, objects, options);

/** Refused with exactly this code, and words about it. */
async function refused(
  objects: readonly JsonObject[],
  code: string,
  words: RegExp,
  options: Partial<PlanOptions> = {},
) {
  const { problems, made } = await plan(objects, options);
  assert.equal([...new Set(codesOf(problems))], [code], summary(problems).join("\n"));
  assert.is(made, undefined);
  const [first] = problems.filter(({ severity = "error" }) => severity === "error");
  assert.match(first?.message ?? "", words);
  assert.ok((first?.line ?? 0) > 0 && first?.file !== "", "a problem has its place");
  assert.ok((first?.hint ?? "") !== "", "a problem has its remedy");
}

/** Taken, with this warning. */
async function warned(
  objects: readonly JsonObject[],
  code: string,
  words: RegExp,
  options: Partial<PlanOptions> = {},
  severity = "warning",
) {
  const { problems, made } = await plan(objects, options);
  assert.equal(codesOf(problems), [], summary(problems).join("\n"));
  assert.ok(made !== undefined);
  const found = problems.filter((each) => each.code === code && each.severity === severity);
  assert.ok(found.length > 0, `no ${severity} ${code} in\n${summary(problems).join("\n")}`);
  assert.match(found.map(({ message }) => message).join("\n"), words);
  return made;
}

const conditionsOf = async (objects: readonly JsonObject[], key: string): Promise<string[]> => {
  const { made, problems } = await plan(objects);
  if (made === undefined) throw new Error(summary(problems).join("\n"));
  return made.steps
    .filter(({ stepSpec }) => stepSpec.key === key)
    .flatMap(({ stepSpec }) => stepSpec.conditions.map(({ says }) => says));
};

test("nothing is wrong with a sound pair", async () => {
  const { problems, consent, made } = await plan(base());
  assert.equal([problems, consent], [[], []]);
  assert.is(made?.plan.transfers.length, 1);
});

test("pods: running, pending, finished and ephemeral ones are named, and the gate before the delete waits for them", async () => {
  const ephemeral = { spec: { volumes: [{ name: "db", persistentVolumeClaim: undefined, ephemeral: {} }] } };
  const users = [
    pod("prod", "running", "db"),
    pod("prod", "pending", "db", { status: { phase: "Pending" } }),
    pod("prod", "done", "db", { status: { phase: "Succeeded" } }),
  ];
  const made = await warned(
    [...base(), ...users, pod("stage", "elsewhere", "db")],
    "TRF033",
    /prod\/running .*Running/,
  );
  const keys = made.steps.map(({ stepSpec }) => stepSpec.key);
  assert.ok(keys.indexOf("idle") < keys.indexOf("delete"));
  const { problems } = await plan([...base(), ...users]);
  assert.is(problems.filter(({ code }) => code === "TRF033").length, 3);
  const hintOf = (name: string): string =>
    problems.find(({ code, message }) => code === "TRF033" && message.includes(`prod/${name} `))?.hint ?? "";
  assert.match(hintOf("running"), "stop its workload");
  assert.match(hintOf("done"), "kubectl delete pod done --namespace prod");
  // A generic ephemeral volume `v` of pod `p` is the claim `p-v`.
  const own = await planFor(
    [{ from: "prod/app-db", to: "stage/db-copy" }],
    [
      ...SPACES,
      claim("prod", "app-db", "pv-1"),
      volume("pv-1", "prod", "app-db"),
      pod("prod", "app", "x", {
        spec: { volumes: [changed({ name: "db" }, ephemeral.spec.volumes[0] ?? {})] },
      }),
    ],
  );
  assert.ok(own.problems.some(({ code, message }) => code === "TRF033" && message.includes("prod/app")));
});

const POD_SPEC = { spec: { volumes: [{ name: "d", persistentVolumeClaim: { claimName: "db" } }] } };
const workload = (kind: string, apiVersion: string, spec: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind,
  metadata: { namespace: "prod", name: "w", uid: `w-${kind}`, ...more },
  spec,
});

test("workloads that name the claim are told although they have no pod now, and the gate waits for them", async () => {
  const active: readonly (readonly [JsonObject, RegExp])[] = [
    [workload("Deployment", "apps/v1", { template: POD_SPEC }), /Deployment w, .* has no replicas/],
    [
      workload("StatefulSet", "apps/v1", { replicas: 1, template: POD_SPEC }),
      /StatefulSet w, .* no replicas/,
    ],
    [workload("ReplicaSet", "apps/v1", { replicas: 1, template: POD_SPEC }), /ReplicaSet w/],
    [workload("ReplicationController", "v1", { replicas: 1, template: POD_SPEC }), /ReplicationController w/],
    [
      workload("DeploymentConfig", "apps.openshift.io/v1", { replicas: 2, template: POD_SPEC }),
      /DeploymentConfig w/,
    ],
    [workload("DaemonSet", "apps/v1", { template: POD_SPEC }), /DaemonSet w, .* does not start any more/],
    [workload("Job", "batch/v1", { template: POD_SPEC }), /Job w, .* does not start any more/],
    [
      workload("CronJob", "batch/v1", { schedule: "@daily", jobTemplate: { spec: { template: POD_SPEC } } }),
      /CronJob w, .* is suspended/,
    ],
    [
      workload("VirtualMachine", "kubevirt.io/v1", {
        runStrategy: "Always",
        template: { spec: { volumes: [{ name: "root", dataVolume: { name: "db" } }] } },
      }),
      /VirtualMachine w/,
    ],
  ];
  for (const [object, says] of active) {
    await warned([...base(), object], "TRF058", / prod\/w uses claim prod\/db in its pod template$/);
    assert.ok(
      (await conditionsOf([...base(), object], "idle")).some((each) => says.test(each)),
      String(says),
    );
  }
  for (const stopped of [
    workload("Deployment", "apps/v1", { replicas: 0, template: POD_SPEC }),
    workload("CronJob", "batch/v1", { suspend: true, jobTemplate: { spec: { template: POD_SPEC } } }),
    changed(workload("Job", "batch/v1", { template: POD_SPEC }), {
      status: { conditions: [{ type: "Complete", status: "True" }] },
    }),
    workload("VirtualMachine", "kubevirt.io/v1", { running: false, template: POD_SPEC }),
  ]) {
    const { problems, made } = await plan([...base(), stopped]);
    assert.equal(codesOf(problems, "info"), ["TRF058"]);
    assert.equal(codesOf(problems, "warning"), []);
    assert.equal(made?.plan.transfers[0]?.users, []);
  }
});

test("of workloads that control each other the one on top is told; other claims and namespaces do not count", async () => {
  const above = workload("Deployment", "apps/v1", { template: POD_SPEC });
  const below = changed(workload("ReplicaSet", "apps/v1", { template: POD_SPEC }), {
    metadata: { name: "w-1", ownerReferences: [{ kind: "Deployment", name: "w", controller: true }] },
  });
  const { problems } = await plan([...base(), above, below]);
  assert.equal(summary(problems).filter((each) => each.includes("TRF058")).length, 1);
  // Without the one on top this is what can be seen.
  await warned([...base(), below], "TRF058", /ReplicaSet prod\/w-1/);
  for (const other of [
    changed(above, { metadata: { namespace: "stage" } }),
    workload("Deployment", "apps/v1", { template: { spec: { volumes: [{ name: "x", emptyDir: {} }] } } }),
    workload("Deployment", "example.com/v1", { template: POD_SPEC }),
  ])
    assert.equal(codesOf((await plan([...base(), other])).problems, "warning"), []);
});

test("a clone or a snapshot being made refuses", async () => {
  for (const name of [
    "provisioner.storage.kubernetes.io/cloning-protection",
    "snapshot.storage.kubernetes.io/pvc-as-source-protection",
  ])
    await refused(
      base({ metadata: { finalizers: ["kubernetes.io/pvc-protection", name] } }),
      "TRF034",
      new RegExp(name),
    );
});

test("any other finalizer refuses unless it is waived", async () => {
  const objects = base({
    metadata: { finalizers: ["kubernetes.io/pvc-protection", "backup.example.com/hold"] },
  });
  await refused(objects, "TRF035", /backup\.example\.com\/hold/);
  await warned(objects, "TRF035", /backup\.example\.com\/hold/, {
    waivedFinalizers: new Set(["backup.example.com/hold"]),
  });
});

const set = (changes: Changes = {}): JsonObject =>
  changed(
    {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { namespace: "prod", name: "web" },
      spec: { replicas: 2, volumeClaimTemplates: [{ metadata: { name: "data" } }] },
    },
    changes,
  );
const setClaims = (ordinals: readonly number[], changes: Changes = {}): JsonObject[] =>
  ordinals.flatMap((ordinal) => [
    claim("prod", `data-web-${ordinal}`, `pv-${ordinal}`, changes),
    volume(`pv-${ordinal}`, "prod", `data-web-${ordinal}`),
  ]);
const setMoves = (ordinals: readonly number[]): Move[] =>
  ordinals.map((ordinal) => ({ from: `prod/data-web-${ordinal}`, to: `stage/data-web-${ordinal}` }));

test("an owner that makes the claim again is named, and the gate waits for it", async () => {
  const owner = {
    apiVersion: "cdi.kubevirt.io/v1beta1",
    kind: "DataVolume",
    name: "db",
    uid: "u",
    controller: true,
  };
  const objects = base({ metadata: { ownerReferences: [owner] } });
  await warned(objects, "TRF036", /DataVolume prod\/db/);
  assert.ok(
    (await conditionsOf(objects, "idle")).some((says) => /DataVolume prod\/db does not re-create/.test(says)),
  );
  const { problems, made } = await planFor(setMoves([0, 1]), [
    ...SPACES,
    BYSTANDER,
    set(),
    ...setClaims([0, 1]),
  ]);
  assert.equal(codesOf(problems, "warning"), ["TRF036", "TRF036"]);
  const limits = made?.steps
    .flatMap(({ stepSpec }) => (stepSpec.action === "gate" ? stepSpec.conditions : []))
    .flatMap(({ condition }) => (condition.type === "at-most" ? [condition.limit] : []));
  assert.equal(limits, [0, 1]);
});

test("a StatefulSet that starts later is scaled accordingly", async () => {
  const { made } = await planFor(setMoves([5]), [
    ...SPACES,
    BYSTANDER,
    set({ spec: { replicas: 1, ordinals: { start: 5 } } }),
    ...setClaims([5]),
  ]);
  assert.equal(
    made?.plan.transfers[0]?.owners.map(({ replicas }) => replicas),
    [0],
  );
});

test("ordinals that stay behind are named", async () => {
  const { problems } = await planFor(setMoves([0]), [
    ...SPACES,
    BYSTANDER,
    set({ spec: { replicas: 0 } }),
    ...setClaims([0, 1]),
  ]);
  assert.ok(problems.some(({ code, message }) => code === "TRF038" && message.includes("data-web-1")));
});

test("a retention policy Delete is told before anything is scaled down, and the gate asks for Retain", async () => {
  const deleting = set({
    spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete", whenDeleted: "Retain" } },
  });
  const { problems, made } = await planFor(setMoves([0, 1]), [
    ...SPACES,
    BYSTANDER,
    deleting,
    ...setClaims([0, 1]),
  ]);
  const found = problems.filter(({ code }) => code === "TRF037");
  assert.is(found.length, 2);
  assert.match(found[0]?.hint ?? "", /once the reclaim policy is Retain.*kubectl patch statefulset web/);
  const says =
    made?.steps.flatMap(({ stepSpec }) =>
      stepSpec.key === "idle" ? stepSpec.conditions.map((each) => each.says) : [],
    ) ?? [];
  assert.ok(says.some((each) => /retains its claims \(whenScaled\)/.test(each)));
  // An owner reference without the set in the dump says the same.
  await warned(
    base({
      metadata: { ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "gone", uid: "u" }] },
    }),
    "TRF037",
    /owner reference to StatefulSet gone and is deleted together with it/,
  );
});

const quota = (hard: Changes, used: Changes, spec: Changes = {}): JsonObject =>
  changed(
    {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { namespace: "stage", name: "q" },
      spec: { hard: {} },
      status: { hard: {}, used: {} },
    },
    { spec: { hard, ...spec }, status: { hard, used } },
  );

test("quotas of the target namespace: every form is weighed, and the shortfall is named", async () => {
  const rows: readonly (readonly [Changes, Changes, RegExp])[] = [
    [
      { "requests.storage": "15Gi" },
      { "requests.storage": "8Gi" },
      /8Gi of 15Gi.*require 10Gi: 3Gi too little/,
    ],
    [{ persistentvolumeclaims: "2" }, { persistentvolumeclaims: "2" }, /2 of 2.*1 too little/],
    [{ "count/persistentvolumeclaims": "0" }, { "count/persistentvolumeclaims": "0" }, /1 too little/],
    [
      { "fast.storageclass.storage.k8s.io/requests.storage": "9Gi" },
      { "fast.storageclass.storage.k8s.io/requests.storage": "0" },
      /1Gi too little/,
    ],
    [
      { "fast.storageclass.storage.k8s.io/persistentvolumeclaims": "1" },
      { "fast.storageclass.storage.k8s.io/persistentvolumeclaims": "1" },
      /1 too little/,
    ],
  ];
  for (const [hard, used, words] of rows) await refused([...base(), quota(hard, used)], "TRF039", words);
  const enough = await plan([
    ...base(),
    quota(
      {
        "requests.storage": "20Gi",
        "slow.storageclass.storage.k8s.io/requests.storage": "0",
        "requests.cpu": "0",
      },
      { "requests.storage": "10Gi" },
    ),
  ]);
  assert.equal(codesOf(enough.problems), []);
  // Scopes count pods.
  const scoped = await plan([
    ...base(),
    quota({ persistentvolumeclaims: "0" }, {}, { scopes: ["BestEffort"] }),
  ]);
  assert.equal(codesOf(scoped.problems), []);
});

test("a batch is weighed together; without a status, usage is counted", async () => {
  const two = [...base(), claim("prod", "log", "pv-2"), volume("pv-2", "prod", "log")];
  const moves = [MOVE, { from: "prod/log", to: "stage/log" }];
  const { problems } = await plan(
    [...two, quota({ "requests.storage": "15Gi" }, { "requests.storage": "0" })],
    {},
    moves,
  );
  assert.equal(codesOf(problems), ["TRF039"]);
  const counted = quota({ "requests.storage": "15Gi" }, {});
  const present = [
    ...base(),
    claim("stage", "old", "pv-9"),
    volume("pv-9", "stage", "old"),
    changed(counted, { status: undefined }),
  ];
  await refused(present, "TRF039", /10Gi of 15Gi/);
});

test("a quota with scopes counts claims by their class of attributes alone", async () => {
  const gold = {
    claim: {
      spec: { volumeAttributesClassName: "gold" },
      status: { currentVolumeAttributesClassName: "gold" },
    },
    volume: { spec: { volumeAttributesClassName: "gold" } },
  };
  const scoped = (scopes: JsonObject, kind = "ResourceQuota"): JsonObject => {
    const [hard, used] = [{ "requests.storage": "15Gi" }, { "requests.storage": "10Gi" }];
    return kind === "ResourceQuota"
      ? {
          apiVersion: "v1",
          kind,
          metadata: { namespace: "stage", name: "q" },
          spec: { hard, ...scopes },
          status: { hard, used },
        }
      : {
          apiVersion: "quota.openshift.io/v1",
          kind,
          metadata: { name: "q" },
          spec: { quota: { hard, ...scopes }, selector: {} },
          status: { namespaces: [{ namespace: "stage" }], total: { hard, used } },
        };
  };
  const byClass = (operator: string, ...values: readonly string[]): JsonObject => ({
    scopeSelector: { matchExpressions: [{ scopeName: "VolumeAttributesClass", operator, values }] },
  });
  const refused = async (quota: JsonObject, objects: readonly JsonObject[]): Promise<boolean> =>
    codesOf((await plan([...objects, quota])).problems).includes("TRF039");
  const plain = base();
  const golden = base(gold.claim, gold.volume);
  for (const kind of ["ResourceQuota", "ClusterResourceQuota"])
    for (const [scopes, ofGold, ofPlain] of [
      [byClass("In", "gold"), true, false],
      [byClass("In", "silver"), false, false],
      [byClass("NotIn", "gold"), false, true],
      [byClass("Exists"), true, false],
      [byClass("DoesNotExist"), false, true],
      [{ scopes: ["VolumeAttributesClass"] }, true, false],
      [{ scopes: ["NotTerminating"] }, false, false],
      [{ scopes: ["BestEffort"] }, false, false],
      [{}, true, true],
    ] as const) {
      const quota = scoped(scopes, kind);
      assert.is(await refused(quota, golden), ofGold, `${kind} ${JSON.stringify(scopes)} gold`);
      assert.is(await refused(quota, plain), ofPlain, `${kind} ${JSON.stringify(scopes)} plain`);
    }
});

test("limit ranges of the target namespace", async () => {
  const range = (limit: JsonObject): JsonObject => ({
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: { namespace: "stage", name: "r" },
    spec: {
      limits: [
        { type: "PersistentVolumeClaim", ...limit },
        { type: "Pod", max: { storage: "1" } },
      ],
    },
  });
  await refused([...base(), range({ max: { storage: "5Gi" } })], "TRF039", /at most 5Gi/);
  await refused([...base(), range({ min: { storage: "11Gi" } })], "TRF039", /at least 11Gi/);
  assert.equal(
    codesOf((await plan([...base(), range({ min: { storage: "1Gi" }, max: { storage: "10Gi" } })])).problems),
    [],
  );
});

const clusterQuota = (hard: JsonObject, used: JsonObject, selector: JsonObject): JsonObject => ({
  apiVersion: "quota.openshift.io/v1",
  kind: "ClusterResourceQuota",
  metadata: { name: "team" },
  spec: { selector, quota: { hard } },
  status: { total: { hard, used } },
});

test("a quota that spans both namespaces counts the claim twice: it is made late, and that is said", async () => {
  const spaces = ["prod", "stage"].map((name) => namespace(name, { owner: "team" }, { team: "a" }));
  const objects = [...spaces, BYSTANDER, claim("prod", "db", "pv-1"), volume("pv-1", "prod", "db")];
  for (const selector of [{ labels: { matchLabels: { team: "a" } } }, { annotations: { owner: "team" } }]) {
    const tight = clusterQuota({ "requests.storage": "15Gi" }, { "requests.storage": "10Gi" }, selector);
    const made = await warned(
      [...objects, tight],
      "TRF040",
      /stage\/db-copy will be created after the source is deleted/,
    );
    assert.ok(made.plan.transfers[0]?.late);
    const keys = made.steps.map(({ stepSpec }) => stepSpec.key);
    assert.ok(keys.indexOf("create") > keys.indexOf("repoint"));
    assert.not.ok(keys.includes("check"));
    const roomy = await plan([
      ...objects,
      clusterQuota({ "requests.storage": "20Gi" }, { "requests.storage": "10Gi" }, selector),
    ]);
    assert.is(roomy.made?.plan.transfers[0]?.late, false);
  }
  // A quota of the namespace itself counts a claim that is only renamed twice, too.
  const renamed = await planFor(
    [{ from: "stage/a", to: "stage/b" }],
    [
      ...spaces,
      BYSTANDER,
      claim("stage", "a", "pv-1"),
      volume("pv-1", "stage", "a"),
      quota({ persistentvolumeclaims: "1" }, { persistentvolumeclaims: "1" }),
    ],
  );
  assert.ok(renamed.made?.plan.transfers[0]?.late);
});

test("room that other claims of the batch leave is used when all of them are deleted first", async () => {
  const objects = [
    ...SPACES,
    BYSTANDER,
    claim("prod", "in", "pv-1"),
    volume("pv-1", "prod", "in"),
    claim("stage", "out", "pv-2"),
    volume("pv-2", "stage", "out"),
    quota({ persistentvolumeclaims: "1" }, { persistentvolumeclaims: "1" }),
  ];
  const { made } = await planFor(
    [
      { from: "prod/in", to: "stage/in" },
      { from: "stage/out", to: "prod/out" },
    ],
    objects,
  );
  const order = made?.steps.map(({ stepSpec, transfer }) => `${stepSpec.key} ${transfer.source.name}`) ?? [];
  assert.ok(order.indexOf("create in") > order.indexOf("gone out"), order.join("\n"));
});

test("OpenShift user ranges, groups and SELinux levels are compared, with both values", async () => {
  const key = (name: string): string => `openshift.io/sa.scc.${name}`;
  for (const [name, from, to] of [
    ["uid-range", "1000660000/10000", "1000670000/10000"],
    ["supplemental-groups", "1000660000/10000", "1000670000/10000"],
    ["mcs", "s0:c26,c5", "s0:c27,c4"],
  ] as const) {
    const spaces = [namespace("prod", { [key(name)]: from }), namespace("stage", { [key(name)]: to })];
    const objects = [...spaces, ...base().slice(2)];
    await warned(objects, "TRF041", new RegExp(`${from}.*${to}`));
  }
});

const affinity = (zone: string): Changes => ({
  spec: {
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In", values: [zone] }] },
        ],
      },
    },
  },
});
const node = (name: string, labels: JsonObject): JsonObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels },
});

test("a node selector of the target namespace and the affinity of the volume may leave no node", async () => {
  const selected = (selector: string): JsonObject[] => [
    namespace("prod"),
    namespace("stage", { "openshift.io/node-selector": selector }),
    ...base({}, affinity("a")).slice(2),
  ];
  await warned(selected("topology.kubernetes.io/zone=b"), "TRF042", /zone=b.*zone In a/);
  assert.equal(codesOf((await plan(selected("topology.kubernetes.io/zone=a"))).problems, "warning"), []);
  assert.equal(codesOf((await plan(selected("env=stage"))).problems, "warning"), []);
  const nodes = [
    node("n1", { env: "stage", "topology.kubernetes.io/zone": "b" }),
    node("n2", { "topology.kubernetes.io/zone": "a" }),
  ];
  await warned([...selected("env=stage"), ...nodes], "TRF042", /env=stage/);
  const fitting = [...nodes, node("n3", { env: "stage", "topology.kubernetes.io/zone": "a" })];
  assert.equal(codesOf((await plan([...selected("env=stage"), ...fitting])).problems, "warning"), []);
  // The cluster's default holds for a namespace that says nothing.
  const scheduler = {
    apiVersion: "config.openshift.io/v1",
    kind: "Scheduler",
    metadata: { name: "cluster" },
    spec: { defaultNodeSelector: "topology.kubernetes.io/zone=b" },
  };
  await warned([...base({}, affinity("a")), scheduler], "TRF042", /zone=b/);
  assert.equal(codesOf((await plan([...selected(""), scheduler])).problems, "warning"), []);
});

test("Secrets of the source namespace that the volume refers to are named one by one", async () => {
  for (const member of [
    "nodeStageSecretRef",
    "nodePublishSecretRef",
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodeExpandSecretRef",
  ])
    await warned(
      base({}, { spec: { csi: { [member]: { namespace: "prod", name: "key" } } } }),
      "TRF043",
      /Secret prod\/key/,
    );
  await warned(
    base(
      {},
      {
        metadata: {
          annotations: {
            "volume.kubernetes.io/provisioner-deletion-secret-name": "gone",
            "volume.kubernetes.io/provisioner-deletion-secret-namespace": "prod",
          },
        },
      },
    ),
    "TRF043",
    /Secret prod\/gone/,
  );
  await warned(
    base({}, { spec: { csi: undefined, rbd: { pool: "p", image: "i", secretRef: { name: "ceph" } } } }),
    "TRF043",
    /Secret ceph in the namespace of its claim/,
  );
  const shared = await plan(
    base({}, { spec: { csi: { nodeStageSecretRef: { namespace: "storage", name: "key" } } } }),
  );
  assert.equal(codesOf(shared.problems, "warning"), []);
});

test("a resize or a change of attributes under way refuses", async () => {
  const rows: readonly (readonly [Changes, RegExp])[] = [
    [{ status: { conditions: [{ type: "Resizing", status: "True" }] } }, /Resizing/],
    [
      { status: { conditions: [{ type: "FileSystemResizePending", status: "True" }] } },
      /FileSystemResizePending/,
    ],
    [
      { status: { allocatedResourceStatuses: { storage: "ControllerResizeInProgress" } } },
      /ControllerResizeInProgress/,
    ],
    [{ status: { capacity: { storage: "5Gi" } } }, /requested size is 10Gi, but the capacity is 5Gi/],
    [{ status: { modifyVolumeStatus: { status: "InProgress" } } }, /attributes/],
    [
      { spec: { volumeAttributesClassName: "gold" }, status: { currentVolumeAttributesClassName: "silver" } },
      /is gold, but the current one is silver/,
    ],
  ];
  for (const [changes, words] of rows) await refused(base(changes), "TRF044", words);
  // Before the first change the class of the volume is the one that the claim has.
  const gold = { spec: { volumeAttributesClassName: "gold" } };
  await refused(base(gold), "TRF044", /is gold, but the current one is none/);
  await refused(
    base(gold, { spec: { volumeAttributesClassName: "silver" } }),
    "TRF044",
    /is gold, but the current one is silver/,
  );
  assert.equal((await plan(base(gold, gold))).problems, []);
});

test("the policy Recycle refuses", () =>
  refused(base({}, { spec: { persistentVolumeReclaimPolicy: "Recycle" } }), "TRF045", /Recycle/));

test("claim and volume that are not a sound pair refuse, and it is said which", async () => {
  const moment = "2029-12-31T00:00:00Z";
  const rows: readonly (readonly [Changes, Changes, RegExp])[] = [
    [{}, { metadata: { deletionTimestamp: moment } }, /volume pv-1 is being deleted/],
    [{}, { status: { phase: "Released" } }, /volume pv-1 is Released, not Bound/],
    [{}, { spec: { claimRef: { uid: "another" } } }, /uid another, but claim prod\/db has uid claim-prod-db/],
    [{}, { spec: { claimRef: { name: "else" } } }, /bound to prod\/else/],
    [{}, { spec: { claimRef: undefined } }, /has no claimRef/],
    [{ metadata: { deletionTimestamp: moment } }, {}, /claim prod\/db is Terminating/],
  ];
  for (const [own, its, words] of rows) await refused(base(own, its), "TRF031", words);
  await refused(base({ status: { phase: "Lost" } }), "TRF032", /Lost/);
});

test("two volumes for one piece of storage refuse", () =>
  refused(
    [...base(), volume("pv-2", "x", "y", { spec: { csi: { volumeHandle: "handle-pv-1" } } })],
    "TRF046",
    /pv-1 and pv-2/,
  ));

test("an attachment is named, and the gate waits for its end", async () => {
  const attachment = {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    metadata: { name: "csi-1" },
    spec: { nodeName: "n1", source: { persistentVolumeName: "pv-1" } },
  };
  await warned([...base(), attachment], "TRF047", /node n1 \(VolumeAttachment csi-1\)/);
  assert.ok(
    (await conditionsOf([...base(), attachment], "idle")).some((says) =>
      /volume pv-1 has no VolumeAttachment/.test(says),
    ),
  );
});

test("a snapshot that is being taken refuses; one that failed stays behind", async () => {
  const snapshot = (status: JsonObject): JsonObject => ({
    apiVersion: "snapshot.storage.k8s.io/v1",
    kind: "VolumeSnapshot",
    metadata: { namespace: "prod", name: "nightly" },
    spec: { source: { persistentVolumeClaimName: "db" } },
    status,
  });
  await refused([...base(), snapshot({ readyToUse: false })], "TRF034", /prod\/nightly .* is being taken/);
  await warned([...base(), snapshot({ readyToUse: true })], "TRF048", /prod\/nightly/);
  await warned([...base(), snapshot({ readyToUse: false, error: { message: "x" } })], "TRF048", /nightly/);
});

test("snapshots of the source are reported", async () => {
  await warned(
    [
      ...base(),
      {
        apiVersion: "snapshot.storage.k8s.io/v1",
        kind: "VolumeSnapshot",
        metadata: { namespace: "prod", name: "nightly" },
        spec: { source: { persistentVolumeClaimName: "db" } },
      },
    ],
    "TRF048",
    /prod\/nightly/,
  );
});

test("a target that exists refuses, unless this transfer made it for this volume", async () => {
  await refused(
    [...base(), claim("stage", "db-copy", "pv-9"), volume("pv-9", "stage", "db-copy")],
    "TRF049",
    /stage\/db-copy already exists, for volume pv-9/,
  );
  const { made } = await plan(base());
  const id = made?.plan.transfers[0]?.id ?? "";
  const own = (name: string): JsonObject =>
    claim("stage", "db-copy", name, {
      metadata: {
        annotations: { "transfer.slipway.dev/plan": id, "pv.kubernetes.io/bind-completed": undefined },
      },
      status: { phase: "Pending" },
    });
  const half = await warned([...base(), own("pv-1")], "TRF049", /earlier run/, {}, "info");
  assert.not.ok(half.steps.some(({ stepSpec }) => stepSpec.key === "create"));
  await refused([...base(), own("pv-2")], "TRF049", /already/);
});

test("a namespace that is missing or being deleted refuses", async () => {
  const [prod, stage, ...rest] = base();
  await refused([prod ?? {}, ...rest], "TRF050", /does not contain namespace stage/);
  await refused(
    [prod ?? {}, changed(stage ?? {}, { status: { phase: "Terminating" } }), ...rest],
    "TRF050",
    /stage is being deleted/,
  );
  await refused(
    [changed(prod ?? {}, { metadata: { deletionTimestamp: "2029-01-01T00:00:00Z" } }), stage ?? {}, ...rest],
    "TRF050",
    /prod is being deleted/,
  );
  const { problems } = await plan(rest);
  assert.equal(
    problems.map(({ code, severity }) => `${severity} ${code}`),
    ["info TRF052"],
  );
});

test("a reservation is bound without any check, so claim and volume are compared here (B3)", async () => {
  await refused(base({ spec: { volumeMode: "Block" } }), "TRF051", /volume modes: Block and Filesystem/);
  await refused(base({ spec: { storageClassName: "slow" } }), "TRF051", /storage classes: slow and fast/);
  await refused(
    base({ spec: { accessModes: ["ReadWriteMany"] } }),
    "TRF051",
    /access modes: ReadWriteMany and ReadWriteOnce/,
  );
  await refused(
    base({ status: { capacity: { storage: "10Gi" } } }, { spec: { capacity: { storage: "9Gi" } } }),
    "TRF051",
    /sizes: 10Gi and 9Gi/,
  );
});

test("the mark of another transfer on the volume refuses", () =>
  refused(
    base({}, { metadata: { annotations: { "transfer.slipway.dev/plan": "another" } } }),
    "TRF054",
    /another/,
  ));

test("what a delivery tool declares is named, and the gate speaks of it", async () => {
  const rows: readonly (readonly [Changes, RegExp])[] = [
    [
      { annotations: { "argocd.argoproj.io/tracking-id": "shop:/PersistentVolumeClaim:prod/db" } },
      /Argo CD application shop/,
    ],
    [{ labels: { "argocd.argoproj.io/instance": "shop" } }, /Argo CD application shop/],
    [{ labels: { "kustomize.toolkit.fluxcd.io/name": "apps" } }, /Flux \(apps\)/],
    [{ annotations: { "meta.helm.sh/release-name": "pg" } }, /Helm release pg/],
  ];
  for (const [metadata, words] of rows) {
    await warned(base({ metadata }), "TRF053", words);
    assert.ok((await conditionsOf(base({ metadata }), "idle")).some((says) => words.test(says)));
  }
});

test("the dump has to show claim and volume as a cluster shows them", async () => {
  const [, , , own, its] = base();
  await refused([...SPACES, BYSTANDER, its ?? {}], "TRF030", /does not contain claim prod\/db/);
  await refused([...SPACES, BYSTANDER, own ?? {}], "TRF030", /does not contain volume pv-1/);
  await refused(base({ metadata: { uid: undefined } }), "TRF030", /no uid/);
  await refused(base({ status: undefined }), "TRF030", /no status\.phase/);
  await refused(base({ spec: { accessModes: ["Odd"] } }), "TRF030", /unsupported access mode "Odd"/);
  await refused(base({ spec: { resources: { requests: { storage: "much" } } } }), "TRF030", /not a quantity/);
  await refused(base({ metadata: { labels: { app: "x y" } } }), "TRF030", /label/);
});

const unbound = (): JsonObject =>
  claim("prod", "db", "", {
    metadata: { annotations: { "pv.kubernetes.io/bind-completed": undefined } },
    spec: { volumeName: undefined },
    status: { phase: "Pending", capacity: undefined },
  });

test("docs/reference/pvc-transfer.md §5: an unbound claim is refused, or replaced by a fresh one when asked for", async () => {
  const objects = (changes: Changes = {}): JsonObject[] => [
    ...SPACES,
    BYSTANDER,
    changed(unbound(), changes),
  ];
  await refused(objects(), "TRF032", /it has no data/);
  const made = await warned(objects(), "TRF032", /no data are transferred/, { recreateUnbound: true });
  assert.equal(
    made.steps.map(({ stepSpec }) => stepSpec.key),
    ["check", "create", "idle", "delete", "gone"],
  );
  assert.is(made.plan.transfers[0]?.kind, "recreate");
  assert.match(made.steps.map(({ step }) => step.does).join("\n"), /no data are transferred/);
  const says = made.steps.flatMap(({ stepSpec }) => stepSpec.conditions.map((each) => each.says));
  assert.ok(says.includes("claim prod/db is still Pending"));
  const half = objects({ spec: { volumeName: "pv-1" } });
  await refused([...half, volume("pv-1", "prod", "db")], "TRF032", /is being bound/, {
    recreateUnbound: true,
  });
  await refused(
    objects({ spec: { dataSource: { kind: "VolumeSnapshot", name: "s" } } }),
    "TRF055",
    /VolumeSnapshot s/,
    { recreateUnbound: true },
  );
});

test("another kind is not supported", async () => {
  const { problems, made } = await plan(base(), {}, [{ ...MOVE, kind: "VolumeSnapshot" }]);
  assert.equal(codesOf(problems), ["TRF006"]);
  assert.is(made, undefined);
});

test("the state of a dump: objects of other kinds are passed over, a list of one kind is read", () => {
  const state = stateOf([
    ...base(),
    { apiVersion: "v1", kind: "Secret", metadata: { name: "x", namespace: "prod" } },
  ]);
  assert.is(state.claims.size, 1);
  assert.is(state.volumes.size, 1);
});

test.run();
