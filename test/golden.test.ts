/**
 * Golden cases: golden/<case>/case.yaml says which commands run, in a scratch copy of golden/<case>/input; what they
 * print, their exit codes and every byte that is then in the folder must equal golden/<case>/expected.
 * `GOLDEN=update` writes the expectation and prints what changed, `GOLDEN=diff` shows differences only; with
 * `GOLDEN_ONLY=PART,…` the cases whose name begins with a part.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createTwoFilesPatch } from "diff";
import { load } from "js-yaml";
import { suite } from "uvu";
import { slipway } from "./helpers/cli.js";
import { readModes, readTree, tempFolder } from "./helpers/temp.js";

interface Step {
  readonly run: string;
  readonly stdin?: string;
  readonly exit?: number;
}

interface Case {
  readonly about: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  /** Paths (prefixes) of the scratch folder that are not compared, such as files of random keys. */
  readonly ignore?: readonly string[];
  /** Paths (prefixes) that are compared by their digest, since nobody can read a difference of them. */
  readonly digests?: readonly string[];
}

const root = join(process.cwd(), "golden");
const mode = process.env["GOLDEN"];
const only = (process.env["GOLDEN_ONLY"] ?? "").split(",");
const test = suite("golden");

function isCase(value: unknown): value is Case {
  return typeof value === "object" && value !== null && "about" in value && "steps" in value;
}

/** Words of a command line; single quotes keep blanks. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

const digest = (data: Uint8Array): string => `sha256:${createHash("sha256").update(data).digest("hex")}`;

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
    return `${mode.toString(8).padStart(4, "0")} ${path} ${content.length} bytes${how} ${digest(content).slice(0, 19)}`;
  });
  const units = config.systemd.units.map(
    ({ name, enabled, contents }) =>
      `${name}${enabled === true ? " enabled" : ""}${contents === undefined ? "" : ` ${digest(Buffer.from(contents)).slice(0, 19)}`}`,
  );
  return [`${data.length} bytes ${digest(data)}`, "", "files:", ...files, "", "units:", ...units, ""].join(
    "\n",
  );
}

function produce(folder: string, spec: Case): Map<string, string> {
  const scratch = join(tempFolder(), "work");
  mkdirSync(scratch, { recursive: true });
  if (existsSync(join(folder, "input"))) cpSync(join(folder, "input"), scratch, { recursive: true });
  const before = readTree(scratch);
  const produced = new Map<string, string>();
  spec.steps.forEach((step, index) => {
    const { code, stdout, stderr } = slipway(wordsOf(step.run), {
      cwd: scratch,
      input: step.stdin ?? "",
      env: { SOURCE_DATE_EPOCH: "1800000000", ...spec.env },
    });
    if (code !== (step.exit ?? 0)) throw new Error(`${step.run}: exit ${code}\n${stderr}`);
    const text = `$ slipway ${step.run}\nexit ${code}\n--- stdout\n${stdout}--- stderr\n${stderr}`;
    // As bytes, one to a character, like the files.
    produced.set(`step-${index + 1}.txt`, Buffer.from(text.replaceAll(scratch, "WORK")).toString("latin1"));
  });
  // What a working copy remembers repeats what is compared anyway.
  const unread = [".slipway/local.json", ...(spec.ignore ?? [])];
  const ignored = (path: string): boolean => unread.some((prefix) => path.startsWith(prefix));
  const hashed = (path: string): boolean => (spec.digests ?? []).some((prefix) => path.startsWith(prefix));
  const modes = readModes(scratch);
  const listing: string[] = [];
  for (const [path, data] of readTree(scratch)) {
    const note = ignored(path) ? " (not compared)" : hashed(path) ? ` ${digest(data)}` : "";
    listing.push(`${modes.get(path)?.toString(8)} ${path}${note}`);
    if (/^bootstrap[^/]*\.ign$/.test(path)) produced.set(`files/${path}.txt`, unfolded(data));
    if (note !== "" || before.get(path)?.equals(data)) continue;
    // Under its own name it would tell Git to ignore what is expected.
    produced.set(`files/${path.replace(/\.gitignore$/, "gitignore")}`, data.toString("latin1"));
  }
  produced.set("listing.txt", `${listing.join("\n")}\n`);
  return produced;
}

const cases = (existsSync(root) ? readdirSync(root) : []).filter((name) =>
  only.some((part) => name.startsWith(part)),
);
for (const name of cases.sort()) {
  test(name, () => {
    const folder = join(root, name);
    const spec: unknown = load(readFileSync(join(folder, "case.yaml"), "utf8"));
    if (!isCase(spec)) throw new Error(`${name}/case.yaml needs "about" and "steps"`);
    const produced = produce(folder, spec);
    const expectedFolder = join(folder, "expected");
    const expected = existsSync(expectedFolder)
      ? new Map([...readTree(expectedFolder)].map(([path, data]) => [path, data.toString("latin1")]))
      : new Map<string, string>();
    const differing = [...new Set([...produced.keys(), ...expected.keys()])]
      .sort()
      .filter((path) => produced.get(path) !== expected.get(path));
    const patches = differing.map((path) =>
      createTwoFilesPatch(
        `expected/${path}`,
        `now/${path}`,
        expected.get(path) ?? "",
        produced.get(path) ?? "",
      ),
    );
    if (mode === "update") {
      rmSync(expectedFolder, { recursive: true, force: true });
      for (const [path, text] of produced) {
        mkdirSync(dirname(join(expectedFolder, path)), { recursive: true });
        writeFileSync(join(expectedFolder, path), Buffer.from(text, "latin1"));
      }
      for (const patch of patches) process.stdout.write(`${name}: ${patch}\n`);
      return;
    }
    if (differing.length > 0)
      throw new Error(`${differing.length} files differ\n${patches.join("\n").slice(0, 20_000)}`);
  });
}

test.run();
