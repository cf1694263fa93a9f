/**
 * The source design's integration grid: eleven transitions, each asked with the emulated version at N-1 and at N, in
 * `--rules kep`; then its "other cases". N is 1.31. Where the design contradicts itself the computed answer stands here
 * with the reason.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ApiTable } from "../../src/compatibility/api-table.js";
import { servedApis } from "../../src/compatibility/apis.js";
import { answerCel, type CelEntry } from "../../src/compatibility/cel.js";
import { answerFields, type FieldEntry } from "../../src/compatibility/fields.js";
import { commandLineFlag } from "../../src/compatibility/flags.js";
import { KEP, NOWHERE, type Rules, SHIPPED } from "../../src/compatibility/rules.js";
import { storageVersions } from "../../src/compatibility/storage-versions.js";
import { createReporter } from "../../src/core/diagnostics.js";
import { apis, ask, codes, HEAD, inShort, kube, minor, state, table } from "../helpers/compat.js";

const test = suite("the design's grid");
const N = "1.31";
const BEFORE = "1.30";
const ALPHA_STAGE: Rules = { set: "kep", stage: "alpha" };

const gates = (specs: string) => table({ X: specs });

/** State of X, or the codes of the refusal. */
function gate(specs: string, emulated: string | undefined, setting?: string): string {
  const answer = ask(gates(specs), {
    binary: N,
    rules: KEP,
    ...(emulated === undefined ? {} : { emulated }),
    ...(setting === undefined ? {} : { gates: setting }),
  });
  return answer.accepted ? inShort(state(answer, "X")) : codes(answer.diagnostics).join(" ");
}

test("1. Alpha feature introduced", () => {
  const specs = "Alpha 1.31 off";
  assert.is(gate(specs, BEFORE), "PreAlpha off fixed", "the feature does not exist");
  assert.is(gate(specs, BEFORE, "X=true"), "GATE133", "the gate may not be set");
  assert.is(gate(specs, BEFORE, "X=false"), "GATE133");
  assert.is(gate(specs, N, "X=true"), "GATE139", "alpha may not be used together with an emulated version");
  // The grid says the same for an unset flag, which would leave no way to use any alpha feature; its own non-goals limit
  // the refusal to "when --emulation-version is set".
  assert.is(gate(specs, undefined, "X=true"), "Alpha on");
  assert.is(gate(specs, undefined), "Alpha off");
});

test("2. Alpha feature graduated to Beta", () => {
  const specs = "Alpha 1.30 off, Beta 1.31 on";
  assert.is(gate(specs, BEFORE), "Alpha off fixed");
  // The grid lets --feature-gates=X=true turn it on at N-1, where it is Alpha; the non-goals refuse alpha features under
  // an emulated version. The non-goal is the general rule, and so the computed answer is a refusal.
  assert.is(gate(specs, BEFORE, "X=true"), "GATE139");
  assert.is(gate(specs, N), "Beta on");
  assert.is(gate(specs, N, "X=false"), "Beta off");
  assert.is(gate(specs, undefined), "Beta on");
});

test("3. Beta feature graduated to GA", () => {
  const specs = "Beta 1.30 on, GA 1.31 on";
  assert.is(gate(specs, BEFORE), "Beta on");
  assert.is(gate(specs, BEFORE, "X=false"), "Beta off");
  assert.is(gate(specs, N), "GA on fixed");
  assert.is(gate(specs, N, "X=false"), "GATE138");
  assert.is(gate(specs, N, "X=true"), "GATE138", "the gate may not be set, whichever value");
});

test("4. Beta feature removed", () => {
  const specs = "Beta 1.29 on, Deprecated 1.30 on, Removed 1.31 off";
  assert.is(gate(specs, BEFORE), "Deprecated on");
  assert.is(gate(specs, BEFORE, "X=false"), "Deprecated off");
  assert.is(gate(specs, N), "Removed off fixed");
  assert.is(gate(specs, N, "X=true"), "GATE132", "the feature does not exist");
  assert.is(gate(specs, N, "X=false"), "GATE132");
});

