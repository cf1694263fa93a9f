import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { commandLineFlag } from "../../src/compatibility/flags.js";
import type { GateTable } from "../../src/compatibility/gate-table.js";
import { kubernetesGates } from "../../src/compatibility/kubernetes-gates.js";
import { type PlanQuestion, type PlanStep, upgradePlan } from "../../src/compatibility/plan.js";
import { binaryHops, PLAN_COMPONENTS } from "../../src/compatibility/plan-route.js";
import { readApiTable } from "../../src/compatibility/read/api-table.js";
import { readGatesInEffect } from "../../src/compatibility/read/gates-in-effect.js";
import { KEP, type Rules, SHIPPED } from "../../src/compatibility/rules.js";
import { formatMinor } from "../../src/compatibility/version.js";
import { createReporter, type Diagnostic } from "../../src/core/diagnostics.js";
import { apis, codes, HEAD, minor, mustRead, readTable, table } from "../helpers/compat.js";
import { withShared } from "../helpers/shared.js";

const test = suite("plan");

interface Options extends Partial<Omit<PlanQuestion, "from" | "to" | "featureGates" | "runtimeConfig">> {
  readonly gates?: string;
  readonly config?: string;
}

function plan(
  from: string,
  to: string,
  options: Options = {},
): { steps: PlanStep[]; diagnostics: readonly Diagnostic[] } {
  const { report, diagnostics } = createReporter();
  const { gates, config, ...rest } = options;
  const steps = upgradePlan(
    {
      from: minor(from),
      to: minor(to),
      components: PLAN_COMPONENTS,
      tables: [],
      dependencies: [],
      lifecycle: undefined,
      pins: undefined,
      rules: SHIPPED,
      hops: "fewest",
      featureGates: gates === undefined ? [] : [commandLineFlag("--feature-gates", gates)],
      runtimeConfig: config === undefined ? [] : [commandLineFlag("--runtime-config", config)],
      ...rest,
    },
    report,
  );
  return { steps, diagnostics };
}

const short = ({ component, binaryVersion, emulatedVersion, minCompatibilityVersion }: PlanStep): string =>
  `${component.replace(/^kube-|-manager$/g, "")} ${binaryVersion}/${emulatedVersion}/${minCompatibilityVersion}`;

test("a gate that is set and becomes GA is told once, with the step; without a setting nothing is", () => {
  const tables = [kubernetesGates(minor("1.33")), kubernetesGates(minor("1.36"))];
  const components = ["kube-apiserver"];
  const told = (gates?: string): string[] =>
    plan("1.33", "1.36", {
      components,
      tables,
      ...(gates === undefined ? {} : { gates }),
    }).diagnostics.flatMap(({ code, message }) => (code === "GATE136" ? [message] : []));
  assert.equal(told(), []);
  const messages = told("SidecarContainers=true,InPlacePodVerticalScaling=true");
  assert.is(messages.length, 2);
  assert.match(messages[0] ?? "", /^SidecarContainers is GA.*\(before the first step: kube-apiserver\)/);
  const { steps } = plan("1.33", "1.36", { components, tables });
  const at = steps.findIndex(({ emulatedVersion }) => emulatedVersion === "1.35");
  assert.match(
    messages[1] ?? "",
    new RegExp(`^InPlacePodVerticalScaling is GA.*\\(from step ${at + 1}: kube-apiserver\\)`),
  );
});

