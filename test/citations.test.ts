/**
 * Every citation points into the repository: `docs/reference/FILE.md §N`, further sections after commas, and rows of a
 * table by their name (`§6 C5`). What a comment relies on can be read by everybody who has the repository.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("citations");

const REFERENCE = "docs/reference";
const SCANNED = ["src", "schemas", "tables", "templates", "scripts", "test", "bench", "examples", "docs"];
const TEXTS = /\.(?:ts|mjs|js|json|hbs|md|yaml|sh|service)$/;

/** `§1.7`, with the rows of its tables that are meant. */
const SECTION = "§[0-9]+[a-h]?(?:\\.[0-9]+)?(?:,? (?:row [0-9]+|[A-Z]{1,2}-?[0-9]+))*";
const LIST = new RegExp(`${SECTION}(?:(?:,| and|, and) ${SECTION})*`, "y");
const FILE = /docs\/reference\/([\w-]+)\.md/g;
/** Sections of published standards. */
const STANDARD = /(?:RFC [0-9]+|FIPS [0-9-]+) $/;

/** What points out of the repository. */
const OUTSIDE: readonly RegExp[] = [
  /(?<![\w/.-])facts\/[\w-]+\.md/g,
  /(?<![\w/.-])facts §/g,
  /\bdesign\/[\w-]+\.md/g,
  /\bdesign §/g,
  /\b(?:seed|design)[- ]errata\b/g,
  // Numbers of our own; those of upstream have the repository before them, and are longer.
  /(?<!\/[\w-]+ )\bissues? #?[0-9]{1,3}\b/g,
];

/** Heading numbers of a reference with the text of each section, without those below it. */
type Sections = ReadonlyMap<string, string>;

function sectionsOf(text: string): Sections {
  const found = new Map<string, string>();
  for (const part of text.split(/^#+ /m).slice(1)) {
    const [, number] = /^([0-9]+[a-h]?(?:\.[0-9]+)?)\.? /.exec(part) ?? [];
    if (number !== undefined) found.set(number, part);
  }
  return found;
}

/** Line ends and the signs of comments as blanks, so that a citation may go on in the next line; offsets stay. */
const unbroken = (text: string): string =>
  text.replace(
    /[ \t]*\n[ \t]*(?:\*(?!\/)|\/\/|#(?!#))?[ \t]*/g,
    (each) => ` ${"\ue000".repeat(each.length - 1)}`,
  );

const withoutFill = (text: string): string => text.replaceAll("\ue000", "");

/** What is wrong in a text, each with its line. `own` are the sections that a bare § means. */
function faults(text: string, references: ReadonlyMap<string, Sections>, own?: Sections): string[] {
  const flat = unbroken(text);
  const found: string[] = [];
  const fault = (offset: number, what: string): void => {
    found.push(`${text.slice(0, offset).split("\n").length}: ${what}`);
  };
  const cited = new Set<number>();
  const check = (at: number, name: string, sections: Sections | undefined): void => {
    const list = withoutFill(flat.slice(at, at + 400));
    LIST.lastIndex = 0;
    const [all = ""] = LIST.exec(list) ?? [];
    let seen = at;
    for (const [each, number = ""] of all.matchAll(
      new RegExp(SECTION.replace("§", "§(?=([0-9]+[a-h]?(?:\\.[0-9]+)?))"), "g"),
    )) {
      seen = flat.indexOf("§", seen);
      cited.add(seen);
      const section = sections?.get(number);
      if (sections !== undefined && section === undefined) fault(seen, `${name} has no §${number}`);
      for (const [row] of each.slice(1 + number.length).matchAll(/row [0-9]+|[A-Z]{1,2}-?[0-9]+/g))
        if (section !== undefined && !new RegExp(`\\b${row.replace("row ", "")}\\b`).test(section))
          fault(seen, `${name} §${number} has no ${row}`);
      seen += 1;
    }
  };
  for (const { 0: whole, 1: name = "", index } of flat.matchAll(FILE)) {
    const sections = references.get(name);
    if (sections === undefined) fault(index, `there is no ${whole}`);
    const next = /^(?:\ue000| )*§/.exec(flat.slice(index + whole.length));
    if (next !== null) check(index + whole.length + next[0].length - 1, whole, sections);
  }
  for (const { index } of flat.matchAll(/§/g)) {
    if (cited.has(index) || STANDARD.test(withoutFill(flat.slice(Math.max(0, index - 40), index)))) continue;
    if (own === undefined) fault(index, "a section of nothing: write docs/reference/FILE.md before the §");
    else check(index, "this file", own);
  }
  for (const pattern of OUTSIDE)
    for (const { 0: what, index } of flat.matchAll(pattern))
      fault(index, `${withoutFill(what)} is not in the repository`);
  return found;
}

const references = new Map(
  readdirSync(REFERENCE)
    .filter((name) => name.endsWith(".md"))
    .map((name) => [name.replace(/\.md$/, ""), sectionsOf(readFileSync(join(REFERENCE, name), "utf8"))]),
);

const scanned = [
  ...SCANNED.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile() && TEXTS.test(each.name))
      .map((each) => join(each.parentPath, each.name).replaceAll("\\", "/")),
  ),
  ...readdirSync(".").filter((name) => name.endsWith(".md")),
].filter((path) => !path.startsWith("src/generated/") && path !== "test/citations.test.ts");

