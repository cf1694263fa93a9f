/** docs/reference/releases.md and README.md say of the releases what their table says. */
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DEFAULT_RELEASE, kubernetesOf, RELEASE_ROWS, RELEASES, releaseNamed } from "../src/core/release.js";
import { OS_IMAGE_STREAMS } from "../src/platforms/os-stream.js";
import { inForce } from "../src/platforms/release-changes.js";
import table from "../tables/releases.json" with { type: "json" };

const test = suite("releases in the documentation");
const PAGE = readFileSync("docs/reference/releases.md", "utf8");

/** The rows of the page's tables, as cells. */
const ROWS = PAGE.split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

test("each row with a source is a release that slipway compiles for", () => {
  const sourced = table.releases.filter((row) => "installer" in row);
  assert.equal(
    sourced.map(({ name }) => name),
    RELEASES,
    "a row needs lifecycle, with a stage",
  );
});

test("each release has its source and its stage on the page", () => {
  for (const release of RELEASE_ROWS) {
    const { installer, lifecycle } = release;
    const { generallyAvailable = "", maintenanceEnds = "", extendedUpdatesEnd = "", stage } = lifecycle;
    const cells = [release.name, kubernetesOf(release), installer.branch, installer.commit, installer.date];
    assert.equal(
      ROWS.filter(([name, , branch]) => name === release.name && branch?.startsWith("release-") === true),
      [[...cells, generallyAvailable, maintenanceEnds, extendedUpdatesEnd, stage]],
    );
  }
  assert.match(PAGE, `The stage is that of ${table.asOf}`);
});

test("each comparison of the table is on the page, and no other", () => {
  const wanted = table.compared.map(({ release, what, platforms, date, configs, differ }) => [
    release,
    what,
    platforms,
    date,
    String(configs),
    String(differ),
  ]);
  const [, compared = ""] = PAGE.split("## Compared with");
  const [section = ""] = compared.split("\n## ");
  const found = ROWS.filter((cells) => section.includes(`| ${cells.join(" | ")} |`));
  assert.equal(
    found.filter(([name = ""]) => RELEASES.includes(name)),
    wanted,
  );
});

test("README.md names the releases, the default and the page", () => {
  const ahead = RELEASE_ROWS.filter(({ lifecycle }) => lifecycle.stage === "ahead of release");
  const others = RELEASES.filter((name) => !ahead.some((each) => each.name === name));
  const range = `${others[0]} to ${others[others.length - 1]}`;
  const names = ahead.map(({ name }) => name).join(" and ");
  const beside =
    ahead.length === 0 ? "" : `, and ${names} ahead of ${ahead.length === 1 ? "its" : "their"} release`;
  assert.match(
    readFileSync("README.md", "utf8").replaceAll("\n", " "),
    `Releases: ${range}${beside} (\`--release\`, default ${DEFAULT_RELEASE}; [which commits](docs/reference/releases.md)).`,
  );
});

test("a release with streams names its default stream", () => {
  for (const name of RELEASES) {
    const release = releaseNamed(name);
    const stream = release.osImageStream ?? "";
    if (inForce(release, "osImageStream")) assert.ok(OS_IMAGE_STREAMS.includes(stream), name);
    else assert.is(stream, "", name);
  }
});

test.run();
