/** The command tree. Descriptions only; what a command does is loaded when it runs. */
import type { Command, Group } from "../command.js";
import { check } from "./check/check.js";
import { compat } from "./compat/compat.js";
import { completion } from "./completion/completion.js";
import { createGroup } from "./create/group.js";
import { etcdGroup } from "./etcd/group.js";
import { explain } from "./explain/explain.js";
import { krmFunction } from "./function/function.js";
import { generateGroup } from "./generate/group.js";
import { graph } from "./graph/graph.js";
import { init } from "./init/init.js";
import { keys } from "./keys/keys.js";
import { reconstruct } from "./reconstruct/reconstruct.js";
import { report } from "./report/report.js";
import { secretsGroup } from "./secrets/group.js";
import { storageGroup } from "./storage/group.js";
import { transferGroup } from "./transfer/group.js";
import { upgradeImpact } from "./upgrade-impact/upgrade-impact.js";
import { validate } from "./validate/validate.js";

export const SINGLE_COMMANDS: readonly Command[] = [
  init,
  validate,
  check,
  upgradeImpact,
  reconstruct,
  krmFunction,
  keys,
  explain,
  graph,
  report,
  completion(() => ({
    commands: [...SINGLE_COMMANDS, ...GROUPS.flatMap(({ commands }) => commands)],
    groups: GROUPS,
  })),
];

export const GROUPS: readonly Group[] = [
  createGroup,
  secretsGroup,
  generateGroup,
  compat,
  storageGroup,
  etcdGroup,
  transferGroup,
];

/** The first page of help: every command and group once, by what it is for. */
export const SECTIONS: readonly { readonly title: string; readonly words: readonly string[] }[] = [
  {
    title: "Clusters",
    words: ["create", "validate", "check", "upgrade-impact", "reconstruct", "explain", "graph"],
  },
  { title: "Git, fleets and controllers", words: ["init", "secrets", "keys", "function"] },
  {
    title: "Kubernetes versions, etcd and claims",
    words: ["compat", "storage", "etcd", "transfer", "generate", "report"],
  },
  { title: "Shell", words: ["completion"] },
];

export const OUT_OF_SCOPE: readonly { readonly path: string; readonly instead: string }[] = [
  {
    path: "create cluster",
    instead:
      "slipway never connects to a cloud or a cluster; apply infrastructure-manifests/ to a Cluster API management cluster",
  },
  {
    path: "destroy",
    instead: "delete the Cluster object in the management cluster, or run openshift-install destroy cluster",
  },
  {
    path: "wait-for",
    instead: "watch the Cluster object with kubectl wait, or run openshift-install wait-for",
  },
  { path: "gather", instead: "run openshift-install gather" },
  {
    path: "coreos",
    instead:
      "run openshift-install coreos print-stream-json > stream.json, then pass --coreos-stream stream.json to the commands that need boot images",
  },
  ...[
    ["create agent-image", "create image"],
    ["create agent-pxe-files", "create pxe-files"],
    ["create agent-unconfigured-ignition", "create unconfigured-ignition"],
  ].map(([path = "", command]) => ({
    path,
    instead: `slipway creates the manifests: slipway create agent-manifests --dir DIR; openshift-install of the same release continues from the directory: openshift-install agent ${command} --dir DIR`,
  })),
  {
    path: "agent create cluster-manifests",
    instead: "run slipway create agent-manifests, or openshift-install agent create cluster-manifests",
  },
  {
    path: "agent create config-image",
    instead: "run slipway create agent-config-image, or openshift-install agent create config-image",
  },
  {
    path: "create image-based-image",
    instead:
      "slipway validates its config: slipway validate --dir DIR; openshift-install of the same release creates the image: openshift-install image-based create image --dir DIR",
  },
  ...[
    ["image-based create config-image", "create image-based-config-image"],
    ["image-based create config-template", "create image-based-config"],
    ["image-based create image-config-template", "create image-based-installation-config"],
  ].map(([path = "", command]) => ({
    path,
    instead: `run slipway ${command}, or openshift-install ${path}`,
  })),
  {
    path: "create nodes-config",
    instead:
      "openshift-install adds no nodes either; run oc adm node-image create with access to the cluster",
  },
  ...["agent", "analyze", "create permissions-policy", "image-based"].map((path) => ({
    path,
    instead: `run openshift-install ${path}`,
  })),
];
