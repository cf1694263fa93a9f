/**
 * Every platform, phase and layout of secrets, with all keys, one of two or none: without a key no command reports what
 * it does not report with it, except that files cannot be verified, and nothing is written. Runs a sample;
 * `SLIPWAY_WITHOUT_KEY=all` runs everything, `SLIPWAY_WITHOUT_KEY=none,aws` all cases of these platforms.
 */
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PLATFORM_NAMES, PLATFORMS } from "../../src/platforms/registry.js";
import { type CliResult, slipway } from "../helpers/cli.js";
import {
  addEncryptedSecret,
  answerOf,
  cloneOf,
  encryptedCluster,
  git,
  LATER_PHASES,
  nameOf,
} from "../helpers/encrypted-cluster.js";

const test = suite("without the key, everywhere");

const [own, other] = [await generateX25519Identity(), await generateX25519Identity()];
const BOTH = { SOPS_AGE_KEY: `${own}\n${other}` };
const WITHOUT: readonly Readonly<Record<string, string>>[] = [
  {},
  { SOPS_AGE_KEY: own },
  { SOPS_AGE_KEY: other },
  { SOPS_AGE_KEY: await generateX25519Identity() },
];

const HANDLED = PLATFORM_NAMES.filter((name) => typeof PLATFORMS[name].handling === "object");
const CASES = HANDLED.flatMap((platform) =>
  (["manifests", ...LATER_PHASES] as const).flatMap((phase) =>
    (["sops", "separate"] as const).map((layout) => ({ platform, phase, layout })),
  ),
);
/** One of each platform's six: every phase and layout is among them. */
const isChosen = (index: number): boolean => index % 6 === Math.floor(index / 6) % 6;
const asked = (process.env["SLIPWAY_WITHOUT_KEY"] ?? "").split(",");
const isAsked = (platform: string): boolean => asked.includes("all") || asked.includes(platform);
/** A piece is these cases alone. */
const sampled = asked.join() === "";

for (const { platform, phase, layout } of CASES.filter((each, index) =>
  sampled ? isChosen(index) : isAsked(each.platform),
))
  test(`${platform}: ${phase}, secrets ${layout}`, async () => {
    const folder = await encryptedCluster(platform, {
      recipients: [await identityToRecipient(own)],
      key: BOTH,
      layout,
      phases: phase === "manifests" ? [] : [phase],
      addManifests: async (path) => addEncryptedSecret(path, [await identityToRecipient(other)]),
    });
    const clone = cloneOf(folder);
    for (const [cwd, commands] of [
      [folder, [["check"], ["validate"]]],
      [clone, [["check"], ["validate"], ["validate", "install-config.yaml"], ["create", phase]]],
    ] as const)
      for (const command of commands) compare(command, cwd);
    assert.is(git(clone, "status", "--porcelain"), "");
    assert.is(git(folder, "status", "--porcelain"), "");
  });

/** Runs a command with each of the keys, and compares its answer with that of a run with all of them. */
function compare(command: readonly string[], cwd: string): void {
  const ask = (env: Readonly<Record<string, string>>): CliResult =>
    slipway([...command, "--output", "json"], { cwd, env });
  const expected = ask(BOTH);
  const { diagnostics, files = [] } = answerOf(expected);
  const known = new Set(diagnostics.map(nameOf));
  const statuses = new Map(files.map(({ path, status }) => [path, status]));
  for (const env of WITHOUT) {
    const found = ask(env);
    const answer = answerOf(found);
    const news = answer.diagnostics.filter((each) => each.code !== "SOPS002" && !known.has(nameOf(each)));
    const name = `${command.join(" ")} in ${cwd} with ${JSON.stringify(env)}`;
    assert.equal(news, [], `${name}: ${news.map(nameOf).join("\n")}`);
    if (command[0] === "create") {
      // Only where the files that stay closed are in this clone is the run refused.
      assert.ok([expected.code, 3].includes(found.code ?? -1), `${name}: ${found.stdout}`);
      continue;
    }
    assert.is(found.code, expected.code, `${name}: ${found.stdout}`);
    const wrong = (answer.files ?? []).filter(
      ({ path, status }) => status !== "unverifiable" && status !== statuses.get(path),
    );
    assert.equal(wrong, [], name);
  }
}

test.run();
