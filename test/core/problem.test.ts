import { suite } from "uvu";
import * as assert from "uvu/assert";
import { diagnostic, formatDiagnostic, type Problem } from "../../src/core/diagnostics.js";
import {
  below,
  conflict,
  deprecated,
  duplicate,
  forbidden,
  HIDDEN,
  ignored,
  invalid,
  missingFact,
  outdated,
  problemList,
  required,
  tooLong,
  tooMany,
  unsupported,
} from "../../src/core/problem.js";

const test = suite("problems");

const text = (problem: Problem): string => formatDiagnostic(diagnostic(problem));

test("each kind reads as Kubernetes' field errors do", () => {
  for (const [problem, expected] of [
    [required("IC110", "metadata.name"), "error IC110: metadata.name: required value is missing"],
    [
      invalid("IC110", "metadata.name", "A_b", "must be a DNS-1123 label", "Use lower case."),
      'error IC110: metadata.name: invalid value "A_b": must be a DNS-1123 label; Use lower case.',
    ],
    [
      invalid("IC110", "replicas", 0, "must be 1 or more"),
      "error IC110: replicas: invalid value 0: must be 1 or more",
    ],
    [
      invalid("IC110", "password", HIDDEN, "must not be empty"),
      "error IC110: password: invalid value: must not be empty",
    ],
    [
      unsupported("IC110", "publish", "Both", ["External", "Internal"]),
      'error IC110: publish: unsupported value "Both": supported values: "External", "Internal"',
    ],
    [forbidden("IC110", "arbiter", "one node"), "error IC110: arbiter: forbidden: one node"],
    [duplicate("IC110", "names[1]", "a"), 'error IC110: names[1]: duplicate value "a"'],
    [tooLong("IC110", "name", 63, "characters"), "error IC110: name: must have at most 63 characters"],
    [tooMany("IC110", "hosts", 20, 16), "error IC110: hosts: must have at most 16 items, has 20"],
    [
      conflict("IC110", "a", "b", "only one can be set"),
      "error IC110: a: conflicts with b: only one can be set",
    ],
    [
      missingFact("FACT001", "zone", "zone us-1"),
      "error FACT001: zone: zone us-1 is not listed in the facts file",
    ],
    [
      outdated("DIR022", "bootstrap.ign", "new inputs"),
      "warning DIR022: bootstrap.ign: out of date: new inputs",
    ],
    [deprecated("IC110", "vip", "vips"), "warning IC110: vip: deprecated: use vips"],
    [ignored("IC110", "vip", "vips is set"), "warning IC110: vip: ignored because vips is set"],
  ] as const)
    assert.is(text(problem), expected);
});

test("a long value is cut and control characters are escaped", () => {
  const message = invalid("IC110", "a", `\u001b${"x".repeat(100)}`, "must be short").message;
  assert.match(message, /^invalid value "\\u001bx{58}…": must be short$/);
});

test("a list prefixes fields and drops what does not apply", () => {
  const found: Problem[] = [];
  const list = problemList((each) => void found.push(each)).at("networking");
  list.at("clusterNetwork[0]").add(required("IC110", "cidr"), undefined);
  list.at("clusterNetwork").at("[1]").add(required("IC110", ""));
  list.when(false).at("a").when(true).add(required("IC110", "dropped"));
  list.when(true).add(required("IC110", "machineNetwork", "", { at: "machineNetwork[0]", kind: "Invalid" }));
  assert.equal(
    found.map(({ field, kind, at }) => [field, kind, at]),
    [
      ["networking.clusterNetwork[0].cidr", "Required", undefined],
      ["networking.clusterNetwork[1]", "Required", undefined],
      ["networking.machineNetwork", "Invalid", "networking.machineNetwork[0]"],
    ],
  );
  assert.is(below("", "a"), "a");
});

test.run();
