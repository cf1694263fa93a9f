/** The parts of `npm run equal` that need no installer. */
import { readFileSync } from "node:fs";
import { dump } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { equalJson } from "../../src/core/json.js";
import { RELEASES } from "../../src/core/release.js";
import { compileAgent } from "../helpers/agent.js";
import { everything } from "../helpers/runs.js";
import { fieldsIn } from "./agent.js";
import { AGENT_PLATFORMS, agentCaseOf } from "./agent-generate.js";
import { compareFiles, differencesOf } from "./compare.js";
import { drawFrom } from "./draw.js";
import { EXCEPTIONS, EXCUSES, excuseFor } from "./exceptions.js";
import { caseOf, PLATFORMS } from "./generate.js";
import { errorsIn, releaseIn } from "./installer.js";
import { figuresByIntent, isEqual, kindOf, type Outcome, reportOf } from "./report.js";
import { askSlipway } from "./slipway.js";

const test = suite("equal");

const files = (texts: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(texts));

test("files are compared as parsed, each member by its path", () => {
  const installer = files({
    "a.yaml": "spec: {x: 1, list: [a, b]}\n",
    "b.yaml": "x: 1\n",
    "c.yaml": "x: 1\n",
  });
  const slipway = files({ "a.yaml": "spec:\n  list:\n  - a\n  - c\n  x: 1\n", "b.yaml": 'x: "1"\n' });
  assert.equal(compareFiles(installer, slipway).differences, [
    { file: "a.yaml", field: "spec.list[1]", installer: '"b"', slipway: '"c"' },
    { file: "b.yaml", field: "x", installer: "1", slipway: '"1"' },
    { file: "c.yaml", field: "", installer: "a file", slipway: undefined },
  ]);
});

test("null, an empty list and a missing member are three things", () => {
  assert.is(differencesOf({ a: null }, {}).length, 1);
  assert.is(differencesOf({ a: [] }, { a: null }).length, 1);
  assert.is(differencesOf({ a: [] }, {}).length, 1);
  assert.is(differencesOf({ a: [{}] }, { a: [{}] }).length, 0);
});

test("documents inside are compared as parsed", () => {
  const outer = (inner: string): ReadonlyMap<string, string> =>
    files({ "a.yaml": dump({ data: { config: inner } }) });
  assert.equal(compareFiles(outer("{a: 1, b: [2]}"), outer("b:\n- 2\na: 1\n")).differences, []);
  assert.is(compareFiles(outer("a: 1"), outer("a: 2")).differences[0]?.field, "data.config.a");
});

test("an exception holds for its file, member and values only", () => {
  const object = (timestamp: string): ReadonlyMap<string, string> =>
    files({ "a.yaml": `metadata: {name: a${timestamp}}\n` });
  assert.equal(compareFiles(object(", creationTimestamp: null"), object("")).differences, []);
  assert.is(compareFiles(object(", creationTimestamp: now"), object("")).differences.length, 1);
  const status = (text: string): ReadonlyMap<string, string> => files({ "a.yaml": `kind: A\n${text}` });
  assert.equal(compareFiles(status("status: {}\n"), status("")).differences, []);
  assert.is(compareFiles(status("status: {a: 1}\n"), status("")).differences.length, 1);
});

test("each exception that is a deviation has its row", () => {
  for (const { row } of EXCEPTIONS)
    if (row !== undefined) assert.match(readFileSync("docs/deviations.md", "utf8"), `| ${row} |`);
  for (const { row, page = "docs/deviations.md" } of EXCUSES) assert.match(readFileSync(page, "utf8"), row);
});

test("a refusal is excused where every fault of slipway's has a row", () => {
  const accepted = { files: files({}), refusal: "", crashed: false };
  assert.ok(excuseFor(accepted, { files: undefined, refusal: "MAN004 a: b" }));
  assert.is(excuseFor(accepted, { files: undefined, refusal: "MAN004 a: b\nIC110 a: b" }), undefined);
  assert.is(excuseFor({ ...accepted, files: undefined }, { files: files({}), refusal: "" }), undefined);
  assert.ok(excuseFor({ ...accepted, files: undefined, crashed: true }, accepted));
});

test("the release is read from what the installer prints", () => {
  for (const [printed, release] of [
    ["/a/openshift-install v4.22.0\nrelease image x/release:4.21\n", "4.22"],
    ["openshift-install 5.0.0\n", "5.0"],
    ["./openshift-install 4.18.7\nbuilt from commit a\n", "4.18"],
    ["openshift-install unreleased-master-1\n", undefined],
    ["", undefined],
  ] as const)
    assert.is(releaseIn(printed), release, printed);
});

test("errors are taken from the installer's log", () => {
  const log = 'level=warning msg="x"\nlevel=error msg="failed: \\"a\\""\nlevel=fatal msg=end\n';
  assert.is(errorsIn(log), 'failed: "a"\nend');
});

const OUTCOME: Outcome = {
  name: "none-1-1",
  fault: undefined,
  accepted: { installer: true, slipway: true },
  refusal: { installer: "", slipway: "" },
  refused: [],
  excused: undefined,
  differences: [],
  excepted: [],
  compared: 3,
};

