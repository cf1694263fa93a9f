/** Cluster API and reconstruct: remedies of the diagnostics. */
import type { Remedies } from "./remedy.js";

export const CLUSTER_API: Remedies<"CAPI" | "REC"> = {
  CAPI001: {
    remedy: "Use a separate namespace for each cluster, with a valid DNS label as its name.",
  },
  CAPI002: {
    remedy: "Use .yaml, .yml or .json files directly in the folder.",
  },
  CAPI003: {
    remedy: "Split its documents over several files.",
    why: "The API server rejects a Secret of more than 1 MiB.",
    example: "slipway create manifests --dir cluster --split-documents",
  },
  CAPI004: {
    remedy: "Edit the file and replace the placeholder, or use --custom-infrastructure DIR.",
    why: "Some platforms have no Cluster API provider that slipway knows. The generated objects then refer to an infrastructure cluster and a machine template that you provide.",
    example: "slipway create infrastructure-manifests --dir cluster --custom-infrastructure my-provider",
  },
  CAPI005: {
    remedy: "Rename one of the two files.",
  },
  CAPI006: {
    remedy: "Use REGISTRY/REPOSITORY@sha256:DIGEST.",
  },
  CAPI007: {
    remedy: "Use --secrets separate or --secrets sops to commit the rest.",
    why: "With the default layout, Secrets with keys, the pull secret and cloud credentials are next to the other objects.",
    example: "slipway create infrastructure-manifests --dir cluster --secrets separate",
  },
  CAPI008: {
    remedy: "Keep the listed files out of Git, or encrypt them with --secrets sops.",
    why: "Everything else in the directory can be committed, so a secret next to it is easily committed by mistake.",
    example: "slipway create infrastructure-manifests --dir cluster --secrets sops --age-recipient age1…",
  },
  CAPI049: {
    remedy:
      "Install the plug-in that slipway init --gitops argocd writes, or KSOPS (docs/gitops.md), or keep the Secrets out of Git with --secrets separate.",
    why: "The kustomize of Argo CD renders encrypted values as they are, so the API server rejects the Secrets. Flux decrypts them.",
    example: "slipway init --dir clusters/egret --secrets sops --gitops argocd",
  },
  CAPI009: {
    remedy: "Run: slipway init --dir DIR --secrets sops.",
    why: "Without the encrypted files in Git, you cannot continue from a clone.",
    example: "slipway init --dir cluster --secrets sops",
  },
  CAPI010: {
    remedy: "Correct the reference, or add the object.",
  },
  CAPI011: {
    remedy: "Set metadata.namespace to the namespace of the Cluster.",
  },
  CAPI012: {
    remedy: "Run slipway create infrastructure-manifests where the state is available.",
    why: "The management cluster installs from this Secret. Without it the new cluster would get new keys and no generated manifests.",
    example: "slipway create infrastructure-manifests --dir cluster",
  },
  CAPI013: {
    remedy: "Correct manifestsSelector or the labels of the Secrets.",
    why: "The cluster gets exactly the files of the selected Secrets.",
    example: `manifestsSelector:
  matchLabels:
    cluster.x-k8s.io/cluster-name: heron-abcde
    cluster.openshift.io/ignition: include`,
  },
  CAPI015: {
    remedy:
      "Revert the change if the control plane was applied; slipway upgrade-impact shows what else a change does to the cluster.",
    why: "Do not replace the control plane instead: that deletes its machines, etcd and with it all data of the cluster. References to machine templates cannot be changed once the object was applied. Another release compiles other templates, for the boot images of new machines; a running cluster is upgraded by its own ClusterVersion (oc adm upgrade), not by --release.",
    example: "git checkout infrastructure-manifests/50_machine-template.yaml",
  },
  CAPI016: {
    remedy:
      "Run slipway create infrastructure-manifests --theirs infrastructure-manifests/kustomization.yaml.",
  },
  CAPI017: {
    remedy: "Remove one of them.",
    why: "Only one of two documents for the same object is applied, and which one depends on the tool.",
    example: "kubectl kustomize infrastructure-manifests    # fails for the same reason",
  },
  CAPI018: {
    remedy: "Edit the file in manifests/ or openshift/, then run slipway create infrastructure-manifests.",
    why: "The cluster receives what the Secret contains, not the file on disk.",
    example: "slipway create infrastructure-manifests --dir cluster",
  },
  CAPI019: {
    remedy: "Correct them so that all specify the same path.",
  },
  CAPI020: {
    remedy: "Move the file out of the folder, or set apiVersion and kind.",
    why: "kubectl apply and the bootstrap stop at a file without apiVersion and kind.",
    example: `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig    # wraps an Ignition config in spec.config`,
  },
  CAPI021: {
    remedy: "Move the file to infrastructure-manifests-secrets/ and list it in the kustomization.yaml there.",
    why: "The folder without secrets is meant to be committed.",
    example: "mv infrastructure-manifests/my-secret.yaml infrastructure-manifests-secrets/",
  },
  CAPI022: {
    remedy: "Run: slipway create infrastructure-manifests.",
  },
  CAPI023: {
    remedy: "Change the name of the object, and all references to it.",
  },
  CAPI030: {
    remedy: "Provide one infrastructure cluster and one control plane machine template.",
    why: "slipway refers to exactly one infrastructure cluster and one control plane machine template. Compute pools have separate templates, which a label assigns.",
    example: `metadata:
  labels:
    slipway.dev/pool: worker`,
  },
  CAPI031: {
    remedy: "Remove the fields or objects that the message lists.",
  },
  CAPI032: {
    remedy: "Add the label cluster.x-k8s.io/CONTRACT, and name the definition after its plural and group.",
  },
  CAPI033: {
    remedy: "Provide machine templates for each pool, or set --machine-management machine-api.",
    why: "A MachineDeployment refers to a machine template of its infrastructure provider. If slipway has none for the platform, you must provide it.",
    example: "slipway create infrastructure-manifests --dir cluster --machine-management machine-api",
  },
  CAPI034: {
    remedy: "Delete the file if the Machine API must not manage these machines.",
  },
  CAPI035: {
    remedy: "Move the value to a Secret if the provider supports a reference.",
  },
  CAPI040: {
    remedy: "Set mac-address for each Ethernet interface in networkConfig.",
  },
  CAPI041: {
    remedy: "Remove the field, or use --control-plane-provider openshift.",
  },
  CAPI042: {
    remedy: "Use --release-image with a tag such as 4.22.3-x86_64.",
  },
  CAPI043: {
    remedy: "Use a unique file name in openshift/.",
  },
  CAPI044: {
    remedy: "Use --custom-infrastructure DIR, or --control-plane-provider openshift.",
    why: "assisted-service installs machines that boot its discovery image. slipway generates the objects for this only on bare metal.",
    example: "slipway create infrastructure-manifests --dir cluster --control-plane-provider openshift",
  },
  CAPI045: {
    remedy: "Correct the object as described in the message.",
  },
  CAPI046: {
    remedy: "Use a clusterNetwork CIDR with the reported prefix length or a shorter one.",
  },
  CAPI047: {
    remedy: "Run slipway create infrastructure-manifests instead, or use --control-plane-provider openshift.",
  },
  CAPI050: {
    remedy: "Write the duration with units, such as 10m0s.",
    why: "The API server accepts any text. Controllers read it as a Go duration, and fail to read the object and every LIST that contains it.",
    example: "nodeDrainTimeout: 10m0s",
  },
  CAPI051: {
    remedy: "Run slipway create infrastructure-manifests, or ask about the directory that is applied.",
    why: "Only infrastructure-manifests is applied to a management cluster. A cluster installed from Ignition configs never reads the directory again.",
    example: "slipway create infrastructure-manifests --dir cluster",
  },
  CAPI052: {
    remedy: "Take the dump with the printed command, which lists every kind of the directory.",
    why: "Whether a change has an effect depends on whether the cluster is installed, which the control plane's status says.",
    example: "slipway upgrade-impact --dir cluster    # prints the command",
  },
  CAPI048: {
    remedy:
      "Add the reported annotation to the host, then run slipway create infrastructure-manifests again.",
    why: "The new cluster's bare metal operator takes over its control plane hosts. If the management cluster also manages them, each powers the host on and off.",
    example: `metadata:
  annotations:
    baremetalhost.metal3.io/paused: ""`,
  },
  CAPI101: {
    remedy:
      "Change the value as described in the message; otherwise the provider's webhook rejects the object.",
    why: "slipway checks the objects against the admission rules of the Cluster API provider, so that kubectl apply does not fail later.",
    example: "onHostMaintenance: Terminate    # required with confidentialCompute on Google Cloud",
  },
  CAPI102: {
    remedy: "Check the value against the provider version that you run.",
    why: "The provider accepts the object, but known provider versions do not implement the field or do something else with it.",
    example: "bootType: UEFI    # instead of SecureBoot, which the Nutanix provider does not set",
  },
  REC002: {
    remedy: "Add the file that contains it to --from.",
  },
  REC003: {
    remedy: "Choose one with --control-plane NAMESPACE/NAME.",
    why: "A directory belongs to one cluster.",
    example: "slipway reconstruct --from manifests --control-plane birds/heron --dir scratch",
  },
  REC004: {
    remedy: "Correct the fields as described in the message.",
  },
  REC005: {
    remedy:
      "Add every folder with the cluster's manifests to --from, including infrastructure-manifests-secrets/.",
    why: "The Secret has the cluster's keys and identity. The directory cannot be rebuilt without it.",
    example:
      "slipway reconstruct --from infrastructure-manifests infrastructure-manifests-secrets --dir scratch",
  },
  REC006: {
    remedy: "Use the Secret that create infrastructure-manifests wrote.",
  },
  REC007: {
    remedy: "Correct manifestsSelector; the API server rejects it.",
    why: "An invalid selector selects nothing, so the cluster would get none of the manifests.",
    example: `manifestsSelector:
  matchLabels:
    cluster.openshift.io/ignition: include`,
  },
  REC008: {
    remedy: "Correct the selector, or add the missing folder to --from.",
    why: "The cluster gets exactly the files of the selected Secrets, or the default manifests if the selector is not set.",
    example: `manifestsSelector:
  matchLabels:
    cluster.x-k8s.io/cluster-name: heron-abcde
    cluster.openshift.io/ignition: include`,
  },
  REC009: {
    remedy: "Correct its annotation and label.",
    why: "The annotation specifies which file of manifests/ or openshift/ the Secret contains.",
    example: `metadata:
  annotations:
    cluster.openshift.io/manifest-path: openshift/99_my-config.yaml`,
  },
  REC010: {
    remedy: "Correct the annotation of the Secret.",
    why: "Only these two folders reach the bootstrap node; other paths could overwrite files of the directory.",
    example: "cluster.openshift.io/manifest-path: openshift/99_my-config.yaml",
  },
  REC011: {
    remedy: "Remove one of the two Secrets, or its labels.",
    why: "Only one of the two can be written, and slipway cannot decide which.",
    example: `metadata:
  labels:
    cluster.openshift.io/ignition: include    # remove this label from one of them`,
  },
  REC012: {
    remedy: "Rename one of the two files.",
    why: "The bootstrap copies manifests/ and openshift/ into one folder, where a file of openshift/ replaces one of the same name.",
    example:
      "cluster.openshift.io/manifest-path: openshift/99_my-proxy.yaml    # not the name of a file in manifests/",
  },
  REC013: {
    remedy: "Remove the outdated one from --from.",
  },
  REC014: {
    remedy: "Add the folder with its Secret to --from if it was not removed on purpose.",
  },
  REC015: {
    remedy: "Use labels in the selector that only manifest Secrets have.",
    why: "The selector matches a Secret that wraps no file, usually because the labels are too general.",
    example: `manifestsSelector:
  matchLabels:
    cluster.openshift.io/ignition: include`,
  },
  REC016: {
    remedy: "Set metadata.namespace, or add --namespace NAMESPACE.",
    why: "A selector works within one namespace. Without a namespace it is unknown whether the Secret is selected.",
    example: "slipway reconstruct --from manifests --namespace birds --dir scratch",
  },
  REC017: {
    remedy: "Specify a new or empty directory with --dir.",
    why: "Files of two clusters must not be mixed, and existing files are never overwritten.",
    example: "slipway reconstruct --from manifests --dir new-directory",
  },
  REC018: {
    remedy: "Wrap the state that slipway create manifests wrote.",
  },
  REC019: {
    remedy: "Use the install-state Secret of this cluster.",
  },
  REC020: {
    remedy: "Check the path and the output of the program.",
  },
  REC021: {
    remedy: "Use openshift-install of the cluster's release.",
  },
  REC022: {
    remedy: "Specify the image for the next phase with --release-image PULLSPEC.",
  },
  REC023: {
    remedy: "Remove --installer and let slipway continue, or use RSA keys.",
  },
};
