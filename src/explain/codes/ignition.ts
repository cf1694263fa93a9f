/** Ignition configs, bootstrap and manifests: remedies of the diagnostics. */
import type { Remedies } from "./remedy.js";

export const IGNITION: Remedies<"IGN" | "BOOT" | "KUB"> = {
  IGN001: {
    remedy: "Add --release-image PULLSPEC, by digest.",
    why: "On the platforms none and external the bootstrap node renders manifests with the release image, so bootstrap.ign must specify it. It is stored in the state after the first run.",
    example:
      "slipway create ignition-configs --dir cluster --release-image quay.io/openshift-release-dev/ocp-release@sha256:…",
  },
  IGN002: {
    remedy: "Keep one of the two files.",
  },
  IGN003: {
    remedy: "Set apiVersion, kind and metadata.name.",
  },
  IGN004: {
    remedy: "Run: slipway create manifests --theirs manifests/cvo-overrides.yaml.",
  },
  IGN005: {
    remedy: "Restore the expected form of spec.overrides.",
  },
  IGN006: {
    remedy: "Complete the file with openshift-install of the same release, as the message shows.",
    why: "On most platforms slipway generates certificates and manifests but not the boot scripts, keepalived and CoreDNS of the bootstrap machine.",
    example:
      "slipway reconstruct --from cluster/infrastructure-manifests --dir scratch --installer ./openshift-install",
  },
  IGN007: {
    remedy: "Test it before you rely on it, or let openshift-install write the file.",
    why: "slipway generates its own boot sequence, based on the installer's. The project has not tested it on a machine.",
    example:
      "slipway reconstruct --from cluster/infrastructure-manifests --dir scratch --installer ./openshift-install",
  },
  IGN008: {
    remedy: "Run: slipway create single-node-ignition-config.",
  },
  IGN009: {
    remedy: "Use a PEM block of the type RSA PRIVATE KEY, as written by openssl rsa -traditional.",
  },
  IGN010: {
    remedy: "Set controlPlane.replicas: 1 and bootstrapInPlace.installationDisk.",
  },
  IGN020: {
    remedy: "Run: slipway create ignition-configs --renew, and use the files before the reported time.",
    why: "Some bootstrap certificates are valid for 24 hours, as with openshift-install. Machines that boot later cannot join.",
    example: "slipway create ignition-configs --dir cluster --renew",
  },
  IGN030: {
    remedy: "Correct the field; the Ignition specification lists the fields of each version.",
    why: "Ignition rejects a config with unknown or wrongly typed fields, and the machine stops in the initramfs.",
    example: `ignition: {version: 3.2.0}
storage:
  files:
  - path: /etc/motd
    mode: 420         # a decimal number, not "0644"`,
  },
  IGN031: {
    remedy: "Set ignition.version to the highest version that the message allows.",
  },
  IGN032: {
    remedy: "Merge the two entries into one.",
  },
  IGN033: {
    remedy: 'Use an absolute path without "." and "..", and not below a file or link.',
  },
  IGN034: {
    remedy: "Write the mode in decimal, such as 420 for 0644.",
  },
  IGN035: {
    remedy: "Correct the URL, the data or the compression.",
  },
  IGN036: {
    remedy: "Correct the unit's name or content as described in the message.",
  },
  IGN037: {
    remedy: "Use sha512-HEX or, since 3.1, sha256-HEX.",
  },
  IGN038: {
    remedy: "Remove one of them.",
  },
  IGN039: {
    remedy: "Correct the entry as described in the message.",
  },
  IGN050: {
    remedy: "Host the file on a server and refer to it with --shim-source ROLE=URL.",
    why: "Clouds limit the user data of a machine. A small pointer config fetches the large one.",
    example:
      "slipway create ignition-configs --dir cluster --shim-source bootstrap=https://server.example.com/bootstrap.ign",
  },
  IGN051: {
    remedy: "Use ROLE=URL with an https URL that the machine can reach.",
  },
  IGN052: {
    remedy: "Host the file on a server and refer to it with --shim-source ROLE=URL.",
  },
  BOOT001: {
    remedy: "Rename one of the two files; only one would be applied.",
  },
  BOOT002: {
    remedy: "Choose another file name.",
  },
  BOOT003: {
    remedy: "Run: slipway create manifests --split-documents.",
    why: "The bootstrap loads one object per file. Further documents are silently ignored.",
    example: "slipway create manifests --dir cluster --split-documents",
  },
  BOOT004: {
    remedy: "Run: slipway create manifests --split-documents.",
  },
  BOOT005: {
    remedy: "Add a manifest for the Namespace.",
    why: "The bootstrap retries the object until its namespace exists. If nothing creates it, the installation does not complete.",
    example: `apiVersion: v1
kind: Namespace
metadata:
  name: monitoring`,
  },
  BOOT006: {
    remedy: "Set metadata.namespace.",
  },
  BOOT007: {
    remedy: "Add the label machineconfiguration.openshift.io/role with the name of a pool.",
    why: "The machine config operator renders only objects that a pool selects. Others are stored but never applied to a node.",
    example: `metadata:
  labels:
    machineconfiguration.openshift.io/role: worker`,
  },
  BOOT008: {
    remedy: "Rename the conflicting file, or split the file manually.",
  },
  BOOT010: {
    remedy: "Generate the files again from one state.",
  },
  BOOT011: {
    remedy: "Generate the Ignition configs again from the current install-config.",
  },
  BOOT012: {
    remedy: "Generate the files again from one state.",
  },
  BOOT013: {
    remedy: "Add an imageDigestSources entry for the release image's repository.",
  },
  BOOT015: {
    remedy: "Compile it with butane, and put the output in the folder.",
  },
  BOOT016: {
    remedy: "Correct the object as described in the message.",
  },
  BOOT017: {
    remedy: "Rename the file so that it does not begin with a dot.",
  },
  BOOT018: {
    remedy: "Add the manifests of your cloud controller manager, or leave cloudControllerManager empty.",
    why: "With an external cloud provider every node has the taint node.cloudprovider.kubernetes.io/uninitialized until a cloud controller manager removes it. Without a cloud controller manager, no pods are scheduled.",
    example: `platform:
  external:
    platformName: my-cloud
    cloudControllerManager: External`,
  },
  BOOT023: {
    remedy: "Enable the capability, or remove the object.",
    why: "The definition of the kind is part of the capability. Without it, no API has the kind, and the bootstrap gives up after some time.",
    example: `capabilities:
  baselineCapabilitySet: None
  additionalEnabledCapabilities: [OperatorLifecycleManager, marketplace]`,
  },
  BOOT022: {
    remedy: "Correct kind and apiVersion, or remove the object.",
    why: "The bootstrap waits for an API that has this kind and gives up after some time.",
    example: `apiVersion: apps/v1
kind: Deploymnet    # wrong
kind: Deployment    # right`,
  },
  KUB001: {
    remedy:
      "Correct the name, label or annotation as described in the message; remove fields that only a server sets.",
    why: "The API server rejects the object. Objects copied from a cluster contain fields such as resourceVersion that must not be set on creation.",
    example: `metadata:
  name: My_Config    # wrong: lowercase letters, digits, "-" and "." only
  name: my-config    # right`,
  },
  KUB002: {
    remedy: "Use base64 in data, or plain text in stringData.",
    why: 'The API server rejects a Secret whose data is not base64, and keys with characters other than letters, digits, "-", "_" and ".".',
    example: `stringData:
  password: plain text is allowed here`,
  },
  KUB003: {
    remedy: "Correct the field as described in the message.",
    why: "The API server validates objects against the schema of their kind. slipway knows the kinds of Kubernetes and OpenShift; to add CRDs, set --crds DIR.",
    example: "slipway validate --dir cluster --crds crds",
  },
  KUB004: {
    remedy: "Remove the field or correct its spelling; the API server would drop it.",
    why: "The API server removes unknown fields on creation, so the setting is lost without an error.",
    example: `spec:
  replica: 3     # wrong
  replicas: 3    # right`,
  },
  KUB005: {
    remedy: "Correct the field as described in the message.",
  },
  KUB006: {
    remedy: "Check the object with kubectl apply --dry-run=server.",
  },
  KUB007: {
    remedy: "Correct the CRD as described in the message.",
  },
  KUB008: {
    remedy: "Decrypt the file first with sops -d.",
  },
};
