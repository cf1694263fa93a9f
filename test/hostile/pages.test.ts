/**
 * Every page that slipway writes, from inputs with markup, scripts and addresses in every field, opened in a real browser
 * that tells what a page did: nothing runs, nothing is fetched, and no element is there that no text asked for.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Json } from "../../src/core/json.js";
import { reportPage } from "../../src/report/report.js";
import { dump, envelope } from "../etcd/copies.js";
import { Browser, browserPath, type Opened } from "../helpers/browser.js";
import { skipTest } from "../helpers/shared.js";
import { readTree, tempFolder } from "../helpers/temp.js";
import { sampleReport } from "../report/sample.js";
import { elementsOf } from "../report/well-formed.js";
import { answer } from "./answer.js";
import { lay, wordsOf } from "./command-lines.js";
import { plantedTexts } from "./planting.js";

const test = suite("pages in a browser");
process.env["SOURCE_DATE_EPOCH"] = "1800000000";
const folder = tempFolder();

/** Texts that do something in a page where they are more than text: each in one place of another kind. */
const HOSTILE: readonly string[] = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "\"'><svg/onload=alert(1)>",
  "' onclick='alert(1)' autofocus onfocus='alert(1)",
  '" onmouseover="alert(1)" style="background:url(//example.invalid/a)',
  "javascript:alert(1)",
  "</style><script>alert(1)</script>",
  "</title></textarea></svg></td></table><iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
  "--><script>alert(1)</script><!--",
  "]]><script>alert(1)</script><![CDATA[",
  "<meta http-equiv=refresh content='0;url=https://example.invalid/'>",
  "<base href=//example.invalid/><link rel=stylesheet href=a.css>",
  "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
  "&lt;img src=x onerror=alert(1)&gt;",
  "&#x3c;script&#x3e;alert(1)&#x3c;/script&#x3e;",
  "<form action=//example.invalid/><input name=body autofocus onfocus=alert(1)>",
  "\\u003cscript\\u003ealert(1)\\u003c/script\\u003e",
  "%3Cscript%3Ealert(1)%3C/script%3E",
  "<details open ontoggle=alert(1)>",
  "{{constructor.constructor('alert(1)')()}}",
];

/** What an element says of itself, as the browser tells it. */
const shapeOf = (page: string): string[] =>
  elementsOf(page).map(({ name, attributes }) => [name, ...attributes.keys()].join(" "));

/** What the page's own script adds above a table that can be filtered (src/report/filter.ts). */
const FILTER = ["p class", "label", "input type", "output"];

/** The shape without the page's own script and what it adds, once for each such table. */
function withoutOwn(shape: readonly string[], tables: number): string[] {
  const left = [...shape];
  for (let i = 0; i < tables; i++) {
    const at = left.findIndex((_, from) => FILTER.every((name, offset) => left[from + offset] === name));
    if (at >= 0) left.splice(at, FILTER.length);
  }
  if (left.at(-1) === "script") left.pop();
  return left;
}

let pages = 0;
let texts = 0;

/** Writes a page and opens it: it is what its source says, does nothing, and shows the texts. */
async function judge(
  browser: Browser,
  page: string,
  shown: readonly string[],
  what: string,
): Promise<Opened> {
  const file = join(folder, `page-${pages++}.html`);
  writeFileSync(file, page);
  const opened = await browser.open(file);
  assert.equal(opened.acts, [], what);
  const tables = page.match(/<table class="[^"]*filterable/g)?.length ?? 0;
  assert.equal(withoutOwn(opened.shape, tables), shapeOf(page), what);
  assert.equal(
    opened.links.filter((link) => !link.startsWith("#")),
    [],
    what,
  );
  for (const text of shown) assert.ok(opened.text.includes(text), `${what}: ${text} is not shown`);
  texts += shown.length;
  return opened;
}

const COPY = "report --html - --dump etcd.json --encryption-config encryption.yaml --target 1.36";

/** A copy of etcd with hostile texts as names of namespaces, objects, kinds, groups, versions, keys of encryption. */
function hostileCopy(): Map<string, Buffer> {
  const object = (value: Json): Buffer => Buffer.from(JSON.stringify(value));
  const records = HOSTILE.flatMap((hostile, i) => {
    const segment = hostile.replaceAll("/", "_");
    return [
      {
        key: `/registry/secrets/${segment}/s`,
        value: Buffer.from(`k8s:enc:aescbc:v1:${hostile.replaceAll(":", "")}:xx`),
      },
      { key: `/registry/configmaps/${segment}/${segment}`, value: Buffer.from(hostile) },
      {
        key: `/registry/pods/ns/${segment}`,
        value: envelope(hostile, hostile, { name: hostile, namespace: hostile }),
      },
      {
        key: `/registry/g${i}.example.com/${segment}/ns/${segment}`,
        value: object({ apiVersion: `${hostile}/v1`, kind: hostile, metadata: { name: hostile } }),
      },
      {
        key: `/registry/h${i}.example.com/things/ns/${segment}`,
        value: object({
          apiVersion: `h${i}.example.com/${hostile}`,
          kind: hostile,
          metadata: { name: hostile },
        }),
      },
      { key: `/${segment}/services/${segment}`, value: Buffer.from([0xff, i]) },
      {
        key: `/registry/apiextensions.k8s.io/customresourcedefinitions/things.h${i}.example.com`,
        value: object({
          apiVersion: "apiextensions.k8s.io/v1",
          kind: "CustomResourceDefinition",
          metadata: { name: hostile },
          spec: {
            group: `h${i}.example.com`,
            names: { plural: "things", kind: hostile },
            scope: "Namespaced",
            versions: [{ name: hostile, served: true, storage: true }],
          },
          status: { storedVersions: [hostile, "v1"] },
        }),
      },
    ];
  });
  return new Map([
    [
      "etcd.json",
      dump([
        { key: "/registry/namespaces/ns", value: envelope("v1", "Namespace", { name: "ns" }) },
        ...records,
      ]),
    ],
    ["encryption.yaml", readFileSync("golden/etcd-lost-key/input/encryption.yaml")],
  ]);
}

