import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { HEAD } from "../helpers/compat.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("storage invariants");

type Row = Readonly<Record<string, string>>;
const BY_LETTER: Readonly<Record<string, string>> = {
  p: "preferred",
  s: "supported",
  m: "actively-migrated",
  i: "ignored",
};

/** Versions with a letter for each release from 1.20 on: p, s, m, i, or `.` for none. The first behaviour of a version is in line 9. */
function document(rows: Row): string {
  const lines = Object.entries(rows).flatMap(([version, letters]) => [
    `  - version: ${version}`,
    "    behaviors:",
    ...[...letters].flatMap((letter, i) =>
      letter === "." ? [] : [`      "1.${20 + i}": ${BY_LETTER[letter] ?? letter}`],
    ),
  ]);
  return `${HEAD}kind: StorageBehaviors\nresources:\n- group: example.com\n  resource: widgets\n  versions:\n${lines.join("\n")}\n`;
}

function check(text: string, ...args: readonly string[]) {
  const folder = tempFolder();
  writeFileSync(join(folder, "t.yaml"), text);
  const { code, stdout } = slipway(
    ["storage", "behaviors", "--table", "t.yaml", "--output", "json", ...args],
    { cwd: folder },
  );
  const answer = JSON.parse(stdout);
  const found: string[] = answer.diagnostics.map(
    (each: { code: string; line: number; column: number; message: string }) =>
      `${each.code} ${each.line}:${each.column} ${each.message}`,
  );
  return { code, found, answer, stdout };
}

test("a sound table has no finding, and its json can be read back", () => {
  const { code, found, stdout } = check(document({ v1: ".spppppp", v1beta1: "ppsmmmii" }));
  assert.equal(found, []);
  assert.is(code, 0);
  const again = check(stdout);
  assert.is(again.code, 0);
  assert.equal(again.found, []);
  assert.equal(again.answer.resources, JSON.parse(stdout).resources);
});

for (const [name, rows, expected, args] of [
  [
    "two preferred versions",
    { v1: "ppp", v1beta1: "psm" },
    "STO001 14:15 B1 one-preferred: v1 and v1beta1 are both preferred in 1.20",
    [],
  ],
  [
    "no preferred version",
    { v1: "sps" },
    "STO001 9:15 B1 one-preferred: no version is preferred in 1.20, although v1 can be read",
    [],
  ],
  [
    "back to a kinder behaviour",
    { v1: "spppp", v1beta1: "pssps" },
    "STO003 19:15 B3 no-return: v1beta1 changes back from supported to preferred in 1.23",
    [],
  ],
  [
    "back from ignored",
    { v1: "sppppppp", v1beta1: "psmmmiis" },
    "B3 no-return: v1beta1 changes back from ignored to supported in 1.27",
    [],
  ],
  [
    "supported too short",
    { v1: "sppppp", v1beta1: "pmmmii" },
    "STO004 18:15 B4 durations: v1beta1 is supported for 0 of 1 releases before it is actively-migrated in 1.21",
    [],
  ],
  [
    "migrated too short",
    { v1: "sppppp", v1beta1: "psmmii" },
    "STO004 21:15 B4 durations: v1beta1 is actively-migrated for 2 of 3 releases before it is ignored in 1.24",
    [],
  ],
  [
    "straight to ignored",
    { v1: "sppp", v1beta1: "piii" },
    "STO004 16:15 B4 durations: v1beta1 is supported for 0 of 1 releases before it is ignored in 1.21",
    [],
  ],
  [
    "not readable after a rollback",
    { v1: ".ppp", v1beta1: "psmm" },
    "STO005 9:15 B5 rollback: example.com/v1 is written in 1.21, but 1.20 cannot read it",
    [],
  ],
  ["a gap", { v1: "pppp", v1beta1: "s.ss" }, "STO006 13:14 B6 no-gap: v1beta1 has no behavior in 1.21", []],
  [
    "the moratorium",
    { v1: "spppppp", v1beta1: "psmmmii" },
    "STO008 23:15 B7 moratorium: v1beta1 was written to etcd but is ignored in 1.25",
    ["--policy", "moratorium"],
  ],
] as const)
  test(name, () => {
    const { code, found } = check(document(rows), ...args);
    assert.is(code, 1);
    assert.ok(
      found.some((each) =>
        each.replaceAll("example.com/", "").includes(expected.replaceAll("example.com/", "")),
      ),
      found.join("\n"),
    );
  });

