import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter, type Diagnostic } from "../../src/core/diagnostics.js";
import { updateDeclaration } from "../../src/generators/declaration.js";
import { featureGateDeclarations } from "../../src/generators/feature-gates.js";
import { isCertainlyCode } from "../../src/generators/source-scan.js";
import { table } from "../helpers/compat.js";
import { moduleFaults } from "../helpers/generated-module.js";
import { runs } from "../helpers/runs.js";

const test = suite("generate --into");

const DECLARATIONS = featureGateDeclarations(table({ A: "Alpha 1.31 off", B: "Beta 1.32 on" }), "shipped");

async function update(
  text: string,
  name = "gates",
): Promise<{ text: string | undefined; diagnostics: readonly Diagnostic[] }> {
  const { report, diagnostics } = createReporter();
  const updated = await updateDeclaration({ file: "app.ts", text, name, declarations: DECLARATIONS }, report);
  return { text: updated, diagnostics };
}

const OBJECT = `{
  /** Alpha 1.31 off. */
  A: {
    specs: [
      { version: "1.31", stage: "Alpha", default: false, locked: false },
    ],
  },
  /** Beta 1.32 on. */
  B: {
    specs: [
      { version: "1.32", stage: "Beta", default: true, locked: false },
    ],
  },
}`;

const indentBy = (text: string, base: string, unit = "  "): string =>
  text
    .split("\n")
    .map((line, i) => {
      const depth = (/^ */.exec(line)?.[0].length ?? 0) >> 1;
      return (i === 0 ? "" : base) + unit.repeat(depth) + line.slice(depth * 2);
    })
    .join("\n");

const rows: readonly (readonly [string, string, string])[] = [
  ["a const", "export const gates = {};\n", `export const gates = ${OBJECT};\n`],
  ["without semicolon", "const gates = { old: 1 }\nnext()\n", `const gates = ${OBJECT}\nnext()\n`],
  [
    "as const satisfies",
    "export const gates = { a: 1 } as const satisfies Readonly<Record<string, X>>; // keep\n",
    `export const gates = ${OBJECT} as const satisfies Readonly<Record<string, X>>; // keep\n`,
  ],
  [
    "with a type",
    "let gates: Record<string, Gate> = null;\n",
    `let gates: Record<string, Gate> = ${OBJECT};\n`,
  ],
  ["in parentheses", "const gates = (({}) as X);\n", `const gates = ((${OBJECT}) as X);\n`],
  [
    "among others",
    "const a = 1, gates = {}, b = 2;\n/* gates = {} */\n",
    `const a = 1, gates = ${OBJECT}, b = 2;\n/* gates = {} */\n`,
  ],
  [
    "nested, with four blanks",
    "namespace n {\n    export const gates = {};\n    if (x) {\n        y();\n    }\n}\n",
    `namespace n {\n    export const gates = ${indentBy(OBJECT, "    ", "    ")};\n    if (x) {\n        y();\n    }\n}\n`,
  ],
  [
    "nested, with tabs",
    "function f() {\n\tconst gates = {};\n\treturn gates;\n}\n",
    `function f() {\n\tconst gates = ${indentBy(OBJECT, "\t", "\t")};\n\treturn gates;\n}\n`,
  ],
  [
    "with CRLF",
    "// x\r\nconst gates = {};\r\n",
    `// x\r\nconst gates = ${OBJECT.replaceAll("\n", "\r\n")};\r\n`,
  ],
  ["without a final newline", "const gates = {}", `const gates = ${OBJECT}`],
  ["a byte order mark stays", "\ufeffconst gates = {};\n", `\ufeffconst gates = ${OBJECT};\n`],
  [
    "odd bytes around it stay",
    "const ä = '\u2028';  \n\n\nconst gates = {};   \n\t\n",
    `const ä = '\u2028';  \n\n\nconst gates = ${OBJECT};   \n\t\n`,
  ],
];

for (const [title, before, after] of rows)
  test(`${title}: only the value changes, and a second run changes nothing`, async () => {
    const first = await update(before);
    assert.equal(first.diagnostics, []);
    assert.is(first.text, after);
    assert.is((await update(after)).text, after);
  });

