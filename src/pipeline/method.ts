/** Which way of installing a directory serves. */
import { AGENT_CONFIG, type AssetDirectory } from "../directory/index.js";

/** True for a phase of agent-based installations. */
export const isOfAgent = (phase: string): boolean =>
  phase === "agent-manifests" || phase === "agent-config-image";

/** True where the agent-based installer goes on: by the record, without one by agent-config.yaml. */
export const isAgentBased = ({ record, inputs }: Pick<AssetDirectory, "record" | "inputs">): boolean =>
  record === undefined ? inputs.has(AGENT_CONFIG) : Object.keys(record.phases).some(isOfAgent);
