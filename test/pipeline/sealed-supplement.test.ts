/** What a supplement hands to a cloud is in the open: where files are encrypted, it says how they get there. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileCluster } from "../../src/pipeline/cluster.js";
import { ellipticKey, seededRandom } from "../helpers/inputs.js";

/** A platform whose supplement uploads the config of the bootstrap machine, and one whose does not. */
for (const [platform, isHandedOn] of [
  ["gcp", true],
  ["nutanix", true],
  ["vsphere", false],
] as const)
  test(platform, async () => {
    const read = (file: string): Uint8Array => readFileSync(join("golden", platform, "input", file));
    const supplementOf = async (secrets: "sops" | "separate") => {
      const { ok, supplement, diagnostics } = await compileCluster({
        files: new Map([["install-config.yaml", read("install-config.yaml")]]),
        target: "infrastructure-manifests",
        flags: { secrets },
        texts: { facts: { file: "facts.yaml", text: Buffer.from(read("facts.yaml")).toString() } },
        inputs: {
          clock: { now: () => new Date("2027-01-15T08:00:00Z") },
          random: seededRandom("supplement"),
          keys: { generate: async () => ellipticKey() },
        },
        tool: "slipway 0.0.0",
      });
      assert.ok(ok, JSON.stringify(diagnostics));
      return supplement;
    };
    assert.not((await supplementOf("separate")).some(({ area }) => area === "encryption"));
    const items = await supplementOf("sops");
    const during = items.filter(({ when }) => when === "during");
    assert.is(during[0]?.area === "encryption", isHandedOn);
    const names = items.some((item) => JSON.stringify(item).includes("bootstrap.ign"));
    assert.is(names, isHandedOn);
    if (isHandedOn)
      assert.equal(during[0]?.details["commands"], [
        "mkdir -m 0700 plain",
        "printf '*\\n' > plain/.gitignore",
        "sops decrypt --input-type binary --output-type binary bootstrap.ign > plain/bootstrap.ign",
      ]);
  });

test.run();
