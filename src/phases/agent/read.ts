/**
 * Reading agent-config.yaml: text to a typed value with the position of every field, as the installer reads it
 * (openshift/installer pkg/asset/agent/agentconfig/agent_config.go, `Load`). An unknown key is refused at every release.
 */
import type { Position, Problem } from "../../core/diagnostics.js";
import { problem } from "../../core/problem.js";
import type { Release } from "../../core/release.js";
import form from "../../generated/forms/agent-config.js";
import type { AgentConfig } from "../../generated/types/agent-config.js";
import { conforms } from "../../text/form.js";
import { redactorFor } from "../../text/redactor.js";
import { readYaml } from "../../text/yaml-read.js";
import { decode } from "../install-config/decode.js";
import { createPositions } from "../install-config/read-positions.js";

export interface ReadAgentConfig {
  readonly config: AgentConfig;
  /** Where a field stands, or its nearest ancestor. */
  position(field: string): Position;
  /** True for a field that is present but could not be read. */
  isUnreadable(field: string): boolean;
  redact(problem: Problem): Problem;
}

export interface ReadAgentOptions {
  readonly release: Release;
  /** A key that the installer would refuse is a warning, and left out. */
  readonly lenient: boolean;
  /** Stands in for values that are encrypted and only passed on. */
  readonly sealedWord?: string;
}

const isAgentConfig = (value: unknown): value is AgentConfig => conforms(value, form, form);

/** Undefined when there is nothing to go on with; everything that is wrong is reported. */
export function readAgentConfig(
  text: string,
  file: string,
  { release, lenient, sealedWord }: ReadAgentOptions,
  report: (problem: Problem) => void,
): ReadAgentConfig | undefined {
  const redactor = redactorFor(text, () => false);
  const tell = (found: Problem): void => report(redactor.problem({ file, ...found }));
  const [first] = readYaml(text, file, { firstOnly: true, merge: "refuse" }).documents;
  const root = first?.root;
  for (const found of first?.problems ?? []) tell(found);
  if (first !== undefined && first.problems.length > 0) return undefined;
  if (root === undefined || root.type !== "mapping") {
    tell(
      problem("AGT001", "Invalid", "", "expected an agent-config: a mapping with apiVersion: v1beta1", {
        line: root?.line ?? 0,
        column: root?.column ?? 0,
        hint: "to create one with comments, run: slipway create agent-config",
      }),
    );
    return undefined;
  }
  const { value, written, unreadable, placeholders } = decode(root, {
    form,
    file,
    release,
    unknown: lenient ? "warning" : "error",
    document: "agent-config",
    ...(sealedWord === undefined ? {} : { sealedWord }),
    report: tell,
  });
  if (value === undefined || placeholders > 0) return undefined;
  if (!isAgentConfig(value)) throw new Error("the decoded value does not conform to the form");
  const { position } = createPositions(written, file);
  return {
    config: value,
    position,
    isUnreadable: (field) =>
      unreadable.some(
        (each) => field === each || field.startsWith(`${each}.`) || field.startsWith(`${each}[`),
      ),
    redact: redactor.problem,
  };
}
