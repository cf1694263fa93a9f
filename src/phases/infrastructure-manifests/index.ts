/**
 * The infrastructure-manifests phase: the Cluster API objects of the cluster, and the files of the phases before
 * wrapped into Secrets as they are on disk at this moment (docs/reference/cluster-api.md §1, §4;
 * docs/reference/source-designs.md §1.1).
 */
import { byCodeUnit, IGNORE_ALL, type OutputFile, textFile } from "../../core/files.js";
import type { JsonObject } from "../../core/json.js";
import { info, type Problem, problem, warning } from "../../core/problem.js";
import { CONTROL_PLANE_API_VERSION, CONTROL_PLANE_KIND } from "../../crd/openshift-control-plane.js";
import { formatIdentity, identityKey, identityOf } from "../../kubernetes/identity.js";
import { POOL_LABEL } from "../../kubernetes/labels.js";
import type { NormalPool } from "../../platforms/config.js";
import type {
  InfrastructureInput,
  PlatformInfrastructure,
  Referent,
  Rendering,
  RuleContext,
} from "../../platforms/platform.js";
import { writeYaml } from "../../text/yaml-write.js";
import { type Assets, definePhase } from "../assets.js";
import { assistedRenderings } from "./assisted/index.js";
import { clusterRendering } from "./cluster.js";
import { controlPlaneRendering } from "./control-plane.js";
import { besideCustom, type CustomObject } from "./custom.js";
import { forGitOps } from "./gitops.js";
import { nameByContent } from "./immutable.js";
import { installStateRendering } from "./install-state.js";
import {
  INFRASTRUCTURE_FOLDER,
  KUSTOMIZATION_FILE,
  NAMESPACE_FILE,
  SECRETS_FOLDER,
  SHARED_FOLDER,
} from "./layout.js";
import { computeRenderings, withOwnTemplates } from "./machine-management.js";
import { manifestRenderings } from "./manifests.js";
import { checkNames } from "./names.js";

/** An object with the name of its file inside the folder. */
interface Placed {
  readonly name: string;
  readonly object: JsonObject;
  /** True for a Secret, and for an object that a secret stands in. */
  readonly secret: boolean;
}

export const infrastructureManifests = definePhase({
  name: "infrastructure-manifests",
  needs: [
    "install-config",
    "install-config-file",
    "identity",
    "facts",
    "credentials",
    "platform",
    "manifest-files",
    "generated-manifests",
    "state",
    "infrastructure-options",
    "custom-infrastructure",
  ],
  summary: "Render the Cluster API objects and wrap the manifests into Secrets",
  run(needs, { release, render, report }) {
    const { identity, "infrastructure-options": options, "custom-infrastructure": custom } = needs;
    if (!checkNames(identity, options, report)) return [];
    const { namespace, controllerNamespace } = options;
    let refused = false;
    const input: InfrastructureInput = {
      config: needs["install-config"].config,
      identity,
      facts: needs.facts,
      credentials: needs.credentials,
      release,
      namespace,
      controllerNamespace,
    };
    const context: RuleContext = {
      release,
      report: ({ at, ...problem }) => {
        refused ||= (problem.severity ?? "error") === "error";
        report({ ...needs["install-config"].position(at ?? problem.field ?? ""), ...problem });
      },
    };
    // What is wrong with objects that are not written is of no concern.
    const ofPlatform = custom === undefined ? context : { release, report: () => undefined };
    const objects =
      options.controlPlaneApiVersion === undefined
        ? openshiftRenderings(needs, input, ofPlatform, report)
        : assistedRenderings(needs, input, context, ofPlatform, report);
    // What the provider refuses is none of what we emit.
    if (refused) return [];
    const renderings: Rendering[] = [
      {
        template: "infrastructure-manifests/00_namespace.yaml",
        // The label that every server gives a Namespace: with a field to own, an apply that is repeated changes nothing.
        view: { name: namespace, labels: { "kubernetes.io/metadata.name": namespace } },
        path: NAMESPACE_FILE,
      },
      ...objects,
    ];
    const rendered = renderings.map(({ template, view, path, secret }): Placed => {
      const object = render.object(template, view);
      return { name: path, object, secret: secret === true || isSecret(object) };
    });
    const own = custom?.objects ?? [];
    const others = withoutDoubles(nameByContent(rendered, options.nameKey), own, report);
    const all = [...others, ...own, ...(options.kept ?? [])]
      .map((each) => ({
        ...each,
        object:
          options.gitops === undefined ? each.object : forGitOps(each.object, each.name, options.gitops),
      }))
      .sort((a, b) => byCodeUnit(a.name, b.name));
    // The folder of shared objects is committed as it is.
    const isApart = ({ object, secret }: Placed): boolean =>
      !secret && options.sharedObjects !== "inline" && isShared(object, identity.infraID);
    const placed = all.filter((each) => !isApart(each));
    const shared = all.filter(isApart);
    const { leftOut } = options;
    const sharedFiles =
      shared.length === 0 ? [] : folder(SHARED_FOLDER, shared, { render: render.object, leftOut });
    if (options.secrets === "inline")
      return [
        ...folder(INFRASTRUCTURE_FOLDER, placed, { render: render.object, leftOut, warn: report }),
        ...sharedFiles,
      ];
    const isSealed = options.secrets === "sops";
    if (!isSealed)
      report(
        info(
          "CAPI008",
          "Invalid",
          "",
          `manifests/, openshift/, the state and install-config.yaml contain secrets (keys, pull secret, credentials); slipway writes none to this folder and .slipway/`,
          {
            file: `${INFRASTRUCTURE_FOLDER}/`,
            hint: "commit only this folder and .slipway/; see docs/asset-directory.md for .gitignore",
          },
        ),
      );
    return [
      ...folder(
        INFRASTRUCTURE_FOLDER,
        placed.filter(({ secret }) => !secret),
        { render: render.object, leftOut },
      ),
      ...(isSealed ? folder : secretsFolder)(
        SECRETS_FOLDER,
        placed.filter(({ secret }) => secret),
        { render: render.object, leftOut },
      ),
      ...sharedFiles,
    ];
  },
});

