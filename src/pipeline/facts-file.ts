/**
 * The facts file that a person fills in: from questions to a commented text, and what is missing into a text that
 * somebody has filled in, whose lines stay as they are.
 */
import { decode, encode } from "../core/files.js";
import { equalJson, isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { keepLayout } from "../directory/keep-layout.js";
import {
  type FactBlank,
  type FactQuestion,
  type FactsAsked,
  isUnfilled,
  unfilledFact,
  unfilledIn,
} from "../platforms/fact-questions.js";
import { valuesOf } from "../text/yaml-content.js";
import { writeYaml } from "../text/yaml-write.js";

const HEAD: JsonObject = { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts" };

/** The path of a fact: the platform's section, and the member in it. */
const pathOf = ({ fact }: FactQuestion): readonly string[] => fact.split(".");

/** The section of a platform with every value of the questions, made by `blank`. */
const sectionOf = (questions: readonly FactQuestion[], blank: FactBlank): JsonObject =>
  Object.fromEntries(questions.map((question) => [pathOf(question)[1] ?? "", question.value(blank)]));

/** The document with the values of questions that it does not have yet. */
export const withFacts = (
  given: JsonObject | undefined,
  platform: string,
  asked: FactsAsked,
  questions: readonly FactQuestion[],
  blank: FactBlank,
): JsonObject => {
  const scope = (given?.[platform] ?? null) === null ? asked.scope : {};
  const wanted = { ...HEAD, [platform]: { ...scope, ...sectionOf(questions, blank) } };
  return merged(given ?? {}, wanted);
};

/** What is there, with what only the other one has. */
function merged(there: JsonObject, wanted: JsonObject): JsonObject {
  const own = Object.entries(wanted).map(([key, value]): [string, Json] => [
    key,
    mergedValue(there[key] ?? null, value),
  ]);
  return { ...there, ...Object.fromEntries(own) };
}

function mergedValue(there: Json, wanted: Json): Json {
  if (there === null) return wanted;
  if (isObject(there) && isObject(wanted)) return merged(there, wanted);
  if (isList(there) && isList(wanted)) return [...there, ...newEntries(there, wanted)];
  return there;
}

/** Entries that are about things of which no entry is there. An entry without a name of its own asks for any. */
const newEntries = (there: readonly Json[], wanted: readonly Json[]): readonly Json[] =>
  wanted.filter((entry) => {
    const known = isObject(entry)
      ? Object.entries(entry).filter(([, value]) => typeof value === "string" && !isUnfilled(value))
      : [];
    if (known.length === 0) return there.length === 0;
    return !there.some(
      (each) =>
        isObject(each) &&
        known.some(([key, value]) => ["id", "uuid", "name", "zone"].includes(key) && each[key] === value),
    );
  });

/** The lines of a new facts file. */
export function newFactsFile(
  about: string,
  platform: string,
  { scope }: FactsAsked,
  questions: readonly FactQuestion[],
): string {
  return [
    `# Facts about the cloud for ${about}. Replace every value in angle brackets: the commands print them.`,
    "# To see every field, run: slipway explain cloud-facts",
    ...lines(HEAD, ""),
    `${platform}:`,
    ...lines(scope, "  "),
    ...questions.flatMap((question) => [
      ...noteOf(question).map((line) => `  # ${line}`),
      ...lines({ [pathOf(question)[1] ?? ""]: question.value(unfilledFact) }, "  "),
    ]),
    "",
  ].join("\n");
}

const lines = (value: JsonObject, indent: string): readonly string[] =>
  Object.keys(value).length === 0
    ? []
    : writeYaml(value)
        .trimEnd()
        .split("\n")
        .map((line) => `${indent}${line}`);

/** What a comment says of a fact; no name of a config ends it. */
const noteOf = ({ about, commands }: FactQuestion): readonly string[] =>
  [about, ...commands.map((command) => `  ${command}`)].flatMap((text) =>
    text.split(/[\r\n\u0085\u2028\u2029]+/),
  );

/** The facts without every fact of a platform that has something to fill in. */
export const withoutUnfilled = (facts: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(facts).map(([name, section]) => [
      name,
      isObject(section)
        ? Object.fromEntries(Object.entries(section).filter(([, each]) => unfilledIn(each).length === 0))
        : section,
    ]),
  );

/** A place in the text where something is missing. */
interface Addition {
  readonly path: readonly string[];
  /** Members of the mapping there, or entries of the list. */
  readonly value: Json;
  readonly note: readonly string[];
}

/** What is missing, by its place; undefined where only a value that is empty could be replaced. */
function additions(path: readonly string[], there: Json, wanted: Json, note: readonly string[]): Addition[] {
  if (isObject(there) && isObject(wanted))
    return Object.entries(wanted).flatMap(([key, value]) =>
      there[key] === undefined || there[key] === null
        ? [{ path, value: { [key]: value }, note }]
        : additions([...path, key], there[key], value, note),
    );
  if (!isList(there) || !isList(wanted)) return [];
  const fresh = newEntries(there, wanted);
  return fresh.length === 0 ? [] : [{ path, value: fresh, note }];
}

/** The text with lines added behind the last one of a mapping or list; undefined where its layout does not allow it. */
async function inserted(text: string, { path, value, note }: Addition): Promise<string | undefined> {
  const { parseDocument, isMap, isSeq } = await import("yaml");
  const node = parseDocument(text, { version: "1.1" }).getIn(path, true);
  if ((!isMap(node) && !isSeq(node)) || node.flow === true || node.items.length === 0 || !node.range)
    return undefined;
  const [start, end] = node.range;
  const indent = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  if (!/^ *$/.test(indent)) return undefined;
  const filled = text.slice(0, end).trimEnd();
  // A comment behind the last value stays in its line.
  const last = filled.length + (/^[^\n]*/.exec(text.slice(filled.length))?.[0].length ?? 0);
  const block = [...note.map((line) => `# ${line}`), ...writeYaml(value).trimEnd().split("\n")];
  return `${text.slice(0, last)}\n${block.map((line) => `${indent}${line}`).join("\n")}${text.slice(last) || "\n"}`;
}

/**
 * The text with what is missing in it: lines are added and none is changed, wherever its layout allows. Undefined where
 * nothing is missing.
 * @param there what the text says
 */
export async function completedFacts(
  data: Uint8Array,
  there: JsonObject,
  platform: string,
  asked: FactsAsked,
  questions: readonly FactQuestion[],
): Promise<{ readonly data: Uint8Array; readonly added: readonly string[] } | undefined> {
  const section = there[platform] ?? null;
  const missing = questions.flatMap((question) =>
    additions(
      [platform],
      section === null ? {} : section,
      { [pathOf(question)[1] ?? ""]: question.value(unfilledFact) },
      noteOf(question),
    ).map((addition) => ({ ...addition, fact: question.fact })),
  );
  if (missing.length === 0) return undefined;
  const added = [...new Set(missing.map(({ fact }) => fact))];
  const whole = withFacts(there, platform, asked, questions, unfilledFact);
  let text: string | undefined = decode(data) ?? "";
  for (const addition of missing) text = text === undefined ? undefined : await inserted(text, addition);
  const kept = text === undefined ? undefined : encode(text);
  // What the insertion makes of a text counts only where our own reader reads the same in it.
  const read = kept === undefined ? undefined : valuesOf(kept);
  if (kept !== undefined && equalJson(read?.[0], whole) && read?.length === 1) return { data: kept, added };
  return { data: (await keepLayout(data, [whole])).data, added };
}
