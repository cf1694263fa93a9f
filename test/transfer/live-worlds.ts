/**
 * What a plan on a real cluster is made for, one scenario each; the changes that somebody else makes between two of its
 * steps; and what people tidy up when a plan has stopped because of one.
 */
import * as assert from "uvu/assert";
import type { Json, JsonObject } from "../../src/core/json.js";
import { annotationOf, at, isBeingDeleted, listAt, textAt, uidOf } from "../../src/transfer/object.js";
import { holds, type LiveCluster, PREFIX } from "../helpers/live-transfer.js";

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** A claim that moves. */
export interface LivePair {
  readonly source: Place;
  readonly target: Place;
  /** Undefined where the claim was never bound. */
  readonly volume: string | undefined;
  /** The volume's policy before the plan. */
  readonly policy: "Delete" | "Retain";
  /** Of the source's claim before the plan; empty where there was none. */
  readonly uid: string;
}

export interface World {
  readonly cluster: LiveCluster;
  readonly pairs: readonly LivePair[];
  /** The pair that the change is about. */
  readonly hit: LivePair;
  /** A StatefulSet that made the source's claims. */
  readonly set?: Place;
}

export interface Names {
  readonly prod: string;
  readonly stage: string;
  readonly volume: string;
}

interface Made {
  readonly pairs: readonly LivePair[];
  /** Arguments of `transfer new`, a call each. */
  readonly requests: readonly (readonly string[])[];
  /** More arguments of `transfer plan`. */
  readonly plan?: readonly string[];
  readonly set?: Place;
}

const text = ({ namespace, name }: Place): string => `${namespace}/${name}`;
const requestOf = ({ source, target }: LivePair): string[] => [
  "--source",
  text(source),
  "--target",
  text(target),
];

async function boundPair(
  cluster: LiveCluster,
  { prod, stage, volume }: Names,
  suffix: string,
  policy: LivePair["policy"],
): Promise<LivePair> {
  const [source, target] = [
    { namespace: prod, name: `db${suffix}` },
    { namespace: stage, name: `db-copy${suffix}` },
  ];
  await cluster.bound(prod, source.name, `${volume}${suffix}`, "create", {
    spec: { persistentVolumeReclaimPolicy: policy },
  });
  const uid = uidOf((await cluster.claimNow(prod, source.name)) ?? {});
  return { source, target, volume: `${volume}${suffix}`, policy, uid };
}

const statefulSet = (cluster: LiveCluster, namespace: string): JsonObject => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { namespace, name: "db" },
  spec: {
    replicas: 2,
    podManagementPolicy: "Parallel",
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
          storageClassName: cluster.storageClass,
        },
      },
    ],
  },
});

async function scaled(cluster: LiveCluster, { namespace, name }: Place, replicas: number): Promise<void> {
  await cluster.kube.request(
    "PATCH",
    `/apis/apps/v1/namespaces/${namespace}/statefulsets/${name}`,
    { spec: { replicas } },
    MERGE,
  );
  await cluster.until(`${replicas} pods`, async () => {
    const { body } = await cluster.kube.request("GET", `/api/v1/namespaces/${namespace}/pods`);
    const own = listAt(body, "items").filter((pod) => textAt(pod, "metadata", "labels", "app") === "db");
    return own.length === replicas;
  });
}

const MERGE = "application/merge-patch+json";
/** On a claim that somebody else made; one without a volume that a rollback made again looks like it otherwise. */
const STRANGER = "example.com/stranger";
const claimPath = ({ namespace, name }: Place): string =>
  `/api/v1/namespaces/${namespace}/persistentvolumeclaims/${name}`;
const sourceNow = ({ cluster, hit }: World): Promise<JsonObject | undefined> =>
  cluster.claimNow(hit.source.namespace, hit.source.name);

async function patched(cluster: LiveCluster, path: string, patch: Json): Promise<boolean> {
  return (await cluster.kube.request("PATCH", path, patch, MERGE)).status === 200;
}

const patchVolume = async ({ cluster, hit }: World, patch: Json): Promise<boolean> =>
  hit.volume !== undefined && patched(cluster, `/api/v1/persistentvolumes/${hit.volume}`, patch);

