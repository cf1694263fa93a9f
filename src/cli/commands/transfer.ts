/** `slipway transfer …`: what the commands are; what they do is in the transfer-*-run.ts files. */
import type { Command, Group } from "../command.js";
import { list, operands, optionalOperand, text, textWithDefault, toggle } from "../flags.js";

export const out = textWithDefault("out", "folder to write to", ".", { value: "DIR" });
export const planOut = text("out", "folder to write to; left out, nothing is written", { value: "DIR" });
export const state = list("state", "dump of the cluster: kubectl get … --output yaml; - for standard input", {
  value: "DUMP",
  oneEach: true,
});
export const sources = list("source", "claim that is to move, repeatable", {
  value: "NS/NAME",
  oneEach: true,
});
export const targets = list("target", "where it goes, in the order of the sources; NS alone keeps the name", {
  value: "NS/NAME",
  oneEach: true,
});
export const statefulset = list("statefulset", "all claims of a StatefulSet: old=NS/NAME new=NS/NAME", {
  value: "WHICH",
});
export const claimTemplate = list("claim-template", "claim template of the StatefulSet, in place of a dump", {
  value: "NAME",
  oneEach: true,
});
export const replicas = text("replicas", "number of its replicas, in place of a dump", { value: "N" });
export const requestOnly = toggle("request-only", "write the request alone; the other side approves");
export const expires = text("expires", "how long the approval holds, such as 1h, 7d or 1d12h", {
  value: "DURATION",
});
export const group = text("group", "API group of the objects (default transfer.slipway.dev)", {
  value: "GROUP",
});
export const request = optionalOperand("request", "file with the request to approve, - for standard input");
export const allRequests = text(
  "all-requests",
  "approve every request below this folder that names one namespace",
  {
    value: "DIR",
  },
);
export const sourceNamespace = text("source-namespace", "the namespace whose claims are given", {
  value: "NS",
});
export const dirs = operands(
  "dir",
  "folders with requests and approvals, searched to their depth; or files",
  {
    required: true,
  },
);
export const allowCycles = toggle("allow-cycles", "take chains, and transfers that run in a circle");
export const only = list("only", "plan for this request alone, repeatable", {
  value: "NS/NAME",
  oneEach: true,
});
export const recreateUnbound = toggle(
  "recreate-unbound",
  "replace a claim that was never bound by a fresh one; nothing is moved",
);
export const waiveFinalizer = list(
  "waive-finalizer",
  "a finalizer on source claims that somebody takes care of",
  {
    value: "NAME",
    oneEach: true,
  },
);
export const keepLabel = list(
  "keep-label",
  "copy these labels alone (default: all but those of delivery tools)",
  {
    value: "KEY",
    oneEach: true,
  },
);
export const lateCreate = toggle("late-create", "make every target after its source is gone");
export const simulate = toggle(
  "simulate",
  "show the states that the plan goes through, by running it in memory",
);
export const plan = text("plan", "plan.json of slipway transfer plan", { value: "FILE" });

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
  load: async () => (await import("./transfer-write-run.js")).runNew,
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
  load: async () => (await import("./transfer-write-run.js")).runApprove,
};

const match: Command = {
  path: "transfer match",
  summary: "Find pairs; say which condition fails where there is none",
  details: `Reads every YAML and JSON file below the folders; other objects are passed over. Exit 0 when all is paired and nothing
is wrong with the set, 3 when not, 1 when a file cannot be read.`,
  operands: [dirs],
  flags: [state, allowCycles],
  examples: [{ line: "slipway transfer match git", does: "in continuous integration" }],
  load: async () => (await import("./transfer-plan-run.js")).runMatch,
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
  load: async () => (await import("./transfer-plan-run.js")).runPlan,
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
  load: async () => (await import("./transfer-progress-run.js")).runResume,
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
  load: async () => (await import("./transfer-progress-run.js")).runRollback,
};

export const transferGroup: Group = {
  word: "transfer",
  summary: "Move claims between namespaces with the consent of both sides",
  commands: [newPair, approve, match, planCommand, resume, rollback],
};
