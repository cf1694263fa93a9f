/** How a dump is taken, for runbooks and usage; docs/transfer.md says which kinds to add on which cluster. */
import { commandLine } from "../text/shell.js";

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
  `${commandLine(["kubectl", "get", KINDS.join(","), "--all-namespaces", "--output", "yaml"])} > ${file}`;
