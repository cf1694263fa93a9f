/**
 * Hints that say to set a field of the install-config to a value, or to leave one out, as changes that a machine can
 * make: what people do who follow a hint to the letter.
 */
import type { Diagnostic, Problem } from "../../src/core/diagnostics.js";
import type { Json } from "../../src/core/json.js";
import { fieldOnLine } from "../../src/explain/lines.js";
import schema from "../../src/generated/schemas/inputs/install-config.js";

/** New values by field path; undefined removes the field. */
export type HintEdits = Readonly<Record<string, Json | undefined>>;

const VALUE = String.raw`"[^"]*"|\{\}|[\w.:/+@*-]*\w`;
const FIELD = String.raw`[A-Za-z][\w.[\]-]*`;
const SET = new RegExp(`^(?:set|write|use) (${FIELD})(?: to|:) (${VALUE})$`);
const CHOICES = new RegExp(
  `^(?:write|use) (?:one of )?((?:${VALUE})(?:, (?:${VALUE}))*(?: or (?:${VALUE}))?)(?:, or .*)?$`,
);
const SUCH_AS = new RegExp(`^(?:write|use|set) [^,]* such as (${VALUE})$`);
const SUPPORTED = new RegExp(`: supported values: ((?:${VALUE})(?:, (?:${VALUE}))*)$`);
const WITHOUT = new RegExp(`^(?:leave (${FIELD}) out|remove (${FIELD}))$`);

/**
 * Each way that the hint, or a message with the supported values, names as edits; none where its words are for people. What the hint is about stands where the
 * diagnostic points: its field may be the one that the installer names, which is not always there.
 */
export function editsOf(
  { hint, line, message }: Pick<Diagnostic, "hint" | "line" | "message">,
  text: string,
): readonly HintEdits[] {
  const place = fieldOnLine(text, "install-config.json", line);
  const field = place.found ? (place.field ?? "") : "";
  if (field === "") return [];
  // What follows a semicolon explains; a way that begins anew is another one.
  const [said = ""] = hint.split(";");
  const [, supported = ""] = SUPPORTED.exec(message) ?? [];
  const values = supported === "" ? [] : supported.split(", ").map((each) => ({ [field]: read(each) }));
  const ways = said.split(/, or (?=leave |remove |set |use |write )/).flatMap((way): HintEdits[] => {
    const [, named = "", value = ""] = SET.exec(way.replace(/^write "([^"]*: [^"]*)"$/, "write $1")) ?? [];
    if (named !== "") return [{ [placeOf(named, field)]: read(value) }];
    const [, gone = "", removed = ""] = WITHOUT.exec(way) ?? [];
    if (/^(?:both|one|some|them)$/.test(removed)) return [];
    if (gone + removed !== "") return [{ [placeOf(gone || removed, field)]: undefined }];
    const [, choices = ""] = CHOICES.exec(way) ?? [];
    const values = choices === "" ? [SUCH_AS.exec(way)?.[1] ?? ""] : choices.split(/, | or /);
    return values.flatMap((each) => (each === "" || NO_VALUES.test(each) ? [] : [{ [field]: read(each) }]));
  });
  return [...values, ...ways];
}

/** True where a user learns what to do: from a hint, or from a message that says what is expected. */
export const namesRemedy = ({ message, hint = "" }: Pick<Problem, "message" | "hint">): boolean =>
  hint !== "" ||
  /^(?:required value is missing|duplicate value|must )|: (?:must |supported values: |use )/.test(message);

/** Words that name a member, or a field to write instead, and are no values. */
const NO_VALUES = /^(?:id|name|types|more|imageDigestSources|platform\..*)$/;

/** A field by its whole path, by its path below something that is above the other, or as its neighbour. */
function placeOf(named: string, field: string): string {
  if (named === "it") return field;
  const [first = ""] = named.split(/[.[]/);
  if (first in Object(schema["properties"])) return named;
  const steps = field.split(".");
  const at = steps.findLastIndex((step) => step.replace(/\[\d+\]$/, "") === first);
  return [...steps.slice(0, at === -1 ? -1 : at), named].join(".");
}

function read(text: string): Json {
  if (/^".*"$/.test(text)) return text.slice(1, -1);
  if (text === "{}") return {};
  if (/^(?:true|false)$/.test(text)) return text === "true";
  return /^\d+$/.test(text) ? Number(text) : text;
}
