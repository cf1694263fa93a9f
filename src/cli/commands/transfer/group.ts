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
  summary: "Write a request and its approval, or the request alone",
  details: `Writes target/NAMESPACE/request-*.yaml for the side that asks and source/NAMESPACE/approval-*.yaml for the side
that gives: two folders for two reviewers. The approval is pinned to the request, with --state also to the claim's uid
and volume. Exit 0, or 1 when something is wrong.`,
  flags: [sources, targets, statefulset, state, claimTemplate, replicas, requestOnly, expires, group, out],
  examples: [
    { line: "slipway transfer new --source prod/db1-test --target stage/db1-test --out git", does: "a pair" },
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
  summary: "Write the approval of a request, pinned to what was read",
  details: `Reads a request and writes source/NAMESPACE/approval-*.yaml, pinned to the digest of the request, with --state also
to the claim's uid and volume, with --expires to a time. --all-requests lists and approves every request below a folder
that names the namespace. Exit 0, or 1 when something is wrong; then nothing is written.`,
  operands: [request],
  flags: [allRequests, sourceNamespace, state, expires, out],
  examples: [
    {
      line: "slipway transfer approve request.yaml --state dump.yaml --expires 7d --out git",
      does: "pinned, for a week",
    },
    {
      line: "slipway transfer approve --all-requests git --source-namespace golden-images --out git",
      does: "everything that asks for claims of one namespace",
    },
  ],
  writes: true,
  load: async () => (await import("./write-run.js")).runApprove,
};

const match: Command = {
  path: "transfer match",
  summary: "Find pairs; say which condition fails where there is none",
  details: `Reads every YAML and JSON file below the folders; other objects are passed over. Exit 0 when all is paired and nothing
is wrong with the set, 3 when not, 1 when a file cannot be read or none of the files that are named holds a transfer.`,
  operands: [dirs],
  flags: [state, allowCycles],
  examples: [{ line: "slipway transfer match git", does: "in continuous integration" }],
  load: async () => (await import("./plan-run.js")).runMatch,
};

const planCommand: Command = {
  path: "transfer plan",
  summary: "Compile pairs and a dump into a plan that is safe wherever it stops",
  details: `Checks everything that blocks or spoils a move, then writes numbered artefacts (manifests, JSON patches with tests,
delete options, gates), plan.json and RUNBOOK.md. The dump is what kubectl get prints: persistentvolumes,
persistentvolumeclaims, pods, namespaces, and as far as there are some: resourcequotas, limitranges, statefulsets,
volumeattachments, volumesnapshots, clusterresourcequotas. Exit 0 with a plan; 1 when it would be unsafe or an input
is wrong; 3 when the source's side has not agreed. Then nothing is written.`,
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
      does: "show the states, write nothing",
    },
  ],
  writes: true,
  load: async () => (await import("./plan-run.js")).runPlan,
};

const resume: Command = {
  path: "transfer resume",
  summary: "Say what is left of a plan, from a later dump alone",
  details: `Infers how far each transfer is (C0 untouched to C8 done) from the observed objects, and prints the steps that are left
with their artefacts made for what is there now, or why not to go on. Exit 0, 3 when a transfer has to stop, 1 when an
input is wrong.`,
  flags: [plan, state, planOut],
  examples: [
    { line: "slipway transfer resume --plan plan/plan.json --state later.yaml", does: "after a stop" },
  ],
  writes: true,
  load: async () => (await import("./progress-run.js")).runResume,
};

const rollback: Command = {
  path: "transfer rollback",
  summary: "Say how to take a plan back, from C1 to C6",
  details: `Prints the steps that give the volume back to the source; from C7 on the target holds it, and the way back is a transfer
in the other direction. Exit 0, 3 when it is too late or a transfer has to stop, 1 when an input is wrong.`,
  flags: [plan, state, planOut],
  examples: [
    {
      line: "slipway transfer rollback --plan plan/plan.json --state later.yaml --out back",
      does: "the way back",
    },
  ],
  writes: true,
  load: async () => (await import("./progress-run.js")).runRollback,
};

export const transferGroup: Group = {
  word: "transfer",
  summary: "Move claims between namespaces with the consent of both",
  commands: [newPair, approve, match, planCommand, resume, rollback],
};
