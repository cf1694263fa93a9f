import { suite } from "uvu";
import * as assert from "uvu/assert";
import { shared, skipTest } from "../helpers/shared.js";
import { compareFiles } from "./compare.js";
import { casesIn, readRecording, withoutRandom } from "./recorded.js";
import { askSlipway } from "./slipway.js";

const test = suite("files as recorded from a release's own installer");

for (const release of ["4.22", "5.0"]) {
  const folder = shared(`data/true-${release}`);
  if (folder === undefined) {
    skipTest(test, `${release} equals its recordings`, `needs shared/data/true-${release}`);
    continue;
  }
  for (const name of casesIn(folder))
    test(`${release} ${name} equals its recording`, async () => {
      const recorded = readRecording(folder, name);
      const { files, refusal } = await askSlipway(recorded.installConfig, release, recorded.identity);
      assert.is(refusal, "");
      const { differences, compared } = compareFiles(recorded.files, withoutRandom(files ?? new Map()));
      assert.equal(differences, []);
      assert.ok(compared > 0);
    });
}

test.run();
