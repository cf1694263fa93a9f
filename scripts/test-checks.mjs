// What is looked at when all tests are done: everything that they printed and reported.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import Ajv from "ajv/dist/2020.js";
import { filesBelow, root } from "./generate.mjs";

/** @param context the folder of what was kept, the environment and the compiled tests of the run, and `count` */
export async function endChecks(context, { whole, all }) {
  const record = process.env.SLIPWAY_TEST_DIAGNOSTICS;
  if (record !== undefined) recordDiagnostics(context, record);
  if (whole) {
    scanForSecrets(context);
    checkAnswers(context);
    checkCodes(context, all);
  }
  // Of a part of the tests where that is asked for.
  if (context.env.SLIPWAY_FOLLOW_REMEDIES !== undefined) await followRemedies(context);
}

/**
 * Writes every diagnostic that the tests of a run were given into FILE, one a line and in order, without its wording, so
 * that two states of the code can be compared, and the wording into FILE.words, for people to read:
 * `SLIPWAY_TEST_DIAGNOSTICS=FILE npm run test:all`.
 */
function recordDiagnostics({ logs }, file) {
  const noted = filesBelow(logs, ".problems").flatMap((each) =>
    readFileSync(each, "utf8")
      .split("\n")
      .map(parse)
      .filter((problem) => problem !== undefined),
  );
  const write = (path, lines) => writeFileSync(path, `${[...new Set(lines)].sort().join("\n")}\n`);
  write(
    file,
    noted.map(
      ([code, , severity, kind, field, row, column]) =>
        `${code} ${severity} ${kind} ${row}:${column} ${field}`,
    ),
  );
  write(
    `${file}.words`,
    noted.map(([code, hint, severity, , field, , , message]) =>
      `${severity} ${code}: ${field === "" ? "" : `${field}: `}${message}${hint === "" ? "" : `; ${hint}`}`.replaceAll(
        "\n",
        " ",
      ),
    ),
  );
}

function scanForSecrets({ logs, count }) {
  const source = readFileSync(join(root, "test/helpers/planted.ts"), "utf8");
  const planted = [...source.matchAll(/"(PLANTED-[^"]+)"/g)].map(([, marker]) => marker);
  const found = [];
  for (const file of filesBelow(logs, ".log")) {
    const text = readFileSync(file, "utf8");
    for (const marker of planted)
      if (
        [marker, Buffer.from(marker).toString("base64").replace(/=+$/, "").slice(4, -4)].some((form) =>
          text.includes(form),
        )
      )
        found.push(`${relative(root, file)} holds ${marker}`);
  }
  const logged = filesBelow(logs, ".log").length;
  count(
    `no planted secret in ${logged} recorded outputs`,
    found.length === 0 && logged > 0,
    found.join("\n") || "nothing recorded",
  );
}

/** Every json answer that a test saw fits the schema of its kind, so that scripts can rely on the shapes. */
function checkAnswers({ logs, count }) {
  const schemas = new Map();
  for (const folder of ["inputs", "outputs"])
    for (const file of filesBelow(join(root, "schemas", folder), ".schema.json")) {
      const schema = JSON.parse(readFileSync(file, "utf8"));
      const kind = schema.properties?.kind?.const;
      if (kind !== undefined) schemas.set(kind, schema);
    }
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const faults = new Set();
  let checked = 0;
  for (const file of filesBelow(logs, ".answers"))
    for (const answer of readFileSync(file, "utf8").split("\0").flatMap(documentsIn)) {
      const schema = schemas.get(answer.kind);
      checked++;
      if (schema === undefined) faults.add(`${answer.kind} has no schema`);
      else if (!ajv.validate(schema, answer))
        for (const { instancePath, message, params } of ajv.errors)
          faults.add(`${answer.kind}${instancePath}: ${message} ${JSON.stringify(params)}`);
    }
  const told = [...faults].slice(0, 20).join("\n");
  count(`${checked} recorded answers fit their schemas`, faults.size === 0 && checked > 0, told || "none");
}

/**
 * Every code was reported by some test: in a test process, on the command line, or an assertion about a finding names it.
 */
function checkCodes({ logs, count }) {
  const codes = [...readFileSync(join(root, "src/core/codes.ts"), "utf8").matchAll(/^ {2}([A-Z]+\d{3}):/gm)];
  const told = new Set(
    filesBelow(logs, ".problems").flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .map((line) => parse(line)?.[0]),
    ),
  );
  const texts = [
    ...filesBelow(logs, ".log"),
    ...filesBelow(join(root, "test"), ".test.ts"),
    ...filesBelow(join(root, "golden"), ".txt"),
  ];
  for (const file of texts)
    for (const [code] of readFileSync(file, "utf8").matchAll(/\b[A-Z]+\d{3}\b/g)) told.add(code);
  const missing = codes.flatMap(([, code]) => (told.has(code) ? [] : [code]));
  count(`each of ${codes.length} codes was told`, missing.length === 0, missing.join(" "));
}

/** What was printed as a remedy or a next step is run (test/follow-remedies.program.ts). */
async function followRemedies({ logs, env, folder, count }) {
  const program = join(folder, "test/follow-remedies.program.js");
  const { code, output } = await new Promise((resolve) => {
    const child = spawn(process.execPath, [program, logs], {
      cwd: root,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (part) => {
        text += part;
      });
    child.on("close", (status) => resolve({ code: status, output: text }));
  });
  const sum = output.trimEnd().split("\n").at(-1);
  count(`printed commands lead on: ${sum}`, code === 0, output);
}

/** One document, or one a line; what is none of our own is passed over. */
function documentsIn(text) {
  const parsed = parse(text);
  const all = parsed === undefined ? text.split("\n").map(parse) : [parsed];
  return all.filter((each) => String(each?.apiVersion).startsWith("slipway.dev/"));
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
