/** The page in a real browser, without a window: its filter answers, and it is no wider than a telephone. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { reportPage } from "../../src/report/report.js";
import { browserPath } from "../helpers/browser.js";
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";
import { sampleReport } from "./sample.js";

const test = suite("report in a browser");

/** The page as the browser has it once its script has run. */
function opened(browser: string, page: string): string {
  const folder = tempFolder();
  const file = join(folder, "report.html");
  writeFileSync(file, page);
  const { stdout, status, stderr } = spawnSync(
    browser,
    [
      ...["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${join(folder, "profile")}`],
      ...["--window-size=390,900", "--dump-dom", `file://${file}`],
    ],
    { encoding: "utf8", env: { PATH: process.env["PATH"], HOME: folder } },
  );
  assert.is(status, 0, stderr);
  return stdout;
}

if (browserPath === undefined) skipTest(test, "the filter", "needs chromium (SLIPWAY_BROWSER)");
else {
  const browser = browserPath;
  test("the page's own script runs under its policy, and makes the field of the filter", () => {
    const page = opened(browser, reportPage(sampleReport(() => "word")));
    assert.match(page, /<p class="filter"><label>Filter by words[^<]*<input type="search"><\/label>/);
    assert.match(page, /<output>\d+ of \d+<\/output>/);
  });

  test("another script that got into the page would not run", () => {
    const page = reportPage(sampleReport(() => "word"));
    const other = '<script>document.title = "ran";</script></body>';
    assert.not.match(opened(browser, page.replace("</body>", other)), /<title>ran<\/title>/);
  });
}

test.run();
