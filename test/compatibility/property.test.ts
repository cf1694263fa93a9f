/** The promises of the design, held for random histories and tables (acceptance 3). */

import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ApiKind } from "../../src/compatibility/api-table.js";
import { stabilityOf } from "../../src/compatibility/api-table.js";
import { answerCel } from "../../src/compatibility/cel.js";
import { kubeFloor } from "../../src/compatibility/effective.js";
import { answerFields } from "../../src/compatibility/fields.js";
import { commandLineFlag } from "../../src/compatibility/flags.js";
import { holdingAt, isSettable } from "../../src/compatibility/gate-state.js";
import {
  completeSpecs,
  type Gate,
  type GateSpec,
  type GateTable,
  type WrittenStage,
} from "../../src/compatibility/gate-table.js";
import { askGates } from "../../src/compatibility/gates-question.js";
import { lint } from "../../src/compatibility/lint.js";
import { defaultPolicy, type RemovalPolicy } from "../../src/compatibility/removal-policy.js";
import { KEP, NOWHERE, type Rules, SHIPPED } from "../../src/compatibility/rules.js";
import { type StorageRule, storageVersions } from "../../src/compatibility/storage-versions.js";
import { formatMinor, type Minor, minorsBetween, ofMinor } from "../../src/compatibility/version.js";
import { createReporter } from "../../src/core/diagnostics.js";
import { kube } from "../helpers/compat.js";

const test = suite("promises");

const at = (number: number): Minor => ({ major: 1, minor: number });
const FIRST = 31;
const LAST = 40;
/** The real policy without its exemption for locks from before versions were kept. */
const SHIPPED_POLICY: RemovalPolicy = { ...defaultPolicy("shipped"), exemption: undefined };

const tableOf = (gates: readonly Gate[]): GateTable => ({
  form: "own",
  file: "t.yaml",
  component: "kube",
  versions: undefined,
  gates,
  loses: [],
});

const gateOf = (name: string, specs: readonly GateSpec[]): Gate => ({
  name,
  specs,
  dependencies: undefined,
  components: [],
  owners: [],
  constant: undefined,
  declaredIn: [],
  description: undefined,
  capabilities: [],
  featureSets: [],
  place: NOWHERE,
});

interface Step {
  readonly gate: number;
  readonly stage: WrittenStage;
  readonly on: boolean;
  readonly locked: boolean;
  /** A second spec of the same version needs this minimum, counted back from the release. */
  readonly minimum: number | undefined;
  readonly remove: boolean;
}

const stepOf = (stages: readonly WrittenStage[]): fc.Arbitrary<Step> =>
  fc.record({
    gate: fc.integer({ min: 0, max: 3 }),
    stage: fc.constantFrom(...stages),
    on: fc.boolean(),
    locked: fc.boolean(),
    minimum: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined, freq: 3 }),
    remove: fc.boolean(),
  });

/** For each release from the first to the last, what somebody tries to change. */
const historyOf = (stages: readonly WrittenStage[]): fc.Arbitrary<Step[][]> =>
  fc.array(fc.array(stepOf(stages), { maxLength: 4 }), {
    minLength: LAST - FIRST + 1,
    maxLength: LAST - FIRST + 1,
  });

/** The tables of every release: each step is taken only where the linter accepts the table that it makes. */
function releases(history: readonly (readonly Step[])[], rules: Rules, policy: RemovalPolicy): GateTable[] {
  const tables: GateTable[] = [];
  // A name that was given up is not used again: that would be another gate.
  const given = new Map<number, number>();
  let base = tableOf([]);
  history.forEach((steps, i) => {
    const current = FIRST + i;
    let now = base;
    for (const step of steps) {
      const generation = given.get(step.gate) ?? 0;
      const next = changed(now, `G${step.gate}x${generation}`, step, current);
      if (next === undefined || !isClean(next, base, current, rules, policy)) continue;
      now = next;
      if (step.remove) given.set(step.gate, generation + 1);
    }
    tables.push(now);
    base = now;
  });
  return tables;
}

function changed(table: GateTable, name: string, step: Step, current: number): GateTable | undefined {
  const gate = table.gates.find((each) => each.name === name);
  const others = table.gates.filter((each) => each.name !== name);
  if (step.remove) return gate === undefined ? undefined : tableOf(others);
  const spec: GateSpec = {
    version: ofMinor(at(current)),
    stage: step.stage,
    default: step.on,
    locked: step.locked,
    minCompatibility: step.minimum === undefined ? undefined : ofMinor(at(current - step.minimum)),
    place: NOWHERE,
  };
  return tableOf([...others, gateOf(name, [...(gate?.specs ?? []), spec])]);
}

function isClean(
  next: GateTable,
  base: GateTable,
  current: number,
  rules: Rules,
  policy: RemovalPolicy,
): boolean {
  const question = { dependencies: [], list: undefined, current: at(current), policy, rules };
  return !lint({ ...question, table: next, base }).some(({ severity }) => severity === "error");
}