test("every citation leads to a section of the repository, and none out of it", () => {
  assert.ok(existsSync(join(REFERENCE, "README.md")));
  const found = scanned.flatMap((path) => {
    const text = readFileSync(path, "utf8");
    const [, name = ""] = /^docs\/reference\/([\w-]+)\.md$/.exec(path) ?? [];
    return faults(text, references, references.get(name)).map((each) => `${path}:${each}`);
  });
  assert.is(found.join("\n"), "");
});

/** Tables, schemas and documents that a comment names; NAME stands for any. */
const NAMED =
  /(?<![\w/.-])(?:(?:tables|schemas\/(?:inputs|outputs|emitted))\/[\w/-]+\.json|docs\/[\w-]+\.md)\b/g;

test("files that comments and references name are there", () => {
  const lost = scanned
    .filter((path) => path.startsWith("src/") || path.startsWith(`${REFERENCE}/`))
    .flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(NAMED)]
        .filter(([name]) => !name.includes("NAME") && !existsSync(name))
        .map(([name]) => `${path}: ${name}`),
    );
  assert.equal(lost, []);
});

test("most of the code's folders cite something", () => {
  const citing = scanned.filter(
    (path) => path.startsWith("src/") && readFileSync(path, "utf8").includes(`${REFERENCE}/`),
  );
  assert.ok(citing.length > 100, `${citing.length} files of src cite a reference`);
});

const TWO = new Map([
  ["one", sectionsOf("# One\n\n## 1. A\n\n### 1.2 B\n\n| C5 | x |\n| 12 | y |\n\n## 2a. C\n")],
]);

for (const [what, text, expected] of [
  ["a section", "docs/reference/one.md §1.2", []],
  ["several, over a line end", "/**\n * docs/reference/one.md §1,\n * §2a and §1.2.\n */", []],
  ["rows", "docs/reference/one.md §1.2 C5, §1.2 row 12", []],
  ["a file alone", "(docs/reference/one.md)", []],
  ["a standard", "RFC 4253 §6.6 and FIPS 186-5 §5.1", []],
  ["issues of upstream", "kubernetes/kubernetes issue 52185, openshift/installer issue 627", []],
  ["a section that is not there", "\ndocs/reference/one.md §1.3", ["2: docs/reference/one.md has no §1.3"]],
  ["the second of two", "docs/reference/one.md §1, §9", ["1: docs/reference/one.md has no §9"]],
  ["a row that is not there", "docs/reference/one.md §1.2 C6", ["1: docs/reference/one.md §1.2 has no C6"]],
  ["a file that is not there", "docs/reference/two.md §1", ["1: there is no docs/reference/two.md"]],
  ["a section of nothing", "(§1.2)", ["1: a section of nothing: write docs/reference/FILE.md before the §"]],
  ["facts", "facts/one.md", ["1: facts/one.md is not in the repository"]],
  ["a design", "design/product.md", ["1: design/product.md is not in the repository"]],
  ["an issue", "see issue 11", ["1: issue 11 is not in the repository"]],
] as const)
  test(`as it is meant: ${what}`, () => assert.equal(faults(text, TWO), expected));

test("within a reference a bare section is one of its own", () => {
  assert.equal(faults("see §1.2 and §2a", TWO, TWO.get("one")), []);
  assert.equal(faults("see §3", TWO, TWO.get("one")), ["1: this file has no §3"]);
});

test.run();
