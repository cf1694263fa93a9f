import { suite } from "uvu";
import * as assert from "uvu/assert";
import { discoveryDocument } from "../../src/compatibility/api-discovery.js";
import type { ApiTable } from "../../src/compatibility/api-table.js";
import { type ApiQuestion, servedApis } from "../../src/compatibility/apis.js";
import { commandLineFlag } from "../../src/compatibility/flags.js";
import { kubernetesApis } from "../../src/compatibility/kubernetes.js";
import { KEP, SHIPPED } from "../../src/compatibility/rules.js";
import { createReporter, type Diagnostic } from "../../src/core/diagnostics.js";
import { apis, codes, HEAD, kube } from "../helpers/compat.js";

const test = suite("served APIs");

/** Kinds in short: `group/version resource introduced-removed`, one a line. */
function lifecycle(lines: readonly string[]): ApiTable {
  const kinds = lines.map((each) => {
    const [path = "", resource = "", range = "-"] = each.split(" ");
    const [group = "", apiVersion = ""] = path.split("/");
    const [introduced = "", removed = ""] = range.split("-");
    return [
      `- group: "${group}"`,
      `  version: ${apiVersion}`,
      `  kind: ${resource.replaceAll("/", "")}Kind`,
      `  resource: ${resource}`,
      ...(introduced === "" ? [] : [`  introduced: "${introduced}"`]),
      ...(removed === "" ? [] : [`  removed: "${removed}"`]),
    ].join("\n");
  });
  return apis(`${HEAD}kind: APILifecycle\nkinds:\n${kinds.join("\n")}\n`);
}

type Options = Partial<
  Pick<
    ApiQuestion,
    | "forwardCompatible"
    | "runtimeConfigForwardCompatible"
    | "strictRemovedInAlpha"
    | "serveRemovedOneMore"
    | "rules"
  >
> & {
  readonly binary?: string;
  readonly emulated?: string;
  readonly config?: string;
};

function ask(table: ApiTable, options: Options): { served: string[]; diagnostics: readonly Diagnostic[] } {
  const { report, diagnostics } = createReporter();
  const rules = options.rules ?? SHIPPED;
  const served = servedApis(
    {
      table,
      versions: kube(options.binary ?? "1.37", options.emulated, undefined, rules),
      runtimeConfig:
        options.config === undefined ? [] : [commandLineFlag("--runtime-config", options.config)],
      rules,
      forwardCompatible: options.forwardCompatible ?? false,
      runtimeConfigForwardCompatible: options.runtimeConfigForwardCompatible ?? false,
      strictRemovedInAlpha: options.strictRemovedInAlpha ?? false,
      serveRemovedOneMore: options.serveRemovedOneMore ?? false,
    },
    report,
  );
  return {
    served: served.flatMap(({ group, version, resources }) =>
      resources.map(({ resource }) => `${group}/${version}/${resource}`),
    ),
    diagnostics,
  };
}

test("an API that is removed in the emulated release, by binary (docs/reference/compatibility-versions.md §6.1)", () => {
  const table = lifecycle(["a/v1 r 1.30", "a/v1beta1 r 1.20-1.37"]);
  const beta = (binary: string, more: Options = {}): boolean =>
    ask(table, { binary, ...more }).served.includes("a/v1beta1/r");
  assert.is(beta("1.37.0"), false);
  assert.is(beta("1.37"), false);
  assert.is(beta("1.37.0-alpha.1"), true);
  assert.is(beta("1.37.0-alpha.0"), true);
  assert.is(beta("1.37.0-beta.0"), false);
  assert.is(beta("1.37.0-alpha.1", { strictRemovedInAlpha: true }), false);
  assert.is(beta("1.37.0-alpha.0", { strictRemovedInAlpha: true }), true);
  assert.is(beta("1.37.0", { serveRemovedOneMore: true }), true);
  assert.is(beta("1.38.0", { serveRemovedOneMore: true }), false, "one release more, no longer");
  assert.is(beta("1.38.0-alpha.1"), false);
  assert.is(
    beta("1.38.0", { emulated: "1.36" }),
    true,
    "gone from the binary's release, there in the emulated one",
  );
  assert.is(beta("1.38.0-alpha.1", { emulated: "1.37" }), true, "the pre-release is the binary's");
  assert.is(beta("1.37.0-alpha.1", { rules: KEP }), false);
});

