/** Hints that name a field of the install-config and a value are applied by a machine: what they are for is gone then. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Diagnostic } from "../../src/core/diagnostics.js";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("hints that are applied");

const BASE = {
  apiVersion: "v1",
  baseDomain: "example.org",
  metadata: { name: "gannet" },
  pullSecret: '{"auths":{"registry.example.org":{"auth":"dTpw"}}}',
  platform: { none: {} },
};

function diagnose(config: object): readonly Diagnostic[] {
  const file = join(tempFolder(), "install-config.yaml");
  writeFileSync(file, JSON.stringify(config));
  return JSON.parse(slipway(["validate", file, "--output", "json"]).stdout).diagnostics;
}

/** The config as the hint says: `set FIELD to VALUE`, `set FIELD: VALUE`, `add VALUE to FIELD` (of the capabilities). */
function applied(config: object, hint: string): object {
  const [, member = "", value = ""] = /^set (\w+)(?: to|:) (\w+)/.exec(hint) ?? [];
  if (member !== "") return { ...config, [member]: value };
  const [, added = "", list = ""] = /^add (\w+) to (\w+)/.exec(hint) ?? [];
  assert.is.not(list, "", hint);
  const capabilities = "capabilities" in config ? Object(config.capabilities) : {};
  return { ...config, capabilities: { ...capabilities, [list]: [...(capabilities[list] ?? []), added] } };
}

const CASES: readonly (readonly [code: string, config: object])[] = [
  ["IC241", { ...BASE, featureGates: ["Example=true"] }],
  [
    "IC231",
    {
      ...BASE,
      platform: { aws: { region: "eu-west-1" } },
      capabilities: { baselineCapabilitySet: "None", additionalEnabledCapabilities: ["MachineAPI"] },
    },
  ],
  ["IC349", { ...BASE, platform: { ibmcloud: { region: "eu-de", resourceGroupName: "birds" } } }],
];
for (const [code, config] of CASES)
  test(`${code} is gone when its hints are followed`, () => {
    let now = config;
    let found = diagnose(now).filter((each) => each.code === code && /^(?:set|add) /.test(each.hint));
    assert.ok(found.length > 0, `${code} is not there`);
    // Each round follows one hint; a hint that leads on does not come back.
    for (let round = found.length + 3; found[0] !== undefined; round--) {
      assert.ok(round > 0, found[0].hint);
      const { hint } = found[0];
      now = applied(now, hint);
      found = diagnose(now).filter((each) => each.code === code);
      assert.not(
        found.some((each) => each.hint === hint),
        hint,
      );
    }
  });

test.run();
