/**
 * What is left to do with the objects, since slipway never talks to a cluster (docs/reference/source-designs.md §6):
 * the API first, then the objects in name order, then what to wait for.
 */
import type { OutputFile } from "../../core/files.js";
import { crdName } from "../../crd/definition.js";
import { OPENSHIFT_CONTROL_PLANE } from "../../crd/openshift-control-plane.js";
import { CLIENT_APPLY_LIMIT } from "../../kubernetes/secrets.js";
import {
  besideOf,
  chained,
  commandLine,
  makePrivateFolder,
  pathWord,
  shellWord,
  wordIn,
} from "../../text/shell.js";
import type { Identity, InfrastructureOptions } from "../assets.js";
import type { NextStep } from "../next-step.js";
import {
  INFRASTRUCTURE_CLUSTER_FILE,
  INFRASTRUCTURE_FOLDER,
  NAMESPACE_FILE,
  SECRETS_FOLDER,
  SHARED_FOLDER,
} from "./layout.js";

export interface NextStepsInput {
  readonly identity: Identity;
  readonly options: Pick<InfrastructureOptions, "namespace" | "secrets" | "controlPlaneApiVersion">;
  /** Name of the Cluster where it is not the infraID. */
  readonly cluster: string;
  /** The files of the phase as they are on disk after the run. */
  readonly files: readonly OutputFile[];
  /** True when something is left for the user to put in: the provider's objects, or values in them. */
  readonly placeholders: boolean;
  /** The asset directory as the user names it. */
  readonly directory: string;
}

/** Folder that the commands write the API to. */
const API_FOLDER = "openshift-control-plane-api";

const OWN_API: NextStep = {
  id: "definitions",
  what: "Install the OpenShiftControlPlane API (Tech Preview) and your controller for it in the management cluster. No controller is published; for a published one, use --control-plane-provider openshift-assisted",
  commands: [
    `slipway generate crds --out ${API_FOLDER}`,
    `kubectl apply --server-side -f ${pathWord(`${API_FOLDER}/${crdName(OPENSHIFT_CONTROL_PLANE)}.yaml`)} -f ${API_FOLDER}/openshiftcontrolplanes.clusterrole.yaml`,
    `kubectl wait --for=condition=Established --timeout=1m ${shellWord(`crd/${crdName(OPENSHIFT_CONTROL_PLANE)}`)}`,
  ],
};

const ASSISTED_API: NextStep = {
  id: "definitions",
  what: "Check that the openshift-assisted providers, the infrastructure provider and assisted-service run in the management cluster",
  commands: [
    `kubectl wait --for=condition=Established --timeout=1m ${[
      "openshiftassistedcontrolplanes.controlplane.cluster.x-k8s.io",
      "openshiftassistedconfigtemplates.bootstrap.cluster.x-k8s.io",
      "infraenvs.agent-install.openshift.io",
    ]
      .map((crd) => shellWord(`crd/${crd}`))
      .join(" ")}`,
  ],
};

export function nextSteps(input: NextStepsInput): NextStep[] {
  const { identity, options, placeholders, directory } = input;
  const name = options.controlPlaneApiVersion === undefined ? identity.infraID : input.cluster;
  const path = (name: string): string => wordIn(directory, name);
  const folder = path(INFRASTRUCTURE_FOLDER);
  const shared = input.files.some((file) => file.path.startsWith(`${SHARED_FOLDER}/`))
    ? [`kubectl apply --server-side -k ${path(SHARED_FOLDER)}`]
    : [];
  const cluster = commandLine(["-n", options.namespace, `cluster/${name}`]);
  const access = besideOf(directory, "access");
  const kubeconfig = wordIn(access, `${name}.kubeconfig`);
  return [
    options.controlPlaneApiVersion === undefined ? OWN_API : ASSISTED_API,
    ...(placeholders
      ? [
          {
            id: "placeholders",
            what: input.files.some((file) => file.path.endsWith(`/${INFRASTRUCTURE_CLUSTER_FILE}`))
              ? "Replace every REPLACE-ME with your own value; the next check lists them"
              : "Set --custom-infrastructure DIR to a folder with your provider's infrastructure cluster and machine template, or add them to infrastructure-manifests and its kustomization.yaml and replace REPLACE-ME with their names",
            commands: [],
          } as const,
        ]
      : []),
    {
      id: "validate",
      what: "Check the objects before you apply them",
      commands: [`slipway validate --dir ${pathWord(directory)}`],
    },
    {
      id: "apply",
      what: `Apply the objects in the order of their file names${largeNote(input.files)}`,
      commands:
        options.secrets === "inline"
          ? [...shared, `kubectl apply --server-side -k ${folder}`]
          : [
              ...shared,
              `kubectl apply --server-side -f ${path(`${INFRASTRUCTURE_FOLDER}/${NAMESPACE_FILE}`)}`,
              options.secrets === "sops"
                ? `for file in ${path(SECRETS_FOLDER)}/[0-9]*.yaml; do sops decrypt "$file" | kubectl apply --server-side -f -; done`
                : `kubectl apply --server-side -k ${path(SECRETS_FOLDER)}`,
              `kubectl apply --server-side -k ${folder}`,
            ],
    },
    {
      id: "wait",
      what: "Wait until the infrastructure is ready and the control plane is initialized",
      commands: [
        `kubectl wait --for=condition=InfrastructureReady --timeout=30m ${cluster}`,
        `kubectl wait --for=condition=ControlPlaneInitialized --timeout=60m ${cluster}`,
      ],
    },
    {
      id: "operators",
      what: "Save the kubeconfig of the new cluster to a private folder that Git ignores, and wait until its operators are available",
      commands: [
        chained([
          ...makePrivateFolder(access),
          `kubectl get secret -n ${shellWord(options.namespace)} ${shellWord(`${name}-kubeconfig`)} -o jsonpath='{.data.value}' | base64 -d > ${kubeconfig}`,
        ]),
        `kubectl --kubeconfig ${kubeconfig} wait --for=condition=Available --timeout=60m clusteroperators --all`,
      ],
    },
  ];
}

/** Secrets that client-side apply cannot take, since it copies the whole object into an annotation. */
function largeNote(files: readonly OutputFile[]): string {
  const large = files.filter(({ secret, data }) => secret && data.length > (CLIENT_APPLY_LIMIT * 4) / 3);
  if (large.length === 0) return "";
  const names = large.map(({ path }) => path.replace(/^.*\//, ""));
  return `, server-side because ${names.join(", ")} ${large.length === 1 ? "is" : "are"} too large for client-side apply`;
}