/** A volume that nobody holds is destroyed by whoever takes Retain from it, and a bound one by who deletes its claim. */
async function isHeld({ cluster, hit }: World): Promise<boolean> {
  const held = await cluster.volumeNow(hit.volume ?? "");
  const [namespace, name] = ["namespace", "name"].map((member) => textAt(held, "spec", "claimRef", member));
  const claim = await cluster.claimNow(namespace ?? "", name ?? "");
  return (
    claim !== undefined && !isBeingDeleted(claim) && uidOf(claim) === textAt(held, "spec", "claimRef", "uid")
  );
}
const isKept = async ({ cluster, hit }: World): Promise<boolean> =>
  hit.volume === undefined ||
  textAt(await cluster.volumeNow(hit.volume), "spec", "persistentVolumeReclaimPolicy") === "Retain";

const isUnderWay = async ({ cluster, hit }: World): Promise<boolean> =>
  hit.volume === undefined ||
  annotationOf((await cluster.volumeNow(hit.volume)) ?? {}, `${PREFIX}plan`) !== undefined;

const deleted = async (world: World, place: Place): Promise<boolean> =>
  (await isKept(world)) && (await world.cluster.kube.request("DELETE", claimPath(place))).status === 200;

/** One change by somebody else; false where there is nothing to change, or where the change alone would lose data. */
export type Change = (world: World) => Promise<boolean>;
const CHANGES: Readonly<Record<string, Change>> = {
  nothing: async () => true,
  "the policy is set back": async (world) =>
    (await isHeld(world)) && patchVolume(world, { spec: { persistentVolumeReclaimPolicy: "Delete" } }),
  "the mark is taken off": async (world) =>
    patchVolume(world, { metadata: { annotations: { [`${PREFIX}plan`]: null } } }),
  // Once the move is over, it is its owner who deletes it, and nobody.
  "the target is deleted": async (world) => (await isUnderWay(world)) && deleted(world, world.hit.target),
  "the source is deleted": async (world) => deleted(world, world.hit.source),
  "the source gets another finalizer": async ({ cluster, hit }) =>
    patched(cluster, claimPath(hit.source), {
      metadata: { finalizers: ["kubernetes.io/pvc-protection", "example.com/backup"] },
    }),
  "a pod uses the source": async (world) => {
    if ((await sourceNow(world)) === undefined) return false;
    const { source } = world.hit;
    world.cluster.make([
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { namespace: source.namespace, name: "late" },
        spec: {
          containers: [{ name: "c", image: "none.example.com/none" }],
          volumes: [{ name: "v", persistentVolumeClaim: { claimName: source.name } }],
        },
      },
    ]);
    return true;
  },
  "the source is made again, empty": async (world) => {
    if ((await sourceNow(world)) !== undefined) return false;
    const { cluster, hit } = world;
    cluster.make([cluster.claim(hit.source.namespace, hit.source.name, undefined)]);
    await patched(cluster, claimPath(hit.source), { metadata: { annotations: { [STRANGER]: "yes" } } });
    return true;
  },
  "the StatefulSet is scaled up again": async ({ cluster, set }) => {
    if (set === undefined) return false;
    await scaled(cluster, set, 2);
    return true;
  },
};

export interface Scenario {
  readonly make: (cluster: LiveCluster, names: Names) => Promise<Made>;
  /** Whether several claims move, so that there are more steps. */
  readonly several: boolean;
  readonly changes: readonly (readonly [what: string, change: Change])[];
}

