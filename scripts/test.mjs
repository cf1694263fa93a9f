// Runs the tests: type check and lint, then every test file in a process of its own, two at a time. A file without
// tests, a stray `.only`, a forgotten `.run()` or a planted secret in any output fails. Arguments select files by a
// part of their path (then type check and lint are left out). The last line is `N passed, N failed[, N skipped]`.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import Ajv from "ajv/dist/2020.js";
import { build } from "esbuild";
import { bundle, refreshCli } from "./build.mjs";
import { filesBelow, refreshGenerated, root } from "./generate.mjs";

const FILE_TIMEOUT = Number(process.env.SLIPWAY_TEST_MINUTES ?? 60) * 60_000;
const wanted = process.argv.slice(2);
const logs = join(root, "build/test-output");
const totals = { passed: 0, failed: 0, skipped: 0 };

function say(text) {
  process.stdout.write(`${text}\n`);
}

function count(name, ok, detail = "") {
  totals[ok ? "passed" : "failed"]++;
  say(`${ok ? "ok  " : "FAIL"} ${name}${ok ? "" : `\n${detail}`}`);
}

function execute(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], ...options });
    let output = "";
    const timer = setTimeout(() => child.kill("SIGKILL"), FILE_TIMEOUT);
    child.stdout.on("data", (part) => (output += part));
    child.stderr.on("data", (part) => (output += part));
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}

async function runFile(file) {
  const name = relative(join(root, "build"), file).replace(/\.js$/, "");
  const started = Date.now();
  const { code, output } = await execute(
    process.execPath,
    ["--enable-source-maps", "scripts/run-test-file.mjs", file],
    {
      env: { ...process.env, FORCE_COLOR: "0", SLIPWAY_TEST_LOGS: logs },
    },
  );
  const result = /^RESULT (\d+) (\d+) (\d+)$/m.exec(output);
  const [passed, total, skipped] = result ? result.slice(1).map(Number) : [0, 0, 0];
  const failed = total - passed;
  const broken = code !== 0 || result === null || total + skipped === 0;
  totals.passed += passed;
  totals.failed += failed > 0 ? failed : broken ? 1 : 0;
  totals.skipped += skipped;
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  const bad = broken || failed > 0;
  say(
    `${bad ? "FAIL" : "ok  "} ${name} (${passed}/${total}${skipped > 0 ? `, ${skipped} skipped` : ""}, ${seconds} s)`,
  );
  for (const line of output.split("\n")) if (line.startsWith("SKIPPED ")) say(`     ${line}`);
  if (bad) say(result === null ? `no test ran to its end (exit ${code})\n${output}` : output);
}

async function inParallel(items, work) {
  const queue = [...items];
  const workers = Array.from({ length: Math.max(2, availableParallelism()) }, async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  });
  await Promise.all(workers);
}

function scanForSecrets() {
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
function checkAnswers() {
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
 * Every code was told by some test: it was reported in a test process, printed by the command line, or an assertion
 * about a finding names it.
 */
function checkCodes() {
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
async function followRemedies() {
  const program = join(root, "build/follow-remedies.program.js");
  const { code, output } = await execute(process.execPath, [program, logs]);
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

/** Tests get the contract of diagnostics with a note of every problem. */
const noted = {
  name: "noted-diagnostics",
  setup(build) {
    const path = join(root, "test/helpers/noted-diagnostics.ts");
    build.onResolve({ filter: /\/diagnostics\.js$/ }, ({ path: wanted, resolveDir, importer }) =>
      join(resolveDir, wanted) === join(root, "src/core/diagnostics.js") && importer !== path
        ? { path }
        : undefined,
    );
  },
};

const started = Date.now();
await refreshGenerated();
for (const entry of existsSync(join(root, "build")) ? readdirSync(join(root, "build")) : [])
  if (entry !== "stamps") rmSync(join(root, "build", entry), { recursive: true });
mkdirSync(logs, { recursive: true });
const sources = filesBelow(join(root, "test"), ".test.ts");
const selected = sources.filter(
  (file) => wanted.length === 0 || wanted.some((part) => relative(join(root, "test"), file).includes(part)),
);
/** Programs that tests start as processes of their own. */
const programs = filesBelow(join(root, "test"), ".program.ts");
await Promise.all([
  refreshCli(),
  build({
    ...bundle,
    entryPoints: [...selected, ...programs].map((file) => relative(root, file)),
    outbase: "test",
    outdir: "build",
    packages: "external",
    sourcemap: "linked",
    plugins: [noted],
  }),
]);

if (wanted.length === 0) {
  for (const [name, args] of [
    ["type check", [join(root, "node_modules/typescript/bin/tsc"), "--noEmit"]],
    ["lint", [join(root, "node_modules/@biomejs/biome/bin/biome"), "check", "--error-on-warnings", "."]],
  ]) {
    const { code, output } = await execute(process.execPath, args);
    count(name, code === 0, output);
  }
  const stray = sources.filter((file) => /\.only\(/.test(readFileSync(file, "utf8")));
  count("no test file narrows the run", stray.length === 0, stray.join("\n"));
}

const compiled = selected.map((file) =>
  join(root, "build", relative(join(root, "test"), file).replace(/\.ts$/, ".js")),
);
await inParallel(compiled, runFile);
if (wanted.length === 0) scanForSecrets();
if (wanted.length === 0) checkAnswers();
if (wanted.length === 0) checkCodes();
// Of a part of the tests where that is asked for.
if (wanted.length === 0 || process.env.SLIPWAY_FOLLOW_REMEDIES !== undefined) await followRemedies();
if (compiled.length === 0) count("some test file is selected", false, `nothing matches ${wanted.join(" ")}`);

say(`in ${((Date.now() - started) / 1000).toFixed(0)} s`);
const { passed, failed, skipped } = totals;
say(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed > 0 ? 1 : 0;