test("a type alias gets the union of names", async () => {
  const union = '\n  | "A"\n  | "B"';
  for (const [before, after] of [
    ["type gates = string;\n", `type gates =${union};\n`],
    ['export type gates =\n  | "A"\n  | "Old";\nnext;\n', `export type gates =${union};\nnext;\n`],
    ["type gates = /* why */ never;\n", `type gates = /* why */${union};\n`],
    ["type gates = // why\n  never;\n", `type gates = // why${union};\n`],
  ] as const) {
    const { text, diagnostics } = await update(before);
    assert.equal(diagnostics, []);
    assert.is(text, after);
    assert.is((await update(after)).text, after);
  }
});

test("comments in a union stay with their members, and what goes with a member is named", async () => {
  for (const [before, after, dropped] of [
    [
      'type gates =\n  // the first\n  | "A" // owner: a\n  /* in a block */\n  | "B";\n',
      'type gates =\n  // the first\n  | "A" // owner: a\n  /* in a block */\n  | "B";\n',
      [],
    ],
    [
      'type gates =\n  | "A"\n  // gone with it\n  | "Old" // this too\n  | "B" // stays\n  // at the end\n  ;\n',
      'type gates =\n  | "A"\n  | "B" // stays\n  // at the end\n  ;\n',
      ["// gone with it", "// this too"],
    ],
    // On the line of the last member it would take the semicolon with it.
    ['type gates =\n  | "B" // stays\n  | "Old";\n', 'type gates =\n  | "A"\n  // stays\n  | "B";\n', []],
    ['type gates = "B" /* b | c */ | "A";\n', 'type gates =\n  | "A"\n  /* b | c */\n  | "B";\n', []],
  ] as const) {
    const { text, diagnostics } = await update(before);
    assert.is(text, after);
    assert.equal(
      diagnostics.map(({ message }) => /"(.*)"$/.exec(message)?.[1]),
      [...dropped],
    );
    assert.is((await update(after)).text, after, "a second run changes nothing");
  }
});

test("what cannot be updated says why, at its place", async () => {
  const rows: readonly (readonly [string, string, number])[] = [
    ["const other = {};\n", "GEN002", 1],
    ["const gate = {};\n", "GEN002", 1],
    ["let x;\nlet gates;\n", "GEN003", 2],
    ["x;\nfunction gates() {}\n", "GEN003", 2],
    ["x;\ninterface gates {}\n", "GEN003", 2],
    ["const gates = {};\nnamespace n {\n  const gates = {};\n}\n", "GEN004", 3],
    ["const gates = {;\n", "GEN001", 1],
    ["// const gates = {};\n", "GEN002", 1],
  ];
  for (const [before, code, line] of rows) {
    const { text, diagnostics } = await update(before);
    assert.is(text, undefined, before);
    assert.is(diagnostics[0]?.code, code, before);
    assert.is(diagnostics[0]?.line, line, before);
  }
  const [near] = (await update("const gate = {};\n")).diagnostics;
  assert.is(near?.hint, "did you mean gate?");
});

test("of a file that is not TypeScript at all the first faults are told, and how many more there are", async () => {
  const { text, diagnostics } = await update("#".repeat(5000));
  assert.is(text, undefined);
  assert.equal(
    diagnostics.map(({ code, column }) => [code, column]),
    Array.from({ length: 20 }, (_, index) => ["GEN001", index + 1]),
  );
  assert.match(diagnostics.at(-1)?.message ?? "", /\(and 4980 more errors\)$/);
});

test("a file that is nested too deep for the compiler is told as one", async () => {
  const { text, diagnostics } = await update("-\n".repeat(200_000));
  assert.is(text, undefined);
  assert.equal(
    diagnostics.map(({ code, message }) => `${code} ${message}`),
    ["GEN001 nested too deeply"],
  );
});

test("a copy of the declaration in a comment or a text does not fool the quick look", async () => {
  const commented = `const gates = ${OBJECT};`.replaceAll(/^/gm, "// ");
  const comment = `${commented}\nconst gates = { old: 1 };\n`;
  assert.is((await update(comment)).text, `${commented}\nconst gates = ${OBJECT};\n`);
  const text = `const s = \`const gates = ${OBJECT};\`;\nexport const { gates } = load();\n`;
  assert.is((await update(text)).text, undefined, "a destructured name is not a declaration of a value");
});

test("code is told from comments and texts", () => {
  // %{ stands for the opening of an expression in a template.
  const answer = (before: string): boolean => {
    const text = before.replaceAll("%{", ["$", "{"].join(""));
    return isCertainlyCode(`${text}const gates`, text.length);
  };
  for (const before of [
    "",
    "const a = 'x';\n",
    "// it's\n",
    "/* ` */ ",
    "`a%{b + `c%{{}}`}d`; ",
    "f(`%{{ a: 1 }}`); ",
    "1 / 2; ",
    "'\\''; ",
  ])
    assert.is(answer(before), true, before);
  for (const before of ["// ", "/* ", "`", "`a%{", "'", "`%{`", "/'/; ", '"', "/* */ // "])
    assert.is(answer(before), false, before);
});

