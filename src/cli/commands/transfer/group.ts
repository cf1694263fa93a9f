/** `slipway transfer …`: what the commands are; what they do is in the *-run.ts files. */
import type { Command, Group } from "../../command.js";
import {
  allowCycles,
  allRequests,
  claimTemplate,
  dirs,
  expires,
  group,
  keepLabel,
  lateCreate,
  only,
  onlyOfPlan,
  out,
  plan,
  planOut,
  recreateUnbound,
  replicas,
  request,
  requestOnly,
  simulate,
  sourceNamespace,
  sources,
  state,
  statefulset,
  targets,
  waiveFinalizer,
} from "./flags.js";

const newPair: Command = {
  path: "transfer new",
  summary: "Write a request and its approval, or only the request",
  details: `Writes target/NAMESPACE/request-*.yaml for the requesting side and source/NAMESPACE/approval-*.yaml for the approving
side: two folders for two reviewers. The approval is pinned to the digest of the request, and with --state also to the
claim's uid and volume. Exit 0, or 1 if there is an error.`,
  flags: [sources, targets, statefulset, state, claimTemplate, replicas, requestOnly, expires, group, out],
  examples: [
    {
      line: "slipway transfer new --source prod/db1-test --target stage/db1-test --out git",
      does: "a request with its approval",
    },
    {
      line: "slipway transfer new --statefulset old=prod/db new=stage/db --state dump.yaml --out git",
      does: "all claims of a StatefulSet",
    },
  ],
  writes: true,
  load: async () => (await import("./write-run.js")).runNew,
};

const approve: Command = {
  path: "transfer approve",
  summary: "Write the approval for a request, pinned to its content",
  details: `Reads a request and writes source/NAMESPACE/approval-*.yaml, pinned to the digest of the request, and with --state
also to the claim's uid and volume. --expires limits its validity. --all-requests lists and approves every request in a
folder for one source namespace. Exit 0, or 1 if there is an error; then nothing is written.`,
  operands: [request],
  flags: [allRequests, sourceNamespace, state, expires, out],
  examples: [
    {
      line: "slipway transfer approve request.yaml --state dump.yaml --expires 7d --out git",
      does: "pinned, valid for a week",
    },
    {
      line: "slipway transfer approve --all-requests git --source-namespace golden-images --out git",
      does: "every request for claims in one namespace",
    },
  ],
  writes: true,
  load: async () => (await import("./write-run.js")).runApprove,
};

const match: Command = {
  path: "transfer match",
  summary: "Match requests with approvals; show which condition fails",
  details: `Reads every YAML and JSON file in the folders; other objects are ignored. Exit 0 if all are paired and the set has no
findings, 3 if not, 1 if a file cannot be read or contains no transfer.`,
  operands: [dirs],
  flags: [state, allowCycles],
  examples: [{ line: "slipway transfer match git", does: "in CI" }],
  findings: true,
  load: async () => (await import("./plan-run.js")).runMatch,
};

const planCommand: Command = {
  path: "transfer plan",
  summary: "Generate a plan from requests, approvals and a dump",
  details: `Checks for everything that could block or break a transfer, then writes plan.json, RUNBOOK.md and numbered files
(manifests, JSON patches with tests, delete options, gates). You can safely stop the plan after any step. The dump is
the output of kubectl get for persistentvolumes, persistentvolumeclaims, pods and namespaces, and if the cluster has
them, resourcequotas, limitranges, statefulsets, volumeattachments, volumesnapshots and clusterresourcequotas. Exit 0
if the plan was written; 1 if the plan would be unsafe or an input is invalid, 3 if an approval is missing, and then
nothing is written.`,
  operands: [dirs],
  flags: [
    state,
    planOut,
    only,
    allowCycles,
    recreateUnbound,
    waiveFinalizer,
    keepLabel,
    lateCreate,
    simulate,
  ],
  examples: [
    { line: "slipway transfer plan git --state dump.yaml --out plan", does: "a folder to review and run" },
    {
      line: "slipway transfer plan git --state dump.yaml --simulate",
      does: "show the states without writing anything",
    },
  ],
  writes: true,
  load: async () => (await import("./plan-run.js")).runPlan,
};

const resume: Command = {
  path: "transfer resume",
  summary: "Show the remaining steps of a plan, from a later dump",
  details: `Infers the progress of each transfer (C0 not started to C8 done) from the objects in the dump, and prints the remaining
steps with files updated to the current state, or the reason to stop. A transfer that must stop also stops those that
share names or a quota with it. Exit 0, 3 if a transfer must stop, 1 if an input is invalid.`,
  flags: [plan, state, planOut, onlyOfPlan],
  examples: [
    {
      line: "slipway transfer resume --plan plan/plan.json --state later.yaml",
      does: "after an interruption",
    },
  ],
  writes: true,
  load: async () => (await import("./progress-run.js")).runResume,
};

const rollback: Command = {
  path: "transfer rollback",
  summary: "Show how to roll back a plan (from C1 to C6)",
  details: `Prints the steps that return the volume to the source. From C7 on, the target uses the volume; to move it back, transfer
it in the other direction. Each transfer of a batch is rolled back by itself. Exit 0, 3 if it is too late for a transfer or
one must stop, 1 if an input is invalid.`,
  flags: [plan, state, planOut, onlyOfPlan],
  examples: [
    {
      line: "slipway transfer rollback --plan plan/plan.json --state later.yaml --out back",
      does: "roll back",
    },
  ],
  writes: true,
  load: async () => (await import("./progress-run.js")).runRollback,
};

export const transferGroup: Group = {
  word: "transfer",
  summary: "Move PersistentVolumeClaims between namespaces",
  commands: [newPair, approve, match, planCommand, resume, rollback],
};