/** The objects but the Namespace, with the control plane that goes on from the wrapped manifests and the state. */
function openshiftRenderings(
  needs: Pick<
    Assets,
    | "install-config"
    | "install-config-file"
    | "identity"
    | "state"
    | "manifest-files"
    | "infrastructure-options"
    | "custom-infrastructure"
    | "platform"
  >,
  input: InfrastructureInput,
  context: RuleContext,
  report: (problem: Problem) => void,
): Rendering[] {
  const { identity, platform, "infrastructure-options": options, "custom-infrastructure": custom } = needs;
  const ofPlatform = platform.infrastructure(input, context);
  const infrastructure = custom === undefined ? ofPlatform : besideCustom(ofPlatform, custom);
  const manifests = manifestRenderings(needs["manifest-files"], identity, options.namespace, report);
  const state = installStateRendering(needs, options.namespace, report);
  const controlPlane = {
    apiVersion: CONTROL_PLANE_API_VERSION,
    kind: CONTROL_PLANE_KIND,
    name: identity.infraID,
    placeholder: false,
  };
  return [
    ...infrastructure.objects,
    ...(state === undefined ? [] : [state]),
    ...manifests,
    controlPlaneRendering(infrastructure, identity, options, manifests.length > 0, report),
    clusterRendering(infrastructure, controlPlane, options, report),
    ...computeObjects(needs, input, ofPlatform, infrastructure, report),
  ];
}

/** The MachineDeployments of a permanent management cluster, of the platform's own provider. */
function computeObjects(
  needs: Pick<
    Assets,
    "identity" | "platform" | "manifest-files" | "infrastructure-options" | "custom-infrastructure"
  >,
  input: InfrastructureInput,
  ofPlatform: PlatformInfrastructure,
  infrastructure: PlatformInfrastructure,
  report: (problem: Problem) => void,
): Rendering[] {
  const { identity, platform, "manifest-files": files, "infrastructure-options": options } = needs;
  if (options.machines === undefined) return [];
  const ofProvider =
    infrastructure.cluster.kind === ofPlatform.cluster.kind ? platform.compute?.(input) : undefined;
  const own = needs["custom-infrastructure"]?.poolTemplates ?? new Map<string, Referent>();
  const pools = input.config.compute;
  const without = ofProvider === undefined ? pools.filter(({ name }) => !own.has(name)) : [];
  if (without.length > 0 || (pools.length === 0 && ofProvider === undefined))
    report(noMachines(infrastructure, own.size === 0 ? [] : without));
  if (ofProvider === undefined && own.size === 0) return [];
  const compute = withOwnTemplates(ofProvider, own, pools, identity);
  return computeRenderings(compute, identity, options, files, report);
}

