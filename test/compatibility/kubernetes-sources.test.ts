/** The tables of Kubernetes' releases are what the sources of those releases say (scripts/kubernetes). */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  endpointsOf,
  fixturesOf,
  kindsOf,
  lifecyclesOf,
  resourceOf,
} from "../../scripts/kubernetes/apis.mjs";
import { optionsOf } from "../../scripts/kubernetes/cel.mjs";
import { changedCosts, digestOf } from "../../scripts/kubernetes/cel-costs.mjs";
import { addFunctions, readFunctions, signatureOf } from "../../scripts/kubernetes/cel-functions.mjs";
import { gatesOf } from "../../scripts/kubernetes/gates.mjs";
import {
  callsOf,
  compositesOf,
  constantsOf,
  functionsOf,
  importsOf,
  kubernetesRelease,
  tokensOf,
} from "../../scripts/kubernetes/go-source.mjs";
import { storageOf } from "../../scripts/kubernetes/storage.mjs";
import { tablesIn, tablesUpTo, tablesWith, textsIn, textsOf } from "../../scripts/kubernetes/tables.mjs";
import apis from "../../tables/kubernetes-apis.json" with { type: "json" };
import gates from "../../tables/kubernetes-gates.json" with { type: "json" };
import messages from "../../tables/kubernetes-messages.json" with { type: "json" };
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const DATA = join(process.cwd(), "tables");
/** A Go module cache with modules of Kubernetes' releases, or folders of modules in its form. */
const MODULES = process.env["SLIPWAY_KUBE_MODULES"] ?? "";

const test = suite("tables from Kubernetes' sources");

/** The sources of these releases, all of them or none. */
function sourcesOf(releases: readonly string[]): ReturnType<typeof kubernetesRelease>[] | undefined {
  try {
    return releases.map((release) => kubernetesRelease(MODULES, release));
  } catch {
    return undefined;
  }
}

const PROGRAM = join(process.cwd(), "scripts/kubernetes/cel-environment/main.go");
const FUNCTION_TABLE = "kubernetes-cel-functions";
const COST_TABLE = "kubernetes-cel-costs";
/** A table that needs Go, and one that is written by hand. */
const APART = new Set([FUNCTION_TABLE, COST_TABLE]);

const FROM = ["1.35", "1.36", "1.37"];
const REBUILT = "1.36 and 1.37 added to the tables of 1.35 give the committed tables";
const sources = MODULES === "" ? undefined : sourcesOf(FROM);
if (sources === undefined)
  skipTest(test, REBUILT, `needs SLIPWAY_KUBE_MODULES, a Go module cache with Kubernetes ${FROM.join(", ")}`);
else
  test(REBUILT, () => {
    const committed = textsIn(DATA);
    const older = tablesUpTo(tablesIn(committed), "1.35", sources);
    const before = textsOf(older);
    const [, ...newer] = sources;
    const made = textsOf(newer.reduce((tables, each) => tablesWith(tables, each), older));
    const names = Object.keys(committed).filter((name) => !APART.has(name));
    assert.is(names.length, 7);
    for (const name of names) {
      assert.is.not(before[name], committed[name], name);
      assert.fixture(made[name] ?? "", committed[name] ?? "", name);
    }
  });

const COSTS = "costs of expressions were compared with the sources of the newest release";
const FUNCTIONS = "functions of 1.36 and 1.37 added to those of 1.35 give the committed table";
if (sources === undefined || process.env["SLIPWAY_KUBE_GO"] === undefined)
  skipTest(test, FUNCTIONS, "needs SLIPWAY_KUBE_MODULES, and SLIPWAY_KUBE_GO=1 as it builds a Go program");
else
  test(FUNCTIONS, () => {
    const committed = textsIn(DATA);
    const [, ...newer] = sources;
    let tables = tablesUpTo(tablesIn(committed), "1.35", sources);
    for (const each of newer) tables = tablesWith(tables, each, { functions: readFunctions(each, PROGRAM) });
    assert.fixture(textsOf(tables)[FUNCTION_TABLE] ?? "", committed[FUNCTION_TABLE] ?? "");
  });

