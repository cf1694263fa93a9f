/**
 * Commands of the supplements, with every text of config, facts and identity in turn replaced by one that a shell would
 * obey: whatever the rules before would refuse, nothing of it runs when the commands are pasted.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { factsScript } from "../../src/cli/commands/create/facts-script.js";
import type { Json } from "../../src/core/json.js";
import type { SupplementItem } from "../../src/platforms/platform.js";
import { HOSTILE, MARK, nothingRuns, runs } from "../helpers/hostile.js";
import { makeCase } from "../helpers/platform-cases.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("hostile texts in supplements");

/** What people would paste: a program with its arguments, or variables that a program is given. */
const isCommand = (text: string): boolean =>
  /^(?:[A-Z][A-Z0-9_]*=|(?:aws|az|clusterctl|curl|gcloud|govc|ibmcloud|kubectl|oc|openstack|xorriso) )/.test(
    text,
  );

const commandsOf = (items: readonly SupplementItem[]): string[] =>
  items.flatMap(({ details }) => textsIn(details)).filter(isCommand);
const textsIn = (value: Json): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];

/** Every text below an object, as the object that holds it and its key. */
function leavesOf(holder: object, seen = new Set<object>()): [object, string][] {
  if (seen.has(holder)) return [];
  seen.add(holder);
  return Object.entries(holder).flatMap(([key, value]): [object, string][] =>
    typeof value === "string"
      ? [[holder, key]]
      : typeof value === "object" && value !== null
        ? leavesOf(value, seen)
        : [],
  );
}

/** Everything at once, and what comes first as a flag. */
const TEXTS = [HOSTILE.join(""), `--output=$(touch ${MARK})`];

const ROOT = "examples";
const examples = readdirSync(ROOT).filter((name) => existsSync(join(ROOT, name, "install-config.yaml")));
for (const example of examples)
  test(example, async () => {
    const facts = join(ROOT, example, "facts.yaml");
    const told = existsSync(facts) ? load(readFileSync(facts, "utf8")) : undefined;
    const { input, platform, errors } = await makeCase(
      readFileSync(join(ROOT, example, "install-config.yaml"), "utf8"),
      typeof told === "object" && told !== null ? { facts: told } : {},
    );
    if (input === undefined || platform === undefined) throw new Error(errors.join("\n"));
    const supplements = [platform.supplement, ...(platform.assisted ? [platform.assisted.supplement] : [])];
    const places = leavesOf({ config: input.config, facts: input.facts, identity: input.identity });
    assert.ok(places.length > 10);
    const scripts: string[] = [];
    for (const [holder, key] of places)
      for (const text of TEXTS) {
        const before: unknown = Reflect.get(holder, key);
        Reflect.set(holder, key, text);
        for (const supplement of supplements)
          try {
            scripts.push(...commandsOf(supplement(input)));
          } catch {
            // Rules refuse the text before anything is made of it, such as a network that is none.
          }
        // Questions to the cloud name things that only the config knows; a collector is a script as a whole.
        try {
          const { config, release } = input;
          const asked = platform.askFacts?.(config, { release, names: () => [text] });
          scripts.push(...(asked?.questions ?? []).flatMap(({ commands }) => commands));
          if (platform.collector !== undefined)
            scripts.push(factsScript(platform.collector, config, release));
        } catch {
          // As above.
        }
        Reflect.set(holder, key, before);
      }
    const hostile = [...new Set(scripts)].filter((script) => script.includes(MARK));
    const all = hostile.map((script) => `( ${script}\n)`).join("\n");
    const isSound = (script: string): boolean => spawnSync("sh", ["-n"], { input: script }).status === 0;
    // One by one only for the name of the one that is wrong.
    if (!isSound(all) || runs(all, tempFolder()))
      for (const script of hostile) {
        assert.ok(isSound(script), script);
        nothingRuns([script], example);
      }
    process.stdout.write(`     ${example}: ${places.length} texts, ${hostile.length} commands\n`);
  });

test.run();