/** Where slipway knows no machine template for compute pools, they are the user's to add. */
const noMachines = ({ cluster }: PlatformInfrastructure, pools: readonly NormalPool[]): Problem =>
  warning(
    "CAPI033",
    "NotSupported",
    "",
    `slipway generates no compute machine templates for ${cluster.kind}; ${pools.length === 0 ? "no pool gets" : "these pools do not get"} a MachineDeployment${pools.length === 0 ? "" : `: ${pools.map(({ name }) => name).join(", ")}`}`,
    {
      file: `${INFRASTRUCTURE_FOLDER}/`,
      hint: `add a machine template with the label ${POOL_LABEL}: POOL for each pool to the folder of --custom-infrastructure, or add MachineDeployments to the folder and its kustomization.yaml`,
    },
  );

/** The provider's objects give way to those of the user that are the same; what slipway alone can write does not. */
function withoutDoubles(
  placed: readonly Placed[],
  own: readonly CustomObject[],
  report: (problem: Problem) => void,
): Placed[] {
  const sources = new Map(own.map(({ object, source }) => [identityKey(identityOf(object)), source]));
  return placed.filter(({ name, object }) => {
    const source = sources.get(identityKey(identityOf(object)));
    if (source === undefined) return true;
    if (!/^[14]\d_/.test(name)) {
      const [file = "", line = "0"] = source.split(/:(?=\d+$)/);
      report(
        problem(
          "CAPI031",
          "Duplicate",
          "",
          `slipway generates ${formatIdentity(identityOf(object))} as ${name}`,
          { file, line: Number(line), column: 1, hint: "remove it from the folder" },
        ),
      );
    }
    return false;
  });
}

export const isSecret = (object: JsonObject): boolean => {
  const { group, kind } = identityOf(object);
  return group === "" && kind === "Secret";
};

/**
 * True for an object outside of any namespace that is the same for every cluster: no part of its name is the
 * cluster's. The namespace itself belongs to the cluster's own folder, where `kubectl apply` needs it first.
 */
function isShared(object: JsonObject, infraID: string): boolean {
  const { kind, name, namespace } = identityOf(object);
  return kind !== "Namespace" && namespace === "" && !name.includes(infraID);
}

type RenderObject = (template: "infrastructure-manifests/kustomization.yaml", view: JsonObject) => JsonObject;

interface FolderContext {
  readonly render: RenderObject;
  readonly leftOut: ReadonlySet<string> | undefined;
  readonly warn?: (problem: Problem) => void;
}

function folder(
  name: string,
  placed: readonly Placed[],
  { render, leftOut, warn }: FolderContext,
): OutputFile[] {
  const secrets = placed.filter(({ secret }) => secret).length;
  if (secrets > 0)
    warn?.(
      warning(
        "CAPI007",
        "Invalid",
        "",
        `${secrets} files contain secrets (keys, pull secret, credentials); do not commit the folder`,
        { file: `${name}/`, hint: `set --secrets separate to write these files to ${SECRETS_FOLDER}/` },
      ),
    );
  const kustomization = render("infrastructure-manifests/kustomization.yaml", {
    resources: placed.map((each) => each.name).filter((file) => leftOut?.has(`${name}/${file}`) !== true),
  });
  return [
    ...placed.map(({ name: file, object, secret }) =>
      textFile(`${name}/${file}`, writeYaml(object), { secret }),
    ),
    textFile(`${name}/${KUSTOMIZATION_FILE}`, writeYaml(kustomization)),
  ];
}

/** Everything in it is for the owner alone, so that the folder itself gets mode 0700. */
const secretsFolder = (name: string, placed: readonly Placed[], context: FolderContext): OutputFile[] => [
  textFile(`${name}/.gitignore`, IGNORE_ALL, { secret: true }),
  ...folder(name, placed, context).map((file) => ({ ...file, secret: true })),
];
