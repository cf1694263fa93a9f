/** Flags of the commands that compile an asset directory. */
import { LAYOUTS } from "../../../pipeline/options.js";
import { USER_DATA_LIMITS } from "../../../platforms/user-data.js";
import { ageKeyFile, ageRecipient } from "../../age.js";
import { choice, list, text, textWithDefault, toggle } from "../../flags.js";
import { keys } from "../keys/flags.js";

export const dir = textWithDefault("dir", "asset directory", ".", { value: "DIR" });
export const release = text(
  "release",
  "target OpenShift release, such as 4.22 (default: the recorded one, else the newest)",
  {
    value: "4.Y",
  },
);
export const releaseImage = text(
  "release-image",
  "pull specification of the release payload; kept in the state",
  {
    value: "PULLSPEC",
  },
);
export const infraId = text(
  "infra-id",
  "fix the infrastructure name (default: from the state, else random)",
  { value: "ID" },
);
export const clusterId = text("cluster-id", "fix the cluster's UUID (default: from the state, else random)", {
  value: "UUID",
});
export const seed = text(
  "seed",
  "take every key, password and identifier that is made anew from 32 secret bytes, so that a first run is repeatable too",
  { value: "FILE" },
);
export const namespace = text(
  "namespace",
  "namespace of the Cluster API objects (default: the infrastructure name)",
  {
    value: "NAME",
  },
);
export const facts = text(
  "facts",
  "offline facts about the cloud, kind CloudFacts; see slipway explain cloud-facts",
  {
    value: "FILE",
  },
);
export const coreosStream = text("coreos-stream", "CoreOS stream metadata, for the boot images", {
  value: "FILE",
});
export const credentials = text("credentials", "cloud credentials in the provider's own format", {
  value: "FILE",
});
export const controllerNamespace = text(
  "controller-namespace",
  "namespace of the infrastructure provider's controller (default: the provider's usual one)",
  { value: "NAME" },
);
export const pullSecret = text("pull-secret", "take the pull secret from a file", { value: "FILE" });
export const sshKey = text("ssh-key", "take the public ssh keys from a file", { value: "FILE" });
export const templates = text(
  "templates",
  "folder whose templates replace the built-in ones of the same name",
  { value: "DIR" },
);
export const contract = choice("contract", "reference style of the core Cluster (default v1beta1)", [
  "v1beta1",
  "v1beta2",
]);
export const secrets = choice(
  "secrets",
  "inline: one folder that must not be committed (default); separate: Secrets in a folder of their own; sops: the same, and every file with a secret is encrypted for age recipients",
  LAYOUTS,
);
export const sharedObjects = choice(
  "shared-objects",
  "separate: objects that clusters share in a folder of their own (default); inline: with every cluster",
  ["inline", "separate"],
);
export const gitops = choice(
  "gitops",
  "annotate the Cluster API objects for the controller that applies them from Git: order, and what is not pruned",
  ["argocd", "flux", "none"],
);
export const keyAlgorithm = choice(
  "key-algorithm",
  "keys that are made anew (default rsa-2048; openshift-install 4.22 goes on from RSA keys only)",
  ["rsa-2048", "ecdsa-p256"],
);
export const emulatedVersion = text(
  "emulated-version",
  "Kubernetes version that the control plane emulates, such as 1.34; none: back to its own",
  { value: "VERSION", alias: "emulation-version" },
);
export const minCompatibilityVersion = text(
  "min-compatibility-version",
  "oldest Kubernetes version that the control plane stays compatible with; none: back to the default",
  { value: "VERSION" },
);
export const lenient = toggle("lenient", "unknown fields of the install-config are warnings");
export const ours = list("ours", "in a conflict keep the file on disk: paths, folders or globs", {
  value: "PATH",
});
export const theirs = list("theirs", "in a conflict take the newly compiled file: paths, folders or globs", {
  value: "PATH",
});
export const dryRun = toggle("dry-run", "say what would change, write nothing");
export const diff = toggle("diff", "show what would change, without secrets; with create: write nothing");
export const toStdout = toggle(
  "stdout",
  "write the files of the phase to standard output, as one stream of YAML documents, and nothing to the directory; needs its state, or --seed",
);
export const consume = toggle(
  "consume",
  "delete what was read, as openshift-install does: install-config.yaml, and with ignition-configs manifests/ and openshift/",
);
export const splitDocuments = toggle(
  "split-documents",
  "cut files of manifests/ and openshift/ with several documents, or a List, into one file each",
);

export const renew = toggle("renew", "sign again what ends within a week, with the same keys");
export const minValidity = text(
  "min-validity",
  "refuse certificates that do not last this long from now, such as 12h",
  { value: "DURATION" },
);

export const dataSecrets = toggle(
  "data-secrets",
  "write data-secrets/: the Secrets that Machines of Cluster API get their config from",
);
export const shimSource = list(
  "shim-source",
  "address where machines of a role (default bootstrap) fetch their config: makes ROLE-shim.ign; ROLE=none takes it back",
  { value: "[ROLE=]URL", oneEach: true },
);
export const userData = choice(
  "user-data",
  "where machines read their config from, for the check of its size (default: as the platform does)",
  [...USER_DATA_LIMITS.keys()],
);

export const COMPILE_FLAGS = [
  dir,
  release,
  releaseImage,
  infraId,
  clusterId,
  seed,
  keys,
  namespace,
  facts,
  coreosStream,
  credentials,
  controllerNamespace,
  pullSecret,
  sshKey,
  templates,
  contract,
  secrets,
  sharedObjects,
  gitops,
  ageRecipient,
  ageKeyFile,
  keyAlgorithm,
  emulatedVersion,
  minCompatibilityVersion,
  lenient,
  ours,
  theirs,
  dryRun,
  diff,
  toStdout,
  splitDocuments,
  consume,
];
