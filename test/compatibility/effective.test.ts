import { suite } from "uvu";
import * as assert from "uvu/assert";
import { resolveVersions, type VersionedComponent } from "../../src/compatibility/effective.js";
import { commandLineFlag } from "../../src/compatibility/flags.js";
import { KEP, type Rules, SHIPPED } from "../../src/compatibility/rules.js";
import { formatMinor } from "../../src/compatibility/version.js";
import { versionReport } from "../../src/compatibility/version-report.js";
import { createReporter } from "../../src/core/diagnostics.js";
import { codes, kube, minor, version } from "../helpers/compat.js";

const test = suite("effective versions");
const KEP_ALPHA: Rules = { set: "kep", stage: "alpha" };

function resolve(
  components: readonly VersionedComponent[],
  emulated: readonly string[],
  minimum: readonly string[] = [],
  rules: Rules = SHIPPED,
) {
  const { report, diagnostics } = createReporter();
  const versions = resolveVersions(
    components,
    {
      emulated: emulated.map((text) => commandLineFlag("--emulated-version", text)),
      minCompatibility: minimum.map((text) => commandLineFlag("--min-compatibility-version", text)),
    },
    rules,
    report,
  );
  const pair = (name: string): string => {
    const found = versions.get(name);
    return found === undefined
      ? ""
      : `${formatMinor(found.emulation)}/${formatMinor(found.minCompatibility)}`;
  };
  return { pair, diagnostics };
}

const binaryOf = (text: string): VersionedComponent[] => [{ name: "kube", binary: version(text) }];

test("defaults and ranges of kube (docs/reference/compatibility-versions.md §3.3)", () => {
  const rows: readonly (readonly [string, string | undefined, string, readonly string[]])[] = [
    ["1.35", "1.35", "1.35/1.34", []],
    ["1.35", undefined, "1.35/1.34", []],
    ["1.35", "1.33", "1.33/1.32", []],
    ["1.35", "1.32", "1.32/1.32", []],
    ["1.33", "1.31", "1.31/1.31", []],
    ["1.35", "1.31", "1.31/1.32", ["VER005", "VER006"]],
    ["1.35", "1.36", "1.36/1.35", ["VER005"]],
    // Up to 1.32 it is the release before the binary, whatever is emulated.
    ["1.31", undefined, "1.31/1.30", []],
    ["1.32", "1.31", "1.31/1.31", []],
    ["1.32", undefined, "1.32/1.31", []],
    // Before emulation a binary behaves as itself, and is compatible with the release before.
    ["1.30", undefined, "1.30/1.29", []],
    ["1.30", "1.29", "1.29/1.29", ["VER005"]],
    ["1.35.0-alpha.1", "1.35", "1.35/1.34", []],
    ["v1.35.4", "1.34", "1.34/1.33", []],
  ];
  for (const [binary, emulated, pair, errors] of rows) {
    const answer = resolve(binaryOf(binary), emulated === undefined ? [] : [emulated]);
    assert.is(answer.pair("kube"), pair, `${binary} ${emulated}`);
    assert.equal(codes(answer.diagnostics).sort(), [...errors], `${binary} ${emulated}`);
  }
});

test("the minimum compatibility version has its own range", () => {
  for (const [minimum, errors] of [
    ["1.31", ["VER006"]],
    ["1.32", []],
    ["1.34", []],
    ["1.35", ["VER006"]],
  ] as const)
    assert.equal(codes(resolve(binaryOf("1.35"), ["1.34"], [minimum]).diagnostics), [...errors], minimum);
});

test("what is out of range is told as it was written, with what it means", () => {
  const told = (emulated: string, minimum: readonly string[] = []) =>
    resolve(binaryOf("1.35"), [emulated], minimum).diagnostics.map(
      ({ message, hint }) => `${message}; ${hint}`,
    );
  assert.equal(told("4.10", ["1.33"]), [
    "binary 1.35 cannot emulate version 4.10 (Kubernetes 1.23); use a version from 1.32 to 1.35",
    "minimum compatibility version 1.33 is out of range for emulated version 4.10 (Kubernetes 1.23); use another emulated version; no minimum compatibility version is valid for this one",
  ]);
  assert.equal(told("1.32", ["4.22"]), [
    "minimum compatibility version 4.22 (Kubernetes 1.35) is out of range for emulated version 1.32; use version 1.32",
  ]);
});

