/**
 * Permanent management clusters (`--machine-management cluster-api`): every compute pool as MachineDeployments, in the
 * place of the Machine API's machine sets, with the names, the places and the numbers of machines of those
 * (docs/reference/source-designs.md §1; kubernetes-sigs/cluster-api docs/proposals/20220712-taint-propagation).
 */
import type { OutputFile } from "../../core/files.js";
import { encode } from "../../core/files.js";
import { isObject, type JsonObject, textAt } from "../../core/json.js";
import { type Problem, problem } from "../../core/problem.js";
import { CLUSTER_NAME_LABEL, MOVE_LABEL, POOL_LABEL } from "../../kubernetes/labels.js";
import { encodeBase64 } from "../../kubernetes/secrets.js";
import type { NormalPool } from "../../platforms/config.js";
import { share } from "../../platforms/machine-api.js";
import type { ComputeSet, Identity, PlatformCompute, Referent, Rendering } from "../../platforms/platform.js";
import { valuesOf } from "../../text/yaml-content.js";
import type { InfrastructureOptions } from "../assets.js";
import { contractReference, objectReference } from "./references.js";

const DEPLOYMENT_LABEL = "cluster.x-k8s.io/deployment-name";
/** Annotations of the cluster autoscaler's provider for Cluster API. */
const LEAST = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size";
const MOST = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size";

const USER_DATA_FILE = "openshift/99_openshift-cluster-api_worker-user-data-secret.yaml";

/** Name of the Secret that machines of a pool start from. */
const dataSecretOf = ({ infraID }: Identity, pool: string): string => `${infraID}-${pool}`;

/**
 * The compute machines with the user's own templates: in the places that the platform spreads a pool over, where it
 * knows its machines, else in one for the whole pool. Pools that have neither are left out.
 */
export function withOwnTemplates(
  compute: PlatformCompute | undefined,
  own: ReadonlyMap<string, Referent>,
  pools: readonly NormalPool[],
  { infraID }: Identity,
): PlatformCompute {
  const sets = pools.flatMap(({ name: pool, replicas }): ComputeSet[] => {
    const template = own.get(pool);
    const places = compute?.sets.filter((set) => set.pool === pool) ?? [];
    if (template === undefined) return places;
    if (places.length === 0) return [{ pool, name: `${infraID}-${pool}`, replicas, own: template }];
    return places.map((place) => ({ ...place, template: undefined, own: template }));
  });
  return { apiVersion: "", kind: "", objects: [], ...compute, sets };
}

/** The objects of all compute pools; none where the machines are the Machine API's. */
export function computeRenderings(
  compute: PlatformCompute,
  identity: Identity,
  options: InfrastructureOptions,
  manifestFiles: readonly OutputFile[],
  report: (problem: Problem) => void,
): Rendering[] {
  const pools = [...new Set(compute.sets.map(({ pool }) => pool))];
  const value = userData(manifestFiles);
  if (value === undefined) {
    report(
      problem(
        "CAPI033",
        "NotFound",
        "",
        "the file must contain a Secret with userData, which compute machines boot with",
        {
          file: USER_DATA_FILE,
          hint: "write it again: slipway create manifests --theirs openshift/99_openshift-cluster-api_worker-user-data-secret.yaml",
        },
      ),
    );
    return [];
  }
  reportBounds(
    new Map(
      pools.map((pool) => [
        pool,
        compute.sets.filter((set) => set.pool === pool).reduce((sum, { replicas }) => sum + replicas, 0),
      ]),
    ),
    options,
    report,
  );
  return [
    ...pools.map((pool) => bootstrapData(pool, identity, options, value)),
    ...compute.objects,
    ...pools.flatMap((pool) =>
      templates(
        compute.sets.filter((set) => set.pool === pool),
        `${identity.infraID}-${pool}`,
      ),
    ),
    ...pools.flatMap((pool) => {
      const sets = compute.sets.filter((set) => set.pool === pool);
      return sets.map((set, index) =>
        deployment(set, { index, count: sets.length }, sets, compute, identity, options),
      );
    }),
    ...(options.machines?.healthChecks === true
      ? pools.map((pool) =>
          healthCheck(pool, identity.infraID, options, {
            [CLUSTER_NAME_LABEL]: identity.infraID,
            [POOL_LABEL]: pool,
          }),
        )
      : []),
  ];
}

/** The pointer config as it stands in manifests that are on disk, edits included; base64. */
function userData(files: readonly OutputFile[]): string | undefined {
  const file = files.find(({ path }) => path === USER_DATA_FILE);
  const [secret] = file === undefined ? [] : (valuesOf(file.data) ?? []);
  if (!isObject(secret)) return undefined;
  const { data, stringData } = secret;
  const plain = isObject(stringData) ? textAt(stringData, "userData") : "";
  const encoded = isObject(data) ? textAt(data, "userData") : "";
  return (plain === "" ? encoded : encodeBase64(encode(plain))) || undefined;
}