const piece = fc.constantFrom(
  "// c\n",
  "\n",
  "const x = 1;\n",
  "  \t\n",
  "/* gates */\n",
  "export {};\n",
  "function f() {\n    return 1;\n}\n",
  "const t = `a`;\n",
);

test("every byte outside the declaration stays", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 5 }),
      fc.array(piece, { maxLength: 5 }),
      fc.constantFrom("{}", "{ a: { b: 1 } }", "null"),
      async (before, after, value) => {
        const unique = (parts: readonly string[], side: string): string =>
          parts.map((part, i) => part.replaceAll(/\b(x|f|t)\b/g, `$1${side}${i}`)).join("");
        const [head, tail] = [unique(before, "h"), unique(after, "t")];
        const { text, diagnostics } = await update(`${head}const gates = ${value};\n${tail}`);
        assert.equal(diagnostics, []);
        assert.ok(text?.startsWith(`${head}const gates = {`), text);
        assert.ok(text?.endsWith(`};\n${tail}`), text);
      },
    ),
    { numRuns: runs(25) },
  );
});

const COMMENTED = `const gates = {
  // owner: platform
  /* runbook 42
   * and 43 */
  A: {
    // shipped dark
    specs: [
      // the first
      { version: "1.31", stage: "Alpha", default: true, locked: false }, // remove in 1.37
    ], // specs of A
    // behind the specs
  }, // A
  "B": { specs: [{ version: "1.32", /* kep: 1 */ stage: "Beta" }] },
  // the end
};
`;

test("comments of gates and specs that stay are kept, at their places", async () => {
  const { text, diagnostics } = await update(COMMENTED);
  assert.equal(diagnostics, []);
  assert.is(
    text,
    `const gates = {
  // owner: platform
  /* runbook 42
   * and 43 */
  /** Alpha 1.31 off. */
  A: {
    // shipped dark
    specs: [
      // the first
      { version: "1.31", stage: "Alpha", default: false, locked: false }, // remove in 1.37
    ], // specs of A
    // behind the specs
  }, // A
  /** Beta 1.32 on. */
  B: {
    specs: [
      /* kep: 1 */
      { version: "1.32", stage: "Beta", default: true, locked: false },
    ],
  },
  // the end
};
`,
  );
  assert.is((await update(text ?? "")).text, text);
});

test("comments that go with what they stood at are named", async () => {
  const { text, diagnostics } = await update(
    'const gates = {\n  // of C\n  C: { specs: [] /* none */ },\n  A: { specs: [{ version: "1.30" }, // dark\n  ] },\n};\n',
  );
  assert.is(text, `const gates = ${OBJECT};\n`);
  assert.equal(
    diagnostics.map(({ code, severity, message }) => [code, severity, /"(.*)"/.exec(message)?.[1]]),
    [
      ["GEN006", "warning", "// of C"],
      ["GEN006", "warning", "/* none */"],
      ["GEN006", "warning", "// dark"],
    ],
  );
});

test("wherever comments stand, all are kept or named, the file parses, and a second run changes nothing", async () => {
  const pieces = COMMENTED.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, "").split(/(?<=[{[,}\]])/);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(pieces.length - 1), { maxLength: 6 }),
      fc.boolean(),
      async (places, block) => {
        const marks = places.map((_, i) => (block ? `/* c${i} */` : `// c${i}\n`));
        const parts = pieces.map((piece, at) =>
          [
            piece,
            ...places.flatMap((place, i) => (place === at && at < pieces.length - 1 ? [marks[i]] : [])),
          ].join(" "),
        );
        const before = parts.join("");
        const { text = "", diagnostics } = await update(before);
        assert.equal(moduleFaults(text, ["gates"]), [], before);
        const told = diagnostics.map(({ message }) => message).join("\n");
        for (const [, mark = ""] of before.matchAll(/(c\d+)\b/g))
          assert.is(
            text.split(`${mark}`).length + told.split(mark).length,
            3,
            `${mark} in\n${before}\n${text}`,
          );
        assert.is((await update(text)).text, text);
      },
    ),
    { numRuns: runs(60) },
  );
});

test.run();
