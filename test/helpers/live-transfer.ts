/** Claims, volumes with real bytes, and runbooks followed to the letter, on a real cluster. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import * as assert from "uvu/assert";
import { isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { annotationOf, listAt, objectAt, textAt, uidOf } from "../../src/transfer/object.js";
import { type CliResult, slipway } from "./cli.js";
import type { KubeServers } from "./kube-servers.js";
import { tempFolder } from "./temp.js";
import { type Changes, changed } from "./transfer.js";

export const PREFIX = "transfer.slipway.dev/";

export const CONTROLLERS = [
  "persistentvolume-binder-controller",
  "persistentvolumeclaim-protection-controller",
  "persistentvolume-protection-controller",
  "statefulset-controller",
  "garbage-collector-controller",
] as const;

/** With it the binder removes the folder of a released volume whose policy is Delete, as a provisioner would. */
export const CONTROLLER_FLAGS = [
  "--enable-hostpath-provisioner=true",
  // A claim that waits for a volume is looked at again every 15 seconds otherwise.
  "--pvclaimbinder-sync-period=1s",
] as const;

/** Ways in which the objects of a cluster came to be there. */
export const ORIGINS = ["create", "client-side apply", "server-side apply", "Helm", "Argo CD"] as const;
export type Origin = (typeof ORIGINS)[number];

const KEYS: Readonly<Record<Origin, Changes>> = {
  create: {},
  "client-side apply": {},
  "server-side apply": {},
  Helm: {
    metadata: {
      labels: { "app.kubernetes.io/managed-by": "Helm" },
      annotations: { "meta.helm.sh/release-name": "db", "meta.helm.sh/release-namespace": "prod" },
    },
  },
  "Argo CD": {
    metadata: { annotations: { "argocd.argoproj.io/tracking-id": "shop:/PersistentVolumeClaim:prod/db" } },
  },
};

const COMMANDS: Readonly<Record<Origin, readonly string[]>> = {
  create: ["create", "--filename", "-"],
  "client-side apply": ["apply", "--filename", "-"],
  "server-side apply": ["apply", "--server-side", "--filename", "-"],
  Helm: ["apply", "--server-side", "--field-manager=helm", "--filename", "-"],
  "Argo CD": ["apply", "--field-manager=argocd-controller", "--filename", "-"],
};

/** What plans are made from, as far as the tests that look often have it. */
const LOOKED_AT = [
  "/api/v1/namespaces",
  "/api/v1/persistentvolumes",
  "/api/v1/persistentvolumeclaims",
  "/api/v1/pods",
  "/apis/apps/v1/statefulsets",
] as const;

export class LiveCluster {
  /** Plans, dumps and the bytes of the volumes. */
  readonly root = tempFolder();

  /** @param storageClass of its claims and volumes; with one of its own no other world of a test gets at them. */
  constructor(
    readonly kube: KubeServers,
    readonly storageClass = "by-hand",
  ) {}

