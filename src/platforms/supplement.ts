/**
 * The supplement: what Cluster API objects cannot express for a config, for the operator to do
 * (docs/reference/cluster-api.md §6, §7).
 */
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { withoutLogins } from "../text/redact.js";

export type SupplementTime = "before" | "during" | "after";

export interface SupplementItem {
  /** Short name of the subject, such as `dns` or `iam`. */
  readonly area: string;
  /** When it is due: before the objects are applied, while the control plane comes up, or after bootstrapping. */
  readonly when: SupplementTime;
  /** What is to be done, in one sentence. */
  readonly what: string;
  /** Why the objects cannot say it. */
  readonly why: string;
  /** Names, identifiers and documents that the work needs; never a secret. */
  readonly details: JsonObject;
}

const HEADINGS: readonly { readonly when: SupplementTime; readonly title: string }[] = [
  { when: "before", title: "Before you apply the objects" },
  { when: "during", title: "While the control plane starts" },
  { when: "after", title: "After the bootstrap machine is deleted" },
];

/** The items with no login in any of their addresses: endpoints of the config may hold one, and the file is committed. */
export const committable = (items: readonly SupplementItem[]): readonly SupplementItem[] =>
  items.map((item) => ({
    ...item,
    what: withoutLogins(item.what),
    why: withoutLogins(item.why),
    details: membersWithoutLogins(item.details),
  }));

const membersWithoutLogins = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, valueWithoutLogins(value)]));

function valueWithoutLogins(value: Json): Json {
  if (typeof value === "string") return withoutLogins(value);
  if (isList(value)) return value.map(valueWithoutLogins);
  return isObject(value) ? membersWithoutLogins(value) : value;
}

/** Where it is written, in full, in the asset directory. */
export const SUPPLEMENT_FILE = ".slipway/supplement.txt";

/** The supplement in short: a line for each time, with the subjects of the items. */
export const summariseSupplement = (items: readonly SupplementItem[]): string =>
  HEADINGS.flatMap(({ when, title }) => {
    const areas = items.filter((item) => item.when === when).map(({ area }) => area);
    return areas.length === 0 ? [] : [`${title}: ${[...new Set(areas)].join(", ")}\n`];
  }).join("");

/** The supplement as text: the items in the order in which they are due, with their details as an outline. */
export function formatSupplement(items: readonly SupplementItem[]): string {
  const parts = HEADINGS.flatMap(({ when, title }) => {
    const due = items.filter((item) => item.when === when);
    return due.length === 0 ? [] : [`${title}:\n${due.map(formatItem).join("")}`];
  });
  return parts.join("\n");
}

const formatItem = ({ area, what, why, details }: SupplementItem): string =>
  [`- ${area}: ${what}`, `  ${why}`, ...outline(details).map((line) => `    ${line}`)]
    .map((line) => `${line}\n`)
    .join("");

/** Lines of `name: value`; what is nested stands deeper, lists of single words on one line. */
function outline(value: JsonObject): string[] {
  return Object.entries(value).flatMap(([name, member]) => {
    if (isObject(member)) return [`${name}:`, ...outline(member).map((line) => `  ${line}`)];
    if (isList(member) && member.some((each) => isObject(each) || plain(each).includes(" ")))
      return [
        `${name}:`,
        ...member.flatMap((each) => (isObject(each) ? bullet(outline(each)) : [`- ${plain(each)}`])),
      ];
    return [`${name}: ${isList(member) ? member.map(plain).join(", ") : plain(member)}`];
  });
}

const bullet = (lines: readonly string[]): string[] =>
  lines.map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`));

const plain = (value: Json): string =>
  typeof value === "string" && value !== "" ? value : JSON.stringify(value);
