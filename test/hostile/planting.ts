/**
 * Hostile texts in every field: the documents of a command line with such a text in every place that the command takes
 * one in, found by trying, so that no list of fields has to be kept.
 */
import { CORE_SCHEMA, loadAll } from "js-yaml";
import { isJson, isList, isObject, type Json } from "../../src/core/json.js";

/** The texts of a document, names of members included, each once. */
function textsIn(value: Json, found: Set<string>): void {
  if (typeof value === "string") found.add(value);
  else if (isList(value)) for (const each of value) textsIn(each, found);
  else if (isObject(value))
    for (const [name, each] of Object.entries(value)) {
      found.add(name);
      textsIn(each, found);
    }
}

/** The same document with other texts; what is equal stays equal, so that references lead where they led. */
function renamed(value: Json, names: ReadonlyMap<string, string>): Json {
  if (typeof value === "string") return names.get(value) ?? value;
  if (isList(value)) return value.map((each) => renamed(each, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [names.get(name) ?? name, renamed(each, names)]),
  );
}

const documentsOf = (data: Buffer): Json[] | undefined => {
  try {
    const documents: unknown[] = loadAll(data.toString("utf8"), null, { schema: CORE_SCHEMA });
    return documents.every(isJson) && documents.some((each) => isObject(each) || isList(each))
      ? documents.filter(isJson)
      : undefined;
  } catch {
    return undefined;
  }
};

const writtenAs = (documents: readonly Json[]): Buffer =>
  Buffer.from(documents.map((each) => JSON.stringify(each)).join("\n---\n"));

export interface Planted {
  readonly tree: ReadonlyMap<string, Buffer>;
  /** What stands in the place of each text that could be replaced. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Puts hostile texts into the place of all texts of the named files that the command can do without.
 * @param accepts true where the command does its work with these files
 */
export async function plantedTexts(
  tree: ReadonlyMap<string, Buffer>,
  files: readonly string[],
  hostile: readonly string[],
  accepts: (tree: ReadonlyMap<string, Buffer>) => Promise<boolean>,
): Promise<Planted> {
  const documents = new Map(
    files.flatMap((file): [string, Json[]][] => {
      const known = documentsOf(tree.get(file) ?? Buffer.alloc(0));
      return known === undefined ? [] : [[file, known]];
    }),
  );
  const texts = new Set<string>();
  for (const each of documents.values()) textsIn(each, texts);
  const laidOut = (names: ReadonlyMap<string, string>): Map<string, Buffer> =>
    new Map([
      ...tree,
      ...[...documents].map(([file, values]): [string, Buffer] => [
        file,
        writtenAs(values.map((each) => renamed(each, names))),
      ]),
    ]);
  let names: ReadonlyMap<string, string> = new Map();
  let turn = 0;
  const wanted = [...texts].map((text): [string, string] => {
    // Numbered, so that two names that differ stay two.
    const number = turn++;
    return [text, `${hostile[number % hostile.length] ?? ""}${number}`];
  });
  const plant = async (part: readonly (readonly [string, string])[]): Promise<void> => {
    const tried = new Map([...names, ...part]);
    if (await accepts(laidOut(tried))) names = tried;
    else if (part.length > 1) {
      await plant(part.slice(0, part.length >> 1));
      await plant(part.slice(part.length >> 1));
    }
  };
  if (wanted.length > 0) await plant(wanted);
  return { tree: laidOut(names), names };
}
