// Which test files a change can reach: by imports, and where a file is read and not imported, by the folders that a test names.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./generate.mjs";

const git = (...words) =>
  execFileSync("git", words, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 })
    .split("\0")
    .filter(Boolean);

/** Paths that differ from a commit, with those that Git does not know yet. */
export const changedFiles = (ref) => [
  ...git("diff", "--name-only", "-z", "--no-renames", ref),
  ...git("ls-files", "--others", "--exclude-standard", "-z"),
];

/** Generated modules by what they are made from. A schema becomes types, validators and forms, all in a few modules. */
function generatedFrom(path) {
  if (path.startsWith("templates/bootstrap/")) return /^src\/generated\/bootstrap-texts/;
  const template = /^templates\/([^/]+)(?:\/([^/]+)\/)?/.exec(path);
  if (template !== null) return new RegExp(`^src/generated/(templates/${template[1]}|validators|origins)`);
  const data = /^tables\/(.+?)(?:\.schema)?\.json$/.exec(path);
  if (data !== null) return new RegExp(`^src/generated/(tables|types)/|^tables/${data[1]}\\.json$`);
  if (/schemas\/.*\.schema\.json$/.test(path)) return /^src\/generated\//;
  return undefined;
}

/** A change of these can reach every test. */
const EVERYTHING =
  /^(?:package(?:-lock)?\.json|tsconfig\.json|scripts\/(?:test|build|generate|stamp)[^/]*|test\/slow\.json)$/;

/** A file that names a program of the tests starts it, as the helper that runs commands does. */
const PROGRAM = /programFile\("([^"]+)"\)/g;

/** The test files that a change of these paths can reach, those first that are nearest to it by imports. */
export function reachedBy(changed, tests, imports) {
  if (changed.some((path) => EVERYTHING.test(path))) return tests;
  const generated = changed.flatMap((path) => generatedFrom(path) ?? []);
  const isChanged = (path) => changed.includes(path) || generated.some((pattern) => pattern.test(path));
  // Code is imported, and by a few tests read as a text, which name it without a way up.
  const isCode = (path) => /^(?:src|test)\/.*\.ts$/.test(path);
  const named = [
    namesOf(changed.filter(isCode), "[\"'`]"),
    namesOf(
      changed.filter((path) => !isCode(path)),
      "[\"'`/]",
    ),
  ];
  const isReader = (path) => path.startsWith("test/") && named.some((pattern) => pattern?.test(textOf(path)));
  const reached = tests.flatMap((file) => {
    const closure = [...closureOf(relative(root, file), imports)];
    const [, distance] =
      closure.find(([path]) => isChanged(path)) ?? closure.find(([path]) => isReader(path)) ?? [];
    return distance === undefined ? [] : [{ file, distance }];
  });
  return reached.sort((a, b) => a.distance - b.distance).map(({ file }) => file);
}

/** What names a changed file, or a folder around it, in quotes; undefined where nothing changed. */
function namesOf(paths, before) {
  const places = new Set(paths.flatMap(prefixes).filter((place) => !TOO_WIDE.includes(place)));
  if (places.size === 0) return undefined;
  return new RegExp(`${before}(?:${[...places].map(quoted).join("|")})(?:["'\`/]|\\$)`);
}

/** Tests name these folders for what they put there. */
const TOO_WIDE = ["test", "test/helpers"];

/** Everything that a file imports or starts, with the number of steps to it: the nearest first. */
function closureOf(start, imports) {
  const seen = new Map([[start, 0]]);
  for (const [path, distance] of seen) {
    const started = path.startsWith("test/")
      ? [...textOf(path).matchAll(PROGRAM)].map(([, name]) => `test/${name}.program.ts`)
      : [];
    for (const next of [...(imports.get(path) ?? []), ...started])
      if (!seen.has(next)) seen.set(next, distance + 1);
  }
  return seen;
}

const texts = new Map();

function textOf(path) {
  if (!texts.has(path)) {
    let text = "";
    try {
      text = readFileSync(join(root, path), "utf8");
    } catch {
      // A test that is gone.
    }
    texts.set(path, text);
  }
  return texts.get(path);
}

/** `a/b/c` and each folder around it. */
function prefixes(path) {
  const parts = path.split("/");
  return parts.map((_, i) => parts.slice(0, i + 1).join("/"));
}

const quoted = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