test("one behaviour for a version and release", () => {
  const twice = check(
    document({ v1: "pp" }).replace(/$/, '  - version: v1\n    behaviors: {"1.20": supported}\n'),
  );
  assert.is(twice.code, 1);
  assert.match(twice.found.join("\n"), "STO002 11:14 B2 one-behavior: v1");
  const key = check(document({ v1: "pp" }).replace('"1.21"', '"1.20"'));
  assert.is(key.code, 1);
  assert.match(key.found.join("\n"), /YAML002 10:/);
});

test("alpha may go to ignored at once, and a resource that ends takes its versions along", () => {
  assert.equal(check(document({ v1: "spp", v1alpha1: "pii" })).found, []);
  assert.equal(check(document({ v1beta1: "ppi" })).found, []);
});

test("what is not a table: positions and names", () => {
  for (const [text, expected] of [
    [`${HEAD}kind: StoragePolicy\n`, "TAB005 1:1"],
    [document({ v1: "px" }), 'TAB004 10:15 unsupported value "x"'],
    [document({ v1: "p" }).replace('"1.20"', "next"), 'VER001 9:7 invalid value "next": must be a release'],
    [
      document({ v1: "p" }).replace("group: example.com", "grup: example.com"),
      'TAB002 4:3 unknown field "grup"',
    ],
  ] as const) {
    const { code, found } = check(text);
    assert.is(code, 1);
    assert.match(found.join("\n"), expected);
  }
});

test("a policy document: numbers out of range, other words", () => {
  const folder = tempFolder();
  writeFileSync(
    join(folder, "p.yaml"),
    `${HEAD}kind: StoragePolicy\nsupported: -1\nmaxUpgrade: 2000\nalpha: {migratd: 1}\nreleaseDates: {"1.30": soon}\n`,
  );
  writeFileSync(join(folder, "t.yaml"), document({ v1: "pp" }));
  const { code, stderr } = slipway(["storage", "behaviors", "--table", "t.yaml", "--policy", "p.yaml"], {
    cwd: folder,
  });
  assert.is(code, 1);
  for (const expected of [
    /p\.yaml:3:12: error STO010: supported: P1 numbers: invalid value -1: must be between 0 and 1000/,
    /p\.yaml:4:13: error STO010: maxUpgrade/,
    /p\.yaml:5:9: error TAB002: alpha\.migratd/,
    /p\.yaml:6:24: error STO011: releaseDates\.1\.30: P2 dates: invalid date "soon"/,
  ])
    assert.match(stderr, expected);
});

test("an explicit table is searched too; what it does not promise is lost", () => {
  const folder = tempFolder();
  const verify = (rows: Row, ...args: readonly string[]) => {
    writeFileSync(join(folder, "t.yaml"), document(rows));
    const { code, stdout } = slipway(
      ["storage", "verify-policy", "--table", "t.yaml", "--output", "json", ...args],
      { cwd: folder },
    );
    return { code, ...JSON.parse(stdout) };
  };
  const short = { v1: "sppppp", v1beta1: "psmmmi" };
  const lost = verify(short);
  assert.is(lost.code, 3);
  assert.equal(lost.counterexample.at(-1), {
    release: "1.25",
    action: "upgrade",
    storedVersion: "example.com/v1beta1",
    behavior: "ignored",
  });
  // An explicit table is what it is; only the jumps can give way.
  assert.equal(lost.fix, { supported: 1, migrated: 3, maxUpgrade: 3, maxDowngrade: 1 });
  assert.is(verify(short, "--max-upgrade", "3").code, 0);
  assert.is(verify({ v1: "sppppppp", v1beta1: "psmmmmii" }).code, 0);
  const unknown = verify({ v1: ".ppppp", v1beta1: "psssss" });
  assert.is(unknown.code, 3);
  assert.equal(unknown.counterexample.at(-1), {
    release: "1.20",
    action: "downgrade",
    storedVersion: "example.com/v1",
    behavior: null,
  });
  assert.is(unknown.fix.maxDowngrade, 0);
});

test("a command line that cannot be obeyed", () => {
  for (const args of [
    ["--supported", "-1"],
    ["--migrated", "x"],
    ["--max-upgrade", "1.5"],
    ["--max-downgrade", "5000"],
    ["--migration", "half"],
  ])
    assert.is(slipway(["storage", "verify-policy", ...args]).code, 2, args.join(" "));
});

test.run();