/** Every emulation and minimum that a binary allows, from the first release that histories know. */
function pairs(binary: number, rules: Rules): { emulation: Minor; minimum: Minor }[] {
  const floor = kubeFloor(at(binary), rules);
  const low = floor.minor < FIRST ? at(FIRST) : floor;
  return minorsBetween(low, at(binary)).flatMap((emulation) =>
    minorsBetween(low, emulation).map((minimum) => ({ emulation, minimum })),
  );
}

/** What a gate can do at a pair of versions, as a text; a gate that is not there counts as one that never was. */
function behaviour(
  table: GateTable | undefined,
  name: string,
  emulation: Minor,
  minimum: Minor,
  rules: Rules,
): string {
  const gate = table?.gates.find((each) => each.name === name);
  if (gate === undefined) return "gone";
  const holding = holdingAt(completeSpecs(gate.specs, rules.set === "shipped"), emulation, minimum);
  const settable = isSettable(name, holding, { emulationGiven: false }, rules);
  return `${holding.stage} ${holding.default} ${holding.locked} ${settable}`;
}

const COUNTS = { kept: 0, vanished: 0 };

for (const [title, rules, policy, stages] of [
  ["as shipped", SHIPPED, SHIPPED_POLICY, ["Alpha", "Beta", "GA", "Deprecated"]],
  ["by the design", KEP, defaultPolicy("kep"), ["Alpha", "Beta", "GA", "Deprecated", "Removed"]],
] as const)
  test(`lint-clean histories keep the promise: N emulating M behaves as M did, ${title}`, () => {
    COUNTS.kept = 0;
    COUNTS.vanished = 0;
    fc.assert(
      fc.property(historyOf(stages), (history) => {
        const tables = releases(history, rules, policy);
        const tableAt = (release: number): GateTable | undefined => tables[release - FIRST];
        for (let binary = FIRST; binary <= LAST; binary++)
          for (const { emulation, minimum } of pairs(binary, rules))
            for (const { name } of tableAt(emulation.minor)?.gates ?? []) {
              const then = behaviour(tableAt(emulation.minor), name, emulation, minimum, rules);
              const now = behaviour(tableAt(binary), name, emulation, minimum, rules);
              if (now === "gone") {
                COUNTS.vanished++;
                // A gate that is gone is never one that an allowed emulation still needs: nothing could set it there,
                // or it was Alpha, which no emulation promises.
                const [stage, , , settable] = then.split(" ");
                assert.ok(
                  stage === "Alpha" || stage === "PreAlpha" || settable === "false",
                  `${name} is gone in 1.${binary}, but at ${formatMinor(emulation)}/${formatMinor(minimum)} it is ${then}`,
                );
              } else {
                COUNTS.kept++;
                assert.is(now, then, `${name} in 1.${binary} at ${formatMinor(emulation)}`);
              }
            }
      }),
      { numRuns: 150 },
    );
    assert.ok(COUNTS.kept > 1000 && COUNTS.vanished > 20, JSON.stringify(COUNTS));
  });

test("what L9 refuses would break the promise: a lock that is too young still matters to some emulation", () => {
  for (let lock = FIRST + 1; lock <= 36; lock++)
    for (let current = lock; current < lock + 3; current++) {
      const specs = (["Beta", "GA"] as const).map(
        (stage, i): GateSpec => ({
          version: ofMinor(at(i === 0 ? FIRST : lock)),
          stage,
          default: true,
          locked: i === 1,
          minCompatibility: undefined,
          place: NOWHERE,
        }),
      );
      const base = tableOf([gateOf("X", specs)]);
      assert.not(
        isClean(tableOf([]), base, current, SHIPPED, SHIPPED_POLICY),
        `lock ${lock}, current ${current}`,
      );
      const needed = pairs(current, SHIPPED).some(
        ({ emulation, minimum }) => !holdingAt(completeSpecs(specs, true), emulation, minimum).locked,
      );
      assert.ok(needed, `lock ${lock}, current ${current}`);
    }
});

const VERSIONS = ["v1alpha1", "v1alpha2", "v1beta1", "v1beta2", "v1", "v2"] as const;

