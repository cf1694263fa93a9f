import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter } from "../../src/core/diagnostics.js";
import { checkServed, checkTable } from "../../src/storage/check.js";
import { type ApiTable, groupResource } from "../../src/storage/compatibility.js";
import { deriveTable } from "../../src/storage/derive.js";
import { type BehaviorTable, spansOf } from "../../src/storage/model.js";
import { presetPolicy, type StoragePolicy } from "../../src/storage/policy.js";
import { readStoragePolicy } from "../../src/storage/read/policy.js";
import { slipway } from "../helpers/cli.js";
import { apis, HEAD } from "../helpers/compat.js";
import { withShared } from "../helpers/shared.js";

const test = suite("storage behaviours from lifecycles");
const KEP = presetPolicy("kep");

interface Short {
  readonly version: string;
  readonly introduced: string;
  readonly resource?: string;
  readonly group?: string;
  readonly rest?: string;
}

const lifecycle = (kinds: readonly Short[]): ApiTable =>
  apis(
    `${HEAD}kind: APILifecycle\nkinds:\n${kinds
      .map(
        ({ version, introduced, resource = "widgets", group = "example.com", rest = "" }) =>
          `- {group: ${JSON.stringify(group)}, version: ${version}, kind: Kind${resource}, resource: ${resource}, introduced: "${introduced}"${rest}}\n`,
      )
      .join("")}`,
  );

/** A line for each version: `v1beta1 preferred 1.20-1.21, supported 1.22 …` */
const shown = (table: BehaviorTable): string[] =>
  table.resources.flatMap(({ group, resource, versions }) =>
    versions.map(
      (row) =>
        `${groupResource(group, resource)} ${row.version} ${spansOf(table, row)
          .map(({ behavior, first, last }) => `${behavior} ${first === last ? first : `${first}-${last}`}`)
          .join(", ")}`,
    ),
  );

const sound = (table: BehaviorTable, policy: StoragePolicy): void => {
  const { report, diagnostics } = createReporter();
  checkTable(table, policy, report);
  assert.equal(diagnostics, []);
};

/** Keeps the data going to 1.32. */
const LATER: Short = { version: "v1", introduced: "1.32", resource: "others" };

test("the KEP's durations: 1 release supported, 3 actively migrated, then ignored", () => {
  const table = deriveTable(
    lifecycle([{ version: "v1beta1", introduced: "1.20" }, { version: "v1", introduced: "1.22" }, LATER]),
    KEP,
  );
  assert.equal(shown(table), [
    "others.example.com v1 preferred 1.32",
    "widgets.example.com v1 supported 1.22, preferred 1.23-1.32",
    "widgets.example.com v1beta1 preferred 1.20-1.22, supported 1.23, actively-migrated 1.24-1.26, ignored 1.27-1.32",
  ]);
  sound(table, KEP);
});

test("alpha goes to ignored at once; served or not plays no part", () => {
  const kinds = [
    { version: "v1alpha1", introduced: "1.20" },
    { version: "v1beta1", introduced: "1.22", rest: ', removed: "1.24"' },
    { version: "v1", introduced: "1.24" },
    LATER,
  ];
  const table = deriveTable(lifecycle(kinds), KEP);
  assert.equal(shown(table).slice(1), [
    "widgets.example.com v1 supported 1.24, preferred 1.25-1.32",
    "widgets.example.com v1beta1 supported 1.22, preferred 1.23-1.24, supported 1.25, actively-migrated 1.26-1.28, ignored 1.29-1.32",
    "widgets.example.com v1alpha1 preferred 1.20-1.22, ignored 1.23-1.32",
  ]);
  sound(table, KEP);
});

test("alpha with durations of its own", () => {
  const policy = { ...KEP, alpha: { supported: 1, migrated: 1 } };
  const kinds = [{ version: "v1alpha1", introduced: "1.20" }, { version: "v1", introduced: "1.22" }, LATER];
  const table = deriveTable(lifecycle(kinds), policy);
  assert.is(
    shown(table)[2],
    "widgets.example.com v1alpha1 preferred 1.20-1.22, supported 1.23, actively-migrated 1.24, ignored 1.25-1.32",
  );
});

test("a new version is preferred only where every release within reach of a downgrade reads it", () => {
  const kinds = [{ version: "v1beta1", introduced: "1.20" }, { version: "v1", introduced: "1.22" }, LATER];
  for (const [maxDowngrade, since] of [
    [0, "preferred 1.22-1.32"],
    [1, "supported 1.22, preferred 1.23-1.32"],
    [2, "supported 1.22-1.23, preferred 1.24-1.32"],
  ] as const) {
    const policy = { ...KEP, maxDowngrade };
    const table = deriveTable(lifecycle(kinds), policy);
    assert.is(shown(table)[1], `widgets.example.com v1 ${since}`);
    sound(table, policy);
  }
});