test("the way back: minimum, nodes, emulated version, the old binary last, kube-apiserver behind the others", () => {
  const { steps, diagnostics } = plan("1.36", "1.34", {
    components: ["kube-apiserver", "kube-scheduler", "kubelet"],
  });
  assert.equal(steps.map(short), [
    "scheduler 1.36/1.36/1.33",
    "apiserver 1.36/1.36/1.33",
    "kubelet 1.34/1.34/null",
    "scheduler 1.36/1.35/1.33",
    "apiserver 1.36/1.35/1.33",
    "scheduler 1.36/1.34/1.33",
    "apiserver 1.36/1.34/1.33",
    "scheduler 1.34/1.34/1.33",
    "apiserver 1.34/1.34/1.33",
  ]);
  assert.equal(
    steps.flatMap(({ blockers }) => blockers),
    [],
  );
  assert.match(steps[2]?.does ?? "", /^drain each node and downgrade kubelet to 1\.34/);
  // Two minors apart while the old binary comes back.
  const published = (found: readonly Diagnostic[]): string[] =>
    found.map(({ code, field }) => `${code} ${field}`);
  assert.equal(published(diagnostics), ["SKEW005 kube-scheduler", "SKEW005 kube-apiserver"]);
  assert.equal(published(plan("1.37", "1.36").diagnostics), []);
});

test("one minor release at a time keeps to the published skew policy, whatever the distance", () => {
  for (const [from, to] of [
    ["1.31", "1.37"],
    ["1.33", "1.37"],
    ["1.24", "1.30"],
    ["1.37", "1.33"],
  ] as const) {
    const { steps, diagnostics } = plan(from, to, { hops: "minor" });
    assert.equal(codes(diagnostics, "warning"), [], `${from} to ${to}`);
    const binaries = steps.flatMap(({ component, move, binaryVersion }) =>
      component === "kube-apiserver" && move === "binary" ? [minor(binaryVersion).minor] : [],
    );
    const distance = Math.abs(minor(to).minor - minor(from).minor);
    assert.is(binaries.length, distance);
    if (from < to)
      assert.equal(
        binaries,
        binaries.map((_, i) => minor(from).minor + 1 + i),
      );
  }
  // Nodes follow only where they must: a kubelet may be three minors older.
  const { steps } = plan("1.33", "1.37", { hops: "minor" });
  assert.equal(
    steps.filter(({ component }) => component === "kubelet").map(({ binaryVersion }) => binaryVersion),
    ["1.36", "1.37"],
  );
});

test("what was stored by the newer release is written again on the way back", () => {
  const lifecycle = apis(`${HEAD}kind: APILifecycle
kinds:
- {group: g.example.com, version: v1, kind: Crate, resource: crates, introduced: "1.37"}
- {group: g.example.com, version: v1beta1, kind: Crate, resource: crates, introduced: "1.34"}
`);
  const lowered = (steps: readonly PlanStep[]): readonly PlanStep[] =>
    steps.filter(({ healthChecks }) => healthChecks.some((check) => check.includes("has been rewritten")));
  const { steps } = plan("1.38", "1.37", { components: ["kube-apiserver"], lifecycle });
  assert.equal(
    lowered(steps).map(({ move, minCompatibilityVersion, storageVersions }) => [
      move,
      minCompatibilityVersion,
      storageVersions.moved.map(({ from, to }) => `${from} -> ${to}`),
    ]),
    [["min-compatibility-version", "1.36", ["v1 -> v1beta1"]]],
  );
  assert.equal(lowered(plan("1.37", "1.38", { components: ["kube-apiserver"], lifecycle }).steps), []);
});

test("where nothing can be emulated, the way back is blocked", () => {
  const { steps } = plan("1.31", "1.30", { components: ["kube-apiserver"] });
  assert.equal(
    steps.map(({ does, blockers }) => [does, blockers.map(({ code }) => code)]),
    [["run the 1.30 binary of kube-apiserver again", ["PLAN003"]]],
  );
});

test("one hop: binary first, then one minor at a time, nodes, the minimum last", () => {
  const { steps } = plan("1.34", "1.36", { components: ["kube-apiserver", "kube-scheduler", "kubelet"] });
  assert.equal(steps.map(short), [
    "apiserver 1.36/1.34/1.33",
    "scheduler 1.36/1.34/1.33",
    "apiserver 1.36/1.35/1.33",
    "scheduler 1.36/1.35/1.33",
    "apiserver 1.36/1.36/1.33",
    "scheduler 1.36/1.36/1.33",
    "kubelet 1.36/1.36/null",
    "apiserver 1.36/1.36/1.35",
    "scheduler 1.36/1.36/1.35",
  ]);
  assert.ok(steps.every(({ blockers }) => blockers.length === 0));
  assert.ok(steps.every(({ healthChecks }) => healthChecks.length > 0));
});