/** Kinds whose versions come one after another, each served three releases or more once the next is there. */
const kindsOf: fc.Arbitrary<ApiKind[]> = fc
  .array(
    fc.record({
      versions: fc.subarray([...VERSIONS], { minLength: 1 }),
      start: fc.integer({ min: 20, max: 38 }),
      gaps: fc.array(fc.integer({ min: 0, max: 3 }), {
        minLength: VERSIONS.length,
        maxLength: VERSIONS.length,
      }),
      lasts: fc.array(fc.option(fc.integer({ min: 3, max: 9 })), {
        minLength: VERSIONS.length,
        maxLength: VERSIONS.length,
      }),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((kinds) =>
    kinds.flatMap(({ versions, start, gaps, lasts }, k) => {
      let introduced = start;
      return versions.map((version, i): ApiKind => {
        introduced += gaps[i] ?? 0;
        const last = lasts[i];
        const next = versions[i + 1];
        return {
          group: `g${k}`,
          version,
          kind: "K",
          resource: "ks",
          subresources: [],
          stability: stabilityOf(version),
          introduced: at(introduced),
          deprecated: undefined,
          removed: next === undefined || typeof last !== "number" ? undefined : at(introduced + 3 + last),
          replacement: undefined,
          enabledByDefault: undefined,
          registered: undefined,
          served: true,
          namespaced: undefined,
          verbs: undefined,
          revisions: [],
          place: NOWHERE,
        };
      });
    }),
  );

test("an emulated N never writes what N-1 cannot read: storage versions", () => {
  let checked = 0;
  fc.assert(
    fc.property(
      kindsOf,
      fc.integer({ min: 34, max: 40 }),
      fc.integer({ min: 0, max: 2 }),
      fc.constantFrom<StorageRule>("kep", "1.31", "1.32", "1.37"),
      (kinds, emulated, ahead, rule) => {
        const minimum = emulated - 1;
        const versions = kube(`1.${emulated + ahead}`, `1.${emulated}`, `1.${minimum}`);
        const { report } = createReporter();
        const stored = storageVersions(
          {
            table: { form: "own", file: "", kinds, newest: at(LAST + 5) },
            versions,
            rules: rule === "kep" ? KEP : SHIPPED,
            rule,
            pins: undefined,
            runtimeConfig: [],
          },
          report,
        );
        for (const { group, version } of stored) {
          const own = kinds.filter((kind) => kind.group === group);
          // A resource that the older release does not know at all may be stored in any version
          // (docs/reference/compatibility-versions.md §7).
          const known = own.some(({ introduced }) => introduced !== undefined && introduced.minor <= minimum);
          const settled = own.some(
            ({ introduced, stability }) =>
              stability !== "alpha" && introduced !== undefined && introduced.minor <= minimum,
          );
          if (version === null || !(rule === "1.37" ? settled : known)) continue;
          checked++;
          const chosen = own.find((kind) => kind.version === version);
          assert.ok(
            chosen?.introduced !== undefined && chosen.introduced.minor <= minimum,
            `${rule}: 1.${emulated} writes ${version}, which came in ${chosen?.introduced?.minor}`,
          );
          if (rule === "1.37") assert.is.not(chosen.stability, "alpha");
        }
      },
    ),
    { numRuns: 1500 },
  );
  assert.ok(checked > 500, `only ${checked} were checked`);
});

test("an emulated N never writes what N-1 cannot read: fields, enum values, validation and CEL", () => {
  const release = fc.integer({ min: 28, max: 40 });
  fc.assert(
    fc.property(
      release,
      release,
      fc.integer({ min: 34, max: 38 }),
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom("relaxed-validation", "enum-value", "field"),
      fc.constantFrom(SHIPPED, KEP),
      (a, b, emulated, back, change, rules) => {
        const [tolerated, introduced] = a < b ? [a, b] : [b, a];
        const versions = kube("1.38", `1.${emulated}`, `1.${emulated - back}`, rules);
        const [field] = answerFields(
          [{ name: "x", change, introduced: at(introduced), toleratedSince: at(tolerated), place: NOWHERE }],
          versions,
        );
        if (field?.mayWrite)
          for (const { minor } of minorsBetween(versions.minCompatibility, versions.emulation))
            assert.ok(minor >= tolerated && field.mayRead, `1.${minor} does not tolerate it`);
        const [cel] = answerCel(
          [{ name: "x", introduced: at(introduced), removed: undefined, gate: undefined, place: NOWHERE }],
          versions,
          rules,
        );
        if (cel?.mayWrite) assert.ok(introduced <= versions.minCompatibility.minor && cel.mayRead);
      },
    ),
  );
});

test("the order of items in --feature-gates never matters, as long as no gate repeats", () => {
  const table = tableOf(
    (["Alpha", "Beta", "GA", "Deprecated"] as const).flatMap((stage) =>
      [0, 1].map((i) =>
        gateOf(`${stage}${i}`, [
          {
            version: ofMinor(at(0)),
            stage,
            default: i === 1,
            locked: false,
            minCompatibility: undefined,
            place: NOWHERE,
          },
        ]),
      ),
    ),
  );
  const names = ["AllAlpha", "AllBeta", ...table.gates.map(({ name }) => name)];
  const answerOf = (items: readonly string[]): string => {
    const { components } = askGates({
      tables: [table],
      dependencies: [],
      binary: ofMinor(at(35)),
      emulated: [],
      minCompatibility: [],
      featureGates: [commandLineFlag("--feature-gates", items.join(","))],
      rules: SHIPPED,
    });
    return (components[0]?.gates ?? []).map(({ name, enabled }) => `${name}=${enabled}`).join();
  };
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ name: fc.constantFrom(...names), value: fc.boolean() }), {
        selector: ({ name }) => name,
      }),
      fc.integer(),
      (settings, turn) => {
        const items = settings.map(({ name, value }) => `${name}=${value}`);
        const cut = items.length === 0 ? 0 : Math.abs(turn) % items.length;
        const turned = [...items.slice(cut).reverse(), ...items.slice(0, cut)];
        assert.is(answerOf(turned), answerOf(items));
      },
    ),
  );
});

test.run();
