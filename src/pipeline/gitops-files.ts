/**
 * What Argo CD and Flux need to apply clusters from a Git repository (`slipway init --gitops`).
 *
 * Nothing is pruned: deleting the Cluster deletes its machines, so it takes a deliberate command in the management
 * cluster. Argo CD waits for each wave (`forGitOps`) and judges the health of Clusters itself (argoproj/argo-cd
 * resource_customizations/cluster.x-k8s.io); a control plane must not get a health check, since it is applied before
 * the Cluster that it waits for. Flux applies namespaces first and everything else at once, and then waits.
 */
import { createHash } from "node:crypto";
import { encode, type OutputFile } from "../core/files.js";
import type { GitOpsController } from "../phases/assets.js";
import {
  INFRASTRUCTURE_FOLDER,
  SECRETS_FOLDER,
  SHARED_FOLDER,
} from "../phases/infrastructure-manifests/layout.js";
import type { Renderer } from "../text/render.js";
import { writeYaml } from "../text/yaml-write.js";

/** A cluster as a controller sees it. */
export interface DeployedCluster {
  readonly name: string;
  /** From the top folder of the repository, with `/` as separator. */
  readonly directory: string;
  readonly secrets: "separate" | "sops";
  /** It has the folder of objects that clusters share, and no cluster before it has the same. */
  readonly ownsShared: boolean;
}

/** A folder that a controller applies by itself. */
interface Unit {
  readonly name: string;
  readonly folder: string;
  readonly isSealed: boolean;
}

const unitsOf = ({ name, directory, secrets, ownsShared }: DeployedCluster): readonly Unit[] => [
  secrets === "sops"
    ? { name, folder: directory, isSealed: true }
    : { name, folder: `${directory}/${INFRASTRUCTURE_FOLDER}`, isSealed: false },
  ...(ownsShared
    ? [{ name: `shared-${name}`, folder: `${directory}/${SHARED_FOLDER}`, isSealed: false }]
    : []),
];

/** A file, and how it is kept. */
export interface GitOpsFile {
  /** `repository`: below the top folder; else in the cluster's own directory. */
  readonly of: "repository" | DeployedCluster;
  readonly file: OutputFile;
  /** Written by slipway on every run. Other files are the user's once they exist. */
  readonly isOurs: boolean;
}

/** Where the files of a controller lie, from the top folder of the repository. */
export const gitOpsFolder = (controller: GitOpsController): string => `gitops/${controller}`;

/** Folder of the files of clusters, one file for each. */
export const clusterFolder = (controller: GitOpsController): string =>
  controller === "argocd" ? `${gitOpsFolder(controller)}/clusters` : gitOpsFolder(controller);

/** First line of the files that every run writes. */
export const OURS = "# Written by slipway init; changes are overwritten.\n";

/** Secret of the management cluster with the age key, in the controller's namespace: `age.agekey`. */
export const KEY_SECRET = "sops-age";
const NAMESPACES: Readonly<Record<GitOpsController, string>> = { argocd: "argocd", flux: "flux-system" };
/** The source that `flux bootstrap` creates. */
const FLUX_SOURCE = "flux-system";

const ours = (path: string, object: Parameters<typeof writeYaml>[0]): OutputFile => ({
  path,
  data: encode(OURS + writeYaml(object)),
  secret: false,
});

export interface GitOpsRequest {
  readonly controller: GitOpsController;
  readonly clusters: readonly DeployedCluster[];
  /** Address of the repository for the controller, or a mark. */
  readonly repoURL: string;
  /** Image of slipway for the plug-in, or a mark. */
  readonly image: string;
}

export const gitOpsFiles = (request: GitOpsRequest, render: Renderer): readonly GitOpsFile[] =>
  request.controller === "argocd" ? argocdFiles(request, render) : fluxFiles(request, render);

