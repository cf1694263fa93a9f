// The functions and macros of expressions in a release of Kubernetes, and the rows in
// tables/kubernetes-cel-functions.json. They are put together at run time by google/cel-go and the libraries of
// k8s.io/apiserver, so that a program of ours, built against the modules of the release, asks for them.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cutRows, releasesOf } from "./rows.mjs";

/** What no expression can write, or only as an operator under another name. */
const UNWRITTEN = /^(?:@not_strictly_false|__not_strictly_false__|_in_|in)\(/;
/** Rules of definitions have no authorizer. */
const AUTHORIZER = /kubernetes\.authorization\./;

/** A signature as the table has it: `<A>` is A, durations and times go by their names in expressions. */
export const signatureOf = (text) =>
  text
    .replace(/<(\w+)>/g, "$1")
    .replaceAll("google.protobuf.Duration", "duration")
    .replaceAll("google.protobuf.Timestamp", "timestamp");

/**
 * What the Go program says of the environments that a release has for the release before, by which it takes new
 * expressions, and for itself: `{ functions, methods, macros }` of each. `program` is its file.
 */
export function readFunctions(kubernetes, program) {
  const work = mkdtempSync(join(tmpdir(), "slipway-cel-"));
  try {
    copyFileSync(program, join(work, "main.go"));
    const inTree = existsSync(kubernetes.place("k8s.io/kubernetes/staging/src/k8s.io/apiserver/go.mod"));
    const module = `k8s.io/apiserver v0.${kubernetes.version.slice("v1.".length)}`;
    if (!inTree)
      writeFileSync(join(work, "go.mod"), `module celenvironment\n\ngo 1.21\n\nrequire ${module}\n`);
    const { status, stdout, stderr, error } = spawnSync(
      "go",
      [
        "run",
        ...(inTree ? [join(work, "main.go")] : ["-mod=mod", "."]),
        releasesOf(kubernetes.release).before,
        kubernetes.release,
      ],
      {
        cwd: inTree ? kubernetes.place("k8s.io/kubernetes") : work,
        encoding: "utf8",
        env: { ...process.env, GOTOOLCHAIN: "local", GOWORK: inTree ? "" : "off" },
      },
    );
    if (status !== 0) throw new Error(`go run of ${program}: ${error?.message ?? stderr.trim()}`);
    return JSON.parse(stdout);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * The table with what a release has (`readFunctions`). What its environment for the release before has not, or has anew,
 * came with the libraries of the server and not with the release of the environment.
 */
export function addFunctions(table, release, [earlier, own]) {
  const byServer = withEnvironment(table, releasesOf(release).before, earlier);
  return withEnvironment(byServer, release, own);
}

function withEnvironment(table, release, read) {
  const seen = (texts) =>
    texts.filter((each) => !UNWRITTEN.test(each) && !AUTHORIZER.test(each)).map(signatureOf);
  const now = { functions: seen(read.functions), methods: seen(read.methods), names: read.macros };
  const added = (rows, names) => {
    const rest = rows.flatMap((row) => endedRows(row, names, now, release));
    const open = rest.filter(({ before }) => before === undefined);
    const more = names.map((name) => [
      name,
      now[name].filter((each) => !open.some((row) => row[name].includes(each))),
    ]);
    if (more.every(([, texts]) => texts.length === 0)) return rest;
    return [...rest, { since: release, ...Object.fromEntries(more) }];
  };
  return {
    ...table,
    macros: added(table.macros, ["names"]),
    functions: added(table.functions, ["functions", "methods"]),
  };
}

/** A row, parted where an environment no longer has all of it. */
function endedRows(row, names, now, release) {
  if (row.before !== undefined) return [row];
  const part = (isKept) =>
    names.map((name) => [name, row[name].filter((each) => now[name].includes(each) === isKept)]);
  const [kept, gone] = [part(true), part(false)];
  const some = (members) => members.some(([, texts]) => texts.length > 0);
  if (!some(gone)) return [row];
  const ended = { since: row.since, before: release, ...Object.fromEntries(gone) };
  return some(kept) ? [{ since: row.since, ...Object.fromEntries(kept) }, ended] : [ended];
}

/** The table as it was at an older release. */
export const cutFunctions = (table, last) => ({
  ...table,
  macros: cutRows(table.macros, last),
  functions: cutRows(table.functions, last),
});
