/** agent-config.yaml as the installer reads it (openshift/installer pkg/asset/agent/agentconfig/agent_config.go, `Load`). */
import type { Problem } from "../../core/diagnostics.js";
import form from "../../generated/forms/agent-config.js";
import type { AgentConfig } from "../../generated/types/agent-config.js";
import {
  conformsTo,
  type InputKind,
  type ReadInput,
  type ReadInputOptions,
  readInput,
} from "../read-input.js";

export type ReadAgentConfig = ReadInput<AgentConfig>;

const KIND: InputKind<AgentConfig> = {
  form,
  document: "agent-config",
  is: (value): value is AgentConfig => conformsTo(value, form),
  code: "AGT001",
  expected: "expected an agent-config: a mapping with apiVersion: v1beta1",
  hint: "to create one with comments, run: slipway create agent-config",
};

/** Undefined when there is nothing to go on with; everything that is wrong is reported. */
export const readAgentConfig = (
  text: string,
  file: string,
  options: ReadInputOptions,
  report: (problem: Problem) => void,
): ReadAgentConfig | undefined => readInput(text, file, KIND, options, report);
