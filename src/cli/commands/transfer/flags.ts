/** Flags of `slipway transfer …`. */
import { list, operands, optionalOperand, text, textWithDefault, toggle } from "../../flags.js";

export const out = textWithDefault("out", "folder to write to", ".", { value: "DIR" });
export const planOut = text("out", "folder to write to (default: write nothing)", { value: "DIR" });

export const state = list("state", "dump of the cluster: kubectl get … --output yaml; - for standard input", {
  value: "DUMP",
  stream: "own",
  names: "input",
  oneEach: true,
});

export const sources = list("source", "claim to move, repeatable", {
  value: "NS/NAME",
  oneEach: true,
});

export const targets = list(
  "target",
  "target of each source, in the same order; NS without NAME keeps the name",
  {
    value: "NS/NAME",
    oneEach: true,
  },
);

export const statefulset = list("statefulset", "all claims of a StatefulSet: old=NS/NAME new=NS/NAME", {
  value: "WHICH",
});

export const claimTemplate = list("claim-template", "claim template of the StatefulSet, instead of a dump", {
  value: "NAME",
  oneEach: true,
});
export const replicas = text("replicas", "replicas of the StatefulSet, instead of a dump", { value: "N" });
export const requestOnly = toggle("request-only", "write only the request; the other side approves it");

export const expires = text("expires", "how long the approval is valid, such as 1h, 7d or 1d12h", {
  value: "DURATION",
});

export const group = text("group", "API group of the objects (default transfer.slipway.dev)", {
  value: "GROUP",
});
export const request = optionalOperand("request", "file with the request to approve, - for standard input");

export const allRequests = text(
  "all-requests",
  "approve every request in this folder for one source namespace",
  {
    value: "DIR",
  },
);

export const sourceNamespace = text("source-namespace", "namespace of the source claims", {
  value: "NS",
});

export const dirs = operands(
  "dir",
  "files, or folders that are searched recursively, with requests and approvals",
  {
    required: true,
  },
);
export const allowCycles = toggle("allow-cycles", "allow chains and cycles of transfers");

export const only = list("only", "plan only this request, repeatable", {
  value: "NS/NAME",
  oneEach: true,
});

export const onlyOfPlan = list("only", "continue or roll back only this request, repeatable", {
  value: "NS/NAME",
  oneEach: true,
});

export const recreateUnbound = toggle(
  "recreate-unbound",
  "replace a claim that was never bound with a new one; no volume is moved",
);

export const waiveFinalizer = list(
  "waive-finalizer",
  "finalizer on source claims that is handled elsewhere",
  {
    value: "NAME",
    oneEach: true,
  },
);

export const keepLabel = list(
  "keep-label",
  "copy only these labels (default: all except those of delivery tools)",
  {
    value: "KEY",
    oneEach: true,
  },
);
export const lateCreate = toggle("late-create", "create every target after its source is deleted");

export const simulate = toggle("simulate", "simulate the plan in memory and show each state");
export const plan = text("plan", "plan.json of slipway transfer plan", {
  value: "FILE",
  stream: "input",
  names: "input",
});