function served(api: ApiTable, emulated: string | undefined, config?: string): string {
  const { report, diagnostics } = createReporter();
  const answer = servedApis(
    {
      table: api,
      versions: kube(N, emulated, undefined, KEP),
      runtimeConfig: config === undefined ? [] : [commandLineFlag("--runtime-config", config)],
      rules: KEP,
      forwardCompatible: false,
      runtimeConfigForwardCompatible: false,
      strictRemovedInAlpha: false,
      serveRemovedOneMore: false,
    },
    report,
  );
  const failed = codes(diagnostics);
  return failed.length > 0 ? failed.join(" ") : answer.map(({ version }) => version).join(" ");
}

const api = (...versions: readonly (readonly [string, string, string?, boolean?])[]): ApiTable =>
  apis(
    `${HEAD}kind: APILifecycle\nkinds:\n- {group: other, version: v1, kind: Other, resource: others}\n${versions
      .map(
        ([version, introduced, removed, on]) =>
          `- {group: api, version: ${version}, kind: K, resource: ks, introduced: "${introduced}"${removed === undefined ? "" : `, removed: "${removed}"`}${on === undefined ? "" : `, enabledByDefault: ${on}`}}\n`,
      )
      .join("")}`,
  );

const inApi = (answer: string): string => answer.replace(/ ?v1$/, "").trim();

test("5. Alpha API introduced", () => {
  const kinds = api(["v1alpha1", "1.31"]);
  assert.is(inApi(served(kinds, BEFORE)), "");
  assert.is(served(kinds, BEFORE, "api/v1alpha1=true"), "API015", "the API does not exist");
  assert.is(served(kinds, N, "api/v1alpha1=true"), "API017", "not together with an emulated version");
  assert.is(inApi(served(kinds, undefined, "api/v1alpha1=true")), "v1alpha1");
});

test("6. Beta API graduated to GA", () => {
  const kinds = api(["v1beta1", "1.30"], ["v1", "1.31"]);
  assert.is(served(kinds, BEFORE), "v1", "only the other group's v1");
  assert.is(served(kinds, BEFORE, "api/v1beta1=true"), "v1beta1 v1");
  assert.is(served(kinds, N), "v1 v1");
});

test("7. Beta API removed", () => {
  const kinds = api(["v1beta1", "1.28", "1.31", false]);
  assert.is(inApi(served(kinds, BEFORE)), "");
  assert.is(inApi(served(kinds, BEFORE, "api/v1beta1=true")), "v1beta1");
  assert.is(inApi(served(kinds, N)), "");
  assert.is(inApi(served(kinds, N, "api/v1beta1=true")), "", "no such file any more");
});

test("8. on-by-default Beta API removed", () => {
  const kinds = api(["v1beta1", "1.28", "1.31", true]);
  assert.is(inApi(served(kinds, BEFORE)), "v1beta1");
  assert.is(inApi(served(kinds, BEFORE, "api/v1beta1=false")), "");
  assert.is(inApi(served(kinds, N)), "");
});

test("9. API storage version changed", () => {
  const kinds = api(["v1beta1", "1.28"], ["v1", "1.30"]);
  const stored = (emulated: string, minimum: string): string | null | undefined => {
    const { report } = createReporter();
    return storageVersions(
      {
        table: kinds,
        versions: kube(N, emulated, minimum, KEP),
        rules: KEP,
        rule: undefined,
        pins: undefined,
        runtimeConfig: [],
      },
      report,
    ).find(({ resource }) => resource === "ks")?.version;
  };
  assert.is(stored(BEFORE, "1.29"), "v1beta1", "1.29 does not serve v1");
  assert.is(stored(N, BEFORE), "v1", "1.30, 1.31 and 1.32 all serve it");
});

const cel = (introduced: string, emulated: string, minimum: string, rules: Rules) => {
  const entry: CelEntry = {
    name: "f",
    introduced: minor(introduced),
    removed: undefined,
    gate: undefined,
    place: NOWHERE,
  };
  const [answer] = answerCel([entry], kube(N, emulated, minimum, rules), rules);
  return `${answer?.mayWrite ? "written" : "not written"}, ${answer?.mayRead ? "evaluated" : "unknown"}`;
};

