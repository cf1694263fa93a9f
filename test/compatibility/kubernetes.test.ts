/** The one knowledge of Kubernetes' releases: compat, storage and etcd give the same answers, and the right ones. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { groupResource, groupVersion } from "../../src/compatibility/api-table.js";
import { kubernetesApis, kubernetesPins, storedByRelease } from "../../src/compatibility/kubernetes.js";
import { createReporter } from "../../src/core/diagnostics.js";
import { addMinors, compareMinors, type Minor, minorsBetween, release } from "../../src/core/minor.js";
import { BUILT_INS, isRegistered, storageVersion } from "../../src/etcd/releases.js";
import { neededBetween } from "../../src/storage/migrations.js";
import recorded from "./stored-versions.json" with { type: "json" };

const test = suite("kubernetes releases");
const RELEASES = minorsBetween(release("1.30"), release("1.37"));

/** What the servers of a release were seen to store, by group-resource: `1.30 to 1.32: apps/v1, 1.33: apps/v2`. */
function recordedAt(at: Minor): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, runs] of Object.entries(recorded.stored))
    for (const run of runs.split(", ")) {
      const [span = "", apiVersion = ""] = run.split(": ");
      const [first = "", last = first] = span.split(" to ");
      if (compareMinors(release(first), at) <= 0 && compareMinors(at, release(last)) <= 0)
        found.set(name, apiVersion);
    }
  return found;
}

test("stored versions: every built-in resource of 1.30 to 1.37, as compat and etcd give them", () => {
  let cells = 0;
  for (const at of RELEASES) {
    const compat = new Map(
      storedByRelease(at).map(({ group, resource, storedGroup, version }) => [
        groupResource(group, resource),
        version === null ? "" : groupVersion({ group: storedGroup, version }),
      ]),
    );
    for (const [name, expected] of recordedAt(at)) {
      const where = `${name} in 1.${at.minor}`;
      assert.is(compat.get(name), expected, `compat: ${where}`);
      const [resource = "", ...group] = name.split(".");
      // Events of both groups lie in one place, which bears the name of the core group's.
      const home = group.join(".") === "events.k8s.io" ? "" : group.join(".");
      const builtIn = BUILT_INS.find(
        (each) => each.internal !== true && each.group === home && each.resource === resource,
      );
      assert.ok(builtIn, where);
      assert.is(builtIn && storageVersion(builtIn, at), expected, `etcd: ${where}`);
      cells++;
    }
  }
  assert.ok(cells >= 512, `${cells} cells`);
});

/** False for a version that a release cannot decode: what is stored in it can no longer be migrated there. */
const decodes = (at: Minor, name: string, apiVersion: string): boolean =>
  BUILT_INS.some(
    ({ group, resource, versions }) =>
      groupResource(group, resource) === name &&
      versions.some((each) => each.apiVersion === apiVersion && isRegistered(each, at)),
  );

test("migrations: what changed its stored version between two releases, and nothing else", () => {
  for (const to of RELEASES.slice(1)) {
    const from = addMinors(to, -1);
    const before = recordedAt(from);
    const changed = [...recordedAt(to)]
      .filter(([name, version]) => {
        const old = before.get(name);
        return old !== undefined && old !== version && decodes(to, name, old);
      })
      .map(([name, version]) => `${name} ${version}`);
    const { report } = createReporter();
    const needed = neededBetween({ table: kubernetesApis(), from, to, pins: kubernetesPins() }, report).map(
      ({ group, resource, version }) =>
        `${groupResource(group, resource)} ${groupVersion({ group, version })}`,
    );
    assert.equal(needed.sort(), changed.sort(), `to 1.${to.minor}`);
  }
});

test.run();
