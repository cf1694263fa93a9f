/** Flags of the commands that read copies of etcd. */
import { choice, choiceWithDefault, list, text, toggle } from "../../flags.js";

export const snapshot = list(
  "snapshot",
  "etcd snapshot (etcdctl snapshot save); may be given more than once",
  {
    value: "FILE",
    names: "input",
  },
);
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
  "EncryptionConfiguration of an API server, or a Secret or MachineConfig that holds it; one for each server that may differ",
  { value: "FILE", names: "input" },
);
export const kmsAnswers = text(
  "kms-answers",
  "what the key management plug-ins would answer; see slipway explain kms-answers",
  { value: "FILE", names: "input" },
);
export const revision = text("revision", "read the state at this revision (default: the newest)", {
  value: "R",
  names: "input",
});
export const target = text("release", "Kubernetes release to judge by, such as 1.36 (or OpenShift 4.22)", {
  value: "1.N",
  alias: "target",
  names: "input",
});
export const from = text("from", "release that wrote the copy; judges the jump to the target", {
  value: "1.N",
});
export const prefix = list("prefix", "storage prefix of an API server (default: found in the keys)", {
  value: "PREFIX",
  names: "input",
});
export const namespace = text("namespace", "only what is in this namespace", { value: "NAME" });
export const hash = choiceWithDefault(
  "hash",
  "the SHA-256 at the end of a snapshot: auto checks it in files up to 256 MiB, and always before a plan",
  ["auto", "check", "skip"] as const,
  "auto",
  { value: "WHEN" },
);
export const objectsOut = text("objects-out", "write the objects to a file, one JSON document a line", {
  value: "FILE",
});
export const problemsOnly = toggle(
  "problems-only",
  "leave out objects that are stored as the target stores them",
);
export const kmsRequestsOut = text(
  "kms-requests-out",
  "write the wrapped keys without an answer to a file, to be completed and given as --kms-answers",
  { value: "FILE" },
);

export const out = text("out", "folder for the plan", { value: "DIR" });
export const subject = text(
  "subject",
  "who sends the deletions: ServiceAccount:NAMESPACE/NAME, User:NAME or Group:NAME (default: an account that the plan makes)",
  { value: "WHO" },
);
export const jobImage = text("job-image", "image with kubectl for the Job", { value: "IMAGE" });
export const confirm = text("confirm", "digest of this plan: arms its Job", { value: "DIGEST" });
export const migrator = choice(
  "migrator",
  "who runs migrations (default: standalone where its definition is stored, else in-tree)",
  ["in-tree", "standalone"],
);
export const unansweredIsLost = toggle(
  "unanswered-is-lost",
  "count wrapped keys without an answer as refused by their plug-in",
);
export const key = text("key", "the key in etcd", { value: "KEY" });
export const outFile = text(
  "out",
  "file to write, mode 0600; with --as yaml or json and more than one key the folder for the objects",
  { value: "PATH" },
);
export const as = choiceWithDefault(
  "as",
  "raw: the plain bytes as they are stored; yaml, json: objects that can be applied, without what the server filled in",
  ["raw", "yaml", "json"] as const,
  "raw",
  { value: "FORM" },
);
export const all = toggle("all", "every object of the copy");
export const resource = list("resource", "objects of this resource, such as configmaps or deployments.apps", {
  value: "NAME",
});
export const planFile = text(
  "plan",
  "what this plan.json would delete although its content can be read from the copy",
  { value: "FILE" },
);
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