function argocdFiles({ clusters, repoURL, image }: GitOpsRequest, render: Renderer): readonly GitOpsFile[] {
  const folder = gitOpsFolder("argocd");
  const namespace = NAMESPACES.argocd;
  const units = clusters.flatMap(unitsOf);
  const own = (file: OutputFile): GitOpsFile => ({ of: "repository", file, isOurs: false });
  // Argo CD's kustomize does not decrypt.
  const rendererOf = ({ isSealed }: Unit): "slipway" | "kustomize" => (isSealed ? "slipway" : "kustomize");
  const renderers = [...new Set(units.map(rendererOf))];
  const plugin = writeYaml(render.object("gitops/plugin.yaml", {}));
  return [
    ...units.map((unit): GitOpsFile => {
      const parameters = { name: unit.name, folder: unit.folder, renderer: rendererOf(unit) };
      const file = ours(`${clusterFolder("argocd")}/${unit.name}.yaml`, parameters);
      return { of: "repository", file, isOurs: true };
    }),
    ...renderers.map((renderer) =>
      own(
        render.file(
          "gitops/application-set.yaml",
          {
            name: `clusters-${renderer}`,
            namespace,
            repoURL,
            renderer,
            parameters: `${clusterFolder("argocd")}/*.yaml`,
            application: "{{ .name }}",
            path: "{{ .folder }}",
            plugin: renderer === "slipway" ? "slipway-v1.0" : undefined,
          },
          `${folder}/applicationset-${renderer}.yaml`,
        ),
      ),
    ),
    ...(renderers.includes("slipway")
      ? [
          own(
            render.file(
              "gitops/plugin-config-map.yaml",
              { namespace, plugin },
              `${folder}/plugin/plugin.yaml`,
            ),
          ),
          own(
            render.file(
              "gitops/repo-server.yaml",
              { image, keySecret: KEY_SECRET },
              `${folder}/plugin/repo-server.yaml`,
            ),
          ),
        ]
      : []),
  ];
}

const fluxFiles = ({ clusters }: GitOpsRequest, render: Renderer): readonly GitOpsFile[] =>
  clusters.flatMap((cluster): GitOpsFile[] => [
    ...unitsOf(cluster).map(({ name, folder, isSealed }): GitOpsFile => {
      const kustomization = render.object("gitops/flux-kustomization.yaml", {
        name,
        namespace: NAMESPACES.flux,
        path: `./${folder}`,
        repository: FLUX_SOURCE,
        keySecret: isSealed ? KEY_SECRET : undefined,
      });
      const file = ours(`${clusterFolder("flux")}/${name}.yaml`, kustomization);
      return { of: "repository", file, isOurs: true };
    }),
    ...(cluster.secrets === "sops"
      ? [
          {
            of: cluster,
            file: render.file(
              "gitops/kustomization.yaml",
              { resources: [INFRASTRUCTURE_FOLDER, SECRETS_FOLDER] },
              "kustomization.yaml",
            ),
            isOurs: false,
          },
        ]
      : []),
  ]);

/** DNS labels for clusters: the names that they have, else of the last folder, else of the whole path. */
export function labelsOf(
  clusters: readonly { readonly directory: string; readonly called: string | undefined }[],
): readonly string[] {
  const short = clusters.map(({ directory, called }) => labelOf(called ?? directory.replace(/^.*\//, "")));
  const isUnique = (label: string): boolean => short.filter((each) => each === label).length === 1;
  return clusters.map(({ directory }, index) => {
    const label = short[index] ?? "";
    return label !== "" && isUnique(label) ? label : uniqueLabel(directory);
  });
}

const LONGEST = 63;

const labelOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, LONGEST)
    .replace(/^-|-$/g, "");

/** The path as a label, with a digest: `a/b` and `a-b` are two directories. */
function uniqueLabel(directory: string): string {
  const digest = createHash("sha256").update(directory).digest("hex").slice(0, 6);
  const label = labelOf(directory).slice(0, LONGEST - digest.length - 1);
  return label === "" ? `cluster-${digest}` : `${label}-${digest}`;
}
