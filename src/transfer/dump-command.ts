/** How a dump is taken, for runbooks and usage; docs/transfer.md says which kinds to add on which cluster. */
import { shell } from "../text/shell.js";

const KINDS = [
  "namespaces",
  "persistentvolumes",
  "persistentvolumeclaims",
  "pods",
  "statefulsets",
  "deployments",
  "replicasets",
  "daemonsets",
  "jobs",
  "cronjobs",
  "resourcequotas",
  "limitranges",
  "volumeattachments",
];

export const dumpCommand = (file: string): string =>
  `${shell`kubectl get ${KINDS.join(",")} --all-namespaces --output yaml`} > ${file}`;