const bootstrapData = (
  pool: string,
  identity: Identity,
  { namespace }: InfrastructureOptions,
  value: string,
): Rendering => ({
  template: "infrastructure-manifests/24_bootstrap-data.yaml",
  path: `24_bootstrap-data-${pool}.yaml`,
  secret: true,
  view: {
    name: dataSecretOf(identity, pool),
    namespace,
    labels: { [CLUSTER_NAME_LABEL]: identity.infraID, [MOVE_LABEL]: "" },
    data: { format: encodeBase64(encode("ignition")), value },
  },
});

const withoutName = ({ template }: ComputeSet): string => JSON.stringify({ ...template?.view, name: "" });

/** True where one template serves all places of a pool: nothing in it tells them apart. */
const sharesTemplate = (sets: readonly ComputeSet[]): boolean => new Set(sets.map(withoutName)).size === 1;

/** The templates of a pool: one, named like the pool, where they are all alike. */
function templates(sets: readonly ComputeSet[], name: string): Rendering[] {
  const [first] = sets;
  if (first === undefined || !sharesTemplate(sets))
    return sets.flatMap(({ template }) => (template === undefined ? [] : [template]));
  const { template } = first;
  if (template === undefined) return [];
  return [{ ...template, path: template.path.replace(first.name, name), view: { ...template.view, name } }];
}

function deployment(
  set: ComputeSet,
  { index, count }: { readonly index: number; readonly count: number },
  sets: readonly ComputeSet[],
  { apiVersion, kind }: PlatformCompute,
  identity: Identity,
  { namespace, contract, machines }: InfrastructureOptions,
): Rendering {
  const { infraID } = identity;
  const name = sharesTemplate(sets) ? `${infraID}-${set.pool}` : set.name;
  const reference = contract === "v1beta1" ? objectReference : contractReference;
  const matchLabels: JsonObject = { [CLUSTER_NAME_LABEL]: infraID, [DEPLOYMENT_LABEL]: set.name };
  const taints = (set.taints ?? []).map((taint) => ({ ...taint, propagation: "Always" }));
  return {
    template: `infrastructure-manifests/80_compute-deployment-${contract}.yaml`,
    path: `80_machine-deployment-${set.name}.yaml`,
    view: {
      infraID,
      name: set.name,
      namespace,
      annotations: boundsOf(set.pool, machines, index, count),
      replicas: set.replicas,
      matchLabels,
      machineLabels: { ...set.labels, ...matchLabels, [POOL_LABEL]: set.pool },
      dataSecret: dataSecretOf(identity, set.pool),
      failureDomain: set.failureDomain,
      infrastructureRef: reference(set.own ?? { apiVersion, kind, name, placeholder: false }, namespace),
      taints: taints.length === 0 ? undefined : taints,
    },
  };
}

/** The annotations with the bounds of one of `count` places of a pool; undefined where it has none. */
export function boundsOf(
  pool: string,
  machines: InfrastructureOptions["machines"],
  index = 0,
  count = 1,
): JsonObject | undefined {
  const bounds = machines?.bounds.get(pool);
  if (bounds === undefined) return undefined;
  return {
    [LEAST]: String(share(bounds.least, count, index)),
    [MOST]: String(share(bounds.most, count, index)),
  };
}

/** The health check of the machines of a pool, which `matchLabels` tells from others of the Cluster. */
export const healthCheck = (
  pool: string,
  cluster: string,
  { namespace, contract }: InfrastructureOptions,
  matchLabels: JsonObject,
): Rendering => ({
  template: `infrastructure-manifests/85_machine-health-check-${contract}.yaml`,
  path: `85_machine-health-check-${pool}.yaml`,
  view: {
    infraID: cluster,
    name: `${cluster}-${pool}`,
    namespace,
    matchLabels,
  },
});

/** Bounds of pools that are not there, and those that the pool's own number of machines, given by name, breaks. */
export function reportBounds(
  pools: ReadonlyMap<string, number>,
  { machines }: InfrastructureOptions,
  report: (problem: Problem) => void,
): void {
  for (const [pool, { least, most }] of machines?.bounds ?? []) {
    const flag = { code: "CAPI033", kind: "Invalid", file: "--autoscaler-bounds" } as const;
    const replicas = pools.get(pool);
    if (replicas === undefined)
      report({
        ...flag,
        message: `the compute pool ${JSON.stringify(pool)} has no MachineDeployments`,
        hint:
          pools.size === 0
            ? "no pool has machines; unset the bounds: --autoscaler-bounds none"
            : `use one of the pools ${[...pools.keys()].join(", ")}`,
      });
    else if (replicas < least || replicas > most)
      report({
        ...flag,
        message: `the pool ${pool} has ${replicas} replicas, outside of the bounds ${least} to ${most}`,
        hint: "set bounds that include the replicas, or change the replicas in the install-config",
      });
  }
}