test("binaries before 1.31 go one by one, and before 1.35 the minimum follows the emulation", () => {
  const { steps } = plan("1.29", "1.34", { components: ["kube-apiserver", "kube-scheduler", "kubelet"] });
  assert.equal(steps.map(short), [
    "apiserver 1.30/1.30/1.29",
    "scheduler 1.30/1.30/1.29",
    "apiserver 1.31/1.31/1.30",
    "scheduler 1.31/1.31/1.30",
    "apiserver 1.34/1.31/1.31",
    "scheduler 1.34/1.31/1.31",
    "apiserver 1.34/1.32/1.31",
    "scheduler 1.34/1.32/1.31",
    // At minimum 1.32 the oldest kubelet is 1.30.
    "kubelet 1.32/1.32/null",
    "apiserver 1.34/1.33/1.32",
    "scheduler 1.34/1.33/1.32",
    "apiserver 1.34/1.34/1.33",
    "scheduler 1.34/1.34/1.33",
    "kubelet 1.34/1.34/null",
  ]);
  assert.equal(
    steps.flatMap(({ blockers }) => blockers),
    [],
  );
  assert.ok(steps.every(({ does }) => !does.includes("--min-compatibility-version")));
  assert.match(steps[0]?.does ?? "", "run the 1.30 binary of kube-apiserver, which cannot emulate 1.29");
  assert.match(steps[4]?.does ?? "", /with --emulated-version=1\.31$/);
  assert.match(steps[12]?.does ?? "", "the flag can be removed");
  assert.match(steps[0]?.healthChecks[1] ?? "", /reports major=1 minor=30 on every instance$/);

  const design = plan("1.29", "1.32", { components: ["kube-apiserver"], rules: KEP }).steps;
  assert.match(design[0]?.does ?? "", "--emulated-version=1.29 --min-compatibility-version=1.29");
});

test("components go in the order of the skew policy", () => {
  const { steps } = plan("1.35", "1.36");
  assert.equal(
    steps.slice(0, 4).map(({ component }) => component),
    ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-apiserver"],
  );
});

test("a cloud-controller-manager takes a binary when what it cannot emulate is reached, there and back", () => {
  const components = ["kube-apiserver", "cloud-controller-manager", "kubelet"];
  const there = plan("1.29", "1.36", { components }).steps;
  assert.equal(there.map(short), [
    "apiserver 1.30/1.30/1.29",
    "cloud-controller 1.30/1.30/null",
    "apiserver 1.31/1.31/1.30",
    "cloud-controller 1.31/1.31/null",
    "apiserver 1.34/1.31/1.31",
    "apiserver 1.34/1.32/1.31",
    "cloud-controller 1.32/1.32/null",
    "kubelet 1.32/1.32/null",
    "apiserver 1.34/1.33/1.32",
    "cloud-controller 1.33/1.33/null",
    "apiserver 1.34/1.34/1.33",
    "apiserver 1.36/1.34/1.33",
    "apiserver 1.36/1.35/1.33",
    "apiserver 1.36/1.36/1.33",
    "cloud-controller 1.36/1.36/null",
    "kubelet 1.36/1.36/null",
    "apiserver 1.36/1.36/1.35",
  ]);
  const back = plan("1.36", "1.35", { components }).steps;
  assert.equal(back.map(short), [
    "apiserver 1.36/1.36/1.34",
    "kubelet 1.35/1.35/null",
    "cloud-controller 1.35/1.35/null",
    "apiserver 1.36/1.35/1.34",
    "apiserver 1.35/1.35/1.34",
  ]);
  for (const step of [...there, ...back]) {
    assert.equal(step.component === "kubelet" ? [] : step.blockers, []);
    if (step.component === "cloud-controller-manager") assert.not.match(step.does, "--");
  }
});

