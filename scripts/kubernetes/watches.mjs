// Which APIs a kube-apiserver of a release watches itself, and when: the informers in its sources. A server that watches an
// API that it does not serve never becomes ready. Rows in tables/kubernetes-watches.json.
import { cutRows, within } from "./rows.mjs";

const HOMES = [
  ...["cmd/kube-apiserver", "pkg/controlplane", "pkg/kubeapiserver", "pkg/quota", "pkg/registry"].map(
    (path) => `k8s.io/kubernetes/${path}`,
  ),
  "k8s.io/kubernetes/plugin/pkg",
  "k8s.io/apiserver/pkg",
  "k8s.io/kube-aggregator/pkg/apiserver",
];

/** The accessors of client-go's clients and informers; the core group, on which everything else depends, is not asked. */
const GROUPS = {
  Admissionregistration: "admissionregistration.k8s.io",
  Apps: "apps",
  Autoscaling: "autoscaling",
  Batch: "batch",
  Certificates: "certificates.k8s.io",
  Coordination: "coordination.k8s.io",
  Discovery: "discovery.k8s.io",
  Events: "events.k8s.io",
  Flowcontrol: "flowcontrol.apiserver.k8s.io",
  Internal: "internal.apiserver.k8s.io",
  Networking: "networking.k8s.io",
  Node: "node.k8s.io",
  Policy: "policy",
  Rbac: "rbac.authorization.k8s.io",
  Resource: "resource.k8s.io",
  Scheduling: "scheduling.k8s.io",
  Storage: "storage.k8s.io",
  Storagemigration: "storagemigration.k8s.io",
};

const WATCH = new RegExp(
  String.raw`(?<from>[\w.]+)\.(?<accessor>${Object.keys(GROUPS).join("|")})\(\)\.(?<version>V\d\w*)\(\)\.(?<resource>\w+)\(\)`,
  "g",
);

const plugin = (name, ...gates) => ({
  by: `the admission plugin ${name}`,
  off: `--disable-admission-plugins=${name}`,
  gates,
});
const NODE_AUTHORIZER = { by: "the Node authorizer", off: "an --authorization-mode without Node" };
const FAIRNESS = { by: "API Priority and Fairness", off: "--enable-priority-and-fairness=false" };

/**
 * Who watches, by the file, or the file and the resource. Null: only with a flag that is not set by default, or through a
 * client that is no informer. `gates` are all on where it happens. A file that is missing here stops the script.
 */
const WATCHERS = {
  "pkg/kubeapiserver/authorizer/config.go": NODE_AUTHORIZER,
  "pkg/kubeapiserver/authorizer/config.go resourceslices": {
    ...NODE_AUTHORIZER,
    gates: ["DynamicResourceAllocation"],
  },
  "pkg/kubeapiserver/authorizer/config.go podcertificaterequests": {
    ...NODE_AUTHORIZER,
    gates: ["PodCertificateRequest"],
  },
  ...Object.fromEntries(
    ["roles", "rolebindings", "clusterroles", "clusterrolebindings"].map((resource) => [
      `pkg/kubeapiserver/authorizer/config.go ${resource}`,
      { by: "the RBAC authorizer", off: "an --authorization-mode without RBAC" },
    ]),
  ),
  // Tokens bound to a webhook configuration are asked for through the informers of the admission plugins.
  "pkg/kubeapiserver/options/authentication.go": null,
  "pkg/controlplane/apiserver/server.go": {
    by: "the leader election controller",
    gates: ["CoordinatedLeaderElection"],
  },
  // Only with --peer-ca-file.
  "pkg/controlplane/apiserver/config.go": null,
  "pkg/util/peerproxy/peerproxy.go": null,
  // Only with --enable-aggregator-routing.
  "cmd/kube-apiserver/app/server.go": null,
  "pkg/apiserver/apiserver.go": null,
  "pkg/quota/v1/evaluator/core/registry.go": plugin(
    "ResourceQuota",
    "DynamicResourceAllocation",
    "DRAExtendedResource",
  ),
  "pkg/registry/core/rest/storage_core.go": {
    by: "the allocator of Service addresses",
    gates: ["MultiCIDRServiceAllocator"],
  },
  "pkg/registry/flowcontrol/rest/storage_flowcontrol.go": FAIRNESS,
  "plugin/pkg/admission/network/defaultingressclass/admission.go": plugin("DefaultIngressClass"),
  "plugin/pkg/admission/priority/admission.go": plugin("Priority"),
  "plugin/pkg/admission/runtimeclass/admission.go": plugin("RuntimeClass"),
  "plugin/pkg/admission/storage/persistentvolume/resize/admission.go": plugin("PersistentVolumeClaimResize"),
  "plugin/pkg/admission/storage/storageclass/setdefault/admission.go": plugin("DefaultStorageClass"),
  "plugin/pkg/admission/job/admission.go": plugin("JobValidation", "GenericWorkload"),
  "plugin/pkg/admission/podgroup/admission.go": plugin("PodGroupWorkloadExists", "GenericWorkload"),
  // Not on by default.
  "plugin/pkg/admission/noderestriction/admission.go": null,
  "pkg/admission/configuration/validating_webhook_manager.go": plugin("ValidatingAdmissionWebhook"),
  "pkg/admission/configuration/mutating_webhook_manager.go": plugin("MutatingAdmissionWebhook"),
  "pkg/admission/plugin/policy/validating/plugin.go": plugin("ValidatingAdmissionPolicy"),
  "pkg/admission/plugin/policy/mutating/plugin.go": plugin(
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicy",
  ),
};

