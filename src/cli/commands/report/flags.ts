/** Flags of `slipway report`. */
import { list, text, toggle } from "../../flags.js";

export { annotations, current, lifecycle, rules } from "../compat/flags.js";
export { db, dump, encryptionConfig, from, kmsAnswers, snapshot, target } from "../etcd/flags.js";
export { migration, scenario } from "../storage/flags.js";

export const html = text("html", "file to write; - for standard output", { value: "FILE", stream: "own" });

export const dir = text("dir", "asset directory: phases, files, certificates, phase graph", {
  value: "DIR",
  names: "input",
});

export const tables = list("table", "gate tables: lifecycle of every gate, as in compat lifecycle", {
  value: "FILE",
  stream: "input",
  names: "input",
});

export const fleet = text(
  "fleet",
  "fleet, as for check --fleet: a matrix of clusters, compared with a new compile",
  { value: "FILE", stream: "input", names: "input" },
);

export const plans = list(
  "plan",
  "saved plans: plan.json of transfer plan or etcd plan, or the output of compat plan --output json",
  { value: "FILE", stream: "input", names: "input" },
);

export const policy = text(
  "policy",
  "StoragePolicy, or a preset (kep, shipped): storage behaviors for --lifecycle, and verification of the policy",
  { value: "FILE", stream: "input" },
);
export const verify = toggle("verify", "verify the policy (default: kep; see --policy)");
