/** Flags of `slipway transfer …`. */
import { list, operands, optionalOperand, text, textWithDefault, toggle } from "../../flags.js";

export const out = textWithDefault("out", "folder to write to", ".", { value: "DIR" });
export const planOut = text("out", "folder to write to; left out, nothing is written", { value: "DIR" });

export const state = list("state", "dump of the cluster: kubectl get … --output yaml; - for standard input", {
  value: "DUMP",
  names: "input",
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
export const plan = text("plan", "plan.json of slipway transfer plan", { value: "FILE", names: "input" });