/** A directory with files of hostile names, beside an install-config as it is. */
function hostileDirectory(): Map<string, Buffer> {
  const tree = readTree("golden/git-clone/input");
  for (const hostile of HOSTILE)
    tree.set(
      `manifests/${hostile.replaceAll("/", "_")}.yaml`,
      Buffer.from("kind: ConfigMap\napiVersion: v1\nmetadata: {name: own}\n"),
    );
  return tree;
}

/** Pages from files as they lie there, and the least number of hostile texts that each holds. */
const WHOLE: readonly (readonly [words: string, tree: () => Map<string, Buffer>, least: number])[] = [
  [COPY, hostileCopy, 15],
  ["report --html - --dir .", hostileDirectory, 15],
];

const REPORT = "golden/report/input";
/** Command lines whose documents are planted with hostile texts, and the least number of places that take one. */
const PLANTED: readonly (readonly [of: string, words: string, least: number])[] = [
  [REPORT, "report --html - --table gates.yaml", 4],
  [REPORT, "report --html - --lifecycle apis.yaml --policy policy.yaml", 9],
  [REPORT, "report --html - --scenario upgrade.yaml", 3],
  [REPORT, "report --html - --policy policy.yaml", 2],
  ["golden/etcd-lost-key/input", COPY, 11],
];

const inputsOf = (words: readonly string[], tree: ReadonlyMap<string, Buffer>): string[] =>
  words.filter((word) => tree.has(word));

async function pageFrom(
  words: readonly string[],
  tree: ReadonlyMap<string, Buffer>,
): Promise<string | undefined> {
  const place = join(folder, "work");
  lay(tree, place);
  const { code, stdout } = await answer(words, place);
  return code === 0 && stdout.startsWith("<!DOCTYPE html>") ? stdout : undefined;
}

if (browserPath === undefined)
  skipTest(test, "pages are opened in a browser", "needs chromium, or SLIPWAY_BROWSER");
else {
  const browser = Browser.start(browserPath);

  test("the browser tells what a page does", async () => {
    const page = reportPage(sampleReport(() => "word"));
    const parts = [
      ["<script>alert(1)</script>", /^ran alert 1$/],
      ["<img src=x onerror=alert(2)>", /^ran alert 2$/],
      ["<img src=x>", /^asked for .*\/x"/],
      ["<a onclick='alert(3)'>a</a>", /^ran alert 3$/],
      ["<iframe srcdoc='a'></iframe>", /^Page\.frameAttached/],
      ["<script>throw new Error('x')</script>", /^Runtime\.exceptionThrown/],
      ["<meta http-equiv=refresh content='0;url=other.html'>", /other\.html|went away/],
    ] as const;
    for (const [part, told] of parts) {
      const file = join(folder, "control.html");
      writeFileSync(file, page.replace("<h2", `${part}<h2`));
      const { acts } = await browser.open(file);
      assert.ok(
        acts.some((act) => told.test(act)),
        `${part}: ${acts.join("\n")}`,
      );
    }
  });

  test("every field of every section", async () => {
    const benign = await judge(browser, reportPage(sampleReport(() => "word")), ["word"], "a word");
    for (const hostile of HOSTILE) {
      const { shape } = await judge(browser, reportPage(sampleReport(() => hostile)), [hostile], hostile);
      assert.equal(shape, benign.shape, hostile);
    }
  });

  for (const [words, tree, least] of WHOLE)
    test(`${words}: hostile names`, async () => {
      const page = await pageFrom(wordsOf(words), tree());
      assert.ok(page !== undefined, words);
      const { text } = await judge(browser, page, [], words);
      const found = HOSTILE.filter((hostile) =>
        [hostile, hostile.replaceAll("/", "_")].some((each) => text.includes(each)),
      );
      texts += found.length;
      assert.ok(found.length >= least, `${found.length} of ${HOSTILE.length} texts are shown`);
    });

  for (const [of, words, least] of PLANTED)
    test(`${words}: hostile texts in every place that takes one`, async () => {
      const split = wordsOf(words);
      const tree = readTree(of);
      const planted = await plantedTexts(
        tree,
        inputsOf(split, tree),
        HOSTILE,
        async (given) => (await pageFrom(split, given)) !== undefined,
      );
      assert.ok(planted.names.size >= least, `${planted.names.size} places take a text`);
      const page = await pageFrom(split, planted.tree);
      assert.ok(page !== undefined);
      const { text } = await judge(browser, page, [], words);
      const shown = [...planted.names.values()].filter((each) => text.includes(each)).length;
      process.stdout.write(`${words}: ${planted.names.size} planted, ${shown} shown\n`);
      texts += shown;
    });

  test.after(async () => {
    process.stdout.write(`${pages} pages, ${texts} hostile texts shown\n`);
    await browser.close();
  });
}

test.run();
