/** The normal form of gcp: written again it stays the same, and the same objects come of it. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Json } from "../../../src/core/json.js";
import { RELEASES } from "../../../src/core/release.js";
import { FACTS, gcpConfig, NETWORK } from "../../helpers/gcp.js";
import { type Edits, judge } from "../../helpers/install-configs.js";
import { runPlatform } from "../../helpers/platform-run.js";
import { runs } from "../../helpers/runs.js";

const test = suite("gcp: normal form");

const maybe = (value: fc.Arbitrary<Json>): fc.Arbitrary<Json | undefined> =>
  fc.option(value, { nil: undefined });
const one = (...values: readonly Json[]): fc.Arbitrary<Json> => fc.constantFrom(...values);

const zones = fc.subarray(["europe-west1-b", "europe-west1-c", "europe-west1-d"]);
const pool = (path: string): fc.Arbitrary<Edits> =>
  fc.record({
    [`${path}.zones`]: maybe(zones),
    [`${path}.type`]: maybe(one("", "n2-standard-8", "c3-standard-8", "n4-standard-8")),
    [`${path}.osDisk.DiskSizeGB`]: maybe(one(0, 16, 200)),
    [`${path}.osDisk.diskType`]: maybe(one("", "pd-ssd", "hyperdisk-balanced")),
    [`${path}.osDisk.encryptionKey`]: maybe(
      one(
        { kmsKey: { name: "k", keyRing: "r" } },
        { kmsKey: { name: "k", keyRing: "r", location: "global" }, kmsKeyServiceAccount: "" },
      ),
    ),
    [`${path}.osImage`]: maybe(one({ project: "p", name: "" })),
    [`${path}.tags`]: maybe(one(["birds"], ["a", "b"])),
    [`${path}.secureBoot`]: maybe(one("Enabled", "")),
    [`${path}.onHostMaintenance`]: maybe(one("Migrate", "Terminate")),
    [`${path}.serviceAccount`]: maybe(one("", "a@b.iam.gserviceaccount.com")),
  });
const platform: fc.Arbitrary<Edits> = fc.record({
  "platform.gcp.userProvisionedDNS": maybe(one("Disabled", "")),
  "platform.gcp.userLabels": maybe(one([], [{ key: "a", value: "b" }])),
  "platform.gcp.userTags": maybe(one([], [{ parentID: "123", key: "k", value: "v" }])),
  "platform.gcp.firewallRulesManagement": maybe(one("", "Managed")),
  "platform.gcp.dns": maybe(one({})),
  publish: maybe(one("Internal", "External")),
});
const network: fc.Arbitrary<Edits> = fc.constantFrom<Edits>({}, NETWORK, {
  ...NETWORK,
  "platform.gcp.endpoint": { name: "e" },
});

/** Edits without those that change nothing: an empty path would make a section of nothing. */
const given = (edits: readonly Edits[]): Edits =>
  Object.fromEntries(
    edits.flatMap((each) => Object.entries(each)).filter(([, value]) => value !== undefined),
  );

const POOLS = ["platform.gcp.defaultMachinePlatform", "controlPlane.platform.gcp", "compute[0].platform.gcp"];

test("is the normal form of itself, at every release, and gives the same objects", () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...RELEASES),
      fc.tuple(network, platform, ...POOLS.map(pool)),
      async (release, parts) => {
        const config = gcpConfig(given(parts));
        const first = judge(config, release, true);
        assert.equal(first.errors, []);
        const normal = first.asset?.normalForm ?? "";
        assert.is(judge(normal, release).asset?.normalForm, normal);
        const facts = { gcp: FACTS };
        if (JSON.stringify(config).includes("endpoint") && release < "4.21") return;
        const [written, again] = await Promise.all(
          [config, normal].map((each) => runPlatform({ config: each, facts, release })),
        );
        assert.equal(again?.errors, written?.errors);
        for (const [path, object] of written?.objects ?? [])
          assert.equal(again?.objects.get(path), object, path);
        assert.is(again?.objects.size, written?.objects.size);
      },
    ),
    { numRuns: runs(30) },
  ));

test.run();
