/** Label selectors (metav1.LabelSelector): what they match and when they are malformed. */
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { isLabelValue, isQualifiedName } from "./names.js";

export interface Requirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values: readonly string[];
}

export interface SelectorProblem {
  /** Field path below the selector, such as `matchExpressions[0].values`. */
  readonly field: string;
  readonly message: string;
}

/** All requirements must hold; none at all matches everything. */
export interface LabelSelector {
  readonly requirements: readonly Requirement[];
  readonly problems: readonly SelectorProblem[];
}

const OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist"] as const;

export function readSelector(selector: JsonObject): LabelSelector {
  const requirements: Requirement[] = [];
  const problems: SelectorProblem[] = [];
  const refuse = (field: string, message: string): void => void problems.push({ field, message });
  for (const member of Object.keys(selector))
    if (member !== "matchLabels" && member !== "matchExpressions")
      refuse(member, "unknown field of a label selector");
  const labels = selector["matchLabels"] ?? null;
  if (isObject(labels))
    for (const [key, value] of Object.entries(labels)) {
      if (typeof value !== "string") refuse(`matchLabels[${key}]`, "must be a string");
      else requirements.push({ key, operator: "In", values: [value] });
    }
  else if (labels !== null) refuse("matchLabels", "must be a mapping");
  const expressions = selector["matchExpressions"] ?? null;
  if (isList(expressions))
    expressions.forEach((each, i) => {
      const read = readRequirement(each, (field, message) =>
        refuse(`matchExpressions[${i}]${field}`, message),
      );
      if (read !== undefined) requirements.push(read);
    });
  else if (expressions !== null) refuse("matchExpressions", "must be a list");
  for (const { key, values } of requirements) {
    if (!isQualifiedName(key)) refuse("", `invalid label key ${JSON.stringify(key)}`);
    for (const value of values)
      if (!isLabelValue(value)) refuse("", `invalid label value ${JSON.stringify(value)}`);
  }
  return { requirements, problems };
}

function readRequirement(
  each: Json,
  refuse: (field: string, message: string) => void,
): Requirement | undefined {
  if (!isObject(each)) return void refuse("", "must be a mapping");
  const { key, operator: word, values: given = [] } = each;
  const operator = OPERATORS.find((known) => known === word);
  if (typeof key !== "string" || key === "") return void refuse(".key", "required value is missing");
  if (operator === undefined) return void refuse(".operator", `must be one of ${OPERATORS.join(", ")}`);
  const values = isList(given) ? given.filter((value) => typeof value === "string") : [];
  if (given !== null && (!isList(given) || values.length !== given.length))
    return void refuse(".values", "must be a list of strings");
  const needsValues = operator === "In" || operator === "NotIn";
  if (needsValues === (values.length === 0))
    return void refuse(
      ".values",
      needsValues ? `${operator} requires at least one value` : `must be empty for ${operator}`,
    );
  return { key, operator, values };
}

/** True when an object with these labels is selected. */
export const matchesSelector = (
  { requirements }: LabelSelector,
  labels: ReadonlyMap<string, string>,
): boolean => requirements.every((each) => holds(each, labels.get(each.key)));

/** `NotIn` holds for an object without the label, as the API server has it. */
function holds({ operator, values }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
  }
}
