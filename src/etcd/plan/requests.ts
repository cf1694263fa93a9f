/**
 * The deletions as requests: bodies, paths, a script that sends them with kubectl, and Jobs that run the script. No
 * Job starts by itself: each is suspended until the plan was compiled with the digest that it has.
 */
import { isSince } from "../../core/by-release.js";
import { type OutputFile, textFile } from "../../core/files.js";
import type { Renderer } from "../../text/render.js";
import type { Minor } from "../releases.js";
import { NEWER_SINCE } from "../status.js";
import { type AccessObject, LABELS, ROLE_NAME } from "./access.js";
import type { Candidate, Misplaced } from "./candidates.js";
import { GONE_SCRIPT, REVISION_SCRIPT } from "./check-scripts.js";
import { SEND_SCRIPT } from "./send-script.js";
import type { RepairSubject } from "./subject.js";
import { CLUSTER_WARNING, SUPPORT_WARNING, WARNING_ANNOTATIONS } from "./warnings.js";

export interface RequestOptions {
  readonly target: Minor;
  readonly subject: RepairSubject;
  readonly digest: string;
  /** Image with kubectl; undefined leaves a placeholder. */
  readonly image: string | undefined;
  /** True when the plan was compiled again with its own digest. */
  readonly armed: boolean;
  /** Deleted as any other object, and written again. */
  readonly misplaced: readonly Misplaced[];
}

export const IMAGE_PLACEHOLDER = "REPLACE-ME-with-an-image-that-holds-kubectl";
/** A ConfigMap holds 1 MiB; paths of this many requests stay below it. */
const MOST_REQUESTS = 2000;

export const FILES = {
  body: "40_delete-options.json",
  dryRun: "40_delete-options-dry-run.json",
  script: "41_send.sh",
  requests: "42_requests.txt",
  administrator: "43_requests-for-an-administrator.txt",
  misplaced: "37_misplaced.txt",
  revisions: "38_revisions.txt",
  checkRevisions: "38_check-revisions.sh",
  checkDeleted: "46_check-deleted.sh",
} as const;

/**
 * `sent`: what the subject of the plan may delete. `administrator`: what nobody can be given a role for, since the
 * namespace is being deleted.
 */
export function compileRequests(
  sent: readonly Candidate[],
  administrator: readonly Candidate[],
  options: RequestOptions,
  render: Renderer,
): Requests {
  const { misplaced } = options;
  if (sent.length + administrator.length + misplaced.length === 0) return NOTHING;
  const checks = [
    textFile(FILES.revisions, revisionLines([...sent, ...administrator], misplaced)),
    textFile(FILES.checkRevisions, REVISION_SCRIPT),
    ...(misplaced.length === 0
      ? []
      : [
          textFile(
            FILES.misplaced,
            misplaced.map(({ modRevision, path }) => `${modRevision} ${path}\n`).join(""),
          ),
        ]),
  ];
  if (sent.length + administrator.length === 0) return { files: checks, removal: [] };
  const files = [...checks, bodyFile(FILES.body, render)];
  const dryRun = supportsDryRun(options.target) ? bodyFile(FILES.dryRun, render, ["All"]) : undefined;
  if (dryRun !== undefined) files.push(dryRun);
  files.push(textFile(FILES.script, SEND_SCRIPT), textFile(FILES.checkDeleted, GONE_SCRIPT));
  if (administrator.length > 0) files.push(textFile(FILES.administrator, requestLines(administrator)));
  if (sent.length === 0) return { files, removal: [] };
  files.push(textFile(FILES.requests, requestLines(sent)));
  const { subject } = options;
  if (subject.kind !== "ServiceAccount") return { files, removal: [] };
  const made = jobs(sent, subject.namespace, subject.name, options, files, render);
  return { files: [...files, ...made.files], removal: made.removal };
}

export interface Requests {
  readonly files: readonly OutputFile[];
  /** The Jobs and what they read, to be removed at the end. */
  readonly removal: readonly AccessObject[];
}

const NOTHING: Requests = { files: [], removal: [] };

/** From 1.37 on a deletion that ignores read errors may be tried without being done. */
export const supportsDryRun = (target: Minor): boolean => isSince(target, NEWER_SINCE);

function bodyFile(path: string, render: Renderer, dryRun?: readonly string[]): OutputFile {
  const body = render.object("etcd/delete-options.yaml", dryRun === undefined ? {} : { dryRun });
  return textFile(path, `${JSON.stringify(body, null, 2)}\n`);
}

function requestLines(candidates: readonly Candidate[]): string {
  const head = [
    CLUSTER_WARNING,
    SUPPORT_WARNING,
    "One path in each line, sent as a DELETE request with the body in 40_delete-options.json.",
  ];
  return `${head.map((each) => `# ${each}`).join("\n")}\n${candidates.map(({ path }) => path).join("\n")}\n`;
}

const revisionLines = (candidates: readonly Candidate[], misplaced: readonly Misplaced[]): string =>
  [...candidates.map(({ failure }) => failure), ...misplaced]
    .map(({ modRevision, key }) => `${modRevision} ${key}\n`)
    .join("");

function jobs(
  sent: readonly Candidate[],
  namespace: string,
  account: string,
  { digest, image, armed }: RequestOptions,
  files: readonly OutputFile[],
  render: Renderer,
): Requests {
  const parts = Math.ceil(sent.length / MOST_REQUESTS);
  const text = (path: string): { [name: string]: string } => {
    const file = files.find((each) => each.path === path);
    return file === undefined ? {} : { [path.slice(3)]: Buffer.from(file.data).toString("utf8") };
  };
  const annotations = { ...WARNING_ANNOTATIONS, "slipway.dev/plan-digest": digest };
  const made: OutputFile[] = [];
  const removal: AccessObject[] = [];
  for (let part = 0; part < parts; part++) {
    const suffix = parts === 1 ? "" : `-${part + 1}`;
    const name = `${ROLE_NAME}${suffix}`;
    const requests = sent.slice(part * MOST_REQUESTS, (part + 1) * MOST_REQUESTS);
    const data = {
      ...text(FILES.body),
      ...text(FILES.dryRun),
      ...text(FILES.script),
      "requests.txt": requestLines(requests),
    };
    const common = { name, namespace, labels: LABELS, annotations };
    const job = {
      ...common,
      suspend: !armed,
      serviceAccount: account,
      image: image ?? IMAGE_PLACEHOLDER,
      configMap: name,
    };
    made.push(render.file("etcd/configmap.yaml", { ...common, data }, `44_configmap${suffix}.yaml`));
    made.push(render.file("etcd/job.yaml", job, `45_job${suffix}.yaml`));
    removal.push({ apiVersion: "batch/v1", kind: "Job", name, namespace });
    removal.push({ apiVersion: "v1", kind: "ConfigMap", name, namespace });
  }
  return { files: made, removal };
}