test("under the moratorium what was ever written stays decodable", () => {
  const policy = presetPolicy("moratorium");
  const kinds = [{ version: "v1beta1", introduced: "1.20" }, { version: "v1", introduced: "1.22" }, LATER];
  const table = deriveTable(lifecycle(kinds), policy);
  assert.is(shown(table)[2], "widgets.example.com v1beta1 preferred 1.20-1.22, supported 1.23-1.32");
  sound(table, policy);
});

test("a version that was never preferred is ignored as soon as its code is gone", () => {
  const kinds = [
    { version: "v1", introduced: "1.20", rest: ', registered: {first: "1.20", last: "1.32"}' },
    { version: "v1beta1", introduced: "1.20", rest: ', registered: {first: "1.20", last: "1.24"}' },
  ];
  const table = deriveTable(lifecycle(kinds), KEP);
  assert.is(shown(table)[1], "widgets.example.com v1beta1 supported 1.20-1.24, ignored 1.25-1.32");
});

test("a resource that ends takes all its versions along", () => {
  const kinds = [
    { version: "v1beta1", introduced: "1.20", rest: ', registered: {first: "1.20", last: "1.24"}' },
    { ...LATER, rest: ', registered: {first: "1.20", last: "1.32"}' },
  ];
  const table = deriveTable(lifecycle(kinds), KEP);
  assert.is(shown(table)[1], "widgets.example.com v1beta1 preferred 1.20-1.24, ignored 1.25-1.32");
  sound(table, KEP);
});

test("two groups that share the objects share the preferred version", () => {
  const kinds = [
    { version: "v1beta1", introduced: "1.20", group: "extensions", resource: "ingresses" },
    { version: "v1", introduced: "1.22", group: "networking.k8s.io", resource: "ingresses" },
    LATER,
  ];
  const table = deriveTable(lifecycle(kinds), KEP);
  assert.equal(shown(table).slice(1), [
    "ingresses.extensions v1beta1 preferred 1.20-1.22, supported 1.23, actively-migrated 1.24-1.26, ignored 1.27-1.32",
    "ingresses.networking.k8s.io v1 supported 1.22, preferred 1.23-1.32",
  ]);
  assert.equal(table.resources[1]?.storedWith, { group: "networking.k8s.io", resource: "ingresses" });
  sound(table, KEP);
});

test("served durations are checked where releases carry dates", () => {
  const { report, diagnostics } = createReporter();
  const policy = readStoragePolicy(
    `${HEAD}kind: StoragePolicy\nreleaseDates: {"1.22": "2021-08-04", "1.24": "2022-05-03", "1.25": "2022-08-23"}\n`,
    "policy.yaml",
    report,
  );
  if (policy === undefined) throw new Error(JSON.stringify(diagnostics));
  const rest = (removed: string): string => `, deprecated: "1.22", removed: "${removed}"`;
  checkServed(
    lifecycle([
      { version: "v1", introduced: "1.20", rest: rest("1.25") },
      { version: "v1beta1", introduced: "1.20", rest: rest("1.24") },
      { version: "v1alpha1", introduced: "1.20", rest: rest("1.23") },
    ]),
    policy,
    report,
  );
  assert.equal(
    diagnostics.map(({ code, line, message }) => `${code} ${line} ${message}`),
    [
      "STO007 5 B8 served: deprecated in 1.22 and removed in 1.24, it is served for 2 of 3 releases and until 2022-05-03 instead of 2022-05-04",
    ],
  );
});

withShared(
  test,
  "data/api-lifecycle/api-lifecycle.yaml",
  "the golden table is that of the reference data, and accounts for every kind",
  (path) => {
    const text = readFileSync(path, "utf8");
    const run = (file: string) => {
      const { code, stdout } = slipway(["storage", "behaviors", "--lifecycle", file, "--output", "json"]);
      assert.is(code, 0);
      return JSON.parse(stdout);
    };
    const real = run(path);
    assert.equal(real.resources, run("golden/storage-behaviors/input/api-lifecycle.yaml").resources);
    assert.is(real.releases.length, 22);
    const versions = real.resources.reduce(
      (sum: number, each: { versions: object[] }) => sum + each.versions.length,
      0,
    );
    assert.is(versions + real.unstored.length, text.match(/^- group:/gm)?.length);
    assert.is(versions + real.unstored.length, 224);
  },
);

withShared(
  test,
  "data/api-lifecycle/api-lifecycle.yaml",
  "the tables of real kinds keep every invariant, for many policies",
  (path) => {
    const real = apis(readFileSync(path, "utf8"), path);
    for (const supported of [0, 1, 2])
      for (const migrated of [0, 3, 5])
        for (const maxDowngrade of [0, 1, 2]) {
          const policy = { ...KEP, durations: { supported, migrated }, maxDowngrade };
          sound(deriveTable(real, policy), policy);
        }
    sound(deriveTable(real, presetPolicy("moratorium")), presetPolicy("moratorium"));
  },
);

test.run();
