/** Flags of the commands that read copies of etcd. */
import { choice, choiceWithDefault, list, text, toggle } from "../../flags.js";

export const snapshot = list("snapshot", "etcd snapshot (etcdctl snapshot save); repeatable", {
  value: "FILE",
  names: "input",
});
export const db = list("db", "db file of an etcd data directory (member/snap/db)", {
  value: "FILE",
  names: "input",
});
export const dump = list("dump", "JSON of etcdctl get --prefix '' -w json", {
  value: "FILE",
  names: "input",
});
export const encryptionConfig = list(
  "encryption-config",
  "EncryptionConfiguration of an API server, or a Secret or MachineConfig that contains it; repeatable if API servers differ",
  { value: "FILE", stream: "input", names: "input" },
);
export const kmsAnswers = text(
  "kms-answers",
  "answers of the key management plug-ins; see slipway explain kms-answers",
  { value: "FILE", stream: "input", names: "input" },
);
export const revision = text("revision", "read the state at this revision (default: the newest)", {
  value: "R",
  names: "input",
});
export const target = text("release", "target Kubernetes release, such as 1.36 (or OpenShift 4.22)", {
  value: "VERSION",
  alias: "target",
  names: "input",
});
export const from = text("from", "release that wrote the copy; also checks the upgrade from it", {
  value: "VERSION",
});
export const prefix = list("prefix", "storage prefix of an API server (default: found in the keys)", {
  value: "PREFIX",
  names: "input",
});
export const namespace = text("namespace", "only objects in this namespace", { value: "NAME" });
export const hash = choiceWithDefault(
  "hash",
  "verify the SHA-256 at the end of a snapshot; auto verifies files up to 256 MiB, and all files before a plan",
  ["auto", "check", "skip"] as const,
  "auto",
  { value: "WHEN" },
);
export const objectsOut = text(
  "objects-out",
  "write the objects to a file (- for standard output), one JSON document per line",
  {
    value: "FILE",
    stream: "own",
  },
);
export const problemsOnly = toggle(
  "problems-only",
  "omit objects that are already stored in the version that the target writes",
);
export const kmsRequestsOut = text(
  "kms-requests-out",
  "write unanswered wrapped keys to a file; complete it and pass it as --kms-answers",
  { value: "FILE", stream: "own" },
);

export const out = text("out", "folder to write the plan to", { value: "DIR" });
export const subject = text(
  "subject",
  "identity that sends the deletions: ServiceAccount:NAMESPACE/NAME, User:NAME or Group:NAME (default: a service account that the plan creates)",
  { value: "WHO" },
);
export const jobImage = text("job-image", "image for the Job; must contain kubectl", { value: "IMAGE" });
export const confirm = text("confirm", "digest of this plan; unsuspends its Job", { value: "DIGEST" });
export const migrator = choice(
  "migrator",
  "migrator to use (default: standalone if its CRD is stored, else in-tree)",
  ["in-tree", "standalone"],
);
export const unansweredIsLost = toggle(
  "unanswered-is-lost",
  "treat unanswered wrapped keys as rejected by their plug-in",
);
export const key = text("key", "the key in etcd", { value: "KEY" });
export const outFile = text(
  "out",
  "file to write, mode 0600, or - for standard output; with --as yaml or json and more than one key, the folder to write to",
  { value: "PATH", stream: "own" },
);
export const as = choiceWithDefault(
  "as",
  "raw: the decrypted bytes as stored; yaml, json: objects that can be applied, without server-set fields",
  ["raw", "yaml", "json"] as const,
  "raw",
  { value: "FORM" },
);
export const all = toggle("all", "every object in the copy");
export const resource = list("resource", "objects of this resource, such as configmaps or deployments.apps", {
  value: "NAME",
});
export const planFile = text("plan", "readable objects that this plan.json would delete", {
  value: "FILE",
  stream: "input",
});
export const withStatus = toggle("with-status", "keep the status of the objects");

export const COPY_FLAGS = [
  snapshot,
  db,
  dump,
  encryptionConfig,
  kmsAnswers,
  revision,
  target,
  prefix,
  hash,
] as const;