  make(objects: readonly JsonObject[], origin: Origin = "create"): void {
    const items = objects.map((object) => changed(object, KEYS[origin]));
    this.kube.kubectlOk(COMMANDS[origin], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  }

  namespaces(...names: readonly string[]): void {
    this.make(names.map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })));
  }

  /** A volume over a folder with a file in it. The folder is below /tmp, where the binder may remove it. */
  volume(name: string, changes: Changes = {}): JsonObject {
    mkdirSync(this.bytes(name), { recursive: true });
    writeFileSync(join(this.bytes(name), "data"), name);
    return changed(
      {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: { name, annotations: { "pv.kubernetes.io/provisioned-by": "kubernetes.io/host-path" } },
        spec: {
          accessModes: ["ReadWriteOnce"],
          capacity: { storage: "1Gi" },
          hostPath: { path: this.bytes(name) },
          persistentVolumeReclaimPolicy: "Delete",
          storageClassName: this.storageClass,
        },
      },
      changes,
    );
  }

  private bytes(volume: string): string {
    return join(this.root, "volumes", volume);
  }

  /** The bytes of a volume are what they were. */
  hasBytes(volume: string): boolean {
    const file = join(this.bytes(volume), "data");
    return existsSync(file) && readFileSync(file, "utf8") === volume;
  }

  claim(namespace: string, name: string, volumeName: string | undefined, changes: Changes = {}): JsonObject {
    return changed(
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { namespace, name, labels: { app: name } },
        spec: {
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "1Gi" } },
          storageClassName: this.storageClass,
          ...(volumeName === undefined ? {} : { volumeName }),
        },
      },
      changes,
    );
  }

  async get(resource: string, name: string, namespace = ""): Promise<JsonObject | undefined> {
    const group = resource.includes("/") ? "/apis" : "/api/v1";
    const [path, plural] = resource.includes("/")
      ? [
          `${group}/${resource.slice(0, resource.lastIndexOf("/"))}`,
          resource.slice(resource.lastIndexOf("/") + 1),
        ]
      : [group, resource];
    const { status, body } = await this.kube.request(
      "GET",
      `${path}${namespace === "" ? "" : `/namespaces/${namespace}`}/${plural}/${name}`,
    );
    return status === 200 && isObject(body) ? body : undefined;
  }

  claimNow = (namespace: string, name: string): Promise<JsonObject | undefined> =>
    this.get("persistentvolumeclaims", name, namespace);
  volumeNow = (name: string): Promise<JsonObject | undefined> => this.get("persistentvolumes", name);

  /** Waits for the controllers. */
  async until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (let i = 0; i < 6000; i++) {
      if (await holds()) return;
      await setTimeout(50);
    }
    throw new Error(`never came true: ${what}`);
  }

  /** A claim that is bound to a volume of its own. */
  async bound(
    namespace: string,
    name: string,
    volume: string,
    origin: Origin = "create",
    changes: Changes = {},
  ) {
    this.make([this.volume(volume, changes)], origin);
    this.make([this.claim(namespace, name, volume)], origin);
    await this.until(`${namespace}/${name} is bound`, async () => {
      const [claim, held] = [await this.claimNow(namespace, name), await this.volumeNow(volume)];
      return textAt(claim, "status", "phase") === "Bound" && textAt(held, "status", "phase") === "Bound";
    });
  }

  /** What docs/transfer.md says to dump, and requests and approvals where they are defined. */
  dump(file: string): string {
    const kinds =
      "namespaces,persistentvolumes,persistentvolumeclaims,pods,statefulsets,deployments,replicasets,daemonsets,jobs,cronjobs,resourcequotas,limitranges,volumeattachments";
    const defined =
      this.kube.kubectl(["get", "storagetransferrequests", "--all-namespaces"]).code === 0
        ? ",storagetransferrequests,storagetransferapprovals"
        : "";
    writeFileSync(
      join(this.root, file),
      this.kube.kubectlOk(["get", `${kinds}${defined}`, "--all-namespaces", "--output", "yaml"]),
    );
    return file;
  }

  /** The same without a kubectl, and of these namespaces alone, for tests that look often. */
  async look(file: string, namespaces: readonly string[]): Promise<string> {
    const lists = await Promise.all(LOOKED_AT.map((path) => this.kube.request("GET", path)));
    const items = lists.flatMap(({ body }) =>
      listAt(body, "items").flatMap((item) => {
        const ours = [textAt(item, "metadata", "namespace"), textAt(item, "metadata", "name")].some((each) =>
          namespaces.includes(each),
        );
        if (!ours && textAt(item, "spec", "storageClassName") !== this.storageClass) return [];
        const kind = textAt(body, "kind").replace(/List$/, "");
        return [{ apiVersion: textAt(body, "apiVersion"), kind, ...objectAt(item) }];
      }),
    );
    writeFileSync(join(this.root, file), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    return file;
  }

  slipway(...args: readonly string[]): CliResult {
    return slipway(args, { cwd: this.root });
  }

  slipwayOk(...args: readonly string[]): string {
    const { code, stdout, stderr } = this.slipway(...args);
    if (code !== 0) throw new Error(`slipway ${args.join(" ")}: ${stdout}${stderr}`);
    return stdout;
  }

  /** Follows the runbook of a folder; answers why it stopped, or nothing. */
  async followRunbook(folder: string, hooks: Hooks = {}): Promise<string> {
    const text = readFileSync(join(this.root, folder, "RUNBOOK.md"), "utf8");
    return this.follow(stepsOf(text), join(this.root, folder), hooks);
  }

  /** Does steps in their order, and waits at gates. */
  async follow(
    steps: readonly PrintedStep[],
    cwd: string,
    { before, limit = steps.length, from = 0, patience = 150 }: Hooks,
  ): Promise<string> {
    for (const [index, step] of steps.entries()) {
      if (index >= limit) return "";
      if (index < from) continue;
      await before?.(step, index);
      for (const { ask, expected } of step.questions) {
        const open = await this.opens(ask, expected, cwd, patience);
        if (open !== "") return `${step.title}: ${open}`;
      }
      for (const command of step.commands) {
        const { code, stdout, stderr } = await this.kube.shellBeside(command, cwd);
        // What is printed is what people look at: a patch that does nothing is none.
        if (code !== 0 || stdout.includes("(no change)")) return `${step.title}: ${stdout}${stderr}`;
      }
    }
    return "";
  }

  /** Asks until the answer is the expected one; empty then, else the last answer. */
  private async opens(ask: string, expected: Expectation, cwd: string, patience: number): Promise<string> {
    let seen = "";
    for (let i = 0; i < patience; i++) {
      const { code, stdout, stderr } = await this.kube.shellBeside(ask, cwd);
      seen = code === 0 ? stdout.trimEnd() : stderr;
      if (code === 0) {
        if (expected.type === "text" && seen === expected.text) return "";
        if (expected.type === "at most" && Number(seen) <= expected.limit) return "";
        if (
          expected.type === "same" &&
          seen !== "" &&
          seen === (await this.kube.shellBeside(expected.as, cwd)).stdout.trimEnd()
        )
          return "";
      }
      await setTimeout(200);
    }
    return `${ask} printed ${JSON.stringify(seen)}`;
  }
}

