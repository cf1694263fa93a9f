import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FILTER, FILTER_DIGEST } from "../../src/report/filter.js";
import { reportPage, sectionsOf } from "../../src/report/report.js";
import { runs } from "../helpers/runs.js";
import { sampleReport } from "./sample.js";
import { elementsOf } from "./well-formed.js";

const test = suite("report page");

const HOSTILE = [
  "<script>alert(1)</script>",
  "</title></svg></style></td><img src=x onerror=alert(1)>",
  "\"' onload='x' \" style=\"color:red",
  "&lt;&amp;&#x3c;&bogus;",
  "]]><!-- --> <!DOCTYPE x> <?php ?>",
  "a\u0000b\u0008c\u001bd\u007fe\u0085f\r\ng",
  "\u202egnp.exe\u2066\u2028\ufffe\uffff",
  "\ud800 half \udc00 halves \ud83d\ude00",
  "javascript:alert(1)",
];

const benign = elementsOf(reportPage(sampleReport(() => "word")));
const shape = (page: string): string =>
  elementsOf(page)
    .map(({ name, attributes }) => `${name} ${[...attributes.keys()].join(" ")}`)
    .join("\n");
const benignShape = shape(reportPage(sampleReport(() => "word")));

test("the policy allows the page's own script by its digest, and no other", () => {
  const digest = createHash("sha256").update(FILTER).digest("base64");
  assert.is(FILTER_DIGEST, `sha256-${digest}`);
  assert.not.match(FILTER, /[<&]|\]\]>/);
  const page = reportPage(sampleReport(() => "word"));
  assert.ok(page.includes(`script-src &#39;sha256-${digest}&#39;`));
  assert.is(page.split("<script>").length, 2);
  assert.ok(page.includes(`<script>${FILTER}</script>`));
});

test("the overview has what is worst first, and the title the cluster", () => {
  const page = reportPage(sampleReport(() => "word"));
  const order = [...page.matchAll(/<span class="badge (bad|warn|plain)">(error|warning|info)<\/span>/g)].map(
    ([, , severity]) => severity,
  );
  assert.equal(order.slice(0, 3), ["error", "warning", "info"]);
  assert.match(page, /<title>word: slipway report<\/title>/);
  assert.match(page, /<a href="#directory">word<\/a>/);
});

const PLAN_SECTIONS = ["upgrade-plan", "transfer-plan", "repair-plan"];

test("every section is there, with a place and a heading", () => {
  const report = sampleReport(() => "word");
  assert.equal(
    sectionsOf(report).map(({ id }) => id),
    [
      "overview",
      "fleet",
      "directory",
      "diagnostics",
      ...PLAN_SECTIONS,
      "gates",
      "apis",
      "behaviors",
      "policy",
      "simulation",
      "etcd",
    ],
  );
  const ids = benign.filter(({ name }) => name === "section").map(({ attributes }) => attributes.get("id"));
  assert.equal(
    ids,
    sectionsOf(report).map(({ id }) => id),
  );
  const links = benign.filter(({ name }) => name === "a").map(({ attributes }) => attributes.get("href"));
  // The list of contents, and the item of the overview that leads to a section.
  assert.equal(links, [...ids.map((id) => `#${id}`), "#directory"]);
});

test("a section appears only for what is given", () => {
  const { tool, gates } = sampleReport(() => "word");
  assert.equal(
    sectionsOf({ tool, gates }).map(({ id }) => id),
    ["gates"],
  );
  assert.equal(sectionsOf({ tool }), []);
});

test("every picture has a title, every table a caption, every column a direction", () => {
  const page = reportPage(sampleReport(() => "word"));
  const pictures = page.match(/<svg xmlns[^>]*>\n<title>[^<]+<\/title>\n<desc>[^<]+<\/desc>/g) ?? [];
  const drawn = benign.filter(({ name, attributes }) => name === "svg" && attributes.get("role") === "img");
  assert.is(pictures.length, drawn.length);
  assert.ok(drawn.length >= 6);
  const tables = benign.filter(({ name }) => name === "table").length;
  assert.is(
    (page.match(/<table(?: class="(?:matrix|filterable)")?>\n<caption>[^<]+<\/caption>/g) ?? []).length,
    tables,
  );
  for (const { name, attributes } of benign) if (name === "th") assert.ok(attributes.has("scope"));
});

test("the page forbids itself scripts and requests", () => {
  const policy = benign.find(({ attributes }) => attributes.get("http-equiv") === "Content-Security-Policy");
  assert.match(policy?.attributes.get("content") ?? "", /^default-src &#39;none&#39;/);
  const style = /<style>([\s\S]*?)<\/style>/.exec(reportPage({ tool: "x" }))?.[1] ?? "";
  assert.not.match(style, /url\(|@import|@font-face|expression|[<&]/);
});

test("no text changes the structure of the page", () => {
  for (const hostile of HOSTILE)
    assert.is(shape(reportPage(sampleReport(() => hostile))), benignShape, hostile);
  const texts = fc.oneof(
    fc.constantFrom(...HOSTILE),
    fc.string({ unit: "binary", minLength: 1 }),
    fc
      .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 12 })
      .map((codes) => String.fromCharCode(...codes)),
    fc.stringMatching(/^[<>"'&/a-z =!-]{1,20}$/),
  );
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 40 }), (all) => {
      let next = 0;
      const page = reportPage(sampleReport(() => all[next++ % all.length] ?? "x"));
      assert.is(shape(page), benignShape);
    }),
    { numRuns: runs(300) },
  );
});

test("the same values give the same bytes", () => {
  assert.is(reportPage(sampleReport(() => "word")), reportPage(sampleReport(() => "word")));
});

test("the page is made of plain values: its code knows no other domain", () => {
  const folder = join(process.cwd(), "src/report");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((each) =>
    each.endsWith(".ts"),
  );
  assert.ok(files.length > 10);
  for (const file of files)
    for (const [, from = ""] of readFileSync(join(folder, file), "utf8").matchAll(/from "([^"]+)"/g))
      assert.match(join("src/report", dirname(file), from), /^src\/(?:report|core)\//, `${file}: ${from}`);
});

test.run();