test("10. new CEL function: in the environment of stored expressions from N on", () => {
  assert.is(cel(N, BEFORE, "1.29", KEP), "not written, unknown");
  assert.is(cel(N, N, BEFORE, KEP), "not written, evaluated");
});

test("11. introduced CEL function: stored from N-1 on, new expressions from N on", () => {
  assert.is(cel(BEFORE, BEFORE, "1.29", KEP), "not written, evaluated");
  // By its text the environment's version is always one below the minimum compatibility version. With the default
  // minimum N-1 that is N-2, and so what came in N-1 may not be written at N, which the grid wants. It holds with the
  // minimum at N; and it holds by default as shipped, where the environment's version is the minimum itself.
  assert.is(cel(BEFORE, N, BEFORE, KEP), "not written, evaluated");
  assert.is(cel(BEFORE, N, N, KEP), "written, evaluated");
  assert.is(cel(BEFORE, "1.31", "1.31", SHIPPED), "written, evaluated");
});

test("other case: an emulated version of N-2 or N+1 fails validation while the design is alpha", () => {
  const only = gates("Beta 1.25 on");
  const refused = (emulated: string): string[] =>
    codes(
      ask(only, {
        binary: N,
        emulated,
        rules: ALPHA_STAGE,
        gates: "CompatibilityVersions=true",
      }).diagnostics,
    );
  assert.ok(refused("1.29").includes("VER005"), "N-2");
  assert.ok(refused("1.32").includes("VER005"), "N+1");
  assert.equal(refused(BEFORE), []);
});

test("the version flags need the design's gate: off in alpha, on in beta", () => {
  const only = gates("Beta 1.25 on");
  const refused = (rules: Rules, setting?: string, emulated: string | undefined = BEFORE): string[] =>
    codes(
      ask(only, {
        binary: N,
        rules,
        ...(emulated === undefined ? {} : { emulated }),
        ...(setting === undefined ? {} : { gates: setting }),
      }).diagnostics,
    );
  assert.equal(refused(ALPHA_STAGE), ["VER008"]);
  assert.equal(refused(ALPHA_STAGE, "CompatibilityVersions=true"), []);
  assert.equal(refused(KEP), []);
  assert.equal(refused(KEP, "CompatibilityVersions=false"), ["VER008"]);
  assert.equal(codes(ask(only, { binary: N, rules: ALPHA_STAGE, minimum: N }).diagnostics), ["VER008"]);
  assert.equal(codes(ask(only, { binary: N, rules: ALPHA_STAGE }).diagnostics), []);
});

const fields = (emulated: string, minimum: string): Readonly<Record<string, string>> => {
  const entries: FieldEntry[] = [
    {
      name: "ratcheted",
      change: "relaxed-validation",
      introduced: minor(N),
      toleratedSince: minor(BEFORE),
      place: NOWHERE,
    },
    {
      name: "new-enum",
      change: "enum-value",
      introduced: minor(N),
      toleratedSince: minor(N),
      place: NOWHERE,
    },
    {
      name: "new-field",
      change: "field",
      introduced: minor(N),
      toleratedSince: minor(BEFORE),
      place: NOWHERE,
    },
  ];
  return Object.fromEntries(
    answerFields(entries, kube(N, emulated, minimum, KEP)).map(({ name, mayWrite, mayRead }) => [
      name,
      `${mayWrite ? "write" : "-"} ${mayRead ? "read" : "-"}`,
    ]),
  );
};

test("other cases: data enter new fields, and validation relaxes, only once the release before tolerates it", () => {
  assert.equal(fields(N, BEFORE), {
    ratcheted: "write read",
    "new-enum": "- read",
    "new-field": "write read",
  });
  assert.equal(fields(N, N), {
    ratcheted: "write read",
    "new-enum": "write read",
    "new-field": "write read",
  });
  assert.equal(fields(N, "1.29"), { ratcheted: "- read", "new-enum": "- read", "new-field": "- read" });
  // Emulating N-1: nothing of N is written; the field is shown all the same, fields are never pruned.
  assert.equal(fields(BEFORE, "1.29"), { ratcheted: "- read", "new-enum": "- -", "new-field": "- read" });
});

test.run();
