/** `--machine-management`: what the flags say, and what of the Machine API stays because it is the user's. */
import type { Problem, Report } from "../core/diagnostics.js";
import { problem, warning } from "../core/problem.js";
import type { Decisions } from "../directory/index.js";
import { identityOf } from "../kubernetes/identity.js";
import type { InfrastructureOptions } from "../phases/assets.js";
import type { PlatformCompute } from "../platforms/platform.js";
import type { SupplementItem } from "../platforms/supplement.js";
import { quote } from "../text/quote.js";
import { at } from "../validate/context.js";
import { type DiskText, readObjects } from "../validate/documents.js";
import { type CompileFlags, NONE } from "./options.js";

/** True where the new cluster gets no machines of the Machine API. */
export const machinesElsewhere = ({ machineManagement }: CompileFlags): boolean =>
  machineManagement === "cluster-api" || machineManagement === "none";

/** What `--masters-schedulable` asks for; undefined for what follows from the install-config. */
export const mastersSchedulable = ({ mastersSchedulable: given }: CompileFlags): boolean | undefined =>
  given === "on" ? true : given === "off" ? false : undefined;

/** What Cluster API does with compute machines, which assisted-service leaves to it in any case; undefined where it has none. */
export function machineOptions(flags: CompileFlags, report: Report): InfrastructureOptions["machines"] {
  const given = givenBounds(flags);
  if (flags.machineManagement !== "cluster-api" && flags.controlPlaneProvider !== "openshift-assisted") {
    for (const [flag, isSet] of [
      ["--autoscaler-bounds", given.length > 0],
      ["--machine-health-checks", flags.machineHealthChecks === "on"],
    ] as const)
      if (isSet)
        report(
          warning("CAPI033", "Forbidden", "", "Cluster API does not manage the machines", {
            file: flag,
            hint: `set --machine-management cluster-api, or unset the flag: ${flag} ${flag === "--autoscaler-bounds" ? NONE : "off"}`,
          }),
        );
    return undefined;
  }
  return { healthChecks: flags.machineHealthChecks === "on", bounds: boundsOf(given, report) };
}

/** What `--autoscaler-bounds` names, without the word that takes it back. */
export const givenBounds = ({ autoscalerBounds = [] }: CompileFlags): readonly string[] =>
  autoscalerBounds.filter((each) => each !== NONE);

/** Least and most machines by pool. */
export function boundsOf(
  given: readonly string[],
  report: Report,
): ReadonlyMap<string, { readonly least: number; readonly most: number }> {
  const bounds = new Map<string, { least: number; most: number }>();
  for (const text of given) {
    const [, pool = "", least = "", most = ""] = /^([^=]+)=(\d{1,6}):(\d{1,6})$/.exec(text) ?? [];
    if (pool === "" || Number(least) > Number(most))
      report(
        problem("CAPI033", "Invalid", "", `invalid value ${quote(text)}`, {
          file: "--autoscaler-bounds",
          hint: "use POOL=MIN:MAX, such as worker=3:9",
        }),
      );
    else if (bounds.has(pool))
      report(
        problem("CAPI033", "Duplicate", "", `duplicate bounds for the pool ${pool}: ${quote(text)}`, {
          file: "--autoscaler-bounds",
          hint: "set the bounds of each pool once",
        }),
      );
    else bounds.set(pool, { least: Number(least), most: Number(most) });
  }
  return bounds;
}

/** Files of machines, as the manifests phase names them. */
const MACHINE_FILE = /^openshift\/99_openshift-(?:cluster|machine)-api_(?!.*user-data)/;

/** A file of machines that somebody edited is theirs: it is kept, not asked about. */
export const keepingMachines = (decisions: Decisions | undefined): Decisions => ({
  decide: (path) =>
    decisions?.decide(path) ?? (MACHINE_FILE.test(path) ? { side: "ours", exact: false } : undefined),
  problems: () => decisions?.problems() ?? [],
});

const GROUP = "machine.openshift.io";

/** Machine objects in manifests that slipway did not write, or that somebody edited: they are kept, and both would make machines. */
export const keptMachines = (files: readonly DiskText[]): Problem[] =>
  readObjects(files.filter(({ path }) => /\.(?:ya?ml|json)$/.test(path))).documents.flatMap((each) => {
    const { group, kind, name } = identityOf(each.object);
    if (group !== GROUP || !/^(?:Machine|MachineSet|ControlPlaneMachineSet)$/.test(kind)) return [];
    return [
      at(
        each,
        warning(
          "CAPI034",
          "Forbidden",
          "kind",
          `${kind} ${name} is kept because you added or edited it; the Machine API of the new cluster will create its machines`,
          "delete the file if the Machine API must not manage these machines",
        ),
      ),
    ];
  });

/** What Cluster API leaves to be done for compute machines. */
export function machineSupplement(infraID: string, compute: PlatformCompute | undefined): SupplementItem[] {
  if (compute === undefined || compute.sets.length === 0) return [];
  const labelled = compute.sets.filter(({ labels = {} }) =>
    Object.keys(labels).some((key) => !isCarried(key)),
  );
  return [
    {
      area: "certificates",
      when: "after",
      what: "Approve the certificate signing requests of the compute nodes, or run an approver in the new cluster: oc get csr -o name | xargs oc adm certificate approve",
      why: "the cluster's own approver requires Machines of the Machine API, and the cluster has none",
      details: { machines: compute.sets.reduce((sum, { replicas }) => sum + replicas, 0) },
    },
    ...compute.sets.flatMap(({ name, byHand = [] }) =>
      byHand.map(
        (what): SupplementItem => ({
          area: "machines",
          when: "after",
          what: `Machines of the MachineDeployment ${name}: ${what}.`,
          why: "the provider's machine template has no field for it",
          details: {},
        }),
      ),
    ),
    ...labelled.map(
      ({ name, labels = {} }): SupplementItem => ({
        area: "labels",
        when: "after",
        what: `Label the nodes of the MachineDeployment ${name}.`,
        why: "Cluster API propagates only labels in node-role.kubernetes.io, node-restriction.kubernetes.io and node.cluster.x-k8s.io to nodes",
        details: {
          labels: Object.fromEntries(Object.entries(labels).filter(([key]) => !isCarried(key))),
          cluster: infraID,
        },
      }),
    ),
  ];
}

/** Labels of Machines that Cluster API hands on to nodes (kubernetes-sigs/cluster-api docs/proposals/20220927-labels-and-annotations-sync-between-machine-and-nodes.md). */
const isCarried = (key: string): boolean =>
  /^(?:node-role\.kubernetes\.io|(?:[^/]+\.)?node-restriction\.kubernetes\.io|(?:[^/]+\.)?node\.cluster\.x-k8s\.io)(?:\/|$)/.test(
    key,
  );
