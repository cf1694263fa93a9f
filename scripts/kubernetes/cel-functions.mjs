// The functions and macros of expressions in a release of Kubernetes, and the rows in
// schemas/data/kubernetes-cel-functions.json. They are put together at run time by google/cel-go and the libraries of
// k8s.io/apiserver, so that a program of ours, built against the modules of the release, asks for them.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { within } from "./rows.mjs";

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

/** What the Go program says of a release: `{ functions, methods, macros }`. `program` is its file. */
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
      ["run", ...(inTree ? [join(work, "main.go")] : ["-mod=mod", "."]), kubernetes.release],
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

/** The table with what a release has (`readFunctions`). */
export function addFunctions(table, release, read) {
  const seen = (texts) =>
    texts.filter((each) => !UNWRITTEN.test(each) && !AUTHORIZER.test(each)).map(signatureOf);
  const now = { functions: seen(read.functions), methods: seen(read.methods), macros: read.macros };
  const known = {
    functions: table.functions.flatMap((row) => row.functions),
    methods: table.functions.flatMap((row) => row.methods),
    macros: table.macros.flatMap((row) => row.names),
  };
  const gone = Object.keys(known).flatMap((name) => known[name].filter((each) => !now[name].includes(each)));
  if (gone.length > 0)
    throw new Error(
      `Kubernetes ${release} has no ${gone.join(", ")}; look at schemas/data/kubernetes-cel-functions.json`,
    );
  const added = (name) => now[name].filter((each) => !known[name].includes(each));
  const [functions, methods, names] = ["functions", "methods", "macros"].map(added);
  return {
    ...table,
    macros: names.length === 0 ? table.macros : [...table.macros, { since: release, names }],
    functions:
      functions.length + methods.length === 0
        ? table.functions
        : [...table.functions, { since: release, functions, methods }],
  };
}

/** The table as it was at an older release. */
export const cutFunctions = (table, last) => ({
  ...table,
  macros: table.macros.filter(({ since }) => within(since, last)),
  functions: table.functions.filter(({ since }) => within(since, last)),
});
