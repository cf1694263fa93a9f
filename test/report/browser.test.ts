/**
 * The page in a real browser, without a window: its filter answers, it is no wider than a telephone, it can be read by a
 * screen reader, in the dark, on paper and from the keyboard.
 */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { reportPage } from "../../src/report/report.js";
import { browserPath } from "../helpers/browser.js";
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";
import { sampleReport } from "./sample.js";

const test = suite("report in a browser");

const AXE = createRequire(join(process.cwd(), "package.json")).resolve("axe-core/axe.min.js");

/** Words of every length that a report has: a cell that cannot wrap is wider than a telephone. */
const TEXTS = [
  "word",
  "a sentence of several words, which is as long as a message of an API server that says why it refuses a request",
  "sha256:bf4451b4936ea0cbb6843f5fe05ae08cf591c4e153d236190e92fed63b7ff76a",
  "customresourcedefinitions.apiextensions.k8s.io/storageversionmigrations.storagemigration.k8s.io",
];
let next = 0;
const PAGE = reportPage(sampleReport(() => TEXTS[next++ % TEXTS.length] ?? ""));

interface View {
  readonly width?: number;
  readonly dark?: boolean;
}

/** Opens a page; `free` switches its own policy off, so that a test can run scripts of its own in it. */
async function opened(
  browser: Browser,
  page: string,
  { width = 1400, dark = false }: View = {},
): Promise<Page> {
  const file = join(tempFolder(), "report.html");
  writeFileSync(file, page);
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: dark ? "dark" : "light",
  });
  const tab = await context.newPage();
  await tab.goto(`file://${file}`);
  return tab;
}

/** The ratio of contrast of every text that is shown, where it is lower than WCAG AA asks. */
const LOW_CONTRAST = `(() => {
  const rgb = (text) => (text.match(/[0-9.]+/g) ?? []).map(Number);
  const light = (text) => {
    const [r, g, b] = rgb(text).map((each) => each / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const isClear = (text) => text === "transparent" || rgb(text)[3] === 0;
  const behind = (each) => {
    for (let at = each; at !== null; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (!isClear(backgroundColor)) return backgroundColor;
    }
    return "rgb(255, 255, 255)";
  };
  const low = [];
  let texts = 0;
  for (const each of document.querySelectorAll("body, body *")) {
    const own = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
    if (!own || each.closest("script, title, desc") !== null) continue;
    texts++;
    const style = getComputedStyle(each);
    const isDrawn = each.ownerSVGElement !== undefined && each.ownerSVGElement !== null;
    const color = isDrawn ? style.fill : style.color;
    const grounds = [behind(each)];
    if (isDrawn) for (const rect of each.parentElement.querySelectorAll(":scope > rect")) {
      const { fill } = getComputedStyle(rect);
      const [a, b] = [rect.getBoundingClientRect(), each.getBoundingClientRect()];
      const isBehind = a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
      if (isBehind && fill !== "none") grounds.push(fill);
    }
    for (const ground of grounds)
      if (ratio(color, ground) < 4.5) low.push(each.outerHTML.slice(0, 120) + " " + color + " on " + ground + " " + ratio(color, ground).toFixed(2));
  }
  return { texts, low };
})()`;

