/** Findings as SARIF, annotations and JUnit, and the baseline that accepts some of them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Baseline, readBaseline } from "../../src/cli/findings/baseline.js";
import { type Finding, findingOf } from "../../src/cli/findings/finding.js";
import { checkFindings } from "../../src/cli/findings/of-check.js";
import { reportText } from "../../src/cli/findings/report.js";
import type { RunReport } from "../../src/cli/findings/run.js";
import { createReporter, diagnostic, type Problem } from "../../src/core/diagnostics.js";
import { isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { slipway } from "../helpers/cli.js";
import { configText } from "../helpers/install-config.js";
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("cli/findings");

const finding = (more: Partial<Finding> = {}): Finding => ({
  rule: "IC110",
  severity: "error",
  file: "clusters/heron/install-config.yaml",
  line: 4,
  column: 9,
  field: "metadata.name",
  message: "invalid cluster name",
  hint: "rename it",
  ...more,
});

const HOSTILE = [
  finding({ message: 'a\n::error::b\r%0A, <x> & "y" ]]> \u0007\u202e\ud800\uffff', field: "spec[a:b,c]" }),
  finding({ severity: "warning", file: "a b/ü%,:.yaml", line: 0, column: 0, hint: "" }),
  finding({ severity: "info", file: "", line: 0, column: 0, field: "" }),
  finding({ file: "--release", line: 0, column: 0, rule: "L5" }),
  finding({ file: "/srv/x.yaml", column: 0, rule: "check-stale" }),
];
const place = { file: "baseline.yaml", line: 3, column: 3 };
const accepted = [
  { finding: finding(), by: { rule: "IC110", reason: 'a "reason"', until: "2027-01-31", place } },
];

const run = (more: Partial<RunReport> = {}): Omit<RunReport, "version"> => ({
  command: "compat lint",
  exit: 1,
  now: new Date("2027-01-15T08:00:00.123Z"),
  fallback: "gates.yaml",
  kept: HOSTILE,
  accepted,
  fails: "error",
  ...more,
});

interface Log extends JsonObject {
  readonly results: JsonObject[];
  readonly rules: JsonObject[];
}

/** What the schema of SARIF 2.1.0 requires of the members that are written, by hand. */
function checkedLog(text: string): Log {
  const document: Json = JSON.parse(text);
  if (!isObject(document)) throw new Error("no object");
  assert.is(document["version"], "2.1.0");
  assert.match(String(document["$schema"]), /sarif-schema-2\.1\.0\.json$/);
  const [only] = isList(document["runs"]) ? document["runs"] : [];
  if (!isObject(only)) throw new Error("no run");
  const { results = [], tool, invocations } = only;
  const driver = isObject(tool) && isObject(tool["driver"]) ? tool["driver"] : {};
  assert.is(driver["name"], "slipway");
  const rules = isList(driver["rules"]) ? driver["rules"].filter(isObject) : [];
  assert.is(new Set(rules.map(({ id }) => id)).size, rules.length, "ids of rules are unique");
  const [invocation] = isList(invocations) ? invocations : [];
  assert.type(isObject(invocation) ? invocation["executionSuccessful"] : undefined, "boolean");
  const found = isList(results) ? results.filter(isObject) : [];
  for (const result of found) {
    assert.ok(["error", "warning", "note", "none"].includes(String(result["level"])));
    assert.is(rules[Number(result["ruleIndex"])]?.["id"], result["ruleId"]);
    assert.ok(isObject(result["message"]) && typeof result["message"]["text"] === "string");
    for (const location of isList(result["locations"]) ? result["locations"].filter(isObject) : []) {
      const physical = location["physicalLocation"];
      if (!isObject(physical) || !isObject(physical["artifactLocation"]) || !isObject(physical["region"]))
        throw new Error("no place");
      const uri = String(physical["artifactLocation"]["uri"]);
      assert.not.throws(() => new URL(uri, "file:///repository/"));
      assert.match(uri, /^[A-Za-z0-9\-._~%!$&'()*+;=:@/]+$/);
      assert.ok(Number(physical["region"]["startLine"]) >= 1);
      const column = physical["region"]["startColumn"];
      assert.ok(column === undefined || Number(column) >= 1);
    }
    for (const each of isList(result["suppressions"]) ? result["suppressions"].filter(isObject) : []) {
      assert.ok(["inSource", "external"].includes(String(each["kind"])));
      assert.ok(["accepted", "underReview", "rejected"].includes(String(each["status"])));
    }
  }
  return { ...only, results: found, rules };
}

test("writes SARIF with places, rules and suppressions", async () => {
  const { results, rules } = checkedLog(await reportText("sarif", run()));
  assert.is(results.length, HOSTILE.length + 1);
  assert.equal(
    results.map(({ level }) => level),
    ["error", "warning", "note", "error", "error", "error"],
  );
  assert.equal(
    results.map(({ suppressions }) => suppressions !== undefined),
    [false, false, false, false, false, true],
  );
  const text = JSON.stringify(results);
  assert.match(text, /"uri":"a%20b\/%C3%BC%25%2C%3A.yaml"/);
  assert.match(text, /"uri":"file:\/\/\/srv\/x.yaml"/);
  assert.match(text, /"uri":"gates.yaml"/, "a flag is shown at the first input");
  assert.match(text, /a \\"reason\\" \(until 2027-01-31\)/);
  assert.match(JSON.stringify(rules), /"id":"IC110","shortDescription":\{"text":"invalid cluster name"\}/);
  assert.match(JSON.stringify(rules), /"id":"check-stale","shortDescription"/);
});

test("keeps a fingerprint when lines move, not when the field changes", async () => {
  const prints = async (kept: readonly Finding[]): Promise<unknown[]> =>
    checkedLog(await reportText("sarif", run({ kept, accepted: [] }))).results.map(
      ({ partialFingerprints }) => JSON.stringify(partialFingerprints),
    );
  const [a, b, c] = await prints([finding(), finding({ line: 90, column: 1 }), finding({ field: "x" })]);
  assert.is(a, b);
  assert.is.not(a, c);
});

const SCHEMA = process.env["SLIPWAY_SARIF_SCHEMA"];
if (SCHEMA === undefined || !existsSync(SCHEMA))
  skipTest(
    test,
    "fits the published schema of SARIF 2.1.0",
    "needs SLIPWAY_SARIF_SCHEMA, the published file",
  );
else
  test("fits the published schema of SARIF 2.1.0", async () => {
    const { $schema: _, id: __, ...schema } = JSON.parse(readFileSync(SCHEMA, "utf8"));
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats.default(ajv);
    const validate = ajv.compile(schema);
    for (const each of [run(), run({ kept: [], accepted: [], exit: 0 }), run({ fallback: "." })]) {
      const document: unknown = JSON.parse(await reportText("sarif", each));
      assert.ok(validate(document), JSON.stringify(validate.errors));
    }
    assert.not(validate({ version: "2.1.0", runs: [{}] }), "the schema refuses something");
  });

test("writes annotations that no message can break out of", async () => {
  const lines = (await reportText("github", run())).split("\n");
  assert.is(lines.pop(), "");
  assert.is(lines.length, HOSTILE.length, "one line a finding, none for what is accepted");
  for (const line of lines) assert.match(line, /^::(?:error|warning|notice) (?:\w+=[^:,\n]*,?)+::\P{Cc}*$/u);
  assert.match(
    lines[0] ?? "",
    /^::error file=clusters\/heron\/install-config\.yaml,line=4,col=9,title=IC110::spec\[a:b,c\]: a%0A::error::b%0D%250A/,
  );
  assert.match(lines[1] ?? "", /^::warning file=a b\/ü%25%2C%3A\.yaml,title=IC110::/);
  assert.match(lines[2] ?? "", /^::notice title=IC110::/);
});

interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: Element[];
  text: string;
}

/** A reader of the XML that is written: elements, attributes in double quotes, text. */
function xml(source: string): Element {
  const root: Element = { name: "", attributes: new Map(), children: [], text: "" };
  const open = [root];
  const body = source.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, "");
  assert.is.not(body, source);
  for (const [part] of body.matchAll(/<[^<>]*>|[^<>]+/g)) {
    const top = open.at(-1) ?? root;
    if (!part.startsWith("<")) {
      assert.not.match(part, /&(?!(?:amp|lt|gt|quot);)|(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/u);
      top.text += part;
    } else if (part.startsWith("</")) {
      assert.is(part, `</${top.name}>`);
      open.pop();
    } else {
      const [, name = "", rest = "", end] = /^<([\w-]+)((?: [\w-]+="[^"<>]*")*)(\/?)>$/.exec(part) ?? [];
      assert.is.not(name, "", part);
      const attributes = new Map(
        [...rest.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value]),
      );
      const element: Element = { name, attributes, children: [], text: "" };
      top.children.push(element);
      if (end === "") open.push(element);
    }
  }
  assert.is(open.length, 1);
  return root;
}

/** The rules of JUnit.xsd of the Ant task, by hand. */
function checkedSuite(source: string): Element {
  const [suites] = xml(source).children;
  assert.is(suites?.name, "testsuites");
  const [only] = suites?.children ?? [];
  if (only === undefined) throw new Error("no suite");
  const number = (name: string): number => Number(only.attributes.get(name) ?? Number.NaN);
  for (const name of ["package", "name", "hostname"]) assert.match(only.attributes.get(name) ?? "", /\S/);
  assert.match(only.attributes.get("timestamp") ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  const names = only.children.map(({ name }) => name);
  const cases = only.children.filter(({ name }) => name === "testcase");
  assert.equal(names, ["properties", ...cases.map(() => "testcase"), "system-out", "system-err"]);
  const count = (name: string): number =>
    cases.filter(({ children: [child] }) => child?.name === name).length;
  assert.equal(
    [number("tests"), number("failures"), number("errors"), number("skipped")],
    [cases.length, count("failure"), count("error"), count("skipped")],
  );
  for (const { attributes, children } of cases) {
    assert.ok(["name", "classname", "time"].every((name) => attributes.has(name)));
    assert.ok(children.length <= 1);
    for (const { name, attributes: own } of children) assert.ok(name === "skipped" || own.has("type"));
  }
  return only;
}

test("writes JUnit with a test for each finding", async () => {
  const only = checkedSuite(await reportText("junit", run()));
  assert.is(only.attributes.get("failures"), "3");
  assert.is(only.attributes.get("skipped"), "1");
  assert.is(only.attributes.get("timestamp"), "2027-01-15T08:00:00");
  const out = only.children.find(({ name }) => name === "system-out")?.text ?? "";
  assert.match(out, /warning IC110/, "warnings are printed");
  const match = checkedSuite(await reportText("junit", run({ fails: "warning", command: "transfer match" })));
  assert.is(match.attributes.get("failures"), "4");
});

test("never looks like a success when the command failed", async () => {
  const only = checkedSuite(await reportText("junit", run({ kept: [], accepted: [], exit: 70 })));
  assert.is(only.attributes.get("errors"), "1");
  const sound = checkedSuite(await reportText("junit", run({ kept: [], accepted: [], exit: 0 })));
  assert.is(sound.attributes.get("errors"), "0");
  assert.is(sound.attributes.get("tests"), "1");
});

const baselineText = (...entries: readonly string[]): string =>
  `apiVersion: slipway.dev/v1alpha1\nkind: Baseline\naccepted:\n${entries.map((each) => `- {${each}}\n`).join("")}`;

function baselineOf(text: string): { readonly baseline: Baseline; readonly codes: readonly string[] } {
  const reporter = createReporter();
  const entries = readBaseline(text, "baseline.yaml", reporter.report);
  return {
    baseline: new Baseline(entries ?? [], "2027-01-15", "validate"),
    codes: reporter.diagnostics.map(({ code, line }) => `${code}:${line}`),
  };
}

test("accepts until the end of the last day", () => {
  const { baseline, codes } = baselineOf(
    baselineText(
      "rule: IC110, reason: r, until: 2027-01-15",
      "rule: IC111, reason: r, until: 2027-01-14",
      "rule: IC112, reason: r, until: '2028-02-29'",
    ),
  );
  assert.equal(codes, []);
  assert.is(baseline.accepting(finding(), "x")?.until, "2027-01-15");
  assert.is(baseline.accepting(finding({ rule: "IC111" }), "x"), undefined);
  assert.equal(
    baseline.notes.map(({ code, severity, line }) => `${code} ${severity} ${line}`),
    ["BASE002 warning 5", "BASE003 warning 6"],
  );
});

test("matches every member of an entry", () => {
  const matches = (entry: string, more: Partial<Finding> = {}, path = "clusters/heron/install-config.yaml") =>
    baselineOf(baselineText(`rule: IC110, reason: r, until: 2027-02-01${entry}`)).baseline.accepting(
      finding(more),
      path,
    ) !== undefined;
  assert.ok(matches(""));
  assert.not(matches("", { rule: "IC111" }));
  assert.ok(matches(", file: ./clusters/heron/install-config.yaml"));
  assert.not(matches(", file: clusters/egret/install-config.yaml"));
  assert.ok(matches(", file: install-config.yaml", { file: "install-config.yaml" }), "as slipway prints it");
  assert.ok(matches(", field: metadata.name"));
  assert.not(matches(", field: metadata"));
  assert.ok(matches(", message: invalid cluster name"));
  assert.not(matches(", message: invalid"));
  assert.ok(matches(", command: validate"));
  assert.not(matches(", command: check"));
});

test("refuses to accept what keeps the command from checking the rest", () => {
  const unread: Problem = { code: "YAML001", kind: "Parse", message: "not well-formed", file: "a.yaml" };
  const { baseline } = baselineOf(baselineText("rule: YAML001, reason: r, until: 2027-02-01"));
  assert.is(baseline.accepting(findingOf(diagnostic(unread)), "a.yaml"), undefined);
  assert.equal(
    baseline.notes.map(({ code }) => code),
    ["BASE004"],
  );
});

test("reports what is wrong with a baseline", () => {
  const codes = (text: string): readonly string[] => baselineOf(text).codes;
  assert.equal(codes(baselineText("rule: IC110, reason: r, until: 2027-02-30")), ["BASE001:4"]);
  assert.equal(codes(baselineText("rule: IC110, reason: r, until: tomorrow")), ["BASE001:4"]);
  assert.equal(codes(baselineText("rule: IC110, until: 2027-02-01")), ["TAB003:4"]);
  assert.equal(codes(baselineText("rule: IC110, reason: ' ', until: 2027-02-01")), ["TAB003:4"]);
  assert.equal(codes(baselineText("rule: IC110, reason: r")), ["TAB003:4"]);
  assert.equal(codes(baselineText("rule: IC110, reason: r, until: 2027-02-01, fil: x")), ["TAB002:4"]);
  assert.equal(codes("kind: Other\n"), ["TAB005:1"]);
  assert.equal(codes(""), ["YAML006:1"]);
});

test("names the files by which a check fails", () => {
  const files = [
    { path: "a", status: "stale" },
    { path: "b", status: "edited" },
    { path: "c", status: "untouched" },
    { path: "d", status: "unverifiable" },
  ];
  const rules = (clean: boolean, strict: boolean, of = files): readonly string[] =>
    checkFindings({ clean, files: of }, strict).map(({ rule, file }) => `${rule} ${file}`);
  assert.equal(rules(false, false), ["check-stale a"]);
  assert.equal(rules(false, true), ["check-stale a", "check-edited b"]);
  assert.equal(rules(true, true), []);
  assert.equal(rules(false, true, files.slice(2)), ["check-unverifiable d"]);
});

test("settles the exit code by what is left", () => {
  const cwd = tempFolder();
  mkdirSync(join(cwd, "c"));
  writeFileSync(
    join(cwd, "c/install-config.yaml"),
    configText().replace(/^baseDomain: .*$/m, "baseDomain: a_b.c"),
  );
  const until = (day: string, file = "c/install-config.yaml"): void =>
    writeFileSync(join(cwd, "b.yaml"), baselineText(`rule: IC111, file: ${file}, reason: r, until: ${day}`));
  const validate = (...more: readonly string[]) =>
    slipway(["validate", "--dir", "c", ...more], { cwd, env: { SOURCE_DATE_EPOCH: "1800000000" } });
  assert.is(validate().code, 1);
  until("2027-02-01");
  const sound = validate("--baseline", "b.yaml");
  assert.is(sound.code, 0, sound.stderr);
  assert.match(sound.stderr, /accepted until 2027-02-01: IC111: baseDomain: .* \(r\)/);
  const json = JSON.parse(validate("--baseline", "b.yaml", "-o", "json").stdout);
  assert.is(json.ok, true);
  assert.is(json.accepted[0].rule, "IC111");
  until("2027-01-01");
  assert.is(validate("--baseline", "b.yaml").code, 1);
  until("2027-02-01", "d/install-config.yaml");
  const other = validate("--baseline", "b.yaml", "--output", "github");
  assert.is(other.code, 1);
  assert.match(other.stdout, /^::error file=c\/install-config\.yaml,line=\d+,col=\d+,title=IC111::/m);
  assert.match(other.stdout, /^::warning file=b\.yaml,line=4,col=3,title=BASE003::/m);
  assert.is(validate("--baseline", "missing.yaml").code, 1);
});

test("accepts the answer no, of each command that gives it", () => {
  const cwd = tempFolder();
  const env = { SOURCE_DATE_EPOCH: "1800000000" };
  const crd = (versions: string): string =>
    `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.example.com}\nspec:\n  group: example.com\n  scope: Cluster\n  names: {plural: as, kind: A}\n  versions: [${versions}]\nstatus: {storedVersions: [v1]}\n`;
  const version = (name: string): string =>
    `{name: ${name}, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}`;
  writeFileSync(join(cwd, "old.yaml"), crd(version("v1")));
  writeFileSync(join(cwd, "new.yaml"), crd(version("v2")));
  writeFileSync(join(cwd, "gates.ts"), "export {};\n");
  writeFileSync(
    join(cwd, "pdb.yaml"),
    "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n",
  );
  writeFileSync(join(cwd, "k3s.yaml"), "kubelet-arg: [containerd-namespace=x]\n");
  const commands: readonly (readonly [rule: string, words: readonly string[]])[] = [
    ["crd-refused", ["storage", "crd-guard", "old.yaml", "new.yaml", "--target", "1.36"]],
    [
      "generate-differs",
      ["generate", "feature-gates", "--table", "kubernetes", "--out", "gates.ts", "--check"],
    ],
    ["USE001", ["compat", "usage", "pdb.yaml", "--to", "1.37"]],
    ["CMP001", ["compat", "flags", "--from", "1.36", "--to", "1.37", "--flags-from", "k3s.yaml"]],
  ];
  for (const [rule, words] of commands) {
    writeFileSync(join(cwd, "b.yaml"), baselineText(`rule: ${rule}, reason: r, until: 2027-02-01`));
    assert.is(slipway(words, { cwd, env }).code, 3, words.join(" "));
    const accepted = slipway([...words, "--baseline", "b.yaml"], { cwd, env });
    assert.is(accepted.code, 0, `${words.join(" ")}: ${accepted.stderr}`);
    const { results } = checkedLog(slipway([...words, "--output", "sarif"], { cwd, env }).stdout);
    assert.ok(
      results.some(({ ruleId, level }) => ruleId === rule && level === "error"),
      words.join(" "),
    );
  }
});

test("gives one report for a fleet", () => {
  const cwd = tempFolder();
  for (const name of ["heron", "egret"]) {
    mkdirSync(join(cwd, name));
    writeFileSync(
      join(cwd, name, "install-config.yaml"),
      configText().replace(/^baseDomain: .*$/m, "baseDomain: a_b.c"),
    );
  }
  writeFileSync(join(cwd, "fleet.txt"), "heron\negret\n");
  writeFileSync(
    join(cwd, "b.yaml"),
    baselineText("rule: IC111, file: heron/install-config.yaml, reason: r, until: 2027-02-01"),
  );
  const validate = (...more: readonly string[]) =>
    slipway(["validate", "--fleet", "fleet.txt", "--jobs", "1", ...more], {
      cwd,
      env: { SOURCE_DATE_EPOCH: "1800000000" },
    });
  const both = validate("--output", "sarif");
  assert.is(both.code, 1);
  const uris = (text: string): string[] =>
    [...text.matchAll(/"uri": "([^"]+)"/g)].map(([, uri = ""]) => uri).sort();
  assert.equal(uris(both.stdout), ["egret/install-config.yaml", "heron/install-config.yaml"]);
  const one = validate("--baseline", "b.yaml");
  assert.is(one.code, 1);
  assert.match(one.stdout, /^ok +heron/m);
  assert.match(one.stdout, /^failed +egret/m);
  const lines = validate("--baseline", "b.yaml", "-o", "json").stdout.trim().split("\n");
  assert.match(lines[0] ?? "", /"ok":true.*"accepted":\[\{"rule":"IC111"/);
});

test("prints a report when the command line is wrong", () => {
  const { code, stdout } = slipway(["validate", "--relase", "4.22", "--output", "sarif"]);
  assert.is(code, 2);
  const { results } = checkedLog(stdout);
  assert.is(results[0]?.["ruleId"], "CLI001");
  // A command without findings has no reports.
  const other = slipway(["graph", "--output", "sarif"]);
  assert.is(other.code, 2);
  assert.is(other.stdout, "");
});

test.run();