test("version flags are read item by item (docs/reference/compatibility-versions.md §3.1)", () => {
  const rows: readonly (readonly [readonly string[], string, readonly string[]])[] = [
    [["1.34.0"], "1.34/1.33", []],
    [["1.34.1"], "1.35/1.34", ["VER002"]],
    [["1.034"], "1.34/1.33", []],
    [["kube=1.34"], "1.34/1.33", []],
    [[" kube = v1.34 "], "1.34/1.33", []],
    [["1.34-rc.1"], "1.34/1.33", []],
    [["1.34", "kube=1.34"], "1.34/1.33", ["VER003"]],
    [["1.34,kube=1.33"], "1.34/1.33", ["VER003"]],
    [["wardle=1.2"], "1.35/1.34", ["VER004"]],
    [["1.foo"], "1.35/1.34", ["VER001"]],
    [["1"], "1.35/1.34", ["VER001"]],
    [["1.34,"], "1.34/1.33", ["VER001"]],
  ];
  for (const [flags, pair, errors] of rows) {
    const answer = resolve(binaryOf("1.35"), flags);
    assert.is(answer.pair("kube"), pair, flags.join());
    assert.equal(codes(answer.diagnostics), [...errors], flags.join());
  }
  const [problem] = resolve(binaryOf("1.35"), ["1.34, wardle=1.2"]).diagnostics;
  assert.is(problem?.file, "--emulated-version");
  assert.is(problem?.column, 7, "the column of the item in the flag");
});

test("other components have floors of their own, or follow kube", () => {
  const components: VersionedComponent[] = [
    { name: "kube", binary: version("1.35") },
    {
      name: "wardle",
      binary: version("1.2"),
      floors: { emulation: minor("1.1"), minCompatibility: minor("1.0") },
    },
    {
      name: "mapped",
      binary: version("2.5"),
      mappedFrom: { component: "kube", major: 2, minorOffset: -30 },
    },
    { name: "last", binary: version("3.6"), mappedFrom: { component: "mapped", major: 3, minorOffset: 1 } },
  ];
  const defaults = resolve(components, []);
  assert.equal(defaults.diagnostics, []);
  assert.is(defaults.pair("mapped"), "2.5/2.4");
  const answer = resolve(components, ["kube=1.34,wardle=1.1"], ["1.33"]);
  assert.is(answer.pair("wardle"), "1.1/1.0");
  assert.is(answer.pair("mapped"), "2.4/2.3", "both versions pass through the mapping");
  assert.is(answer.pair("last"), "3.5/3.4");
  assert.equal(codes(answer.diagnostics), []);
  const beyond = components.map((each) =>
    each.name === "last" ? { ...each, binary: version("3.4") } : each,
  );
  assert.equal(codes(resolve(beyond, ["1.34"]).diagnostics), ["VER005"], "a mapped version is validated too");
  assert.equal(codes(resolve(components, ["mapped=2.4"]).diagnostics), ["VER007"]);
  assert.equal(codes(resolve(components, ["wardle=1.0"]).diagnostics), ["VER005"]);
});

test("the design's ranges: N-1 in alpha, N-3 in beta, without the floor 1.31", () => {
  assert.is(resolve(binaryOf("1.31"), ["1.28"], [], KEP).pair("kube"), "1.28/1.28");
  assert.is(resolve(binaryOf("1.31"), ["1.29"], [], KEP).pair("kube"), "1.29/1.28");
  assert.equal(codes(resolve(binaryOf("1.31"), ["1.28"], [], KEP).diagnostics), []);
  assert.equal(codes(resolve(binaryOf("1.31"), ["1.27"], [], KEP).diagnostics), ["VER005", "VER006"]);
  assert.equal(codes(resolve(binaryOf("1.31"), ["1.30"], [], KEP_ALPHA).diagnostics), []);
  assert.equal(codes(resolve(binaryOf("1.31"), ["1.29"], [], KEP_ALPHA).diagnostics), ["VER005", "VER006"]);
  assert.equal(codes(resolve(binaryOf("1.31"), ["1.32"], [], KEP_ALPHA).diagnostics), ["VER005"]);
});

test("/version in both shapes (docs/reference/compatibility-versions.md §3.4)", () => {
  assert.equal(versionReport(kube("1.35.2", "1.34"), SHIPPED), {
    major: "1",
    minor: "35",
    emulationMajor: "1",
    emulationMinor: "34",
    minCompatibilityMajor: "1",
    minCompatibilityMinor: "33",
    gitVersion: "v1.35.2",
  });
  assert.equal(versionReport(kube("1.32", "1.30", undefined, KEP), KEP), {
    major: "1",
    minor: "30",
    binaryMajor: "1",
    binaryMinor: "32",
    compatibility: "29",
    gitVersion: "v1.30.0",
  });
});

test.run();
