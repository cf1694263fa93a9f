/** `slipway compat usage` and `slipway compat flags`: data only. */
import type { Command } from "../../command.js";
import {
  featureGates,
  flagComponent,
  flagsFrom,
  from,
  runtimeConfig,
  to,
  usagePaths,
  write,
} from "./flags.js";

export const compatUsage: Command = {
  path: "compat usage",
  summary: "Show what manifests and objects use that a Kubernetes release does not have",
  details: `Judges every object at each release from --from (default: --to) to --to: its version, fields, and CEL functions, and the APIs that it only names: rules of roles, webhooks and admission policies, APIServices, quotas, targets and owners. Of objects from a cluster also who still writes an old version (managedFields, the manifest that was applied last); of a dump of /metrics and audit logs (JSON lines) who still requests one. For a chart, pass the output of helm template. Custom resources are judged only by what they name. Exit 3 if something is lost: not served, dropped or rejected by --to.`,
  operands: [usagePaths],
  flags: [from, to, featureGates, runtimeConfig, write],
  examples: [
    { line: "slipway compat usage manifests --from 1.36 --to 1.37", does: "a folder of manifests" },
    { line: "helm template shop | slipway compat usage - --to 1.37", does: "a chart" },
    {
      line: "kubectl get ingresses,roles -A -o yaml --show-managed-fields | slipway compat usage - --from 1.36 --to 1.37",
      does: "objects of a cluster, with their writers",
    },
    {
      line: "slipway etcd extract --snapshot etcd.db --all --as yaml --out - | slipway compat usage - --to 1.37",
      does: "objects of an etcd copy",
    },
    {
      line: "slipway compat usage metrics.txt audit.log --from 1.36 --to 1.37",
      does: "requests for APIs that go, with their clients",
    },
    { line: "slipway compat usage manifests --to 1.37 --output github", does: "in a pull request" },
    { line: "slipway compat usage manifests --to 1.37 --write", does: "convert what can be converted" },
  ],
  writes: true,
  findings: true,
  load: async () => (await import("./usage-run.js")).run,
};

export const compatFlags: Command = {
  path: "compat flags",
  summary: "Show which command-line flags of the components change between releases",
  details: `Lists the flags that are removed, added or deprecated, or that have another default, release by release. With --flags-from, judges the flags in those files instead: exit 3 if a component of --to would not start with one of them.`,
  operands: [flagComponent],
  flags: [from, to, flagsFrom],
  examples: [
    { line: "slipway compat flags kubelet --from 1.34 --to 1.37", does: "what changes for the kubelet" },
    {
      line: "slipway compat flags --from 1.36 --to 1.37 --flags-from /etc/kubernetes/manifests/kube-apiserver.yaml",
      does: "flags that the next API server refuses",
    },
  ],
  findings: true,
  load: async () => (await import("./flags-run.js")).run,
};
