/**
 * The file of offline facts (`--facts`): read once with positions, checked by its schema, so that a fact that
 * turns out wrong can be shown where it stands.
 */

import type { Position, Problem } from "../core/diagnostics.js";
import { isObject, type Json } from "../core/json.js";
import { problem } from "../core/problem.js";
import schema from "../generated/schemas/inputs/cloud-facts.js";
import type { CloudFacts } from "../generated/types/cloud-facts.js";
import validate from "../generated/validators/cloud-facts.js";
import { positionOf, schemaProblems, stepsOfField } from "../text/schema-problems.js";
import { readYaml, toJson, type YamlNode } from "../text/yaml-read.js";
import { unfilledIn } from "./fact-questions.js";

export interface CloudFactsFile {
  readonly facts: CloudFacts;
  /** Where a field such as `aws.subnets[0].zone` stands, or its nearest ancestor. */
  position(field: string): Position;
}

/** The facts file that is read where no flag and no earlier run names another one. */
export const FACTS_FILE = "facts.yaml";

const HOW = "see slipway explain cloud-facts for the format and docs/facts.md for how to get each fact";

const isCloudFacts = (value: Json): value is Json & CloudFacts => validate(value);

/** Facts of a YAML or JSON text; undefined when something is wrong with it, which is reported. */
export function readCloudFacts(
  text: string,
  file: string,
  report: (problem: Problem) => void,
): CloudFactsFile | undefined {
  const { documents, problems } = readYaml(text, file);
  problems.forEach(report);
  if (problems.length > 0) return undefined;
  const root = singleDocument(documents, file, report);
  if (root === undefined) return undefined;
  const value = withoutNulls(toJson(root));
  const unfilled = unfilledIn(value);
  for (const { field, text: blank } of unfilled)
    report(
      problem("FACT011", "Required", field, `not filled in: ${blank}`, {
        ...positionOf(root, file, stepsOfField(field)),
        hint: "replace it with the value that the command in the comment above it prints",
      }),
    );
  if (unfilled.length > 0) return undefined;
  if (!isCloudFacts(value)) {
    for (const problem of schemaProblems(validate.errors ?? [], schema, root, file, "FACT003"))
      report({ hint: HOW, ...problem });
    return undefined;
  }
  return { facts: value, position: (field) => positionOf(root, file, stepsOfField(field)) };
}

function singleDocument(
  documents: readonly { readonly root: YamlNode | undefined; readonly line: number }[],
  file: string,
  report: (problem: Problem) => void,
): YamlNode | undefined {
  const full = documents.flatMap(({ root }) => (root === undefined ? [] : [root]));
  const [first, second] = full;
  if (first === undefined)
    report(problem("YAML006", "Required", "", "the facts file is empty", { file, hint: HOW }));
  if (second === undefined) return first;
  report(
    problem("YAML007", "Invalid", "", "a facts file must contain only one YAML document", {
      file,
      line: second.line,
      column: second.column,
      hint: "merge the documents into one",
    }),
  );
  return undefined;
}

/** Members that are null are absent: the aws command line writes null for what does not apply. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, withoutNulls(member)]),
  );
}