const FUTURE = lifecycle([
  "a/v1beta1 r 1.31",
  "a/v1beta2 r 1.32",
  "a/v1 r 1.33",
  "b/v1beta1 r 1.32",
  "b/v1 r 1.33",
]);

test("versions of the future under emulation (docs/reference/compatibility-versions.md §6.3)", () => {
  const both = { forwardCompatible: true, runtimeConfigForwardCompatible: true };
  const rows: readonly (readonly [string, Options, readonly string[] | "error"])[] = [
    ["a/v1beta1=true", {}, ["a/v1beta1/r"]],
    ["a/v1beta1=true", { forwardCompatible: true }, ["a/v1/r", "a/v1beta2/r", "a/v1beta1/r"]],
    ["a/v1beta1=true,a/v1=true", { runtimeConfigForwardCompatible: true }, ["a/v1/r", "a/v1beta1/r"]],
    ["b/v1beta1=true", {}, "error"],
    ["b/v1beta1=true", { forwardCompatible: true }, "error"],
    ["b/v1beta1=true", { runtimeConfigForwardCompatible: true }, ["b/v1beta1/r"]],
    ["b/v1beta1=true", both, ["b/v1/r", "b/v1beta1/r"]],
    ["a/v1beta1=true,a/v1=false", { forwardCompatible: true }, ["a/v1beta2/r", "a/v1beta1/r"]],
    ["a/v1beta1/r=true,b/v1beta1/r=true", {}, "error"],
    ["a/v1beta1/r=true", {}, ["a/v1beta1/r"]],
    ["", {}, []],
  ];
  for (const [config, options, expected] of rows) {
    const answer = ask(FUTURE, { binary: "1.33", emulated: "1.31", config, ...options });
    if (expected === "error") assert.equal(codes(answer.diagnostics), ["API015"], config);
    else {
      assert.equal(codes(answer.diagnostics), [], config);
      assert.equal(answer.served, [...expected], config);
    }
  }
});

test("forward compatibility works by resource, in kube-aware order", () => {
  const table = lifecycle([
    "g/v1 r1 1.20",
    "g/v2beta1 r1 1.21",
    "g/v2beta2 r1 1.22",
    "g/v2 r1 1.23",
    "g/v2beta2 r2 1.22",
    "g/v2 r2 1.23",
  ]);
  const served = (emulated: string, lines: ApiTable): string[] =>
    ask(lines, { binary: "1.33", emulated, forwardCompatible: true, config: "api/beta=true" }).served;
  assert.equal(served("1.21", table), ["g/v2/r1", "g/v1/r1", "g/v2beta2/r1", "g/v2beta1/r1"]);
  const early = lifecycle(["g/v1 r1 1.18", "g/v2beta1 r1 1.21", "g/v2beta2 r1 1.22", "g/v2 r1 1.23"]);
  assert.equal(served("1.19", early), ["g/v2/r1", "g/v1/r1"], "betas rank below v1: nothing pulls them in");
});

test("alpha versions neither cause nor receive forward compatibility", () => {
  const table = lifecycle(["g/v1alpha1 r 1.31", "g/v1beta1 r 1.33", "g/v2alpha1 s 1.33", "g/v1 s 1.31"]);
  const answer = ask(table, {
    binary: "1.33",
    emulated: "1.31",
    forwardCompatible: true,
    config: "g/v1alpha1=true",
  });
  assert.equal(answer.served, ["g/v1/s", "g/v1alpha1/r"]);
  assert.equal(codes(answer.diagnostics, "warning"), ["API018"]);
});

test("defaults: GA on, beta and alpha off, betas from before 1.24 on until they are removed", () => {
  const table = lifecycle([
    "g/v1 r 1.30",
    "g/v1beta1 r 1.30",
    "g/v1alpha1 r 1.30",
    "old/v1beta1 s 1.20-1.35",
    "old/v1beta2 t 1.24-1.35",
  ]);
  assert.equal(ask(table, { binary: "1.34" }).served, ["g/v1/r", "old/v1beta1/s"]);
  assert.equal(ask(table, { binary: "1.35" }).served, ["g/v1/r"]);
});

const CONFIG = lifecycle([
  "/v1 pods 1.0",
  "apps/v1 deployments 1.9",
  "apps/v1beta1 deployments 1.20",
  "apps/v1beta1 others 1.20",
  "g/v1alpha1 r 1.30",
]);

