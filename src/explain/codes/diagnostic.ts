/** One diagnostic code as `slipway explain` shows it, and all of them as a page of the documentation. */
import { CODES, type Code } from "../../core/codes.js";
import { helpOf } from "../../core/diagnostics.js";
import { closest } from "../../text/closest.js";
import { wrap } from "../describe.js";
import { AREAS, REMEDIES } from "./index.js";

export interface CodeExplanation {
  readonly code: Code;
  readonly meaning: string;
  readonly remedy: string;
  readonly why?: string;
  readonly example?: string;
  /** Where the documentation explains it. */
  readonly help: string;
}

/** The code that a word names in letters of either case; undefined where there is none. */
export const findCode = (word: string): Code | undefined =>
  ALL_CODES.find((code) => code === word.toUpperCase());

/** The code that was probably meant. */
export const nearestCode = (word: string): string | undefined => closest(word, ALL_CODES);

const isCode = (name: string): name is Code => Object.hasOwn(CODES, name);

export const ALL_CODES: readonly Code[] = Object.keys(CODES).filter(isCode);

export function explainCode(code: Code): CodeExplanation {
  const remedy = REMEDIES[code];
  return { code, meaning: CODES[code], ...remedy, help: helpOf(code) };
}

/** The explanation as text for a terminal. */
export function describeCode({ code, meaning, remedy, why, example, help }: CodeExplanation): string {
  const indent = 9;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["CODE", code],
    ["MEANING", sentence(meaning)],
    ["REMEDY", remedy],
    ["WHY", why],
  ];
  return [
    ...rows.flatMap(([name, text]) => (text === undefined ? [] : [wrap(text, indent, name.padEnd(indent))])),
    ...(example === undefined ? [] : ["", "EXAMPLE", ...example.split("\n").map((line) => `  ${line}`)]),
    "",
    `See ${help}`,
    "",
  ].join("\n");
}

/** The spelling of a field, a file or a program at the start is kept. */
const sentence = (text: string): string =>
  /^[a-z-]+(?:[A-Z]|\.[a-z]|-install)/.test(text)
    ? `${text}.`
    : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const PREFACE = `# Diagnostics

Look up a code that slipway printed: what it means and what to do. \`slipway explain CODE\` shows the same in a terminal.

A diagnostic has the form \`FILE:LINE:COLUMN: SEVERITY CODE: FIELD: MESSAGE; HINT\`. An error means that the command did not complete its task; warnings and infos do not change the result. With \`--output json\`, every diagnostic has the member \`help\`, which links
to its code on this page.

This page is generated: \`node scripts/generate-docs.mjs\`.
`;

/** docs/reference/diagnostics.md. */
export function diagnosticsPage(): string {
  const prefixOf = (code: Code): string => /^[A-Z]+/.exec(code)?.[0] ?? "";
  const contents = AREAS.map(
    ({ title, prefixes }) =>
      `- [${title}](#${anchorOf(title)}): ${prefixes.map((each) => `\`${each}\``).join(", ")}`,
  );
  const sections = AREAS.map(({ title, prefixes }) => {
    const codes = ALL_CODES.filter((code) => prefixes.includes(prefixOf(code))).sort(
      (a, b) => prefixes.indexOf(prefixOf(a)) - prefixes.indexOf(prefixOf(b)) || (a < b ? -1 : 1),
    );
    return [`## ${title}`, "", ...codes.map((code) => entry(explainCode(code)))].join("\n");
  });
  return `${[`${PREFACE}`, ...contents, "", ...sections].join("\n").trimEnd()}\n`;
}

/** As GitHub makes anchors of headings. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replaceAll(" ", "-");

function entry({ code, meaning, remedy, why, example }: CodeExplanation): string {
  return [
    `### <a id="${code}"></a>${code}`,
    "",
    `${sentence(escaped(meaning))} ${escaped(remedy)}`,
    "",
    ...(why === undefined ? [] : [escaped(why), ""]),
    ...(example === undefined ? [] : ["```text", example, "```", ""]),
  ].join("\n");
}

/** Placeholders and globs as they are. */
const escaped = (text: string): string => text.replace(/[<>*_|]/g, (sign) => `\\${sign}`);
