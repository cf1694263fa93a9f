/** The search against a model of its own: clusters with several objects, played move by move without the product's code. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type PolicyNumbers, verifyNumbers } from "../../src/storage/verify.js";

const test = suite("storage verify-policy");

type Mode = "complete" | "interrupted";

/** What the contract says about X and its successor in a release; no product code. */
function lifeOfX(release: number, { supported, migrated }: PolicyNumbers): string {
  if (release <= 0) return "written";
  if (release <= supported) return "read";
  return release <= supported + migrated ? "migrated" : "gone";
}

interface Cluster {
  readonly release: number;
  /** The version of each of two objects; one that does not exist yet is "-". */
  readonly objects: readonly [string, string];
}

/**
 * The fewest moves to a loss, or undefined: every cluster that can come about is kept in a set, level by level. A move
 * creates or rewrites one object, or takes the cluster to another release, where the startup migration runs at once:
 * over all objects, or (interrupted) over any part of them.
 */
function movesToLoss(numbers: PolicyNumbers, mode: Mode): number | undefined {
  const limit = numbers.supported + numbers.migrated + numbers.maxUpgrade + 1;
  const text = ({ release, objects }: Cluster): string => `${release} ${objects.join()}`;
  const seen = new Set<string>();
  let level: Cluster[] = [];
  for (let release = 0; release <= limit; release++) level.push({ release, objects: ["-", "-"] });
  for (let moves = 0; level.length > 0; moves++) {
    const next: Cluster[] = [];
    for (const cluster of level) {
      const known = text(cluster);
      if (seen.has(known)) continue;
      seen.add(known);
      const life = lifeOfX(cluster.release, numbers);
      if (life === "gone" && cluster.objects.includes("X")) return moves;
      const written = life === "written" ? "X" : "Y";
      const [a, b] = cluster.objects;
      next.push({ ...cluster, objects: [written, b] }, { ...cluster, objects: [a, written] });
      for (let to = 0; to <= limit; to++) {
        const up = to - cluster.release;
        if (up === 0 || up > numbers.maxUpgrade || -up > numbers.maxDowngrade) continue;
        const migrates = lifeOfX(to, numbers) === "migrated";
        const after = (object: string): string[] => {
          if (!migrates || object !== "X") return [object];
          return mode === "complete" ? ["Y"] : ["X", "Y"];
        };
        for (const first of after(a))
          for (const second of after(b)) next.push({ release: to, objects: [first, second] });
      }
    }
    level = next;
  }
  return undefined;
}

const POLICIES: PolicyNumbers[] = [];
for (let supported = 0; supported <= 2; supported++)
  for (let migrated = 0; migrated <= 5; migrated++)
    for (let maxUpgrade = 1; maxUpgrade <= 5; maxUpgrade++)
      for (let maxDowngrade = 0; maxDowngrade <= 2; maxDowngrade++)
        POLICIES.push({ supported, migrated, maxUpgrade, maxDowngrade });

for (const mode of ["complete", "interrupted"] as const)
  test(`all ${POLICIES.length} small policies, ${mode}: the same answer, and no shorter way to a loss`, () => {
    let unsafe = 0;
    for (const numbers of POLICIES) {
      const { safe, counterexample } = verifyNumbers(numbers, mode);
      const moves = movesToLoss(numbers, mode);
      const name = JSON.stringify(numbers);
      assert.is(safe, moves === undefined, name);
      // The first entry is the write that makes the object, a move of the model.
      if (moves !== undefined) assert.is(counterexample.length, moves, name);
      if (!safe) unsafe++;
    }
    assert.ok(unsafe > 0 && (mode === "interrupted" || unsafe < POLICIES.length));
  });

/** Every change of the numbers with a sum of at most `most`, by sum. */
function changes(numbers: PolicyNumbers, most: number): PolicyNumbers[][] {
  const bySum: PolicyNumbers[][] = Array.from({ length: most + 1 }, () => []);
  for (let m = -most; m <= most; m++)
    for (let s = -most; s <= most; s++)
      for (let u = -most; u <= most; u++)
        for (let d = -most; d <= most; d++) {
          const sum = Math.abs(m) + Math.abs(s) + Math.abs(u) + Math.abs(d);
          const changed = {
            supported: numbers.supported + s,
            migrated: numbers.migrated + m,
            maxUpgrade: numbers.maxUpgrade + u,
            maxDowngrade: numbers.maxDowngrade + d,
          };
          if (sum > most || changed.maxUpgrade < 1 || Object.values(changed).some((each) => each < 0))
            continue;
          bySum[sum]?.push(changed);
        }
  return bySum;
}

test("the fix is the least sum of changes, migrated first", () => {
  for (const numbers of POLICIES.filter(({ maxDowngrade }) => maxDowngrade === 1)) {
    const { safe, fix } = verifyNumbers(numbers, "complete");
    if (safe) {
      assert.is(fix, undefined);
      continue;
    }
    if (fix === undefined) throw new Error(`no fix for ${JSON.stringify(numbers)}`);
    assert.is(movesToLoss(fix, "complete"), undefined, JSON.stringify(fix));
    const sum = fix.migrated - numbers.migrated;
    assert.equal({ ...fix, migrated: numbers.migrated }, numbers);
    for (const smaller of changes(numbers, sum - 1).flat())
      assert.is.not(movesToLoss(smaller, "complete"), undefined, JSON.stringify({ numbers, smaller }));
  }
});

test("interrupted: no small change of any number helps, and none is offered", () => {
  for (const numbers of POLICIES.filter(
    ({ maxDowngrade, supported }) => maxDowngrade === 1 && supported === 1,
  )) {
    assert.is(verifyNumbers(numbers, "interrupted").fix, undefined);
    for (const other of changes(numbers, 2).flat())
      assert.is.not(movesToLoss(other, "interrupted"), undefined, JSON.stringify(other));
  }
});

test("the KEP's numbers lose an object by a jump over all releases that migrate", () => {
  const numbers = { supported: 1, migrated: 3, maxUpgrade: 4, maxDowngrade: 1 };
  const verdict = verifyNumbers(numbers, "complete");
  assert.equal(verdict.counterexample, [
    { release: 0, action: "write", storedVersion: "X", behavior: "preferred" },
    { release: 1, action: "upgrade", storedVersion: "X", behavior: "supported" },
    { release: 5, action: "upgrade", storedVersion: "X", behavior: "ignored" },
  ]);
  assert.equal(verdict.fix, { ...numbers, migrated: 4 });
  // The single jump from the last release that prefers X is safe (docs/reference/compatibility-versions.md §11).
  assert.is(verifyNumbers({ ...numbers, maxUpgrade: 3 }, "complete").safe, true);
});

test("large numbers are answered, and none at all is safe", () => {
  const large = { supported: 40, migrated: 120, maxUpgrade: 121, maxDowngrade: 7 };
  assert.is(verifyNumbers(large, "complete").fix?.migrated, 121);
  assert.is(verifyNumbers({ ...large, migrated: 121 }, "complete").safe, true);
  assert.is(
    verifyNumbers({ supported: 0, migrated: 0, maxUpgrade: 0, maxDowngrade: 1 }, "complete").safe,
    true,
  );
});

test.run();