const AGAIN = "the newest release added again changes nothing";
const newest = sources?.at(-1);
if (newest === undefined) {
  skipTest(test, AGAIN, "needs SLIPWAY_KUBE_MODULES");
  skipTest(test, COSTS, "needs SLIPWAY_KUBE_MODULES");
} else {
  test(COSTS, () => {
    assert.equal(changedCosts(tablesIn(textsIn(DATA))[COST_TABLE] ?? {}, newest), []);
  });
  test(AGAIN, () => {
    const committed = textsIn(DATA);
    assert.equal(textsOf(tablesWith(tablesIn(committed), newest)), committed);
  });
}

test("every table is written as it is formatted", () => {
  const committed = textsIn(DATA);
  assert.equal(textsOf(tablesIn(committed)), committed);
});

test("a table cut back to an older release names no newer one", () => {
  const older = textsOf(tablesUpTo(tablesIn(textsIn(DATA)), "1.33"));
  for (const name of ["kubernetes-gates", "kubernetes-storage", "kubernetes-cel"]) {
    const text = (older[name] ?? "").replace(/"(?:source|about)": (?:"[^"]*"|\[[^\]]*\])/g, "");
    assert.ok(text.includes("1.33"), name);
    assert.not.match(text, /"1\.3[4-9]|\b1\.3[4-9] (?:Alpha|Beta|GA|Deprecated)/, name);
  }
});

test("Go text is parted into tokens", () => {
  const tokens = tokensOf('a.B("x\\n\\u00e9", `raw \\n`, 0x1F) // "no"\n/* { */ \'"\' ...');
  assert.equal(
    tokens.map(({ text }) => text),
    ["a", ".", "B", "(", "x\né", ",", "raw \\n", ",", "0x1F", ")", "\n", "'\"'", "..."],
  );
  assert.throws(() => tokensOf("a\n\x01", "f.go"), /f\.go:2/);
});

test("imports have the names that a file uses", () => {
  const tokens = tokensOf(`package p
import (
	"fmt"
	v1 "k8s.io/api/apps/v1"
	"k8s.io/api/core/v1beta1"
	"github.com/blang/semver/v4"
)
var x = "k8s.io/no"
`);
  assert.equal(
    [...importsOf(tokens)],
    [
      ["fmt", "fmt"],
      ["v1", "k8s.io/api/apps/v1"],
      ["v1beta1", "k8s.io/api/core/v1beta1"],
      ["semver", "github.com/blang/semver/v4"],
    ],
  );
});

test("constants are read in groups, alone, typed, converted and by another's name", () => {
  const tokens = tokensOf(`package p
const Alone = "a"
const (
	// Typed = "comment"
	Typed feature.Feature = "t"
	Converted = feature.Feature("c")
	Named     = other.Name
)
func f() { const inner = 1 }
`);
  assert.equal(Object.fromEntries(constantsOf(tokens)), {
    Alone: { text: "a" },
    Typed: { text: "t" },
    Converted: { text: "c" },
    Named: { name: "other.Name" },
  });
});

test("a result's type before a body is no literal", () => {
  const tokens = tokensOf(`package p
func gates() map[f.Feature]f.VersionedSpecs {
	return map[f.Feature]f.VersionedSpecs{
		A: {{Default: true}},
	}
}
`);
  const found = compositesOf(tokens, /VersionedSpecs$/);
  assert.is(found.length, 1);
  assert.equal(
    found[0]?.elements?.map(({ key }) => key?.name),
    ["A"],
  );
});

test("calls of a function are found, its declaration is not", () => {
  const tokens = tokensOf(`package p
func (r R) Add(a string) {}
func Add(a string) {}
func f() { r.Add("x", g(1, 2)); Add("y") }
`);
  assert.equal(
    callsOf(tokens, "Add").map(([first]) => first?.text),
    ["x", "y"],
  );
});

test("functions have their receivers and bodies", () => {
  const tokens = tokensOf(`package p
type T interface { m() }
func (in *Pod) Since() (major, minor int) {
	return 1, 2
}
func plain(f func(int) error) {}
`);
  assert.equal(
    functionsOf(tokens).map(({ name, receiver, body }) => [name, receiver, body.length]),
    [
      ["Since", "Pod", 6],
      ["plain", undefined, 0],
    ],
  );
});

test("gates are read with their specs and dependencies", () => {
  const { specs, needs } = gatesOf(
    tokensOf(`package features
var gates = map[featuregate.Feature]featuregate.VersionedSpecs{
	One: {
		{Version: version.MustParse("1.36"), Default: true, PreRelease: featuregate.GA, LockToDefault: true}, // remove in 1.39
		{Version: version.MustParse("1.33"), Default: false, PreRelease: featuregate.Alpha},
	},
	other.Two: {
		{Version: version.MustParse("1.37"), Default: true, PreRelease: featuregate.Beta, MinCompatibilityVersion: version.MustParse("1.37")},
		{Version: version.MustParse("1.37"), Default: false, PreRelease: featuregate.Beta},
	},
}
var old = map[featuregate.Feature]featuregate.FeatureSpec{
	Three: {Default: true, PreRelease: featuregate.Beta},
}
var needs = map[featuregate.Feature][]featuregate.Feature{
	One: {Three, featuregate.Feature(other.Two)},
	Three: {},
}
`),
  );
  assert.equal(specs, [
    { constant: "One", specs: ["1.33 Alpha off", "1.36 GA on locked"] },
    { constant: "other.Two", specs: ["1.37 Beta off", "1.37 Beta on min 1.37"] },
    { constant: "Three", specs: ["0.0 Beta on"] },
  ]);
  assert.equal(needs, [
    { constant: "One", needs: ["Three", "other.Two"] },
    { constant: "Three", needs: [] },
  ]);
});

test("kinds are read without lists, options and types of others", () => {
  const tokens = tokensOf(`package v1
func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion, &Pod{}, &PodList{}, &PodLogOptions{}, &metav1.Status{})
	scheme.AddKnownTypes(SchemeGroupVersion,
		&Binding{},
	)
}
`);
  assert.equal(kindsOf(tokens), ["Pod", "Binding"]);
});

test("resources of kinds are guessed as apimachinery does it", () => {
  assert.equal(["NetworkPolicy", "Ingress", "Endpoints", "Pod"].map(resourceOf), [
    "networkpolicies",
    "ingresses",
    "endpoints",
    "pods",
  ]);
});

test("lifecycles are read from their methods", () => {
  const tokens = tokensOf(`package v1beta1
func (in *Job) APILifecycleIntroduced() (major, minor int) { return 1, 21 }
func (in *Job) APILifecycleRemoved() (major, minor int) {
	return 1, 25
}
func (in *Job) APILifecycleReplacement() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"}
}
func (in *Job) DeepCopy() *Job { return nil }
`);
  assert.equal(Object.fromEntries(lifecyclesOf(tokens)), {
    Job: { introduced: "1.21", removed: "1.25", replacement: "batch/v1/Job" },
  });
});

test("keys and scopes are read from upstream's fixtures", () => {
  const tokens = tokensOf(`package etcd
func gvr(g, v, r string) schema.GroupVersionResource { return x }
var data = map[schema.GroupVersionResource]StorageData{
	gvr("", "v1", "services"): {
		Stub:             \`{"metadata": {}}\`,
		ExpectedEtcdPath: "/registry/services/specs/" + namespace + "/service1",
	},
	gvr("node.k8s.io", "v1", "runtimeclasses"): {
		ExpectedEtcdPath: "/registry/runtimeclasses/rc1",
	},
}
`);
  assert.equal(fixturesOf(tokens), [
    { group: "", version: "v1", resource: "services", path: "services/specs", namespaced: true },
    {
      group: "node.k8s.io",
      version: "v1",
      resource: "runtimeclasses",
      path: "runtimeclasses",
      namespaced: false,
    },
  ]);
});

test("endpoints have the gates around them, and only those", () => {
  const tokens = tokensOf(`package rest
func (p P) NewRESTStorage() {
	info.VersionedResourcesStorageMap[onev1.SchemeGroupVersion.Version] = storageMap
	info.VersionedResourcesStorageMap[onev2.SchemeGroupVersion.Version] = storageMap
}
func (p P) v1() {
	if resource := "jobs"; source.ResourceEnabled(batchv1.SchemeGroupVersion.WithResource(resource)) {
		if utilfeature.DefaultFeatureGate.Enabled(features.Jobs) {
			storage[resource] = s
		} else {
			klog.Warning("off")
		}
	}
	if resource := "crons"; source.ResourceEnabled(batchv1.SchemeGroupVersion.WithResource(resource)) {
		if utilfeature.DefaultFeatureGate.Enabled(features.Other) {
			klog.Info("on")
		}
		storage[resource] = s
	}
	if resource := "every"; source.ResourceEnabled(groupVersion.WithResource(resource)) {
		storage[resource] = s
	}
}
`);
  assert.equal(endpointsOf(tokens), [
    { alias: "batchv1", resource: "jobs", gates: ["features.Jobs"] },
    { alias: "batchv1", resource: "crons", gates: [] },
    { alias: "onev1", resource: "every", gates: [] },
    { alias: "onev2", resource: "every", gates: [] },
  ]);
});

test("pins and shared keys are read, not what a comment shows", () => {
  const tokens = tokensOf(`package kubeapiserver
func f() {
	resources := []schema.GroupVersionResource{
		// apisstorage.Resource("csistoragecapacities").WithVersion("v1beta1"),
		certificates.Resource("bundles").WithVersion("v1beta1"), // TODO
	}
	factory.AddCohabitatingResources(apps.Resource("deployments"), extensions.Resource("deployments"))
}
`);
  assert.equal(storageOf(tokens), {
    pins: [{ alias: "certificates", resource: "bundles", version: "v1beta1" }],
    cohabitation: [
      [
        { alias: "apps", resource: "deployments" },
        { alias: "extensions", resource: "deployments" },
      ],
    ],
  });
});

test("options of expressions are named, oldest first", () => {
  const tokens = tokensOf(`package environment
var baseOpts = []VersionedOptions{
	{
		IntroducedVersion: version.MajorMinor(1, 30),
		RemovedVersion:    version.MajorMinor(1, 37),
		EnvOptions: []cel.EnvOption{UnversionedLib(library.CIDR), ext.Lists(ext.ListsVersion(3))},
	},
	{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions: []cel.EnvOption{cel.DefaultUTCTimeZone(true), cel.CrossTypeNumericComparisons(true)},
	},
	{
		IntroducedVersion: version.MajorMinor(1, 31),
		FeatureEnabled: func() bool {
			enabled := utilfeature.DefaultFeatureGate.Enabled(genericfeatures.Selectors)
			return enabled
		},
		EnvOptions: []cel.EnvOption{UnversionedLib(library.AuthzSelectors)},
	},
	StrictCostOpt,
}
`);
  assert.equal(optionsOf(tokens), [
    { name: "option.cross-type-numeric-comparisons", introduced: "1.0" },
    { name: "library.cidr", introduced: "1.30", removed: "1.37" },
    { name: "library.lists.v3", introduced: "1.30", removed: "1.37" },
    { name: "library.authorizer-selectors", introduced: "1.31", gate: "Selectors" },
  ]);
});

test("functions of a release are added to those that are known", () => {
  assert.is(
    signatureOf("f(list(<A>), google.protobuf.Timestamp): google.protobuf.Duration"),
    "f(list(A), timestamp): duration",
  );
  const table = {
    macros: [{ since: "1.0", names: ["has/1"] }],
    functions: [{ since: "1.0", functions: ["size(list(A)): int"], methods: [] }],
  };
  const read = {
    functions: ["@not_strictly_false(bool): bool", "in(<A>, list(<A>)): bool", "size(list(<A>)): int"],
    methods: ["path(kubernetes.authorization.Authorizer, string): kubernetes.authorization.PathCheck"],
    macros: ["has/1"],
  };
  assert.equal(addFunctions(table, "1.38", [read, read]), table);
  const more = { ...read, methods: ["trim(string): string"], macros: ["all/2", "has/1"] };
  assert.equal(addFunctions(table, "1.38", [read, more]), {
    macros: [...table.macros, { since: "1.38", names: ["all/2"] }],
    functions: [...table.functions, { since: "1.38", functions: [], methods: ["trim(string): string"] }],
  });
  // What a server no longer has went with its libraries, whatever release it compiles for.
  const less = { ...read, functions: [] };
  assert.equal(addFunctions(table, "1.38", [less, less]), {
    ...table,
    functions: [{ since: "1.0", before: "1.37", functions: ["size(list(A)): int"], methods: [] }],
  });
});

test("a digest of Go text tells code, not comments and layout", () => {
  const text = "package p\n// one\nvar a = 1\n";
  assert.is(digestOf(text), digestOf("package p\n\nvar a =   1 // two\n"));
  assert.is.not(digestOf(text), digestOf("package p\nvar a = 2\n"));
});

test("the manual names the releases that the tables have", () => {
  const span = ({ first, last }: { first?: string | undefined; last?: string | undefined }): string =>
    `${first} to ${last}`;
  const decoded = Object.keys(messages.patches);
  for (const [page, ...texts] of [
    [
      "docs/etcd.md",
      `releases ${span({ first: decoded[0], last: decoded.at(-1) })}; `,
      `Releases ${span(apis.releases)} have data`,
    ],
    [
      "docs/compatibility.md",
      `the gates of its releases ${span(gates.releases)}, `,
      `the built-in kinds of ${span(apis.releases)} `,
    ],
  ] as const) {
    const text = readFileSync(page, "utf8");
    for (const each of texts) assert.ok(text.includes(each), `${page}: ${each}`);
  }
});

test("a release is found in a module cache and in a checkout", () => {
  const folder = tempFolder();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write("cache/k8s.io/kubernetes@v1.38.2/a.go", "");
  write("cache/k8s.io/kubernetes@v1.38.10/a.go", "");
  write("cache/k8s.io/kubernetes@v1.39.0-rc.1/a.go", "");
  write("cache/k8s.io/api@v0.38.10/core/v1/register.go", 'package v1\nconst GroupName = ""\n');
  write("tree/staging/src/k8s.io/api/core/v1/types.go", "package v1\n");
  write("tree/CHANGELOG/CHANGELOG-1.38.md", "<!-- -->\n# v1.38.1\n## Downloads\n# v1.38.0\n");
  const cached = kubernetesRelease(join(folder, "cache"), "1.38");
  assert.is(cached.version, "v1.38.10");
  assert.equal(cached.sources("k8s.io/api/core/v1"), ["k8s.io/api/core/v1/register.go"]);
  assert.is(cached.constant("k8s.io/api/core/v1/register.go", "GroupName"), "");
  const tree = kubernetesRelease(join(folder, "tree"), "1.38");
  assert.is(tree.version, "v1.38.1");
  assert.is(tree.place("k8s.io/api/core/v1"), join(folder, "tree/staging/src/k8s.io/api/core/v1"));
  assert.throws(() => kubernetesRelease(join(folder, "cache"), "1.39"), /has no k8s\.io\/kubernetes@v1\.39/);
  assert.throws(() => kubernetesRelease(join(folder, "tree"), "1.37"), /no checkout of a patch of 1\.37/);
});

test.run();
