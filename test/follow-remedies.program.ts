/**
 * Follows what the test run was told to do: every command of slipway that a diagnostic, a next step or a summary printed
 * is run as it stands, in a copy of the folders in which it was printed. It has to be accepted, and to lead on: what it
 * was printed for is gone afterwards. `scripts/test-checks.mjs` starts it when all tests are done, with the folder of what they
 * kept; it prints each command that leads nowhere, and as its last line `N followed, N lead nowhere`.
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isPlaceholder } from "../src/cli/printed-commands.js";
import type { RecordedRun } from "./helpers/notes.js";
import { keyOf, type PrintedCommand, printedCommands } from "./helpers/printed-commands.js";

const [, , logs = ""] = process.argv;
const root = process.cwd();
const BINARY = process.env["SLIPWAY_CLI"] ?? join(root, "dist/slipway.js");

/** What a placeholder stands for, by its name; undefined where the text says it of another situation. */
const PLACEHOLDERS: Readonly<Record<string, (scene: Scene) => string | undefined>> = {
  DOMAIN: () => "example.org",
  DURATION: () => "7d",
  FILE: ({ extra }) => join(extra, "file"),
  DUMP: ({ cwd, extra }) => {
    if (existsSync(join(cwd, "dump.yaml"))) return "dump.yaml";
    writeFileSync(join(extra, "dump.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items: [] }));
    return join(extra, "dump.json");
  },
  FOLDER: ({ args, cwd }) => {
    const folder = join(lastOf(args, "dir") ?? ".", "infrastructure-manifests");
    return existsSync(resolve(cwd, folder)) ? folder : lastOf(args, "dir");
  },
  NAME: () => "gannet",
  "NAME.FIELD": () => "install-config.platform",
  "NAMESPACE/NAME": () => "birds/gannet",
  NEW: ({ extra }) => join(extra, "new"),
  "NEW-FOLDER": ({ extra }) => join(extra, "new"),
  PATH: ({ extra }) => {
    const program = join(extra, "openshift-install");
    writeFileSync(program, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    return program;
  },
  PLATFORM: () => "none",
  "OTHER/NAME": () => "fish/gannet",
  CODE: () => "IC140",
  PULLSPEC: () => `quay.io/openshift-release-dev/ocp-release@sha256:${"ab".repeat(32)}`,
  RELEASE: () => "1.36",
};

/** Commands that answer a question: no is an answer, too. */
const ASKS =
  /^(?:validate|check|upgrade-impact|etcd (?:audit|inventory)|transfer (?:match|resume|rollback)|compat|storage)\b/;

/** Errors of a command that leads on all the same, by its key, with the reason. */
const LEADS_ON: readonly { readonly key: RegExp; readonly codes: readonly string[]; readonly why: string }[] =
  [
    {
      key: /^next: create manifests /,
      codes: ["IC002", "IC140", "IC010", "IC101", "IC110", "IC170", "FACT011", "CRED004"],
      why: "the text before it says what is to be filled in; what was read from standard input is the user's own",
    },
    {
      key: /^YAML006: create install-config/,
      codes: ["IC014"],
      why: "the text says to remove the file before",
    },
    {
      key: /^next: create (?:agent-manifests|image-based-config-image) /,
      codes: ["IC002", "DIR014", "IBI004"],
      why: "the text before it says what is to be filled in, and that it needs an install-config",
    },
    { key: /reconstruct /, codes: ["SOPS002"], why: "what is encrypted needs a key, which the error names" },
    { key: /^IGN006: /, codes: ["REC002"], why: "FOLDER is that of the manifests, which not every run has" },
    { key: /^REC023: /, codes: ["DIR014"], why: "the text says to reconstruct again before" },
    {
      key: /--installer PATH/,
      codes: ["REC021"],
      why: "the program that stands for the installer makes nothing",
    },
    {
      key: /transfer (?:new|approve) .*--state/,
      codes: ["TRF030"],
      why: "claims and dumps that stand for somebody's own do not know each other",
    },
    { key: /^(?:CAPI012|DIR036): /, codes: ["DIR017"], why: "the remedy is for whoever has the state" },
    {
      key: /^CAPI049: /,
      codes: ["INIT004"],
      why: "a repository that is an asset directory is no place for a controller's files, as the error says",
    },
    {
      key: /^CAPI018: /,
      codes: ["DIR030"],
      why: "a merge that is not settled is settled first, as an error of the same run says",
    },
  ];

interface Scene {
  readonly cwd: string;
  readonly args: readonly string[];
  /** An empty folder. */
  readonly extra: string;
}

interface Outcome {
  readonly line: string;
  readonly faults: readonly string[];
  readonly code: number | null;
  readonly output: string;
  /** Placeholders that stand for nothing here. */
  readonly open: readonly string[];
}

/** The value of a flag in a command line, the last one. */
const lastOf = (args: readonly string[], flag: string): string | undefined =>
  args
    .flatMap((word, i) =>
      word === `--${flag}`
        ? [args[i + 1] ?? ""]
        : word.startsWith(`--${flag}=`)
          ? [word.slice(flag.length + 3)]
          : [],
    )
    .at(-1);

const isRun = (value: unknown): value is RecordedRun =>
  typeof value === "object" && value !== null && "args" in value && "folders" in value;

function readRun(place: string): RecordedRun {
  const run: unknown = JSON.parse(readFileSync(join(place, "run.json"), "utf8"));
  if (!isRun(run)) throw new Error(`${place}/run.json is not a run`);
  return run;
}

function follow(place: string, printed: PrintedCommand): Outcome {
  const run = readRun(place);
  const scratch = mkdtempSync(join(tmpdir(), "slipway-remedy-"));
  // As deep as what they are copies of, so that what is named relative to them is where it was.
  const copies = run.folders.map(() => mkdtempSync(join(tmpdir(), "slipway-remedy-")));
  try {
    const moved = (text: string): string =>
      run.folders.reduce((result, folder, i) => result.replaceAll(folder, copies[i] ?? ""), text);
    run.folders.forEach(
      (_, i) =>
        void cpSync(join(place, String(i)), copies[i] ?? "", {
          recursive: true,
          verbatimSymlinks: true,
        }),
    );
    const scene: Scene = {
      cwd: run.cwd === root ? checkoutIn(scratch) : moved(run.cwd),
      args: run.args.map(moved),
      extra: join(scratch, "extra"),
    };
    mkdirSync(scene.extra);
    const faults: string[] = [];
    /** What is to be made outside of the copies is made in the empty folder, for the next test run to miss it too. */
    const confined = (word: string): string =>
      word.startsWith("/") &&
      ![scratch, ...copies].some((at) => word.startsWith(`${at}/`)) &&
      !existsSync(word)
        ? join(scene.extra, word)
        : word;
    const filled = printed.words
      .map((word) => confined(moved(word)))
      .map((word) => {
        if (!isPlaceholder(word)) return word;
        if (PLACEHOLDERS[word] === undefined) faults.push(`nothing is declared that ${word} stands for`);
        return PLACEHOLDERS[word]?.(scene);
      });
    const words = filled.map((word, i) => word ?? printed.words[i] ?? "");
    const line = `slipway ${words.join(" ")}`;
    const open = printed.words.filter((_, i) => filled[i] === undefined);
    if (open.length > 0) return { line, faults, code: null, output: "", open };
    const slipway = (args: readonly string[]): Pick<Outcome, "code" | "output"> => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, ...args], {
        cwd: scene.cwd,
        input: "",
        encoding: "utf8",
        env: { PATH: process.env["PATH"], ...run.env },
      });
      return { code: status, output: `${stdout}\n${stderr}` };
    };
    const { code, output } = slipway(words);
    const key = keyOf(printed);
    const expected = LEADS_ON.filter((each) => each.key.test(key)).flatMap(({ codes }) => codes);
    if (code === null || code > 3 || code === 2) faults.push("the command is not accepted");
    else if (code > 0 && !ASKS.test(printed.command.path)) {
      const unexpected = errorsIn(output).filter((each) => !expected.includes(each));
      if (unexpected.length > 0 || errorsIn(output).length === 0)
        faults.push(`it fails with ${unexpected.join(", ") || "no error"}`);
    }
    if (
      /^[A-Z]/.test(printed.by) &&
      (MAKES.test(printed.command.path) || RENEWS.test(printed.words.join(" ")))
    ) {
      const again = slipway(scene.args);
      const still = printedCommands(again.output, "").find(
        (each) => keyOf(each) === key && each.file === printed.file,
      );
      if (still !== undefined && expected.length === 0)
        faults.push("the run that printed it prints it again");
    }
    return { line, faults, code, output, open };
  } finally {
    for (const folder of [scratch, ...copies]) rmSync(folder, { recursive: true, force: true });
  }
}