const OF_SETS = "the StatefulSet is scaled up again";
const OF_SOURCES = ["the source is deleted", "the source gets another finalizer", "a pod uses the source"];
const OF_VOLUMES = ["the policy is set back", "the mark is taken off"];
const changesWithout = (...names: readonly string[]): Scenario["changes"] =>
  Object.entries(CHANGES).filter(([what]) => !names.includes(what));

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "one claim": {
    several: false,
    changes: changesWithout(OF_SETS),
    make: async (cluster, names) => {
      const pair = await boundPair(cluster, names, "", "Delete");
      return { pairs: [pair], requests: [requestOf(pair)] };
    },
  },
  "a batch": {
    several: true,
    changes: changesWithout(OF_SETS),
    make: async (cluster, names) => {
      const pairs = [
        await boundPair(cluster, names, "-a", "Retain"),
        await boundPair(cluster, names, "-b", "Delete"),
      ];
      return { pairs, requests: pairs.map(requestOf) };
    },
  },
  "the claims of a StatefulSet": {
    several: true,
    changes: changesWithout(),
    make: async (cluster, { prod, stage, volume }) => {
      const claims = ["data-db-0", "data-db-1"];
      cluster.make(
        claims.map((name, i) =>
          cluster.volume(`${volume}-${i}`, { spec: { claimRef: { namespace: prod, name } } }),
        ),
      );
      cluster.make([statefulSet(cluster, prod)]);
      await cluster.until("the claims are bound", async () =>
        (await Promise.all(claims.map((name) => cluster.claimNow(prod, name)))).every(
          (claim) => textAt(claim, "status", "phase") === "Bound",
        ),
      );
      const set = { namespace: prod, name: "db" };
      await scaled(cluster, set, 0);
      const pairs = await Promise.all(
        claims.map(
          async (name, i): Promise<LivePair> => ({
            source: { namespace: prod, name },
            target: { namespace: stage, name: `data-pg-${i}` },
            volume: `${volume}-${i}`,
            policy: "Delete",
            uid: uidOf((await cluster.claimNow(prod, name)) ?? {}),
          }),
        ),
      );
      return { pairs, requests: [["--statefulset", `old=${prod}/db`, `new=${stage}/pg`]], set };
    },
  },
  "a volume whose claim is gone": {
    several: false,
    changes: changesWithout(OF_SETS, ...OF_SOURCES),
    make: async (cluster, { prod, stage, volume }) => {
      const released = await boundPair(cluster, { prod, stage, volume }, "-a", "Retain");
      await cluster.kube.request("DELETE", claimPath(released.source));
      // A volume made by hand has no annotations.
      const reserved: LivePair = {
        source: { namespace: prod, name: "never" },
        target: { namespace: stage, name: "db-copy-b" },
        volume: `${volume}-b`,
        policy: "Delete",
        uid: "",
      };
      cluster.make([
        cluster.volume(`${volume}-b`, {
          metadata: { annotations: undefined },
          spec: { claimRef: { ...reserved.source } },
        }),
      ]);
      await cluster.until(
        "the volumes are free",
        async () =>
          textAt(await cluster.volumeNow(`${volume}-a`), "status", "phase") === "Released" &&
          textAt(await cluster.volumeNow(`${volume}-b`), "status", "phase") === "Available",
      );
      const pairs = [{ ...released, uid: "" }, reserved];
      return { pairs, requests: pairs.map(requestOf) };
    },
  },
  "a claim that was never bound": {
    several: false,
    changes: changesWithout(OF_SETS, ...OF_VOLUMES),
    make: async (cluster, { prod, stage }) => {
      cluster.make([
        {
          apiVersion: "storage.k8s.io/v1",
          kind: "StorageClass",
          metadata: { name: cluster.storageClass },
          provisioner: "none.example.com",
          volumeBindingMode: "WaitForFirstConsumer",
        },
        cluster.claim(prod, "db", undefined),
      ]);
      await cluster.until(
        "the claim waits",
        async () => textAt(await cluster.claimNow(prod, "db"), "status", "phase") === "Pending",
      );
      const pair: LivePair = {
        source: { namespace: prod, name: "db" },
        target: { namespace: stage, name: "db-copy" },
        volume: undefined,
        policy: "Delete",
        uid: uidOf((await cluster.claimNow(prod, "db")) ?? {}),
      };
      return { pairs: [pair], requests: [requestOf(pair)], plan: ["--recreate-unbound"] };
    },
  },
};

