/** Which way of installing a directory serves. */
import { AGENT_CONFIG, type AssetDirectory } from "../directory/index.js";

/** True where the agent-based installer goes on: by the record, without one by agent-config.yaml. */
export const isAgentBased = ({ record, inputs }: Pick<AssetDirectory, "record" | "inputs">): boolean =>
  record === undefined ? inputs.has(AGENT_CONFIG) : record.phases["agent-manifests"] !== undefined;
