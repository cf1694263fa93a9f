/**
 * Golden cases: golden/<case>/case.yaml says which commands run, in a scratch copy of golden/<case>/input; what they
 * print, their exit codes and every byte that is then in the folder must be what golden/<case>/expected says
 * (golden/README.md). `GOLDEN=update` writes the expectation and prints what changed, `GOLDEN=diff` shows differences
 * at full length; with `GOLDEN_ONLY=PART,…` the cases whose name begins with a part.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createTwoFilesPatch } from "diff";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "./helpers/cli.js";
import {
  type Case,
  caseNames,
  digestOf,
  type Entry,
  expectedTree,
  GOLDEN,
  listingOf,
  openCase,
  readableTexts,
  readCase,
  storedForms,
  type Tree,
} from "./helpers/golden.js";
import { readModes, readTree, tempFolder } from "./helpers/temp.js";

const mode = process.env["GOLDEN"];
const only = (process.env["GOLDEN_ONLY"] ?? "").split(",");
const test = suite("golden");

/** Words of a command line; single quotes keep blanks. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

/** What a reviewer can read of bootstrap.ign: files with their mode, size and digest, units, and who may log in. */
function unfolded(data: Buffer): string {
  const config: {
    readonly storage: {
      readonly files: readonly {
        readonly path: string;
        readonly mode: number;
        readonly contents?: { readonly source: string };
        readonly append?: readonly { readonly source: string }[];
      }[];
    };
    readonly systemd: {
      readonly units: readonly {
        readonly name: string;
        readonly enabled?: boolean;
        readonly contents?: string;
      }[];
    };
  } = JSON.parse(data.toString("utf8"));
  const files = config.storage.files.map(({ path, mode, contents, append }) => {
    const source = contents?.source ?? append?.[0]?.source ?? "";
    const content = Buffer.from(source.slice(source.indexOf(",") + 1), "base64");
    const how = append === undefined ? "" : " appended";
    return `${mode.toString(8).padStart(4, "0")} ${path} ${content.length} bytes${how} ${digestOf(content).slice(0, 19)}`;
  });
  const units = config.systemd.units.map(
    ({ name, enabled, contents }) =>
      `${name}${enabled === true ? " enabled" : ""}${contents === undefined ? "" : ` ${digestOf(Buffer.from(contents)).slice(0, 19)}`}`,
  );
  return [`${data.length} bytes ${digestOf(data)}`, "", "files:", ...files, "", "units:", ...units, ""].join(
    "\n",
  );
}

/** What is there when the steps of a case have run. */
function produce(name: string, spec: Case): Tree {
  const scratch = join(tempFolder(), "work");
  mkdirSync(scratch, { recursive: true });
  const input = join(GOLDEN, name, "input");
  if (existsSync(input)) cpSync(input, scratch, { recursive: true });
  const before = readTree(scratch);
  const tree = new Map<string, Entry>();
  spec.steps.forEach((step, index) => {
    const { code, stdout, stderr } = slipway(wordsOf(step.run), {
      cwd: scratch,
      input: step.stdin ?? "",
      env: { SOURCE_DATE_EPOCH: "1800000000", ...spec.env },
    });
    if (code !== (step.exit ?? 0)) throw new Error(`${step.run}: exit ${code}\n${stderr}`);
    const text = `$ slipway ${step.run}\nexit ${code}\n--- stdout\n${stdout}--- stderr\n${stderr}`;
    tree.set(`step-${index + 1}.txt`, {
      kind: "compared",
      data: Buffer.from(text.replaceAll(scratch, "WORK")),
    });
  });
  const after = readTree(scratch);
  for (const [path, data] of after)
    if (/^bootstrap[^/]*\.ign$/.test(path))
      tree.set(`${path}.txt`, { kind: "compared", data: Buffer.from(unfolded(data)) });
  // What a working copy remembers repeats what is compared anyway.
  const isOneOf = (path: string, prefixes: readonly string[] = []): boolean =>
    prefixes.some((prefix) => path.startsWith(prefix));
  const modes = readModes(scratch);
  for (const [path, data] of after) {
    const isGiven = before.get(path)?.equals(data) === true;
    const kind = isGiven
      ? "given"
      : isOneOf(path, [".slipway/local.json", ...(spec.ignore ?? [])])
        ? "ignored"
        : isOneOf(path, spec.digests)
          ? "digest"
          : "compared";
    tree.set(`files/${path}`, {
      kind,
      data,
      // How a file is checked out depends on the umask.
      mode: isGiven || isOneOf(path, spec.umask) ? undefined : modes.get(path)?.toString(8).padStart(4, "0"),
      digest: kind === "digest" ? digestOf(data) : undefined,
    });
  }
  return tree;
}

