import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isError } from "../../src/core/diagnostics.js";
import { decode } from "../../src/core/files.js";
import { isObject } from "../../src/core/json.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { compiled, type ManifestsRun, runManifests } from "../helpers/manifests.js";
import { withShared } from "../helpers/shared.js";
import {
  comparable,
  installConfigOf,
  RELEASE_OF_CASES,
  readState,
  upstreamFiles,
} from "../helpers/upstream.js";

const test = suite("manifests as upstream writes them");

const CASES = [
  "external-proxy-mirrors",
  "none-compact",
  "none-dual-stack",
  "none-single-node",
  "none-workers-ecdsa",
];

/** Started from the install-config and the state of a case, each file is the case's, and none is missing or extra. */
async function compare(folder: string): Promise<void> {
  const given = compiled(installConfigOf(folder), RELEASE_OF_CASES);
  if (!existsSync(join(folder, "state.json"))) {
    const { diagnostics } = await runManifests({ ...given, release: RELEASE_OF_CASES });
    assert.ok(diagnostics.some(isError), "upstream refuses it");
    return;
  }
  const run = await runManifests({ ...given, ...readState(folder), release: RELEASE_OF_CASES });
  assert.equal(run.diagnostics, []);
  const expected = upstreamFiles(folder);
  assert.equal(
    run.files.map(({ path }) => path),
    [...expected.keys()],
  );
  for (const { path, data } of run.files)
    assert.equal(comparable(path, decode(data) ?? ""), expected.get(path), path);
  for (const role of ["master", "worker", "arbiter"]) {
    const ignition = join(folder, "ignition", `${role}.ign`);
    if (existsSync(ignition)) assert.is(userData(run, role), readFileSync(ignition, "utf8"), role);
  }
}

/** The bytes in a user-data Secret, which must be those of ROLE.ign. */
function userData(run: ManifestsRun, role: string): string {
  const object = parseYaml(run.text(`openshift/99_openshift-cluster-api_${role}-user-data-secret.yaml`));
  const data = isObject(object) ? object["data"] : undefined;
  return Buffer.from(isObject(data) ? String(data["userData"]) : "", "base64").toString("utf8");
}

for (const name of CASES) withShared(test, `data/upstream-4.22/${name}`, name, compare);

/** A folder of further cases of the same layout, for platforms none and external. */
const more = process.env["SLIPWAY_UPSTREAM_CASES"];
if (more !== undefined)
  for (const name of readdirSync(more).filter((each) => existsSync(join(more, each, "normal-form.yaml"))))
    test(`further case ${name}`, () => compare(join(more, name)));

test.run();
