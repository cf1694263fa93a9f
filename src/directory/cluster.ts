/** A directory belongs to one cluster: state, record, install-config and flags must agree on which. */
import { type Problem, problem } from "../core/problem.js";
import { RECORD_FILE, STATE_FILE } from "./layout.js";
import type { DirectoryRecord } from "./record.js";
import type { StateView } from "./state.js";

export interface ClusterClaims {
  readonly state: StateView | undefined;
  readonly record: DirectoryRecord | undefined;
  /** metadata.name of install-config.yaml, and where it is written. */
  readonly name?: {
    readonly value: string;
    readonly file: string;
    readonly line: number;
    readonly column: number;
  };
  /** --infra-id */
  readonly infraID?: string | undefined;
  /** --cluster-id */
  readonly clusterID?: string | undefined;
}

/** One problem for each claim that names another cluster than the state or the record does. */
export function checkCluster({ state, record, name, infraID, clusterID }: ClusterClaims): Problem[] {
  const problems: Problem[] = [];
  const known = {
    name: stateName(state) ?? record?.cluster.name,
    infraID: state?.clusterID?.infraID ?? record?.cluster.infraID,
    clusterID: state?.clusterID?.uuid ?? record?.cluster.clusterID,
  };
  const source = state === undefined ? RECORD_FILE : STATE_FILE;
  const hint = `use a separate directory for another cluster; ${STATE_FILE} and ${RECORD_FILE} bind this directory to its cluster`;
  const refuse = (what: string, given: string, own: string, place: Partial<Problem>): void => {
    problems.push(
      problem(
        "DIR012",
        "Forbidden",
        "",
        `${what} is ${JSON.stringify(given)}, but the directory belongs to ${JSON.stringify(own)} (${source})`,
        { file: source, ...place, hint },
      ),
    );
  };
  if (name !== undefined && known.name !== undefined && name.value !== known.name) {
    const { file, line, column } = name;
    refuse("the cluster name", name.value, known.name, { file, line, column, field: "metadata.name" });
  }
  if (infraID !== undefined && known.infraID !== undefined && infraID !== known.infraID)
    refuse("--infra-id", infraID, known.infraID, {});
  if (clusterID !== undefined && known.clusterID !== undefined && clusterID !== known.clusterID)
    refuse("--cluster-id", clusterID, known.clusterID, {});
  const { clusterID: own } = state ?? {};
  if (own !== undefined && record !== undefined && record.cluster.infraID !== own.infraID)
    refuse("the cluster in the record", record.cluster.infraID, own.infraID, { file: RECORD_FILE });
  else if (own !== undefined && record !== undefined && record.cluster.clusterID !== own.uuid)
    refuse("the cluster in the record", record.cluster.clusterID, own.uuid, { file: RECORD_FILE });
  return problems;
}

/** metadata.name of the state's install-config. */
export function stateName(state: StateView | undefined): string | undefined {
  const metadata = state?.installConfig?.config["metadata"];
  if (typeof metadata !== "object" || metadata === null || !("name" in metadata)) return undefined;
  return typeof metadata.name === "string" ? metadata.name : undefined;
}
