import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decode } from "../../src/core/files.js";
import { normalConfig, runManifests } from "../helpers/manifests.js";
import { withShared } from "../helpers/shared.js";
import { comparable, readState, upstreamFiles } from "../helpers/upstream.js";

const test = suite("manifests as upstream writes them");

const CASES = [
  "external-proxy-mirrors",
  "none-compact",
  "none-dual-stack",
  "none-single-node",
  "none-workers-ecdsa",
];

for (const name of CASES)
  withShared(test, `data/upstream-4.22/${name}`, name, async (folder) => {
    const config = normalConfig(readFileSync(join(folder, "normal-form.yaml"), "utf8"));
    const run = await runManifests({ config, ...readState(folder) });
    assert.equal(run.diagnostics, []);
    const expected = upstreamFiles(folder);
    assert.equal(
      run.files.map(({ path }) => path),
      [...expected.keys()],
    );
    for (const { path, data } of run.files)
      assert.equal(comparable(path, decode(data) ?? ""), expected.get(path), path);
  });

test.run();
