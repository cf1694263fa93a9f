/** etcd copies: remedies of the diagnostics. */
import type { Remedies } from "./remedy.js";

export const ETCD: Remedies<"ETC"> = {
  ETC001: {
    remedy: "Use --snapshot for etcdctl snapshot files, --db for member/snap/db, and --dump for JSON.",
  },
  ETC002: {
    remedy: "Take a new copy, or use another member's.",
  },
  ETC003: {
    remedy: "Take a new copy.",
  },
  ETC004: {
    remedy: "Take a new snapshot with etcdctl snapshot save.",
  },
  ETC005: {
    remedy: "Check the path and the permissions.",
  },
  ETC006: {
    remedy: "Remove --revision, or choose one in the reported range.",
  },
  ETC007: {
    remedy: "Use the unchanged output of: etcdctl get --prefix '' -w json.",
  },
  ETC008: {
    remedy: "Take it again without --limit and --keys-only.",
  },
  ETC009: {
    remedy: "Specify copies of different stores, and each copy once.",
  },
  ETC010: {
    remedy:
      "Set --prefix to the --etcd-prefix of the API server. If the copy is empty, take it again from a member of the cluster.",
    why: "A copy without objects is not evidence of an empty cluster: it may be from another endpoint or an empty member. API servers store objects below /registry, OpenShift's below /kubernetes.io and /openshift.io. For a store with another --etcd-prefix, set --prefix.",
    example: "slipway etcd audit --snapshot etcd.db --prefix /my-registry --release 1.36",
  },
  ETC020: {
    remedy: "Correct the field as described in the message.",
  },
  ETC021: {
    remedy: "Remove the field or correct its spelling.",
  },
  ETC022: {
    remedy: "Use the same configuration on every API server, then rewrite the values.",
  },
  ETC023: {
    remedy: "Use a list of answers as JSON or YAML; docs/etcd.md shows the format.",
  },
  ETC024: {
    remedy: "Add --encryption-config FILE.",
  },
  ETC025: {
    remedy:
      "List them with slipway etcd inventory --kms-requests-out FILE, have them unwrapped, and add --kms-answers FILE.",
  },
  ETC026: {
    remedy: "Change the provider as described in the message.",
  },
  ETC027: {
    remedy: "Change the configuration as described in the message; no object needs to be deleted.",
    why: "An API server finds the key of a value by provider, position and name. The file contains the key, but not where the server looks for it.",
    example: `providers:
- aescbc:
    keys:
    - {name: key1, secret: …}    # the name must be the one in the value's prefix`,
  },
  ETC030: {
    remedy: "Run slipway etcd audit to list them, and slipway etcd plan to compile a repair.",
    why: "One unreadable object makes every LIST of its resource fail, so controllers and kubectl see none of its objects.",
    example: "slipway etcd audit --snapshot etcd.db --encryption-config encryption.yaml --release 1.36",
  },
  ETC031: {
    remedy: "Compare the key with the one that was in use.",
  },
  ETC032: {
    remedy: "Check whether the value was copied from another key.",
    why: "A value that was copied from another key confuses controllers, which find one object under the name of another.",
    example: "slipway etcd audit --snapshot etcd.db --release 1.36",
  },
  ETC033: {
    remedy: "Delete the object with an ordinary DELETE, or write it again.",
  },
  ETC034: {
    remedy:
      "Create the CRD again to manage the objects, or remove the keys from etcd if the data is not needed.",
    why: "No API serves the objects, so they stay in etcd until the CRD is created again.",
    example: "kubectl create --filename crd.yaml",
  },
  ETC035: {
    remedy: "Migrate the objects before a version is removed from the CRD.",
  },
  ETC036: {
    remedy: "Remove the verb * from the reported role, or accept the risk.",
    why: "The verb unsafe-delete-ignore-read-errors deletes an object that cannot be read, without running its finalizers. A role with the verb * includes it once the feature gate is enabled.",
    example: "kubectl get clusterrolebindings -o wide",
  },
  ETC037: {
    remedy: "Check for aggregated API servers and for releases that slipway does not know.",
  },
  ETC038: {
    remedy:
      "Take the copy again as a snapshot or with etcdctl -w json, without a terminal or text tool in between.",
    why: "Terminals and text tools replace bytes that are not valid UTF-8, so the stored values can no longer be decoded.",
    example: "etcdctl snapshot save etcd.db",
  },
  ETC040: {
    remedy: "Set --release to a supported Kubernetes or OpenShift release.",
  },
  ETC041: {
    remedy: "Compile the plan for the reported release or a newer one.",
  },
  ETC042: {
    remedy: "Review the plan again, then use the reported digest.",
    why: "The digest covers the copy, the configuration and all options. A different digest means that the plan has changed since the review.",
    example: "slipway etcd plan … --out repair --confirm sha256:…",
  },
  ETC043: {
    remedy: "Check the name of the namespace.",
  },
  ETC044: {
    remedy: "Repair these objects first.",
  },
  ETC045: {
    remedy: "Set --job-image to an image with kubectl and a shell.",
    why: "slipway cannot know which registry your cluster can reach, so the Job has a placeholder until you specify an image.",
    example: "slipway etcd plan … --out repair --job-image registry.example.com/tools/kubectl:1.36",
  },
  ETC046: {
    remedy: "Follow the runbook for this object.",
  },
  ETC047: {
    remedy: "Have an administrator send these deletions; RUNBOOK.md describes how.",
    why: "The API server accepts no new objects in a terminating namespace, including the role that would permit the deletions.",
    example: "less repair/RUNBOOK.md",
  },
  ETC048: {
    remedy: "Use ServiceAccount:NAMESPACE/NAME, User:NAME or Group:NAME, and a valid image reference.",
  },
  ETC050: {
    remedy:
      "List the keys with slipway etcd audit --objects-out FILE, or read an older state with --revision.",
  },
  ETC051: {
    remedy: "Use the EncryptionConfiguration that contains the key of the value.",
    why: "Each value is prefixed with the name of its provider and key. The configuration must contain that key.",
    example:
      "slipway etcd extract --snapshot etcd.db --encryption-config old-encryption.yaml --key /registry/secrets/default/db --out db.bin",
  },
  ETC052: {
    remedy: "Choose an empty folder, or move the previous plan.",
  },
  ETC053: {
    remedy: "Choose another file name.",
  },
  ETC054: {
    remedy: "Compile one plan per API server, with its --prefix.",
  },
  ETC055: {
    remedy: "Review the file, and correct what the message reports.",
  },
  ETC056: {
    remedy: "Use plan.json from the folder of slipway etcd plan.",
  },
  ETC057: {
    remedy: "Use a snapshot of the whole store, or add a dump of all CRDs.",
  },
  ETC058: {
    remedy: "Extend the CRD's schema first, then take a new copy and compile the plan again.",
  },
  ETC059: {
    remedy:
      "Restore the last good revision of the object, or delete it with an ordinary DELETE; its content is lost then.",
    why: "A damaged byte inside an embedded JSON text, such as metadata.managedFields, does not keep the API server from decoding the object. The API server fails only when it writes JSON, as for every GET and LIST by kubectl.",
    example: "kubectl get configmaps -A    # 500: json: error calling MarshalJSON for type *v1.FieldsV1",
  },
  ETC060: {
    remedy: "Remove the key from etcd with the script of the plan, which saves the value first.",
    why: "kube-apiserver reads some resources before it is ready, and exits if it cannot. It also exits when it reads a custom resource without metadata. No request can delete such an object.",
    example: "sh 15_remove-from-etcd.sh 15_remove-from-etcd.txt",
  },
};