test("the order of settings in --runtime-config (docs/reference/compatibility-versions.md §6.2)", () => {
  const all = ["/v1/pods", "apps/v1/deployments"];
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["", [...all, "apps/v1beta1/deployments", "apps/v1beta1/others"]],
    ["api/beta=false,apps/v1beta1/deployments=true", [...all, "apps/v1beta1/deployments"]],
    ["apps/v1beta1/deployments=true,api/beta=false", [...all, "apps/v1beta1/deployments"]],
    ["api/all=false,api/ga=true", all],
    ["api/ga=false,apps/v1=true,api/beta=false", ["apps/v1/deployments"]],
    ["api/all=false,/v1", ["/v1/pods"]],
    ["api/all=false,/v1=false,apps/v1=T", ["apps/v1/deployments"]],
    // What a kube-apiserver makes of the core group without its slash, and of a key of its first releases.
    ["api/ga=false,apps/v1=T,v1=false,api/beta=false", ["apps/v1/deployments"]],
    ["api/all=false,apps/v1=T,api/v1=false,api/legacy=true", ["apps/v1/deployments"]],
    ["api/all=false,v1/pods", ["/v1/pods"]],
    ["api/legacy=true", [...all, "apps/v1beta1/deployments", "apps/v1beta1/others"]],
    ["apps/v1=false,apps/v1beta1=false", ["/v1/pods"]],
    ["apps/v1=false,apps/v1=true", [...all, "apps/v1beta1/deployments", "apps/v1beta1/others"]],
    ["api/all=true", [...all, "apps/v1beta1/deployments", "apps/v1beta1/others", "g/v1alpha1/r"]],
    [" apps/v1beta1 = false ,, api/alpha=true", [...all, "g/v1alpha1/r"]],
  ];
  for (const [config, expected] of rows) {
    const answer = ask(CONFIG, { binary: "1.35", config });
    assert.equal(codes(answer.diagnostics), [], config);
    assert.equal(answer.served, [...expected], config);
  }
});

test("what --runtime-config refuses", () => {
  for (const [config, expected] of [
    ["api/beta=TRUE", ["API011"]],
    ["api/all=1", ["API011"]],
    ["api/beta", ["API011"]],
    ["apps/v1=yes", ["API011"]],
    ["v1=maybe", ["API011"]],
    ["v2=false", ["API010"]],
    ["api/nope=false", ["API013"]],
    ["api/all=false,api/legacy=true", ["API012"]],
    ["a/b/c/d=true", ["API010"]],
    ["apps/v1/Deployments=true", ["API010"]],
    ["nope/v1=true", ["API013"]],
    ["nope/v1=true,gone/v2=true", ["API013", "API013"]],
    ["apps/v9=true", ["API014"]],
    ["api/all=false", ["API012"]],
  ] as const)
    assert.equal(codes(ask(CONFIG, { binary: "1.35", config }).diagnostics), [...expected], config);
  const [problem] = ask(CONFIG, { binary: "1.35", config: "api/ga=true,apps/v9=true" }).diagnostics;
  assert.is(problem?.file, "--runtime-config");
  assert.is(problem?.column, 13);
});

test("a resource takes its subresources along, and a version without resources goes", () => {
  const table = lifecycle(["g/v1 r 1.20-1.34", "g/v1 r/scale 1.20", "h/v1 s 1.36", "h/v1 s/status 1.20"]);
  assert.equal(ask(table, { binary: "1.37", emulated: "1.34" }).served, []);
  assert.equal(ask(table, { binary: "1.33" }).served, ["g/v1/r", "g/v1/r/scale", "h/v1/s/status"]);
  assert.equal(ask(table, { binary: "1.37", emulated: "1.35" }).served, []);
});

test("an enabled version that is gone is a warning", () => {
  const table = lifecycle(["g/v1 r 1.20", "g/v1beta1 r 1.19-1.25"]);
  assert.equal(codes(ask(table, { binary: "1.35", config: "g/v1beta1=true" }).diagnostics, "warning"), [
    "API016",
  ]);
});

test("the forward flags need an emulated version below the binary", () => {
  for (const flag of ["forwardCompatible", "runtimeConfigForwardCompatible"] as const) {
    assert.equal(codes(ask(FUTURE, { binary: "1.33", [flag]: true }).diagnostics), ["VER009"], flag);
    assert.equal(
      codes(ask(FUTURE, { binary: "1.33", emulated: "1.32", rules: KEP, [flag]: true }).diagnostics),
      ["VER009"],
    );
  }
});