/** Undoes what only people can undo, so that what stopped can go on. */
export async function tidy({ cluster, pairs, set }: World): Promise<void> {
  if (set !== undefined) await scaled(cluster, set, 0);
  for (const { source, uid, volume } of pairs) {
    await cluster.kube.request(
      "DELETE",
      `/api/v1/namespaces/${source.namespace}/pods/late?gracePeriodSeconds=0`,
    );
    const claim = await cluster.claimNow(source.namespace, source.name);
    if (claim === undefined) continue;
    if (listAt(claim, "metadata", "finalizers").includes("example.com/backup"))
      await patched(cluster, claimPath(source), {
        metadata: { finalizers: ["kubernetes.io/pvc-protection"] },
      });
    const isOurs =
      uidOf(claim) === uid ||
      annotationOf(claim, `${PREFIX}plan`) !== undefined ||
      (volume === undefined && annotationOf(claim, STRANGER) === undefined);
    if (!isOurs && !(await hasTaken(cluster, claim, volume)))
      await cluster.kube.request("DELETE", claimPath(source));
  }
}

/** A claim made again under a name that the volume was reserved for has got it, as its maker wanted. */
const hasTaken = async (
  cluster: LiveCluster,
  claim: JsonObject,
  volume: string | undefined,
): Promise<boolean> =>
  volume !== undefined && textAt(await cluster.volumeNow(volume), "spec", "claimRef", "uid") === uidOf(claim);

/** Every volume has its bytes, and belongs to no claim but those of its pair. */
export async function undamaged({ cluster, pairs }: World, where: string): Promise<void> {
  for (const { source, target, volume } of pairs) {
    if (volume === undefined) continue;
    assert.ok(cluster.hasBytes(volume), `the bytes of ${volume} are there: ${where}`);
    const reference = at(await cluster.volumeNow(volume), "spec", "claimRef");
    const holder = text({ namespace: textAt(reference, "namespace"), name: textAt(reference, "name") });
    assert.ok([text(source), text(target), "/"].includes(holder), `${where}: ${volume} is of ${holder}`);
  }
}

export type Outcome = "arrived" | "back" | "taken" | "stopped" | "skipped";

/** Every claim is where the answer sent it; or its maker has the volume, which stops the whole plan. */
export async function isAt({ cluster, pairs }: World, side: "source" | "target"): Promise<Outcome> {
  for (const { source, volume, uid } of pairs) {
    const again = uid === "" ? await cluster.claimNow(source.namespace, source.name) : undefined;
    if (again !== undefined && (await hasTaken(cluster, again, volume))) return "taken";
  }
  for (const { source, target, volume, policy, uid } of pairs) {
    const place = side === "target" ? target : source;
    if (volume === undefined) assert.ok(await cluster.claimNow(place.namespace, place.name), text(place));
    else if (side === "target") await holds(cluster, volume, [target.namespace, target.name], policy);
    else if (uid === "")
      assert.is(annotationOf((await cluster.volumeNow(volume)) ?? {}, `${PREFIX}plan`), undefined, volume);
    else
      await cluster.until(
        `${text(source)} is back`,
        async () =>
          textAt(await cluster.claimNow(source.namespace, source.name), "status", "phase") === "Bound",
      );
  }
  return side === "target" ? "arrived" : "back";
}

/** Takes away what would make the next look longer, or take the volumes of others. */
export async function cleared({ kube, storageClass }: LiveCluster, spaces: readonly string[]): Promise<void> {
  const remove = async (path: string): Promise<void> => {
    await kube.request("DELETE", `${path}?gracePeriodSeconds=0`);
    await kube.request("PATCH", path, { metadata: { finalizers: null } }, MERGE);
  };
  for (const space of spaces)
    for (const collection of [
      "/apis/apps/v1/|statefulsets",
      "/api/v1/|pods",
      "/api/v1/|persistentvolumeclaims",
    ]) {
      const [root, plural] = collection.split("|");
      const path = `${root}namespaces/${space}/${plural}`;
      const { body } = await kube.request("GET", path);
      for (const item of listAt(body, "items")) await remove(`${path}/${textAt(item, "metadata", "name")}`);
    }
  const { body } = await kube.request("GET", "/api/v1/persistentvolumes");
  for (const item of listAt(body, "items"))
    if (textAt(item, "spec", "storageClassName") === storageClass)
      await remove(`/api/v1/persistentvolumes/${textAt(item, "metadata", "name")}`);
}
