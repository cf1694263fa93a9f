/**
 * Runs a real openshift-install and slipway on generated install-configs and prints what differs; scripts/equal.mjs
 * builds and starts it. Exits 3 where anything does.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { dump } from "js-yaml";
import { RELEASES } from "../../src/core/release.js";
import { agentOutcome } from "./agent.js";
import { AGENT_PLATFORMS, agentCaseOf } from "./agent-generate.js";
import { compareFiles } from "./compare.js";
import { excuseFor } from "./exceptions.js";
import { type Case, caseOf, PLATFORMS } from "./generate.js";
import { askInstaller, type Installer, releaseIn, versionOf } from "./installer.js";
import { figuresByIntent, isEqual, type Outcome, refusedUnasked, reportOf } from "./report.js";
import { askSlipway } from "./slipway.js";

const USAGE = `npm run equal -- --installer PATH [--data DIR] [--cases N] [--seed S] [--release V] [--platform NAME…] [--keep DIR]

  --installer PATH   openshift-install of a release that slipway compiles for
  --data DIR         its data/data, where it was built without it
  --cases N          configs for each platform (default 50)
  --seed S           another seed gives other configs (default 1)
  --release V        release to compare with (default: the installer's own)
  --platform NAME    one of ${PLATFORMS.join(", ")}; repeatable (default: all)
  --agent            agent-based installations: pairs of configs, and the configuration image
  --nmstatectl PATH  with --agent: for static networks, which are left out without it
  --keep DIR         keep the install-configs that differ
  --verbose          print those that were meant to be valid and are refused by both
`;

function usage(problem: string): never {
  process.stderr.write(`${problem}\n\n${USAGE}`);
  process.exit(2);
}

function readWords() {
  try {
    return parseArgs({
      options: {
        help: { type: "boolean", default: false },
        installer: { type: "string" },
        data: { type: "string" },
        cases: { type: "string", default: "50" },
        seed: { type: "string", default: "1" },
        release: { type: "string" },
        platform: { type: "string", multiple: true },
        agent: { type: "boolean", default: false },
        nmstatectl: { type: "string" },
        keep: { type: "string" },
        verbose: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
}

function positive(flag: string, text: string): number {
  const number = Number(text);
  return Number.isSafeInteger(number) && number > 0
    ? number
    : usage(`${flag} must be a positive whole number`);
}

const values = readWords();
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
if (values.installer === undefined) usage("--installer is required");
const cases = positive("--cases", values.cases);
const seed = positive("--seed", values.seed);
const all: readonly string[] = values.agent ? AGENT_PLATFORMS : PLATFORMS;
const unknown = values.platform?.find((name) => !all.includes(name));
if (unknown !== undefined) usage(`--platform ${unknown}: must be one of ${all.join(", ")}`);
const installer: Installer = { path: values.installer, data: values.data };
const version = versionOf(installer) ?? usage(`--installer ${installer.path}: cannot be run`);
if (installer.data !== undefined && !existsSync(join(installer.data, "manifests")))
  usage(`--data ${installer.data}: not the data/data folder of the installer's sources`);
const release =
  values.release ?? releaseIn(version) ?? usage("the installer prints no release; use --release");
if (!RELEASES.includes(release)) usage(`slipway does not compile for ${release}: ${RELEASES.join(", ")}`);
const chosen = <Name extends string>(names: readonly Name[]): readonly Name[] =>
  names.filter((name) => values.platform === undefined || values.platform.includes(name));

const folder = mkdtempSync(join(tmpdir(), "slipway-equal-"));

async function outcomeOf({ name, config, fault }: Case): Promise<Outcome> {
  const text = dump(config, { lineWidth: -1 });
  const theirs = await askInstaller(installer, text, folder);
  const ours = await askSlipway(text, release, theirs.identity);
  const both = theirs.files !== undefined && ours.files !== undefined;
  const { differences, excepted, compared } = both
    ? compareFiles(theirs.files, ours.files)
    : { differences: [], excepted: new Set<never>(), compared: 0 };
  const contrary = (theirs.files === undefined) !== (ours.files === undefined);
  const outcome: Outcome = {
    name,
    fault,
    accepted: { installer: theirs.files !== undefined, slipway: ours.files !== undefined },
    refusal: { installer: theirs.refusal, slipway: ours.refusal },
    refused: [],
    excused: contrary ? excuseFor(theirs, ours) : undefined,
    differences,
    excepted: [...excepted],
    compared,
  };
  if (values.keep !== undefined && !isEqual(outcome)) {
    mkdirSync(values.keep, { recursive: true });
    writeFileSync(join(values.keep, `${name}.yaml`), text);
  }
  return outcome;
}

process.stdout.write(`${version.trim()}\nslipway --release ${release}, seed ${seed}\n`);
const outcomes: Outcome[] = [];
/** Ctrl-C ends the run with the figures so far. */
let interrupted = false;
process.on("SIGINT", () => {
  interrupted = true;
});
const PROGRESS = 25;

async function compareAll<Name extends string>(
  names: readonly Name[],
  one: (platform: Name, index: number) => Promise<Outcome>,
): Promise<void> {
  for (const platform of names) {
    const own: Outcome[] = [];
    for (let index = 0; index < cases && !interrupted; index++) {
      own.push(await one(platform, index));
      if (own.length % PROGRESS === 0) process.stderr.write(`${platform}: ${own.length} of ${cases}\n`);
    }
    if (own.length === 0) continue;
    process.stdout.write(
      `\n${platform}\n${values.verbose ? refusedUnasked(own) : ""}${reportOf(own)}${values.agent ? figuresByIntent(own) : ""}`,
    );
    outcomes.push(...own);
  }
}

const { agent, nmstatectl } = values;
const number = /\bv?\d+\.\d+\.\d+\S*/.exec(version)?.[0] ?? version;
await (agent
  ? compareAll(chosen(AGENT_PLATFORMS), (platform, index) =>
      agentOutcome(agentCaseOf(platform, seed, index, nmstatectl !== undefined), {
        installer,
        version: number,
        release,
        nmstatectl,
        folder,
      }),
    )
  : compareAll(chosen(PLATFORMS), (platform, index) => outcomeOf(caseOf(platform, release, seed, index))));
rmSync(folder, { recursive: true, force: true });
if (agent) process.stdout.write(`\n${figuresByIntent(outcomes)}`);
const differ = outcomes.filter((each) => !isEqual(each)).length;
process.stdout.write(`\n${outcomes.length} configs on ${chosen(all).join(", ")}: ${differ} differ\n`);
process.exitCode = differ === 0 ? 0 : 3;
