/** The command tree. Descriptions only; what a command does is loaded when it runs. */
import type { Command, Group } from "../command.js";
import { check } from "./check.js";
import { compat } from "./compat.js";
import { completion } from "./completion.js";
import { createGroup } from "./create.js";
import { etcdGroup } from "./etcd.js";
import { explain } from "./explain.js";
import { generateGroup } from "./generate.js";
import { graph } from "./graph.js";
import { reconstruct } from "./reconstruct.js";
import { report } from "./report.js";
import { storageGroup } from "./storage.js";
import { transferGroup } from "./transfer.js";
import { validate } from "./validate.js";

export const SINGLE_COMMANDS: readonly Command[] = [
  validate,
  check,
  reconstruct,
  explain,
  graph,
  report,
  completion,
];

export const GROUPS: readonly Group[] = [
  createGroup,
  generateGroup,
  compat,
  storageGroup,
  etcdGroup,
  transferGroup,
];

export const OUT_OF_SCOPE: readonly { readonly path: string; readonly instead: string }[] = [
  {
    path: "create cluster",
    instead:
      "slipway never touches a cloud or a cluster; apply infrastructure-manifests/ to a Cluster API control plane",
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
];
