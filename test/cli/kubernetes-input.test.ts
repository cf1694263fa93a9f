/** Kubernetes' own tables, by name, wherever a command reads a table; the way out where an upstream list omits data. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { namedApis, namedPins } from "../../src/compatibility/kubernetes.js";
import { createReporter } from "../../src/core/diagnostics.js";
import { formatMinor, release } from "../../src/core/minor.js";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("built-in tables by name");

const folder = tempFolder();
const run = (words: string, input = ""): string => {
  const { code, stdout, stderr } = slipway(words.split(" "), { cwd: folder, input });
  assert.is(code, 0, `${words}: ${stderr}`);
  return stdout;
};

const COMMANDS = [
  "compat apis --binary-version 1.36 --table",
  "compat storage-versions --binary-version 1.36 --table",
  "compat gates --binary-version 1.36 --table",
  "compat lifecycle --table",
  "compat lint --current 1.36 --table",
  "compat matrix --table",
  "compat import",
  "compat plan --from 1.35 --to 1.36 --table kubernetes --lifecycle",
  "compat plan --from 1.35 --to 1.36 --table",
  "storage behaviors --table",
  "storage migrations --from 1.35 --to 1.36 --table",
  "generate feature-gates --lang go --out - --table",
  "generate api-availability --lang go --out - --table",
  "generate storage-behaviors --lang go --out - --table",
  "report --html - --policy kep --lifecycle",
  "report --html - --table",
];
for (const words of COMMANDS)
  test(`${words} accepts kubernetes with and without a release`, () => {
    for (const name of ["kubernetes", "kubernetes@1.36"]) assert.ok(run(`${words} ${name}`).length > 100);
  });

test("the release in the name ends the table", () => {
  const behaviors = (name: string): unknown[] => {
    const { releases }: { releases: unknown[] } = JSON.parse(
      run(`storage behaviors --table ${name} --output json`),
    );
    return releases;
  };
  assert.is(behaviors("kubernetes").at(-1), "1.37");
  assert.is(behaviors("kubernetes@1.34").at(-1), "1.34");
  assert.is(behaviors("kubernetes@4.22").at(-1), "1.35");
});

test("lifecycles of a release are those that were known in it", () => {
  const read = (name: string) => {
    const { report, diagnostics } = createReporter();
    const table = namedApis(name, { field: "--table" }, report);
    assert.equal(diagnostics, []);
    assert.ok(table);
    return table;
  };
  const all = read("kubernetes");
  const changed = all.kinds.filter(({ revisions }) => revisions.length > 0);
  assert.ok(changed.length > 0);
  for (const { group, version, kind, revisions } of changed)
    for (const { in: at, was } of revisions) {
      const before = release(`1.${at.minor - 1}`);
      const old = read(`kubernetes@${formatMinor(before)}`).kinds.find(
        (each) => each.group === group && each.version === version && each.kind === kind,
      );
      if (old === undefined) continue;
      assert.equal(old.removed, "removed" in was ? was.removed : old.removed);
      assert.ok(old.revisions.every((each) => each.in.minor < at.minor));
    }
  const first = read("kubernetes@1.16");
  assert.ok(first.kinds.length < all.kinds.length);
  assert.ok(first.kinds.every(({ registered }) => registered?.last.minor === 16));
});

test("a release without tables is named with those that have some", () => {
  for (const name of ["kubernetes@1.3x", "kubernetes@1.15", "kubernetes@next", "kubernetes@"]) {
    const { report, diagnostics } = createReporter();
    assert.is(namedApis(name, { field: "--table" }, report), undefined);
    assert.is(namedPins(name, { field: "--pins" }, report), undefined);
    assert.equal(
      diagnostics.map(({ code, field }) => `${code} ${field}`),
      ["TAB009 --table", "TAB009 --pins"],
    );
    assert.match(diagnostics[0]?.hint ?? "", "use kubernetes@1.16 to kubernetes@1.37");
  }
});

test("the built-in gates can be exported and read back", () => {
  const text = run("compat import kubernetes@1.36");
  assert.is(Object(load(text)).kind, "FeatureGateTable");
  const asked = "compat gates --binary-version 1.36 --output json --table";
  assert.equal(
    JSON.parse(run(`${asked} -`, text)).gates.length,
    JSON.parse(run(`${asked} kubernetes@1.36`)).gates.length,
  );
});

test("GATE109 on an upstream list names annotations and the built-in table", () => {
  const spec = (on: boolean): string =>
    `  - {default: ${on}, lockToDefault: false, preRelease: Beta, version: "1.37"}\n`;
  const gate = (name: string): string => `- name: ${name}\n  versionedSpecs:\n${spec(false)}${spec(true)}`;
  const ask = (table: string): string =>
    slipway(["compat", "gates", "--table", "-", "--binary-version", "1.37"], { cwd: folder, input: table })
      .stderr;
  const upstream = ask(gate("DRAFractionalCapacityRange"));
  assert.match(upstream, "warning GATE109: DRAFractionalCapacityRange: R9: ");
  assert.match(
    upstream,
    '--annotations FILE, such as [{name: DRAFractionalCapacityRange, index: 1, minCompatibilityVersion: "1.37"}]',
  );
  assert.match(upstream, "--table kubernetes@1.37");
  const other = ask(gate("MyGate"));
  assert.match(other, "index: 1");
  assert.not.match(other, "kubernetes@1.37");
});

test("annotations are what the hint says", () => {
  const table = `- name: A\n  versionedSpecs:\n  - {default: false, lockToDefault: false, preRelease: Beta, version: "1.37"}\n  - {default: true, lockToDefault: false, preRelease: Beta, version: "1.37"}\n`;
  writeFileSync(join(folder, "list.yaml"), table);
  const ask = ["compat", "gates", "--table", "list.yaml", "--binary-version", "1.37"];
  const { stderr } = slipway(ask, { cwd: folder });
  const [, annotation = ""] = /such as (\[.*\])/.exec(stderr) ?? [];
  assert.ok(annotation !== "");
  const after = slipway([...ask, "--annotations", "-"], { cwd: folder, input: annotation });
  assert.is(after.code, 0);
  assert.not.match(after.stderr, "GATE109");
});

test.run();