/** What differs from the expectation, as a text for people; undefined when nothing does. */
function differences(name: string, produced: Tree): string | undefined {
  const actual = (key: string): Buffer | undefined => produced.get(key)?.data;
  const expected = new Map<string, Entry>();
  for (const [key, entry] of expectedTree(name, actual))
    expected.set(
      key,
      // Another case may have the bytes of a digest.
      produced.get(key)?.kind === "digest" && entry.kind === "compared" && entry.data !== undefined
        ? { ...entry, kind: "digest", digest: digestOf(entry.data) }
        : entry,
    );
  const patch = (key: string, before: string, now: string): string =>
    createTwoFilesPatch(`expected/${key}`, `now/${key}`, before, now);
  const [before, now] = [listingOf(expected), listingOf(produced)];
  const patches = before === now ? [] : [patch("index.txt", before, now)];
  const isEqual = (key: string): boolean => {
    const [wanted, found] = [expected.get(key), produced.get(key)];
    if (wanted?.kind !== "compared" || found?.kind !== "compared") return wanted?.kind === found?.kind;
    return wanted.data !== undefined && found.data?.equals(wanted.data) === true;
  };
  const differing = [...new Set([...expected.keys(), ...produced.keys()])].filter((key) => !isEqual(key));
  if (differing.length === 0 && patches.length === 0) return undefined;
  const follow = openCase(name, { actual, follow: true });
  const followers: string[] = [];
  const textBefore = readableTexts(name, expected);
  const textNow = readableTexts(name, produced);
  for (const key of differing) {
    const [wanted, found] = [expected.get(key), produced.get(key)];
    const data = found?.data;
    if (wanted !== undefined && data !== undefined && follow.lookup(key)?.equals(data) === true) {
      followers.push(key);
      continue;
    }
    const folded = patch(key, textBefore(key), textNow(key));
    patches.push(
      folded.includes("\n@@")
        ? folded
        : patch(key, wanted?.data?.toString("latin1") ?? "", data?.toString("latin1") ?? ""),
    );
  }
  if (followers.length > 0)
    patches.push(`as follows from these: ${followers.map((key) => key.replace(/^files\//, "")).join(" ")}\n`);
  return `${differing.length} files differ\n${patches.join("\n")}`;
}

/** What two runs of a case write differently, which no expectation can fit. */
const unlike = (first: Tree, second: Tree): string[] =>
  [...first.keys()].filter((key) => {
    const [one, two] = [first.get(key), second.get(key)];
    return one?.kind !== "ignored" && (two?.data === undefined || one?.data?.equals(two.data) !== true);
  });

/** Both trees as files, for what a text cannot show. */
function writeBoth(name: string, produced: Tree): string {
  const folder = mkdtempSync(join(tmpdir(), `slipway-golden-${name}-`));
  const actual = (key: string): Buffer | undefined => produced.get(key)?.data;
  for (const [side, tree] of [
    ["expected", expectedTree(name, actual)],
    ["now", produced],
  ] as const)
    for (const [key, { data }] of tree) {
      if (data === undefined) continue;
      mkdirSync(dirname(join(folder, side, key)), { recursive: true });
      writeFileSync(join(folder, side, key), data);
    }
  return folder;
}

const cases = caseNames();
const selected = cases.filter((name) => only.some((part) => name.startsWith(part)));
/** What each case is to expect from now on, where expectations are updated. */
const updated = new Map<string, Tree>();

for (const name of selected) {
  test(name, () => {
    const produced = produce(name, readCase(name));
    if (mode === "update") {
      assert.equal(
        unlike(produced, produce(name, readCase(name))),
        [],
        "random; name a seed, or ignore these",
      );
      updated.set(name, produced);
      process.stdout.write(`${name}: ${differences(name, produced) ?? "as before"}\n`);
      return;
    }
    const difference = differences(name, produced);
    if (difference === undefined) return;
    const shown =
      mode === "diff" || difference.length < 20_000
        ? difference
        : `${difference.slice(0, 20_000)}\n… GOLDEN=diff shows all of it`;
    throw new Error(`${shown}\nboth trees: ${writeBoth(name, produced)}`);
  });
}

if (mode === "update")
  test("expectations are stored, and say what was found", () => {
    // A case that did not run, or failed, keeps what it expects.
    const sorted = new Map(cases.map((name) => [name, updated.get(name) ?? expectedTree(name)]));
    for (const [name, files] of storedForms(sorted, (each) => readCase(each).whole === true)) {
      const folder = join(GOLDEN, name, "expected");
      rmSync(folder, { recursive: true, force: true });
      for (const [path, data] of files) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), data);
      }
    }
    for (const [name, tree] of updated) assert.is(differences(name, tree), undefined, name);
  });

test.run();