test("what is set on single components blocks theirs alone, and what they run as is not passed over", () => {
  const inEffect = (text: string, component = "") =>
    readGatesInEffect(text, "in-effect", createReporter().report).map((each) => ({
      ...each,
      component: each.component || component,
    }));
  const blocked = (text: string, component?: string) =>
    plan("1.36", "1.37", {
      components: ["kube-apiserver", "kubelet"],
      tables: ["1.36", "1.37"].map((at) => kubernetesGates(minor(at))),
      inEffect: inEffect(text, component),
    }).steps.flatMap(({ component: name, blockers }) =>
      blockers.map(({ code, field, message }) => `${name} ${code} ${field} ${message.split(" ")[0]}`),
    );
  assert.equal(
    blocked("kind: KubeletConfiguration\nfeatureGates: {SidecarContainers: true, KubeletPSI: true}\n"),
    ["kubelet GATE132 --feature-gates unrecognized"],
  );
  // A gate that shows what it is by default was not set; this one was.
  const metric = (on: number) => `kubernetes_feature_enabled{name="HostnameOverride",stage="BETA"} ${on}\n`;
  assert.equal(blocked(metric(1), "kube-apiserver"), []);
  assert.equal(blocked(metric(0), "kube-apiserver"), [
    "kube-apiserver GATE134 --feature-gates HostnameOverride",
  ]);
  const pod = "kind: Pod\nspec:\n  containers:\n  - command: [kube-apiserver, --emulated-version=1.35]\n";
  const warned = (from: string, to: string) =>
    plan(from, to, { inEffect: inEffect(pod) }).diagnostics.map(({ code }) => code);
  assert.equal(warned("1.36", "1.37"), ["PLAN004"]);
  assert.equal(warned("1.35", "1.36"), []);
});

test("as many binary hops as the ranges need", () => {
  const hops = (from: string, to: string, rules: Rules = SHIPPED): string[] =>
    binaryHops(minor(from), minor(to), rules, "fewest").map(formatMinor);
  assert.equal(hops("1.34", "1.37"), ["1.37"]);
  assert.equal(hops("1.32", "1.37"), ["1.35", "1.37"]);
  assert.equal(hops("1.31", "1.38"), ["1.34", "1.37", "1.38"]);
  assert.equal(hops("1.29", "1.32"), ["1.30", "1.31", "1.32"], "nothing below 1.31 can be emulated");
  assert.equal(hops("1.28", "1.31", KEP), ["1.31"], "the design's own example");
  assert.equal(hops("1.28", "1.30", { set: "kep", stage: "alpha" }), ["1.29", "1.30"]);
});

test("a hop that no emulation can bridge says so", () => {
  const { steps } = plan("1.30", "1.31", { components: ["kube-apiserver"] });
  assert.equal(steps.map(short), ["apiserver 1.31/1.31/1.30"]);
  assert.match(steps[0]?.does ?? "", /cannot emulate 1\.30/);
});

test("several hops keep every component within its range", () => {
  for (const [from, to] of [
    ["1.31", "1.40"],
    ["1.32", "1.37"],
    ["1.33", "1.34"],
  ] as const)
    for (const rules of [SHIPPED, KEP, { set: "kep", stage: "alpha" } as const]) {
      const { steps } = plan(from, to, { rules });
      assert.equal(
        steps.flatMap(({ blockers }) => blockers),
        [],
        `${from} ${to} ${rules.set}`,
      );
      const last = steps.filter(({ component }) => component === "kube-apiserver").at(-1);
      assert.is(last?.binaryVersion, to);
      assert.is(last?.emulatedVersion, to);
    }
});

test("rollback leads back to the minimum compatibility version", () => {
  const { steps } = plan("1.34", "1.36", { components: ["kube-apiserver"] });
  assert.equal(
    steps.map(({ rollback }) => `${rollback.binaryVersion} ${rollback.emulatedVersion}`),
    ["1.33 1.33", "1.33 1.33", "1.33 1.33", "1.35 1.35"],
  );
});

