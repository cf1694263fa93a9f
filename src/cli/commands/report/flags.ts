/** Flags of `slipway report`. */
import { list, text, toggle } from "../../flags.js";

export { annotations, current, lifecycle, rules } from "../compat/flags.js";
export { db, dump, encryptionConfig, from, kmsAnswers, snapshot, target } from "../etcd/flags.js";
export { migration, scenario } from "../storage/flags.js";

export const html = text("html", "file to write; - for standard output", { value: "FILE" });

export const dir = text("dir", "asset directory: phases, files, certificates, the phase graph", {
  value: "DIR",
  names: "input",
});

export const tables = list("table", "gate tables: the life of every gate, as compat lifecycle", {
  value: "FILE",
  names: "input",
});

export const policy = text(
  "policy",
  "StoragePolicy, or one of the presets kep, shipped: storage behaviours of --lifecycle, and the proof of the policy",
  { value: "FILE" },
);
export const verify = toggle("verify", "prove the policy: kep unless --policy names another one");