if (browserPath === undefined) skipTest(test, "the page", "needs chromium (SLIPWAY_BROWSER)");
else {
  let browser: Browser;
  const executablePath = browserPath;
  test.before(async () => {
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  });
  test.after(async () => browser.close());

  test("the page's own script runs under its policy", async () => {
    const tab = await opened(browser, PAGE, { width: 390 });
    const tables = await tab.locator("table.filterable").count();
    assert.ok(tables >= 3, String(tables));
    assert.is(await tab.locator("p.filter input[type=search]").count(), tables);
    for (const text of await tab.locator("p.filter output").allTextContents())
      assert.match(text, /^(\d+) of \1$/);
  });

  test("another script in the page does not run", async () => {
    const other = '<script>document.title = "ran";</script></body>';
    const tab = await opened(browser, PAGE.replace("</body>", other));
    assert.is.not(await tab.title(), "ran");
    assert.is(await tab.locator("p.filter").count(), await tab.locator("table.filterable").count());
  });

  test("the filter shows the rows with all words", async () => {
    const gates = sampleReport(() => "word").gates?.[0];
    const [gate] = gates?.gates ?? [];
    assert.ok(gates !== undefined && gate !== undefined);
    const names = Array.from({ length: 252 }, (_, i) => `Gate${String(i).padStart(3, "0")}`);
    const many = { ...gates, gates: names.map((name) => ({ ...gate, name })) };
    const tab = await opened(browser, reportPage({ tool: "x", gates: [many] }));
    const field = tab.locator("p.filter input").first();
    const count = tab.locator("p.filter output").first();
    const rows = tab.locator("table.filterable").first().locator("tbody tr");
    for (const [words, shown] of [
      ["", 252],
      ["gate01", 10],
      ["gate01 OVERDUE", 10],
      ["gate0 7", 19],
      ["gate01 removed-never", 0],
    ] as const) {
      await field.fill(words);
      assert.is(await rows.filter({ visible: true }).count(), shown, words);
      assert.is(await count.textContent(), `${shown} of 252`);
    }
  });

  for (const width of [390, 800, 1400])
    test(`no wider than ${width} pixels`, async () => {
      const tab = await opened(browser, PAGE, { width });
      assert.ok((await tab.locator("section").count()) >= 12);
      const wide = await tab.evaluate<readonly string[]>(`[...document.querySelectorAll("body *")]
        .filter((each) => each.closest(".scroll") === null && each.closest("svg") === null && each.getBoundingClientRect().right > innerWidth + 1)
        .map((each) => each.outerHTML.slice(0, 100))`);
      assert.equal(wide, []);
      assert.ok((await tab.evaluate<number>("document.documentElement.scrollWidth")) <= width);
    });

  for (const dark of [false, true])
    test(`axe-core finds nothing ${dark ? "in the dark" : "in the light"}`, async () => {
      const tab = await opened(browser, PAGE, { dark });
      // The browser's own side of the tests is not held by the page's policy.
      await tab.evaluate(`(() => { ${(await import("node:fs")).readFileSync(AXE, "utf8")} })()`);
      const found = await tab.evaluate<{ readonly violations: readonly string[]; readonly passes: number }>(
        `axe.run().then(({ violations, passes }) => ({
          violations: violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 100)).join("\\n")),
          passes: passes.length,
        }))`,
      );
      assert.equal(found.violations, []);
      assert.ok(found.passes >= 15, String(found.passes));
    });

  for (const dark of [false, true])
    test(`every text has the contrast of AA ${dark ? "in the dark" : "in the light"}`, async () => {
      const tab = await opened(browser, PAGE, { dark });
      const found = await tab.evaluate<{ readonly texts: number; readonly low: readonly string[] }>(
        LOW_CONTRAST,
      );
      assert.ok(found.texts > 200, String(found.texts));
      assert.equal(found.low, []);
    });

  test("low contrast is found", async () => {
    const tab = await opened(browser, PAGE.replace("<h1>", '<h1 style="color:#999999">'));
    const { low } = await tab.evaluate<{ readonly low: readonly string[] }>(LOW_CONTRAST);
    assert.is(low.length, 1);
  });

  test("the keyboard reaches everything in the order of the page", async () => {
    const tab = await opened(browser, PAGE);
    const all = await tab.evaluate<number>(`(() => {
      const all = [...document.querySelectorAll("a[href], input, [tabindex='0']")];
      all.forEach((each, i) => { each.dataset.order = i; });
      return all.length;
    })()`);
    assert.ok(all > 30, String(all));
    for (let i = 0; i < all; i++) {
      await tab.keyboard.press("Tab");
      const at = await tab.evaluate<{ readonly order: string; readonly outline: string }>(
        `({ order: document.activeElement.dataset.order ?? "", outline: getComputedStyle(document.activeElement).outlineStyle })`,
      );
      assert.is(at.order, String(i));
      assert.is.not(at.outline, "none", at.order);
    }
  });

  test("paper is light and has all rows", async () => {
    const tab = await opened(browser, PAGE, { dark: true, width: 1040 });
    await tab.emulateMedia({ media: "print", colorScheme: "dark" });
    const paper = await tab.evaluate<readonly string[]>(`(() => {
      const shown = (name) => [...document.querySelectorAll(name)].filter((each) => getComputedStyle(each).display !== "none").length;
      return [getComputedStyle(document.body).backgroundColor, String(shown("nav")), String(shown("p.filter")), String(shown("tbody tr") === document.querySelectorAll("tbody tr").length)];
    })()`);
    assert.equal(paper, ["rgb(255, 255, 255)", "0", "0", "true"]);
    const { low } = await tab.evaluate<{ readonly low: readonly string[] }>(LOW_CONTRAST);
    assert.equal(low, []);
    assert.ok((await tab.pdf({ preferCSSPageSize: true })).length > 10_000);
  });
}

test.run();