/** What a server needs at its start without an informer: the text that shows it, and the row. */
const OTHERS = [
  {
    file: "k8s.io/apiserver/pkg/server/genericapiserver.go",
    text: "features.StorageVersionAPI",
    row: {
      by: "the filter that blocks writes until storage versions are published",
      gates: ["StorageVersionAPI", "APIServerIdentity"],
      resources: ["internal.apiserver.k8s.io/v1alpha1/storageversions"],
    },
  },
];

const folders = (kubernetes, path) =>
  kubernetes
    .list(path)
    .filter((name) => !name.includes(".") && name !== "testing" && name !== "testdata")
    .flatMap((name) => [`${path}/${name}`, ...folders(kubernetes, `${path}/${name}`)]);

/** The watches of a release: who, on which gates, what. */
export function watchesOf(kubernetes) {
  const rows = new Map();
  for (const home of HOMES)
    for (const folder of [home, ...folders(kubernetes, home)])
      for (const file of kubernetes.sources(folder)) {
        for (const { groups } of kubernetes.text(file).matchAll(WATCH)) {
          if (/client/i.test(groups.from)) continue;
          const path = file.replace(/^k8s\.io\/[^/]+\//, "");
          const resource = groups.resource.toLowerCase();
          const key = [`${path} ${resource}`, path].find((each) => each in WATCHERS);
          if (key === undefined)
            throw new Error(
              `Kubernetes ${kubernetes.release}: ${path} watches ${resource}: say who that is in scripts/kubernetes/watches.mjs`,
            );
          const watcher = WATCHERS[key];
          if (watcher === null) continue;
          const name = `${GROUPS[groups.accessor]}/${groups.version.toLowerCase()}/${resource}`;
          const id = JSON.stringify(watcher);
          const row = rows.get(id) ?? { ...watcher, resources: new Set(), from: new Set() };
          row.resources.add(name);
          row.from.add(path);
          rows.set(id, row);
        }
      }
  const found = [...rows.values()].map((row) =>
    rowOf({ ...row, resources: [...row.resources], from: [...row.from] }),
  );
  for (const { file, text, row } of OTHERS)
    if (kubernetes.text(file).includes(text))
      found.push(rowOf({ ...row, from: [file.replace(/^k8s\.io\/[^/]+\//, "")] }));
  return found.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const rowOf = ({ by, off, gates = [], resources, from }) => ({
  by,
  ...(off === undefined ? {} : { off }),
  gates,
  resources: resources.sort(),
  from: from.sort(),
});

const keyOf = ({ by, gates, resources, from }) => JSON.stringify([by, gates, resources, from]);

/** The table with a release. */
export function addWatches(table, kubernetes) {
  const { release } = kubernetes;
  const now = watchesOf(kubernetes);
  const open = ({ before }) => before === undefined;
  const rows = table.watches.map((row) =>
    open(row) && !now.some((each) => keyOf(each) === keyOf(row)) ? { ...row, before: release } : row,
  );
  for (const row of now)
    if (!rows.some((each) => open(each) && keyOf(each) === keyOf(row))) rows.push({ ...row, since: release });
  const first = (each) => each.since ?? "1.0";
  rows.sort((a, b) =>
    a.by === b.by
      ? within(first(a), first(b))
        ? within(first(b), first(a))
          ? 0
          : -1
        : 1
      : a.by < b.by
        ? -1
        : 1,
  );
  return { ...table, watches: rows };
}

/** The table as it was at an older release. */
export const cutWatches = (table, last) => ({ ...table, watches: cutRows(table.watches, last) });