/** Commands that change what the run that printed them looks at. */
const MAKES = /^(?:create manifests|create infrastructure-manifests|create install-config)$/;
const RENEWS = /--renew\b/;

const errorsIn = (output: string): string[] =>
  [...output.matchAll(/(?:^|: )error ([A-Z]+\d{3}):/gm)].map(([, code = ""]) => code);

/** A folder in which everything of the checkout can be read by its name, and what is written goes elsewhere. */
function checkoutIn(scratch: string): string {
  const folder = join(scratch, "checkout");
  mkdirSync(folder);
  for (const name of readdirSync(root)) symlinkSync(join(root, name), join(folder, name));
  return folder;
}

/** Of each command, where it was printed: a few places, since what it stands for may not be at hand in one. */
const chosen = new Map<string, { readonly place: string; readonly printed: PrintedCommand }[]>();
const runs = join(logs, "runs");
for (const name of existsSync(runs) ? readdirSync(runs).sort() : []) {
  const place = join(runs, name);
  const { stdout, stderr } = readRun(place);
  for (const printed of printedCommands(stdout, stderr))
    chosen.set(keyOf(printed), [...(chosen.get(keyOf(printed)) ?? []), { place, printed }]);
}
function firstThatFits(
  places: readonly { readonly place: string; readonly printed: PrintedCommand }[],
): Outcome & { readonly place: string } {
  let last: (Outcome & { readonly place: string }) | undefined;
  for (const { place, printed } of places) {
    last = { ...follow(place, printed), place };
    if (last.open.length === 0) return last;
  }
  if (last === undefined) throw new Error("a command was printed nowhere");
  return { ...last, faults: [...last.faults, `nowhere is anything that ${last.open.join(", ")} stands for`] };
}

const verbose = process.env["SLIPWAY_SHOW_REMEDIES"] !== undefined;
let failed = 0;
for (const [key, places] of [...chosen].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const { place, line, faults, code, output } = firstThatFits(places);
  if (faults.length > 0) failed++;
  if (faults.length > 0 || verbose)
    process.stdout.write(
      `${faults.length > 0 ? `LEADS NOWHERE ${faults.join("; ")}` : "leads on"}\n  ${key}\n  ${place}: slipway ${readRun(place).args.join(" ")}\n  ${line} (exit ${code})\n${output.trim().slice(0, 1500).replace(/^/gm, "  | ")}\n`,
    );
}
process.stdout.write(`${chosen.size} followed, ${failed} lead nowhere\n`);
process.exitCode = failed > 0 ? 1 : 0;
