/**
 * A plan on a real cluster that is stopped after each of its steps while somebody changes one thing; what is printed
 * then is followed, and the bytes of the volume stay where they are and reach nobody else.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, type Json } from "../../src/core/json.js";
import { annotationOf, isBeingDeleted, listAt, textAt, uidOf } from "../../src/transfer/object.js";
import { kubeTests } from "../helpers/kube-servers.js";
import {
  CONTROLLER_FLAGS,
  CONTROLLERS,
  holds,
  LiveCluster,
  PREFIX,
  stepsOfAnswer,
} from "../helpers/live-transfer.js";

const test = suite("interrupted on a real cluster");

const live = kubeTests(test, { controllers: CONTROLLERS, controllerManager: CONTROLLER_FLAGS });

let count = 0;
/** Names that no other test of the file uses. */
const fresh = () => {
  count++;
  return { prod: `prod-${count}`, stage: `stage-${count}`, third: `third-${count}`, volume: `pv-${count}` };
};

const mergePatch = "application/merge-patch+json";

/** One change by somebody else; false where there is nothing to change, or where the change alone would lose data. */
type Change = (world: World) => Promise<boolean>;
interface World {
  readonly cluster: LiveCluster;
  readonly prod: string;
  readonly stage: string;
  readonly volume: string;
}

const path = (namespace: string, name: string): string =>
  `/api/v1/namespaces/${namespace}/persistentvolumeclaims/${name}`;
const patchVolume = async ({ cluster, volume }: World, patch: Json): Promise<boolean> => {
  const { status } = await cluster.kube.request(
    "PATCH",
    `/api/v1/persistentvolumes/${volume}`,
    patch,
    mergePatch,
  );
  return status === 200;
};
/** A volume that nobody holds is destroyed by whoever takes Retain from it, and a bound one by who deletes its claim. */
const isHeld = async ({ cluster, volume }: World): Promise<boolean> => {
  const held = await cluster.volumeNow(volume);
  const [namespace, name] = ["namespace", "name"].map((member) => textAt(held, "spec", "claimRef", member));
  const claim = await cluster.claimNow(namespace ?? "", name ?? "");
  return (
    claim !== undefined && !isBeingDeleted(claim) && uidOf(claim) === textAt(held, "spec", "claimRef", "uid")
  );
};
const isKept = async ({ cluster, volume }: World): Promise<boolean> =>
  textAt(await cluster.volumeNow(volume), "spec", "persistentVolumeReclaimPolicy") === "Retain";

const CHANGES: Readonly<Record<string, Change>> = {
  nothing: async () => true,
  "the policy is set back": async (world) =>
    (await isHeld(world)) && patchVolume(world, { spec: { persistentVolumeReclaimPolicy: "Delete" } }),
  "the mark is taken off": async (world) =>
    patchVolume(world, { metadata: { annotations: { [`${PREFIX}plan`]: null } } }),
  "the target is deleted": async (world) => {
    if (!(await isKept(world))) return false;
    const { status } = await world.cluster.kube.request("DELETE", path(world.stage, "db-copy"));
    return status === 200;
  },
  "the source is deleted": async (world) => {
    if (!(await isKept(world))) return false;
    const { status } = await world.cluster.kube.request("DELETE", path(world.prod, "db"));
    return status === 200;
  },
  "the source gets another finalizer": async ({ cluster, prod }) => {
    const { status } = await cluster.kube.request(
      "PATCH",
      path(prod, "db"),
      { metadata: { finalizers: ["kubernetes.io/pvc-protection", "example.com/backup"] } },
      mergePatch,
    );
    return status === 200;
  },
  "a pod uses the source": async ({ cluster, prod }) => {
    if ((await cluster.claimNow(prod, "db")) === undefined) return false;
    cluster.make([
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { namespace: prod, name: "late" },
        spec: {
          containers: [{ name: "c", image: "none.example.com/none" }],
          volumes: [{ name: "v", persistentVolumeClaim: { claimName: "db" } }],
        },
      },
    ]);
    return true;
  },
  "the source is made again, empty": async ({ cluster, prod }) => {
    if ((await cluster.claimNow(prod, "db")) !== undefined) return false;
    cluster.make([cluster.claim(prod, "db", undefined)]);
    return true;
  },
};

/** Undoes what only people can undo, so that what stopped can go on. */
async function tidy({ cluster, prod }: World, original: string): Promise<void> {
  cluster.kube.kubectl(["delete", "pod", "late", "--namespace", prod, "--grace-period=0", "--force"]);
  const claim = await cluster.claimNow(prod, "db");
  if (claim === undefined) return;
  if (listAt(claim, "metadata", "finalizers").includes("example.com/backup"))
    await cluster.kube.request(
      "PATCH",
      path(prod, "db"),
      { metadata: { finalizers: ["kubernetes.io/pvc-protection"] } },
      mergePatch,
    );
  const isOurs = uidOf(claim) === original || annotationOf(claim, `${PREFIX}plan`) !== undefined;
  if (!isOurs) await cluster.kube.request("DELETE", path(prod, "db"));
}

