/** Versions, feature gates and APIs: remedies of the diagnostics. */
import type { Remedies } from "./remedy.js";

export const COMPATIBILITY: Remedies<"VER" | "GATE" | "API" | "SKEW" | "PLAN" | "USE" | "CMP"> = {
  VER001: {
    remedy: "Use MAJOR.MINOR, such as 1.35.",
  },
  VER002: {
    remedy: "Use MAJOR.MINOR, such as 1.35.",
    why: "Emulation selects the behavior of a minor release. It is the same in all patch releases.",
    example: "--emulated-version 1.35    # not 1.35.2",
  },
  VER003: {
    remedy: "Set it once; a version without a component applies to kube.",
  },
  VER004: {
    remedy: "Use one of the listed components.",
  },
  VER005: {
    remedy: "Use a version in the reported range.",
    why: "A binary can emulate its own minor release and a few before it.",
    example: "slipway compat version --binary-version 1.36 --emulated-version 1.34",
  },
  VER006: {
    remedy: "Use a version in the reported range.",
    why: "The minimum compatibility version must not be newer than the emulated version.",
    example:
      "slipway compat version --binary-version 1.36 --emulated-version 1.35 --min-compatibility-version 1.34",
  },
  VER007: {
    remedy: "Set the version of the component that the message shows.",
  },
  VER008: {
    remedy: "Enable the gate, or remove the version flags.",
  },
  VER009: {
    remedy: "Remove it, or choose a newer release.",
  },
  VER010: {
    remedy: "Remove the overrides before you upgrade the cluster.",
  },
  VER011: {
    remedy: "Use a Kubernetes version such as 1.36, or a supported OpenShift release.",
  },
  VER012: {
    remedy: "Use one of the listed releases.",
  },
  VER013: {
    remedy: "Pass --coreos-stream with the stream that this release's openshift-install prints.",
    why: "slipway has one set of tables for each minor release. A patch release such as 4.22.7 can have other boot images and defaults than the commit that the tables follow; slipway --version prints that commit.",
    example: "slipway create manifests --dir DIR --release 4.22.7 --coreos-stream stream.json",
  },
  VER014: {
    remedy: "Use MAJOR.MINOR.",
    why: "Components read the numbers at the start of a version and ignore what follows: 1.3x means 1.3, and 1.33.x means 1.33.",
    example: "--emulated-version=1.36",
  },
  VER015: {
    remedy: "Remove the flag, or use the metrics of the component that you mean.",
  },
  GATE101: {
    remedy: 'Add version: "MAJOR.MINOR".',
  },
  GATE102: {
    remedy: "Use MAJOR.MINOR.",
  },
  GATE103: {
    remedy: "Add a spec of the version without a minimum before it.",
  },
  GATE104: {
    remedy: "Use MAJOR.MINOR.",
  },
  GATE105: {
    remedy: "Use the version of the spec or an older one.",
  },
  GATE106: {
    remedy: "Add the spec of the first version before it.",
  },
  GATE107: {
    remedy: "Sort the specs by version.",
  },
  GATE108: {
    remedy: "Sort the specs by minimum compatibility version.",
  },
  GATE109: {
    remedy: "Merge the two specs, or set the minimum compatibility version of the second.",
    why: "A gate has exactly one state per version and minimum compatibility version. A versioned_feature_list.yaml omits the minimum: pass it with --annotations, or use the built-in table, --table kubernetes@RELEASE.",
    example: `versionedSpecs:
- {version: "1.35", preRelease: Alpha, default: false}
- {version: "1.36", preRelease: Beta, default: true}`,
  },
  GATE110: {
    remedy: "Use one stage per version.",
  },
  GATE111: {
    remedy: "Use one value per version.",
  },
  GATE112: {
    remedy: "Remove the spec.",
  },
  GATE113: {
    remedy: "Keep lockToDefault: true in later versions.",
  },
  GATE114: {
    remedy: "Remove the later specs, or do not deprecate the gate.",
  },
  GATE115: {
    remedy: "Use the same or a more stable stage in later versions.",
  },
  GATE116: {
    remedy: "Use lists of one release only.",
  },
  GATE117: {
    remedy: "Use --rules kep, or remove the spec.",
    why: "KEP-4330 describes a stage Removed. Released Kubernetes deletes the gate from its list instead.",
    example: "slipway compat lint --table gates.yaml --rules kep",
  },
  GATE118: {
    remedy: "Remove the later specs.",
  },
  GATE120: {
    remedy: "Declare the gate, or remove the dependency.",
    why: "A dependency on a gate that does not exist can never be satisfied.",
    example: "MyGate: [OtherGate]    # OtherGate must be in the table",
  },
  GATE121: {
    remedy: "Depend only on gates of the same or a more stable stage.",
  },
  GATE122: {
    remedy: "Enable the other gate by default first.",
  },
  GATE123: {
    remedy: "Lock the other gate first.",
  },
  GATE124: {
    remedy: "Remove one of the dependencies.",
  },
  GATE125: {
    remedy: "Enable the other gate, or disable this one.",
  },
  GATE130: {
    remedy: "Use NAME=true or NAME=false.",
  },
  GATE131: {
    remedy: "Use true or false.",
    why: "The components parse the value with Go's strconv.ParseBool and do not start with any other text.",
    example: `--feature-gates MyGate=yes     # wrong
--feature-gates MyGate=true    # right`,
  },
  GATE132: {
    remedy: "Correct the spelling, or remove the gate.",
    why: "An unknown gate keeps a component from starting. Gates are removed from the list some releases after GA.",
    example: "slipway compat gates --table kubernetes --binary-version 1.36 --feature-gates AllAlpha=false",
  },
  GATE133: {
    remedy: "Remove the gate from the flag.",
  },
  GATE134: {
    remedy: "Remove the gate from the flag.",
    why: "A gate that is locked to its default accepts only the default. The component does not start otherwise.",
    example: "--feature-gates MyGate=false    # rejected if MyGate is locked to true",
  },
  GATE135: {
    remedy: "Use one of the two forms throughout.",
  },
  GATE136: {
    remedy: "Remove the gate from the flag before it is removed from Kubernetes.",
    why: "The setting still works, but once the gate is deleted, the component does not start with it.",
    example: "slipway compat lifecycle --table kubernetes --current 1.37",
  },
  GATE137: {
    remedy: "Disable it while you emulate an earlier version.",
  },
  GATE138: {
    remedy: "Remove the gate from the flag.",
  },
  GATE139: {
    remedy: "Remove the emulated version or the gate.",
    why: "KEP-4330 supports emulation of beta and GA behavior only, because alpha behavior may change in any release.",
    example:
      "slipway compat gates --table kubernetes --binary-version 1.36 --emulated-version 1.35 --rules kep",
  },
  GATE141: {
    remedy: "Add since: the first release with the change.",
  },
  GATE142: {
    remedy: "Set until to a release after since.",
  },
  GATE143: {
    remedy: "Check the spelling of the gate.",
  },
  GATE144: {
    remedy: "Keep one of the two entries.",
  },
  GATE145: {
    remedy: "Enable the API with --runtime-config, or turn the gate off.",
    why: "With the gate on, kube-apiserver watches the API. If it does not serve it, the watch never starts, and the server never becomes ready.",
    example: `--feature-gates=CoordinatedLeaderElection=true
--runtime-config=coordination.k8s.io/v1beta1=true`,
  },
  API001: {
    remedy: "Use introduced before deprecated before removed.",
  },
  API010: {
    remedy: "Use group/version, group/version/resource, or api/all, api/ga, api/beta or api/alpha.",
  },
  API011: {
    remedy: "Use true or false.",
    why: "The API server accepts only booleans and does not start otherwise.",
    example: "--runtime-config batch/v1beta1=true",
  },
  API012: {
    remedy: "Enable at least one version.",
  },
  API013: {
    remedy: "Remove it or correct its spelling.",
    why: "The API server refuses to start with a group that it does not know.",
    example: "--runtime-config storage.k8s.io/v1beta1=true",
  },
  API014: {
    remedy: "Use one of the registered versions.",
    why: "The API server refuses to start with a version that its binary does not have.",
    example: "--runtime-config resource.k8s.io/v1beta1=true",
  },
  API015: {
    remedy: "Use a newer emulated version.",
  },
  API016: {
    remedy: "Use another version of the API, and remove the setting.",
    why: "The setting has no effect: the API server no longer has the code for that version.",
    example: "--runtime-config flowcontrol.apiserver.k8s.io/v1beta3=true    # removed in 1.32",
  },
  API017: {
    remedy: "Remove the emulated version or the setting.",
  },
  API018: {
    remedy: "Disable it while you emulate an earlier version.",
  },
  API019: {
    remedy: "Add --feature-gates NAME=true.",
  },
  API020: {
    remedy: "Use a minimum compatibility version closer to the emulated version.",
  },
  API021: {
    remedy: "Remove the pin or correct its resource.",
  },
  API022: {
    remedy: "Use a version of the resource.",
  },
  API023: {
    remedy: "Serve the API, or turn off what requires it.",
    why: "kube-apiserver watches some APIs itself. If one of them is not served, the watch never starts, and the server never becomes ready or exits.",
    example: `--feature-gates=CoordinatedLeaderElection=true
--runtime-config=coordination.k8s.io/v1beta1=true`,
  },
  API024: {
    remedy: "Keep flowcontrol.apiserver.k8s.io/v1 on, or set --enable-priority-and-fairness=false.",
    why: "kube-apiserver checks this before it starts, and exits.",
    example: "--runtime-config=api/all=false,api/v1=true,flowcontrol.apiserver.k8s.io/v1=true",
  },
  SKEW001: {
    remedy:
      "Use a ComponentInventory, or the output of: kubectl get nodes,leases,leasecandidates -A -o yaml.",
  },
  SKEW002: {
    remedy: "Remove the component from the inventory.",
  },
  SKEW003: {
    remedy: "Add the LeaseCandidates, or list the component in a ComponentInventory.",
  },
  SKEW004: {
    remedy: "Upgrade the components in an order that keeps them in range.",
    why: "Components outside the range may misread fields or rely on behavior that the API server no longer has.",
    example: "slipway compat skew --inventory nodes-and-leases.yaml --binary-version 1.36",
  },
  SKEW005: {
    remedy: "Use --hops minor if your support contract requires the published policy.",
    why: "The published policy is based on binary versions. It was written before emulated versions existed.",
    example:
      "slipway compat plan --from 1.34 --to 1.37 --table kubernetes --lifecycle apis.yaml --hops minor",
  },
  PLAN001: {
    remedy: "Add the older release's list: --table OLD NEW.",
  },
  PLAN002: {
    remedy: "Use a newer release to upgrade, or an older one to roll back.",
    why: "A plan is a sequence of steps from one minor release to another.",
    example: "slipway compat plan --from 1.34 --to 1.36 --table kubernetes",
  },
  PLAN003: {
    remedy: "Restore the etcd backup that was taken with the older release.",
  },
  PLAN004: {
    remedy: "Finish the current upgrade first, or start the plan from the emulated version.",
    why: "A component with --emulated-version behaves like an older release, so its upgrade is not complete.",
    example: "slipway compat plan --from 1.35 --to 1.36 --table kubernetes --gates-from kube-apiserver.yaml",
  },
  CMP001: {
    remedy: "Remove the flag from the file before the component is upgraded.",
    why: "A component that is started with a flag that it does not know exits at once.",
    example: `- --cloud-provider=external   # kube-apiserver 1.33: unknown flag: --cloud-provider`,
  },
  CMP002: {
    remedy: "Correct the name of the flag, or set it after the upgrade.",
    why: "A component that is started with a flag that it does not know exits at once.",
    example: `slipway compat flags kube-apiserver --from 1.36 --to 1.37`,
  },
  CMP003: {
    remedy: "Move the setting to where the message says; a later release removes the flag.",
    why: "Deprecated flags of the kubelet are fields of its KubeletConfiguration.",
    example: `maxPods: 250          # KubeletConfiguration, in the place of --max-pods=250`,
  },
  USE001: {
    remedy: "Change the object to the version that the message names, before the upgrade.",
    why: "After the upgrade the API server answers 404: neither you, nor Helm, nor a controller can apply or delete the object.",
    example: `apiVersion: networking.k8s.io/v1beta1   # not served from 1.22 on
apiVersion: networking.k8s.io/v1        # served since 1.19`,
  },
  USE002: {
    remedy: "Apply the object after the upgrade to the release that the message names.",
    why: "An older API server answers 404.",
    example: `slipway compat usage manifests --from 1.33 --to 1.34   # resource.k8s.io/v1 is served from 1.34 on`,
  },
  USE003: {
    remedy:
      "Use a version that is on by default; if your API servers enable this one, set --runtime-config and --feature-gates to their settings.",
    why: "Alpha APIs and, since 1.24, new beta APIs are served only when they are enabled.",
    example: `slipway compat usage manifests --from 1.36 --to 1.37 --runtime-config storage.k8s.io/v1alpha1=true`,
  },
  USE004: {
    remedy: "Change the object to the version that the message names before the old one is removed.",
    why: "A deprecated version still works; a later release removes it.",
    example: `apiVersion: v1
kind: Endpoints      # deprecated since 1.33; use discovery.k8s.io/v1 EndpointSlice`,
  },
  USE005: {
    remedy: "Remove the field, or set it after the upgrade.",
    why: "An API server that does not know a field drops it without an error, unless the client asks for strict validation.",
    example: `kubectl apply --validate=strict -f pod.yaml   # rejects unknown fields`,
  },
  USE006: {
    remedy: "Remove the field, or set --feature-gates to the settings of your API servers.",
    why: "While the gate is off, the API server drops the field of new objects without an error.",
    example: `slipway compat usage manifests --from 1.36 --to 1.37 --feature-gates MaxUnavailableStatefulSet=true`,
  },
  USE007: {
    remedy: "Rewrite the expression without the function, or apply the object later.",
    why: "An API server compiles new expressions with the functions that the release before it has too, so that it can be rolled back.",
    example: `quantity("1Gi").compareTo(x)   # rejected by servers that do not have quantity()`,
  },
  USE008: {
    remedy: "Change the name to an API that is served, or remove it.",
    why: "The API server accepts the object, but the rule, target or owner no longer matches anything.",
    example: `rules:
- apiGroups: ["networking.k8s.io"]   # not "extensions"
  resources: ["ingresses"]`,
  },
  USE012: {
    remedy: "Update the client before the upgrade; the audit log names program and user.",
    why: "After the upgrade its requests are answered with 404.",
    example: `kubectl get --raw /metrics > metrics.txt
slipway compat usage metrics.txt audit.log --from 1.24 --to 1.25`,
  },
  USE011: {
    remedy: "Change the object by hand, as the message says.",
    why: "slipway rewrites only what means the same in both versions; where the meaning changes, only you know which one is intended.",
    example: `apiVersion: policy/v1beta1
kind: PodDisruptionBudget
spec:
  selector: {}     # no pods in policy/v1beta1, all pods in policy/v1`,
  },
  USE010: {
    remedy: "Render the chart with helm template, and pass the output with -.",
    why: "Only the rendered objects have versions and fields.",
    example: "helm template shop ./chart | slipway compat usage - --to 1.37",
  },
  USE009: {
    remedy: "Update the program or the manifest that writes the old version, then apply it again.",
    why: "The stored object is converted, but its next apply fails after the upgrade.",
    example: `kubectl get pdb web -o yaml --show-managed-fields   # manager and apiVersion of each writer`,
  },
};