const OLD = table({
  Gone: "Beta 1.31 on, GA 1.33 on locked",
  Alphas: "Alpha 1.33 off",
  Grows: "Alpha 1.33 off, Beta 1.34 off",
});
const NOW = table({
  Grows: "Alpha 1.33 off, Beta 1.34 off, Beta 1.35 on, GA 1.36 on locked",
  Fresh: "Alpha 1.35 off, Beta 1.36 on",
  Sinks: "Beta 1.33 on, Deprecated 1.36 off",
});

test("each step says which gates turn on and off, lock, vanish and begin", () => {
  const { steps, diagnostics } = plan("1.34", "1.36", { components: ["kube-apiserver"], tables: [OLD, NOW] });
  assert.equal(codes(diagnostics), []);
  const changes = steps.map(({ gates }) =>
    Object.entries(gates)
      .filter(([, names]) => names.length > 0)
      .map(([what, names]) => `${what}: ${names.join()}`),
  );
  assert.equal(changes, [
    ["on: Sinks", "vanished: Alphas,Gone", "introduced: Sinks"],
    ["on: Grows", "introduced: Fresh"],
    ["on: Fresh", "off: Sinks", "locked: Grows"],
    [],
  ]);
});

test("flags that would keep a component from starting block its step, once a component", () => {
  const options = { components: ["kube-apiserver", "kube-scheduler"], tables: [OLD, NOW] };
  const blocked = (gates: string): string[] =>
    plan("1.34", "1.36", { ...options, gates }).steps.flatMap(({ component, emulatedVersion, blockers }) =>
      blockers.map(
        ({ code, message }) => `${component} ${emulatedVersion} ${code} ${message.match(/[A-Z]\w+/)?.[0]}`,
      ),
    );
  assert.equal(blocked("Gone=true"), [
    "kube-apiserver 1.34 GATE132 Gone",
    "kube-scheduler 1.34 GATE132 Gone",
  ]);
  assert.equal(blocked("Grows=false"), [
    "kube-apiserver 1.36 GATE134 Grows",
    "kube-scheduler 1.36 GATE134 Grows",
  ]);
  assert.equal(blocked("Grows=true"), []);
  assert.equal(blocked("Fresh=true"), [
    "kube-apiserver 1.34 GATE133 Fresh",
    "kube-scheduler 1.34 GATE133 Fresh",
  ]);
});

const APIS = apis(`${HEAD}kind: APILifecycle
kinds:
- {group: g, version: v1beta1, kind: K, resource: ks, introduced: "1.20", removed: "1.36", enabledByDefault: true}
- {group: g, version: v1, kind: K, resource: ks, introduced: "1.35"}
- {group: f, version: v1, kind: Fresh, resource: freshes, introduced: "1.36"}
`);

test("each step of the API server says which APIs and storage versions move, and what rollback could not read", () => {
  const { steps } = plan("1.34", "1.36", {
    components: ["kube-apiserver", "kube-scheduler"],
    lifecycle: APIS,
  });
  const moves = steps
    .filter(({ component }) => component === "kube-apiserver")
    .map(({ emulatedVersion, minCompatibilityVersion, apis: changed, storageVersions, rollback }) => [
      `${emulatedVersion}/${minCompatibilityVersion}`,
      changed.added.join(),
      changed.removed.join(),
      storageVersions.moved.map(({ resource, from, to }) => `${resource} ${from}>${to}`).join(),
      rollback.notReadable.join(),
    ]);
  assert.equal(moves, [
    ["1.34/1.33", "", "", "", ""],
    ["1.35/1.33", "g/v1/ks", "", "", ""],
    ["1.36/1.33", "f/v1/freshes", "g/v1beta1/ks", "", "freshes.f (v1)"],
    ["1.36/1.35", "", "", "ks v1beta1>v1", "freshes.f (v1)"],
  ]);
  const scheduler = steps.find(({ component }) => component === "kube-scheduler");
  assert.equal(scheduler?.apis, { added: [], removed: [] });
});