const MODES = ["go on", "resume", "rollback"] as const;
const STEPS = 10;

type Outcome = "arrived" | "back" | "stopped" | "skipped";

/** Stops after some steps, changes one thing, and follows what is printed then. */
async function interrupted(
  cluster: LiveCluster,
  steps: number,
  change: Change,
  mode: (typeof MODES)[number],
): Promise<Outcome> {
  const names = fresh();
  try {
    return await inWorld(cluster, names, steps, change, mode);
  } finally {
    // It would take the volumes of the runs that follow.
    await cluster.kube.request("DELETE", path(names.third, "thief"));
  }
}

async function inWorld(
  cluster: LiveCluster,
  { prod, stage, third, volume }: ReturnType<typeof fresh>,
  steps: number,
  change: Change,
  mode: (typeof MODES)[number],
): Promise<Outcome> {
  const world: World = { cluster, prod, stage, volume };
  cluster.namespaces(prod, stage, third);
  await cluster.bound(prod, "db", volume);
  const original = uidOf((await cluster.claimNow(prod, "db")) ?? {});
  cluster.make([cluster.claim(third, "thief", undefined)]);
  const folder = `run-${prod}`;
  cluster.dump(`${folder}.yaml`);
  cluster.slipwayOk(
    ...["transfer", "new", "--source", `${prod}/db`, "--target", `${stage}/db-copy`],
    ...["--state", `${folder}.yaml`, "--out", `${folder}-git`],
  );
  cluster.slipwayOk("transfer", "plan", `${folder}-git`, "--state", `${folder}.yaml`, "--out", folder);
  assert.is(await cluster.followRunbook(folder, { limit: steps }), "");
  const undamaged = async (where: string): Promise<void> => {
    assert.ok(cluster.hasBytes(volume), `the bytes are there: ${where}`);
    const held = await cluster.volumeNow(volume);
    assert.is.not(textAt(held, "spec", "claimRef", "namespace"), third, where);
  };
  if (!(await change(world))) return "skipped";
  const what = mode === "rollback" ? "rollback" : "resume";
  if (mode === "go on") {
    await cluster.followRunbook(folder, { from: steps, patience: 20 });
    await undamaged("after the plan went on");
    await tidy(world, original);
  }
  for (let round = 0; round < 8; round++) {
    const dump = cluster.dump(`${folder}-${round}.yaml`);
    const args = ["transfer", what, "--plan", `${folder}/plan.json`, "--state", dump];
    // Both forms of the answer, in turn: what a script runs, and what people read.
    const written = `${folder}-${what}-${round}`;
    const result = cluster.slipway(
      ...args,
      "--output",
      "json",
      ...(round % 2 === 0 ? [] : ["--out", written]),
    );
    const answer: unknown = JSON.parse(result.stdout);
    if (!isJson(answer)) throw new Error("no json");
    const refused = listAt(answer, "diagnostics").some((each) => textAt(each, "code") === "TRF062");
    if (refused) return "stopped";
    if (result.code === 0 && listAt(answer, "steps").length === 0) break;
    if (result.code === 0) {
      const hooks = { patience: 20 };
      if (round % 2 === 0) await cluster.follow(stepsOfAnswer(answer), cluster.root, hooks);
      else await cluster.followRunbook(written, hooks);
    }
    await undamaged(`${what}, round ${round}`);
    await tidy(world, original);
  }
  await undamaged("at the end");
  if (what === "resume") {
    await holds(cluster, volume, [stage, "db-copy"]);
    return "arrived";
  }
  await cluster.until(
    "the source is back",
    async () => textAt(await cluster.claimNow(prod, "db"), "status", "phase") === "Bound",
  );
  return "back";
}

/** SLIPWAY_LIVE=all: every change after every step; otherwise each change after one step, which a number moves on. */
const everything = process.env["SLIPWAY_LIVE"] === "all";
const moved = Number(process.env["SLIPWAY_LIVE"] ?? 0) || 0;
for (const [index, [what, change]] of Object.entries(CHANGES).entries())
  for (const mode of MODES)
    live(`${what}, then ${mode}`, async (kube) => {
      const cluster = new LiveCluster(kube);
      const counts = new Map<string, number>();
      const offset = index * MODES.length + MODES.indexOf(mode) + moved;
      for (let tried = 0; tried <= STEPS; tried++) {
        const steps = (offset + tried) % (STEPS + 1);
        const outcome = await interrupted(cluster, steps, change, mode).catch((error: unknown) => {
          throw new Error(`after ${steps} steps: ${error instanceof Error ? error.message : String(error)}`);
        });
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
        if (!everything && outcome !== "skipped") break;
      }
      process.stdout.write(`     ${what}, then ${mode}: ${JSON.stringify(Object.fromEntries(counts))}\n`);
    });

test.run();
