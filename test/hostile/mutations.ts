/** What is done to an input to see whether a command answers: one list for every document of every command. */
import { loadAll } from "js-yaml";
import type { Json } from "../../src/core/json.js";

export type Kind = "value" | "key" | "giant" | "cut" | "line" | "bytes" | "whole";

export interface Mutation {
  readonly kind: Kind;
  /** For the report of a fault: what was done, and where. */
  readonly what: string;
  readonly data: Uint8Array;
}

/** A whole number below a limit; the seed decides all of them. */
export type Pick = (limit: number) => number;

/** A generator of 32 bits (mulberry32). */
export function picker(seed: number): Pick {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

const PROTOTYPE = ["toString", "constructor", "__proto__", "hasOwnProperty", "valueOf", "length", "then"];

/** JSON texts that take the place of a value. */
const VALUES: readonly string[] = [
  "null",
  "true",
  "false",
  "0",
  "-1",
  "1.5",
  "1e308",
  "9007199254740993",
  '""',
  '"x"',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"a\\nb"',
  '"data:;base64,%%%"',
  '"2020-01-01"',
  '"2001:db8::/129"',
  '"0.0.0.0/0"',
  "[]",
  "[null]",
  '["x"]',
  "[[]]",
  "[{}]",
  "{}",
  '{"x":null}',
  '{"x":{}}',
  '{"":1}',
  ...PROTOTYPE.map((name) => JSON.stringify(name)),
  ...PROTOTYPE.map((name) => `{${JSON.stringify(name)}:"x"}`),
  ...PROTOTYPE.map((name) => `{${JSON.stringify(name)}:null}`),
];

/** Values that are too large or too deep to make sense. */
const GIANTS: readonly string[] = [
  `"${"x".repeat(300_000)}"`,
  `"${"\\n".repeat(100_000)}"`,
  `[${"1,".repeat(20_000)}1]`,
  `{${Array.from({ length: 5000 }, (_, i) => `"k${i}":1`).join(",")}}`,
  ...[3000, 100_000].flatMap((depth) => [
    `${"[".repeat(depth)}${"]".repeat(depth)}`,
    `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
  ]),
];

/** Whole texts that stand where a document should. */
const WHOLE: readonly string[] = [
  "",
  "\n",
  "---\n",
  "null\n",
  "~",
  "[]",
  "{}",
  "{",
  "[",
  '"',
  "'",
  "x",
  "0",
  "- - - -",
  "? ",
  "&a [*a]",
  "&a {a: *a}",
  "<<: {a: 1}",
  "<<: *a",
  "!!binary x",
  "!!js/function x",
  "%YAML 9.9\n---\n",
  "a: |\n",
  "a: 1\na: 2\n",
  "toString: 1\n",
  "kind: toString\napiVersion: constructor\n",
  `a: &a [x,x,x,x,x,x,x,x]\n${"bcdefghij".replaceAll(/./g, (key) => `${key}: &${key} [${`*${String.fromCharCode(key.charCodeAt(0) - 1)},`.repeat(8)}]\n`)}`,
  " ".repeat(200_000),
  "#".repeat(200_000),
  "-\n".repeat(20_000),
];

/** A place in the documents of a text: the steps to it. */
type Steps = readonly (string | number)[];

/** Documents parsed once, so that one input can be mutated often. */
export interface Sample {
  readonly data: Buffer;
  readonly documents: readonly Json[];
  readonly places: readonly Steps[];
}

export function sampleOf(data: Buffer): Sample {
  const documents = parsed(data);
  return { data, documents, places: documents.flatMap((each, i) => placesIn(each, [i])).slice(0, 4000) };
}

function parsed(data: Buffer): Json[] {
  try {
    const values: Json[] = JSON.parse(JSON.stringify(loadAll(data.toString("utf8"))));
    return values.filter((each) => each !== null);
  } catch {
    return [];
  }
}

function placesIn(value: Json, at: Steps): Steps[] {
  const inner =
    Array.isArray(value) || typeof value !== "object" || value === null
      ? Array.isArray(value)
        ? value.flatMap((each, i) => placesIn(each, [...at, i]))
        : []
      : Object.entries(value).flatMap(([key, each]) => placesIn(each, [...at, key]));
  return [at, ...inner];
}

/** A value as JSON, with an edit of the member or item that the steps lead to. Texts, since keys may appear twice. */
function written(value: Json, steps: Steps, edit: (text: string, key: string | undefined) => string): string {
  const [step, ...rest] = steps;
  if (typeof value !== "object" || value === null || step === undefined) return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${value
      .map((each, i) =>
        i !== step
          ? JSON.stringify(each)
          : rest.length === 0
            ? edit(JSON.stringify(each), undefined)
            : written(each, rest, edit),
      )
      .filter((text) => text !== "")
      .join(",")}]`;
  return `{${Object.entries(value)
    .map(([key, each]) => {
      const own = JSON.stringify(key);
      if (key !== step) return `${own}:${JSON.stringify(each)}`;
      return rest.length === 0 ? edit(JSON.stringify(each), own) : `${own}:${written(each, rest, edit)}`;
    })
    .filter((text) => text !== "")
    .join(",")}}`;
}

function edited(
  { documents }: Sample,
  steps: Steps,
  edit: (text: string, key: string | undefined) => string,
) {
  const [index, ...rest] = steps;
  return Buffer.from(
    documents
      .map((each, i) => {
        if (i !== index) return JSON.stringify(each);
        return rest.length === 0 ? edit(JSON.stringify(each), undefined) : written(each, rest, edit);
      })
      .join("\n---\n"),
  );
}

const asMember = (key: string | undefined, value: string): string =>
  key === undefined ? value : `${key}:${value}`;

const shown = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}… (${text.length})` : text);

const from = <T>(pick: Pick, list: readonly T[]): T | undefined => list[pick(list.length)];

/** One input of so many gets a value that is too large: each costs as much as hundreds of others. */
const GIANT = 400;

/** One mutation of a sample. */
export function mutate(sample: Sample, pick: Pick): Mutation {
  const kinds: readonly Kind[] =
    sample.places.length > 0
      ? ["value", "value", "value", "value", "value", "key", "key", "cut", "cut", "line", "bytes", "whole"]
      : ["cut", "line", "bytes", "whole"];
  const kind = sample.places.length > 0 && pick(GIANT) === 0 ? "giant" : (from(pick, kinds) ?? "whole");
  return { kind, ...MUTATORS[kind](sample, pick) };
}

type Mutator = (sample: Sample, pick: Pick) => Omit<Mutation, "kind">;

const MUTATORS: Readonly<Record<Kind, Mutator>> = {
  value: (sample, pick) => {
    const steps = from(pick, sample.places) ?? [];
    const value = from(pick, VALUES) ?? "null";
    return {
      what: `${steps.join("/")} is ${shown(value)}`,
      data: edited(sample, steps, (_, key) => asMember(key, value)),
    };
  },
  key: (sample, pick) => {
    const steps = from(pick, sample.places) ?? [];
    const name = JSON.stringify(from(pick, [...PROTOTYPE, "", "x".repeat(5000), "a b", "\u0000", "1"]));
    const other = from(pick, ["null", '"x"', "{}", "[]", "1"]) ?? "null";
    const how = pick(4);
    const edits: readonly ((text: string, key: string | undefined) => string)[] = [
      (text, key) => (key === undefined ? text : asMember(name, text)),
      (text, key) => (key === undefined ? text : `${asMember(key, text)},${asMember(name, other)}`),
      (text, key) =>
        key === undefined ? `${text},${text}` : `${asMember(key, text)},${asMember(key, other)}`,
      () => "",
    ];
    return {
      what: `${steps.join("/")}: ${["renamed", "beside it", "twice", "left out"][how]} ${shown(name)} ${other}`,
      data: edited(sample, steps, edits[how] ?? ((text) => text)),
    };
  },
  giant: (sample, pick) => {
    const steps = from(pick, sample.places) ?? [];
    const value = from(pick, GIANTS) ?? "[]";
    return {
      what: `${steps.join("/")} is ${shown(value)}`,
      data: edited(sample, steps, (_, key) => asMember(key, value)),
    };
  },
  cut: ({ data }, pick) => {
    const length = pick(data.length + 1);
    return { what: `cut off at ${length}`, data: data.subarray(0, length) };
  },
  line: ({ data }, pick) => {
    const lines = data.toString("utf8").split("\n");
    const at = pick(lines.length);
    const how = pick(5);
    const line = lines[at] ?? "";
    const changed = [
      [],
      [line, line],
      [`\t${line}`],
      [line.replace(/:.*/, ":")],
      [lines[pick(lines.length)] ?? ""],
    ][how];
    lines.splice(at, 1, ...(changed ?? []));
    return {
      what: `line ${at + 1} ${["gone", "twice", "with a tab", "without its value", "is another"][how]}`,
      data: Buffer.from(lines.join("\n")),
    };
  },
  bytes: ({ data }, pick) => {
    const at = pick(data.length + 1);
    const put = (bytes: readonly number[]): Buffer =>
      Buffer.concat([data.subarray(0, at), Buffer.from(bytes), data.subarray(at)]);
    const text = data.toString("utf8");
    const changes: readonly (readonly [string, () => Buffer])[] = [
      ["a byte order mark", () => Buffer.from(`\ufeff${text}`)],
      ["UTF-16", () => Buffer.from(`\ufeff${text}`, "utf16le")],
      ["UTF-16 without a mark", () => Buffer.from(text, "utf16le")],
      ["UTF-16 big-endian", () => Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
      ["CRLF", () => Buffer.from(text.replaceAll("\n", "\r\n"))],
      [`ff at ${at}`, () => put([0xff])],
      [`a surrogate at ${at}`, () => put([0xed, 0xa0, 0x80])],
      [`NUL at ${at}`, () => put([0])],
      [`ESC at ${at}`, () => put([0x1b, 0x5b, 0x32, 0x4a])],
      [`U+2028 at ${at}`, () => put([0xe2, 0x80, 0xa8])],
      [`a quote at ${at}`, () => put([0x22])],
      [`a brace at ${at}`, () => put([0x7b])],
      [`an anchor at ${at}`, () => put([0x26, 0x61, 0x20])],
    ];
    const [what, change] = from(pick, changes) ?? ["", () => data];
    return { what, data: change() };
  },
  whole: (_, pick) => {
    const text = from(pick, WHOLE) ?? "";
    return { what: `only ${JSON.stringify(shown(text))}`, data: Buffer.from(text) };
  },
};
