/** Links of the documentation lead to files and headings that exist, and the documentation stays short. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PAGES } from "./helpers/pages.js";

const test = suite("links");

const FILES = [
  ...readdirSync(".").filter((name) => name.endsWith(".md")),
  ...PAGES.filter((page) => page !== "README.md"),
  "docs/reference/diagnostics.md",
];

const withoutCode = (text: string): string =>
  text.replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`\n]*`/g, "x");

/** The anchors of a page, as GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, heading = ""] of text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^#{1,6} +(.*)$/gm)) {
    const slug = heading
      .replace(/<[^>]*>/g, "")
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
    let anchor = slug;
    for (let next = 1; found.has(anchor); next++) anchor = `${slug}-${next}`;
    found.add(anchor);
  }
  for (const [, id = ""] of text.matchAll(/<a id="([^"]*)">/g)) found.add(id);
  return found;
}

/** Links of a page that lead nowhere. */
function broken(page: string, text: string): readonly string[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? page : normalize(join(dirname(page), path));
    if (!existsSync(file)) return [`${page}: ${target}`];
    if (anchor === undefined) return [];
    const anchors = statSync(file).isFile() ? anchorsOf(readFileSync(file, "utf8")) : new Set();
    return anchors.has(anchor) ? [] : [`${page}: ${target}`];
  });
}

test("leads every relative link and anchor to its target", () => {
  const faults = FILES.flatMap((page) => broken(page, readFileSync(page, "utf8")));
  assert.equal(faults, []);
});

test("finds a link to a missing file or heading", () => {
  assert.equal(
    broken("docs/x.md", "[a](git.md#add-or-remove-a-recipient) [b](../README.md) [c](https://example.org/x)"),
    [],
  );
  assert.equal(broken("docs/x.md", "[a](gone.md) [b](git.md#gone)"), [
    "docs/x.md: gone.md",
    "docs/x.md: git.md#gone",
  ]);
});

test("lists every page in docs/README.md or docs/reference/README.md", () => {
  const lists = ["docs", "docs/reference"].map((folder): [string, string] => [
    folder,
    readFileSync(join(folder, "README.md"), "utf8"),
  ]);
  const unlisted = PAGES.filter(
    (page) =>
      page.startsWith("docs/") &&
      !page.endsWith("README.md") &&
      !lists.some(([folder, text]) =>
        [...text.matchAll(/\]\(([^)#]+)/g)].some(
          ([, target = ""]) => normalize(join(folder, target)) === page,
        ),
      ),
  );
  assert.equal(unlisted, []);
});

test("begins every page with a sentence for its reader", () => {
  const other = PAGES.filter((page) => !/^# .+\n\n[A-Z][^\n|`]+/.test(readFileSync(page, "utf8")));
  assert.equal(other, []);
});

test("stays below 35,000 words without the generated page", () => {
  const words = PAGES.filter((page) => page.startsWith("docs/"))
    .map(
      (page) =>
        readFileSync(page, "utf8")
          .split(/\s+/)
          .filter((word) => word !== "").length,
    )
    .reduce((sum, count) => sum + count, 0);
  assert.ok(
    words < 35_000,
    `the docs have ${words} words, at most 35,000: say a thing once, or cut what no longer holds`,
  );
});

test.run();