test("a version named in --runtime-config that the new binary does not know blocks it", () => {
  const { steps } = plan("1.34", "1.36", {
    components: ["kube-apiserver"],
    lifecycle: APIS,
    config: "g/v9=true",
  });
  assert.equal(
    steps.flatMap(({ blockers }) => blockers.map(({ code }) => code)),
    ["API014"],
  );
});

test("without the list of the old release, deleted gates cannot be seen: an info says so", () => {
  const late = table({ X: "Alpha 1.36 off" });
  assert.equal(codes(plan("1.34", "1.36", { tables: [late] }).diagnostics, "info"), ["PLAN001"]);
});

withShared(test, "data", "real lists from 1.34 to 1.37 (acceptance 5)", (folder) => {
  const list = (name: string): GateTable =>
    mustRead(readTable(readFileSync(join(folder, "feature-gates", name), "utf8"), name));
  const { report } = createReporter();
  const path = join(folder, "api-lifecycle/api-lifecycle.yaml");
  const lifecycle = readApiTable(readFileSync(path, "utf8"), path, report);
  const { steps } = plan("1.34", "1.37", {
    tables: [
      list("kubernetes-1.34-dev.versioned_feature_list.yaml"),
      list("kubernetes-1.37-dev.versioned_feature_list.yaml"),
    ],
    lifecycle,
  });
  const [first] = steps;
  assert.is(first?.component, "kube-apiserver");
  assert.equal(
    [first?.binaryVersion, first?.emulatedVersion, first?.minCompatibilityVersion],
    ["1.37", "1.34", "1.34"],
  );
  assert.is(first?.gates.vanished.length, 46, "as many as test/compatibility/gates-real.test.ts counts");
  const moved = steps.flatMap(({ storageVersions }) => storageVersions.moved.map(({ resource }) => resource));
  for (const resource of ["resourceclaims", "mutatingadmissionpolicies", "devicetaintrules"])
    assert.ok(moved.includes(resource), resource);
  assert.ok(steps.every(({ blockers }) => blockers.length === 0));
});

test("steps that leave the published skew policy say so", () => {
  const outside = (from: string, to: string, components: readonly string[] = PLAN_COMPONENTS): string[] =>
    plan(from, to, { components })
      .diagnostics.filter(({ code }) => code === "SKEW005")
      .map(({ field, message }) => `${field}: ${message.replace(/^.*policy: \S+ /, "")}`);
  assert.equal(outside("1.35", "1.36"), [], "one minor at a time is what it is made for");
  assert.equal(outside("1.34", "1.35", ["kube-apiserver", "kubelet"]), []);
  assert.equal(outside("1.34", "1.36", ["kube-apiserver"]), [
    "kube-apiserver: 1.34 with kube-apiserver 1.36, which supports 1.35 to 1.36",
  ]);
  // Three minors for the node are allowed, four are not.
  assert.not.ok(
    outside("1.33", "1.36", ["kube-apiserver", "kubelet"]).some((each) => each.startsWith("kubelet")),
  );
  assert.ok(
    outside("1.33", "1.37", ["kube-apiserver", "kubelet"]).includes(
      "kubelet: 1.33 with kube-apiserver 1.37, which supports 1.34 to 1.37",
    ),
  );
});

test("a way back names the gates that the older release refuses", () => {
  const tables = ["1.34", "1.35", "1.36"].map((at) => kubernetesGates(minor(at)));
  const notes = (gates?: string): string[] =>
    plan("1.34", "1.36", {
      components: ["kube-apiserver"],
      tables,
      ...(gates === undefined ? {} : { gates }),
    }).steps.map(({ rollback }) => rollback.note);
  assert.not.ok(notes().some((note) => note.includes("--feature-gates")));
  assert.match(
    notes("MutablePVNodeAffinity=true")[0] ?? "",
    /remove the gates from --feature-gates that it rejects: .*MutablePVNodeAffinity/,
  );
});

test.run();
