/** Values of manifests that somebody or something was meant to replace. */
import { type Problem, problem } from "../../core/problem.js";
import { isToken, placeholderIn } from "../../phases/install-config/diagnose-placeholders.js";
import type { ScalarNode, YamlNode } from "../../text/yaml-read.js";
import type { Manifest } from "./manifest.js";

/** A fault of a value that reads like a placeholder is told as one: what the rules say of it only distracts. */
export function withCauses({ node, file }: Manifest, problems: readonly Problem[]): Problem[] {
  if (problems.length === 0) return [];
  const scalars = new Map(scalarsOf(node).map((each) => [`${each.line}:${each.column}`, each]));
  const told = new Set<ScalarNode>();
  return problems.flatMap((problem): Problem[] => {
    const scalar = scalars.get(`${problem.line}:${problem.column}`);
    const cause = scalar === undefined ? undefined : causeOf(scalar);
    if (scalar === undefined || cause === undefined) return [problem];
    if (told.has(scalar)) return [];
    told.add(scalar);
    const { field = "", severity = "error" } = problem;
    return [{ ...cause, severity, file, line: scalar.line, column: scalar.column, field }];
  });
}

type Cause = Pick<Problem, "code" | "kind" | "message" | "hint">;

function causeOf({ kind, text }: ScalarNode): Cause | undefined {
  if (kind !== "string") return undefined;
  const token = isToken(text);
  const found = token ? undefined : placeholderIn(text);
  if (!token && found?.certain !== true) return undefined;
  return problem(
    "IC002",
    "Invalid",
    "",
    token
      ? `the value is only the word ${text}, which looks like a template variable`
      : `the value ${found?.whole === true ? "is" : "contains"} ${found?.what}${found?.kind === "dots" ? "" : ` (${found?.sign})`}`,
    found?.hint ?? "replace it with the actual value",
  );
}

/** Signs that controllers of operators expand themselves: ExternalSecret, ApplicationSet, Kyverno, Tekton. */
const EXPANDED_IN_CLUSTER = /^(?:\{\{|\$\()/;

/**
 * What no rule objects to, though it is nothing but a placeholder; texts of any form lie in the config of machines.
 * A kind of an operator may have templates of its own (`ofOperator`), which its definition takes as any text.
 */
export function placeholderProblems(
  { node, file }: Manifest,
  problems: readonly Problem[],
  { ofOperator }: { readonly ofOperator: boolean },
): Problem[] {
  const told = new Set(problems.map(({ line, column }) => `${line}:${column}`));
  return scalarsOf(node, "").flatMap((scalar): Problem[] => {
    const found = placeholderIn(scalar.text);
    if (told.has(`${scalar.line}:${scalar.column}`) || found?.whole !== true) return [];
    if (ofOperator && EXPANDED_IN_CLUSTER.test(found.sign)) return [];
    const cause = causeOf(scalar);
    if (cause === undefined) return [];
    return [
      { ...cause, severity: "warning", file, line: scalar.line, column: scalar.column, field: scalar.field },
    ];
  });
}

interface Placed extends ScalarNode {
  readonly field: string;
}

/** Every scalar of a document but those of Ignition configs and of what the kind does not look into. */
function scalarsOf(node: YamlNode, field = ""): Placed[] {
  if (node.type === "scalar") return [{ ...node, field }];
  if (node.type === "sequence") return node.items.flatMap((item, i) => scalarsOf(item, `${field}[${i}]`));
  return node.entries.flatMap(({ name, value }) =>
    scalarsOf(value, field === "" ? name : `${field}.${name}`),
  );
}
