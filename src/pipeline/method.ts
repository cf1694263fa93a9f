/** Which way of installing a directory serves. */
import {
  AGENT_CONFIG,
  type AssetDirectory,
  folderOf,
  IMAGE_BASED_CONFIG,
  INSTALL_CONFIG,
  type PhaseName,
} from "../directory/index.js";
import { CLUSTER_MANIFESTS } from "../phases/agent/objects.js";

/** A way of installing; a directory serves one. */
export type Method = "bootstrap" | "agent" | "image-based";

/** The phases that belong to a way of their own; any other is one of installing with a bootstrap machine. */
const OWN: { readonly [P in PhaseName]?: Method } = {
  "agent-manifests": "agent",
  "agent-config-image": "agent",
  "image-based-config-image": "image-based",
};

const isOwn = (phase: string): phase is keyof typeof OWN => phase in OWN;

export const methodOf = (phase: string): Method => (isOwn(phase) ? OWN[phase] : undefined) ?? "bootstrap";

/** True for a phase of agent-based installations. */
export const isOfAgent = (phase: string): boolean => methodOf(phase) === "agent";

/** True where the agent-based installer goes on: by the record, without one by agent-config.yaml. */
export const isAgentBased = (directory: Known): boolean => {
  const { record, inputs } = directory;
  return record === undefined
    ? inputs.has(AGENT_CONFIG) || readsManifests(directory)
    : Object.keys(record.phases).some(isOfAgent);
};

/** True where the image-based installer goes on: by the record, without one by image-based-config.yaml. */
export const isImageBased = (directory: Known): boolean => {
  const { record, inputs } = directory;
  return record === undefined
    ? inputs.has(IMAGE_BASED_CONFIG) && !isAgentBased(directory)
    : Object.keys(record.phases).some((phase) => methodOf(phase) === "image-based");
};

type Known = Pick<AssetDirectory, "record" | "inputs" | "state" | "files">;

/** True where manifests of the agent-based installer are the input: nothing is known that they could be generated from. */
export const readsManifests = ({ inputs, state, files }: Omit<Known, "record">): boolean =>
  !inputs.has(INSTALL_CONFIG) &&
  (state?.installConfig?.text ?? "") === "" &&
  [...files.keys()].some((path) => folderOf(path) === CLUSTER_MANIFESTS && /\.yaml$/.test(path));