export interface Hooks {
  /** Called before each step: what people do, or an adversary. */
  readonly before?: (step: PrintedStep, index: number) => void | Promise<void>;
  /** The first step that is done; the first one if left out. */
  readonly from?: number;
  /** The number of the first step that is not done any more. */
  readonly limit?: number;
  /** How often a gate is asked, five times a second, before it counts as shut. */
  readonly patience?: number;
}

type Expectation =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "at most"; readonly limit: number }
  | { readonly type: "same"; readonly as: string };

export interface PrintedStep {
  readonly title: string;
  /** What a shell is given. */
  readonly commands: readonly string[];
  /** What has to be seen before. */
  readonly questions: readonly { readonly ask: string; readonly expected: Expectation }[];
}

/** A volume is held by this claim, and policy and notes are as before the transfer. */
export async function holds(
  cluster: LiveCluster,
  volume: string,
  [namespace, name]: readonly [string, string],
  policy = "Delete",
): Promise<void> {
  const [held, claim] = [await cluster.volumeNow(volume), await cluster.claimNow(namespace, name)];
  if (held === undefined || claim === undefined) throw new Error("volume or claim is missing");
  assert.is(textAt(claim, "status", "phase"), "Bound");
  assert.is(textAt(held, "spec", "claimRef", "uid"), uidOf(claim));
  assert.is(textAt(held, "spec", "persistentVolumeReclaimPolicy"), policy);
  assert.is(annotationOf(held, `${PREFIX}plan`), undefined);
  assert.ok(cluster.hasBytes(volume), "the bytes are there");
}

/** The steps of a runbook: what stands in code blocks below the headings with numbers. */
export function stepsOf(runbook: string): PrintedStep[] {
  const [, ...sections] = runbook.split(/^### (?=[A-Z]?\d+ )/m);
  return sections.map((section): PrintedStep => {
    const body = section.split(/^## /m)[0] ?? "";
    const blocks = [...body.matchAll(/^( *)```sh\n([\s\S]*?)\n\1```$/gm)].map(
      ([, indent = "", text = ""]) => ({
        gate: indent !== "",
        lines: text.split("\n").map((line) => line.slice(indent.length)),
      }),
    );
    return {
      title: body.split("\n")[0] ?? "",
      commands: blocks.filter(({ gate }) => !gate).map(({ lines }) => lines.join("\n")),
      questions: blocks.filter(({ gate }) => gate).map(({ lines }) => questionOf(lines)),
    };
  });
}

/** A command and the comment below it. */
export function questionOf(lines: readonly string[]): PrintedStep["questions"][number] {
  const at = lines.findIndex((line) => line.startsWith("# prints"));
  const [ask, said, other = ""] = [
    lines.slice(0, at).join("\n"),
    lines[at] ?? "",
    lines.slice(at + 1).join("\n"),
  ];
  const most = /^# prints at most (\d+), or nothing$/.exec(said);
  if (most !== null) return { ask, expected: { type: "at most", limit: Number(most[1]) } };
  if (said.startsWith("# prints the same as")) return { ask, expected: { type: "same", as: other } };
  const text = said === "# prints nothing" ? "" : said.slice("# prints ".length);
  return { ask, expected: { type: "text", text } };
}

/** The steps of a json answer: words of commands, and queries of gates. */
export const stepsOfAnswer = (answer: Json): PrintedStep[] =>
  listAt(answer, "steps").map((step): PrintedStep => {
    const words = (value: Json | undefined): string =>
      (isList(value) ? value : []).map((word) => `'${String(word).replaceAll("'", "'\\''")}'`).join(" ");
    const run = words(listAt(step, "run"));
    return {
      title: `${textAt(step, "id")} ${textAt(step, "does")}`,
      commands: run === "" ? [] : [run],
      questions: listAt(step, "content", "conditions").flatMap((condition) => {
        const query = isObject(condition) ? condition["query"] : undefined;
        if (!isObject(query)) return [];
        const expected: Expectation =
          query["printsAtMost"] !== undefined
            ? { type: "at most", limit: Number(query["printsAtMost"]) }
            : query["printsTheSameAs"] !== undefined
              ? { type: "same", as: words(query["printsTheSameAs"]) }
              : { type: "text", text: textAt(query, "prints") };
        return [{ ask: words(query["run"]), expected }];
      }),
    };
  });