test("the report groups by kind and ends with figures", () => {
  const difference = (index: number) => ({
    file: `openshift/99_machines-${index}.yaml`,
    field: `spec.list[${index}].a`,
    installer: "1",
    slipway: undefined,
  });
  assert.is(kindOf(difference(7)), "openshift/99_machines-N.yaml spec.list[].a");
  const report = reportOf([
    OUTCOME,
    { ...OUTCOME, differences: [difference(1), difference(2)] },
    {
      ...OUTCOME,
      accepted: { installer: true, slipway: false },
      refusal: { installer: "", slipway: "IC110 x" },
    },
    { ...OUTCOME, accepted: { installer: false, slipway: false } },
  ]);
  assert.match(
    report,
    /^2 openshift\/99_machines-N\.yaml spec\.list\[\]\.a\n {6}none-1-1: installer 1\n {6}slipway missing/,
  );
  assert.match(report, "only slipway refuses none-1-1\n      IC110 x");
  assert.match(report, /4 configs: 2 accepted by both \(12 files compared\), 1 refused by both; 2 differ\n$/);
});

test("pairs are counted by what they were meant to be", () => {
  const fault = (at: string, value: string): Outcome => ({
    ...OUTCOME,
    fault: `${at} = ${value}`,
    accepted: { installer: false, slipway: false },
    refused: [`${at}: Invalid value`],
  });
  const figures = figuresByIntent([
    OUTCOME,
    { ...OUTCOME, accepted: { installer: false, slipway: false } },
    fault("agent-config a", "1"),
    fault("agent-config a", "2"),
    { ...fault("agent-config b", "1"), accepted: { installer: true, slipway: false } },
  ]);
  assert.is(
    figures,
    "valid: 2 pairs (1 accepted by the installer), 2 equal, 0 differ\n" +
      "with a fault: 3 pairs (faults at 2 places, 2 fields and kinds of error; 2 refused by the installer), 2 equal, 1 differ\n",
  );
});

test("a refusal by one of the two is a difference unless it is excused", () => {
  const contrary = { ...OUTCOME, accepted: { installer: true, slipway: false } };
  assert.is(isEqual(OUTCOME), true);
  assert.is(isEqual(contrary), false);
  assert.is(isEqual({ ...contrary, excused: "a row" }), true);
});

test("a seed gives the same configs, another one others", () => {
  const configs = (seed: number): string =>
    JSON.stringify(PLATFORMS.map((name) => caseOf(name, "5.0", seed, 3).config));
  assert.is(configs(1), configs(1));
  assert.is.not(configs(1), configs(2));
  const draw = drawFrom(1);
  assert.ok(Array.from({ length: 100 }, () => draw.int(1, 3)).every((each) => each >= 1 && each <= 3));
});

test("most configs that are meant to be valid are, in every release", async () => {
  for (const release of RELEASES)
    for (const platform of PLATFORMS) {
      const cases = Array.from({ length: everything ? 8 : 3 }, (_, index) =>
        caseOf(platform, release, 7, index),
      ).filter(({ fault }) => fault === undefined);
      const answers = await Promise.all(cases.map(({ config }) => askSlipway(dump(config), release)));
      const accepted = answers.filter((each) => each.files !== undefined).length;
      const why = answers.map(({ refusal }) => refusal).join("\n");
      assert.ok(
        accepted >= cases.length / 2,
        `${release} ${platform}: ${accepted} of ${cases.length}\n${why}`,
      );
    }
});

test("a fault changes the config in one place", () => {
  const faulty = Array.from({ length: 60 }, (_, index) => caseOf("baremetal", "5.0", 3, index)).filter(
    ({ fault }) => fault !== undefined,
  );
  assert.ok(faulty.length > 8);
  for (const { config, fault } of faulty) {
    const [top = ""] = (fault ?? "").split(/[. ]/);
    assert.ok(top !== "" && !equalJson(config, {}), fault);
  }
});

test("fields and kinds are read from a refusal of any form", () => {
  const refusal =
    'failed to load: [controlPlane.architecture: Unsupported value: "x": supported values: "a", hosts[0].interfaces[1].macAddress: Duplicate value: "b", platform.vsphere: Required value, no field here: oops]';
  assert.equal(fieldsIn(refusal), [
    "controlPlane.architecture: Unsupported value",
    "hosts[0].interfaces[1].macAddress: Duplicate value",
    "platform.vsphere: Required value",
  ]);
});

test("pairs for agents follow from the seed, and slipway accepts those without a fault", async () => {
  let valid = 0;
  for (const platform of AGENT_PLATFORMS)
    for (let index = 0; index < (everything ? 20 : 4); index++) {
      const one = agentCaseOf(platform, 3, index, false);
      assert.equal(agentCaseOf(platform, 3, index, false), one);
      if (one.fault !== undefined) continue;
      const output = await compileAgent({
        installConfig: dump(one.installConfig),
        agentConfig: dump(one.agentConfig),
      });
      assert.ok(output.ok, `${one.name}: ${JSON.stringify(output.diagnostics)}`);
      valid++;
    }
  assert.ok(valid >= 5, String(valid));
});

test.run();