test("by the design availability is strict and alpha is refused under emulation", () => {
  const table = lifecycle(["g/v1alpha1 r 1.31", "g/v1beta1 r 1.33"]);
  const kep = { rules: KEP, binary: "1.33" };
  assert.equal(ask(table, { ...kep, config: "g/v1alpha1=true" }).served, ["g/v1alpha1/r"]);
  assert.equal(codes(ask(table, { ...kep, emulated: "1.32", config: "g/v1alpha1=true" }).diagnostics), [
    "API017",
  ]);
  assert.equal(codes(ask(table, { ...kep, emulated: "1.33", config: "api/alpha=true" }).diagnostics), [
    "API017",
  ]);
  assert.equal(codes(ask(table, { ...kep, emulated: "1.32", config: "g/v1beta1=true" }).diagnostics), [
    "API015",
  ]);
});

test("each binary has the lifecycle of its own release", () => {
  const text = `${HEAD}kind: APILifecycle
kinds:
- {group: g, version: v1, kind: K, resource: ks, introduced: "1.20", registered: {first: "1.20", last: "1.37"}}
- group: g
  version: v1beta1
  kind: K
  resource: ks
  introduced: "1.18"
  removed: "1.34"
  registered: {first: "1.18", last: "1.36"}
  revisions:
  - {in: "1.33", field: removed, was: "1.32", now: "1.34"}
`;
  const table = apis(text);
  const beta = (binary: string): boolean => ask(table, { binary }).served.includes("g/v1beta1/ks");
  assert.is(beta("1.31"), true);
  assert.is(beta("1.32"), false, "as 1.32 planned it");
  assert.is(beta("1.33"), true, "1.33 moved the removal");
  assert.is(beta("1.34"), false);
  assert.equal(
    codes(ask(table, { binary: "1.37", config: "g/v1beta1=true" }).diagnostics),
    ["API014"],
    "no longer registered",
  );
  assert.equal(ask(table, { binary: "1.37", emulated: "1.34" }).served, ["g/v1/ks"]);
});

test("the discovery document groups by version in the order of preference", () => {
  const table = lifecycle(["g/v1 r 1.20", "g/v2 r 1.30", "/v1 pods 1.0"]);
  const { report } = createReporter();
  const served = servedApis(
    {
      table,
      versions: kube("1.35"),
      runtimeConfig: [],
      rules: SHIPPED,
      forwardCompatible: false,
      runtimeConfigForwardCompatible: false,
      strictRemovedInAlpha: false,
      serveRemovedOneMore: false,
    },
    report,
  );
  assert.equal(discoveryDocument(served), {
    apiVersion: "apidiscovery.k8s.io/v2",
    kind: "APIGroupDiscoveryList",
    metadata: {},
    items: [
      {
        metadata: {},
        versions: [
          {
            version: "v1",
            freshness: "Current",
            resources: [
              {
                resource: "pods",
                responseKind: { group: "", version: "v1", kind: "podsKind" },
                singularResource: "podskind",
              },
            ],
          },
        ],
      },
      {
        metadata: { name: "g" },
        versions: ["v2", "v1"].map((version) => ({
          version,
          freshness: "Current",
          resources: [
            {
              resource: "r",
              responseKind: { group: "g", version, kind: "rKind" },
              singularResource: "rkind",
            },
          ],
        })),
      },
    ],
  });
});

test("a version is removed when its last kind is", () => {
  // By Kubernetes' own table: the first kind of this version went long before the last.
  const ended = (binary: string, config: string): string[] =>
    ask(kubernetesApis(), { binary, config: `${config}=true` })
      .diagnostics.filter(({ code }) => code === "API016")
      .map(({ message }) => message.replace(/.*: /, ""));
  assert.equal(ended("1.36", "storage.k8s.io/v1alpha1"), ["removed in 1.35"]);
  assert.equal(ended("1.34", "storage.k8s.io/v1alpha1"), []);
  const two = lifecycle(["a.io/v1beta1 early 1.20-1.25", "a.io/v1beta1 late 1.22-1.30", "a.io/v1 late 1.28"]);
  assert.equal(
    ask(two, { binary: "1.32", config: "a.io/v1beta1=true" }).diagnostics.map(({ message }) => message),
    ["a.io/v1beta1 is enabled but not available at version 1.32: removed in 1.30"],
  );
});

test.run();
