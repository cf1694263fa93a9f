/** Which way of installing a directory serves. */
import { AGENT_CONFIG, type AssetDirectory, folderOf, INSTALL_CONFIG } from "../directory/index.js";
import { CLUSTER_MANIFESTS } from "../phases/agent/objects.js";

/** True for a phase of agent-based installations. */
export const isOfAgent = (phase: string): boolean =>
  phase === "agent-manifests" || phase === "agent-config-image";

/** True where the agent-based installer goes on: by the record, without one by agent-config.yaml. */
export const isAgentBased = (directory: Known): boolean => {
  const { record, inputs } = directory;
  return record === undefined
    ? inputs.has(AGENT_CONFIG) || readsManifests(directory)
    : Object.keys(record.phases).some(isOfAgent);
};

type Known = Pick<AssetDirectory, "record" | "inputs" | "state" | "files">;

/** True where manifests of the agent-based installer are the input: nothing is known that they could be generated from. */
export const readsManifests = ({ inputs, state, files }: Omit<Known, "record">): boolean =>
  !inputs.has(INSTALL_CONFIG) &&
  (state?.installConfig?.text ?? "") === "" &&
  [...files.keys()].some((path) => folderOf(path) === CLUSTER_MANIFESTS && /\.yaml$/.test(path));
