/** The one knowledge of Kubernetes' releases: compat, storage and etcd give the same answers, and the right ones. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { groupResource, groupVersion } from "../../src/compatibility/api-table.js";
import { servedApis } from "../../src/compatibility/apis.js";
import { commandLineFlag } from "../../src/compatibility/flags.js";
import { knownGates } from "../../src/compatibility/gate-state.js";
import { newestRelease } from "../../src/compatibility/gate-table.js";
import { checkTable } from "../../src/compatibility/gate-table-check.js";
import { answerGates } from "../../src/compatibility/gates.js";
import { kubernetesApis, kubernetesPins, storedByRelease } from "../../src/compatibility/kubernetes.js";
import { GATE_RELEASES, kubernetesGates } from "../../src/compatibility/kubernetes-gates.js";
import { SHIPPED } from "../../src/compatibility/rules.js";
import { createReporter, type Diagnostic } from "../../src/core/diagnostics.js";
import {
  addMinors,
  compareMinors,
  formatMinor,
  type Minor,
  minorsBetween,
  release,
} from "../../src/core/minor.js";
import { BUILT_INS, isRegistered, storageVersion } from "../../src/etcd/releases.js";
import { builtInBehaviors } from "../../src/storage/kubernetes.js";
import { neededBetween } from "../../src/storage/migrations.js";
import { kube } from "../helpers/compat.js";
import servedAtReleases from "./served-apis.json" with { type: "json" };
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

interface Asked {
  readonly binary: string;
  readonly emulated?: string;
  readonly config?: string | undefined;
  readonly on?: readonly string[];
}

function served({ binary, emulated, config, on = [] }: Asked): {
  all: string[];
  told: readonly Diagnostic[];
} {
  const { report, diagnostics } = createReporter();
  const found = servedApis(
    {
      table: kubernetesApis(),
      versions: kube(binary, emulated),
      rules: SHIPPED,
      runtimeConfig: config === undefined ? [] : [commandLineFlag("--runtime-config", config)],
      gateOn: (name) => on.includes(name),
      forwardCompatible: false,
      runtimeConfigForwardCompatible: false,
      strictRemovedInAlpha: false,
      serveRemovedOneMore: false,
    },
    report,
  );
  const all = found.flatMap((each) =>
    each.resources.map(({ resource }) => `${groupVersion(each)}/${resource}`),
  );
  return { all, told: diagnostics };
}

test("what only the types are left of is served by no setting", () => {
  for (const binary of ["1.31", "1.34", "1.37"]) {
    const { all } = served({ binary, config: "api/all=true" });
    for (const gone of [
      "rbac.authorization.k8s.io/v1alpha1",
      "node.k8s.io/v1alpha1",
      "scheduling.k8s.io/v1alpha1/p",
    ])
      assert.not.ok(
        all.some((each) => each.startsWith(gone)),
        `${gone} in ${binary}`,
      );
  }
  // The newer binary has no endpoint for it, whatever it emulates.
  const alpha = "admissionregistration.k8s.io/v1alpha1/validatingadmissionpolicies";
  assert.ok(served({ binary: "1.32", emulated: "1.31", config: "api/all=true" }).all.includes(alpha));
  assert.not.ok(served({ binary: "1.33", emulated: "1.31", config: "api/all=true" }).all.includes(alpha));
});

/** By binary and span of emulated releases, the resources of each group-version. */
const SERVED: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>> =
  servedAtReleases.served;

/** The releases of `1.31 to 1.33`, of one release alone, or of `never`. */
const releasesOf = (span: string): Minor[] => {
  const [first = "", last = first] = span.split(" to ");
  return first === "never" ? [] : minorsBetween(release(first), release(last));
};

test("resources: what the code of each release serves at each version that it can emulate", () => {
  let cells = 0;
  for (const [binary, spans] of Object.entries(SERVED)) {
    const floor = kube(binary).floor;
    for (const at of minorsBetween(floor, release(binary))) {
      const emulated = formatMinor(at);
      const gates = answerGates(
        {
          known: knownGates(kubernetesGates(release(binary)), SHIPPED),
          dependencies: new Map(),
          versions: kube(binary, emulated),
          settings: new Map(),
          rules: SHIPPED,
          sound: true,
        },
        createReporter().report,
      );
      const on = gates.flatMap(({ name, enabled }) => (enabled ? [name] : []));
      for (const all of [false, true]) {
        const expected = Object.entries(spans).flatMap(([span, versions]) => {
          const [usual = "", withAll = usual] = span.split("; api/all ");
          const holds = releasesOf(all ? withAll : usual).some((each) => compareMinors(each, at) === 0);
          return holds
            ? Object.entries(versions).flatMap(([version, names]) =>
                names.split(" ").map((name) => `${version}/${name}`),
              )
            : [];
        });
        const found = served({ binary, emulated, config: all ? "api/all=true" : undefined, on }).all.filter(
          (each) => !/^api(?:extensions|registration)\.k8s\.io\//.test(each),
        );
        assert.equal(found.sort(), expected.sort(), `${binary} at ${emulated}${all ? " with api/all" : ""}`);
        cells += expected.length;
      }
    }
  }
  assert.ok(cells > 1000, `${cells} cells`);
});

test("an API that needs a gate says so, and is served with it", () => {
  for (const [binary, api, gate] of [
    ["1.33", "certificates.k8s.io/v1beta1/clustertrustbundles", "ClusterTrustBundle"],
    ["1.34", "certificates.k8s.io/v1alpha1/podcertificaterequests", "PodCertificateRequest"],
    ["1.36", "scheduling.k8s.io/v1alpha2/workloads", "GenericWorkload"],
    ["1.36", "storagemigration.k8s.io/v1beta1/storageversionmigrations", "StorageVersionMigrator"],
    ["1.37", "lifecycle.k8s.io/v1alpha1/evictions", "EvictionRequestAPI"],
    ["1.37", "scheduling.k8s.io/v1alpha3/compositepodgroups", "CompositePodGroup"],
  ] as const) {
    for (const config of ["api/all=true", `${api.split("/").slice(0, 2).join("/")}=true`]) {
      const without = served({ binary, config });
      assert.not.ok(without.all.includes(api), api);
      const found = without.told.find(({ field }) => field === api.replace(/\/(?=[^/]*$)/, " "));
      assert.is(found?.code, "API019", api);
      assert.is(found?.severity, config.startsWith("api/") ? "info" : "warning");
      assert.is(found?.hint, `set --feature-gates=${gate}=true`);
      const { all, told } = served({ binary, config, on: [gate] });
      assert.ok(all.includes(api), api);
      assert.not.ok(told.some(({ message }) => message.includes(gate)));
    }
    // Beta and alpha versions are off: nothing is missed.
    if (binary !== "1.37") assert.equal(served({ binary }).told, []);
  }
});

test("a gate that is named by its constant in source code is told by its own name, in every release", () => {
  for (const at of GATE_RELEASES)
    for (const [constant, name] of [
      ["CPUCFSQuotaPeriod", "CustomCPUCFSQuotaPeriod"],
      ["RuntimeClassInImageCriAPI", "RuntimeClassInImageCriApi"],
    ] as const) {
      const table = kubernetesGates(at);
      if (table.gates.some((gate) => gate.name === name))
        assert.is(table.gates.find((gate) => gate.constant === constant)?.name, name, formatMinor(at));
    }
});

test("a gate whose first spec a binary of 1.32 does not register is unknown where that emulates 1.31", () => {
  for (const [binary, expected] of [
    ["1.32", "PreAlpha off"],
    ["1.33", "GA on"],
  ] as const) {
    const answers = answerGates(
      {
        known: knownGates(kubernetesGates(release(binary)), SHIPPED),
        dependencies: new Map(),
        versions: kube(binary, "1.31"),
        settings: new Map(),
        rules: SHIPPED,
        sound: true,
      },
      createReporter().report,
    );
    for (const name of [
      "AllowOverwriteTerminationGracePeriodSeconds",
      "KubeletRegistrationGetOnExistsOnly",
    ]) {
      const found = answers.find((each) => each.name === name);
      assert.is(
        `${found?.stage} ${found?.enabled === true ? "on" : "off"}`,
        expected,
        `${name} of ${binary}`,
      );
    }
  }
});

test("a gate that is registered without a version has no release of its own", () => {
  const table = kubernetesGates(release("1.33"));
  const answers = answerGates(
    {
      known: knownGates(table, SHIPPED),
      dependencies: new Map(),
      versions: kube("1.33"),
      settings: new Map(),
      rules: SHIPPED,
      sound: true,
    },
    createReporter().report,
  );
  assert.is(
    answers.find(({ name }) => name === "WatchListClient")?.reason,
    "Beta, at every emulated version, off by default",
  );
  assert.not.ok(answers.some(({ reason }) => reason.includes(" 0.0")));
});

test("gates of a release are those that its binaries know", () => {
  const names = (at: string): string[] => kubernetesGates(release(at)).gates.map(({ name }) => name);
  const settled = (at: string, name: string) =>
    kubernetesGates(release(at))
      .gates.find((gate) => gate.name === name)
      ?.specs.map(({ version, stage }) => `${version?.numbers.join(".")} ${stage}`);
  assert.ok(names("1.33").includes("CustomCPUCFSQuotaPeriod"));
  assert.not.ok(names("1.33").includes("CPUCFSQuotaPeriod"), "a name of source code, not of a gate");
  for (const at of ["1.32", "1.37"])
    assert.ok(names(at).includes("WatchListClient"), "client-go's gates belong to it");
  assert.equal(settled("1.33", "CustomCPUCFSQuotaPeriod"), ["1.12 Alpha"], "nothing of later releases");
  for (const at of GATE_RELEASES) {
    const { diagnostics, report } = createReporter();
    checkTable(kubernetesGates(at), SHIPPED, report);
    assert.equal(diagnostics, [], formatMinor(at));
    assert.equal(newestRelease(kubernetesGates(at)), at);
  }
});

test("KEP-3166: what is served and not deprecated is never ignored; the clock runs from deprecation", () => {
  const at = (name: string, of: string): string | undefined => {
    const [group = "", resource = "", version = ""] = name.split(" ");
    return builtInBehaviors(group, resource, version)?.behaviors.get(of);
  };
  for (const of of ["1.24", "1.27", "1.30", "1.37"])
    assert.is(at("autoscaling horizontalpodautoscalers v1", of), "supported", of);
  const cron = ["1.21", "1.22", "1.23", "1.24", "1.25", "1.26"].map((of) => at("batch cronjobs v1beta1", of));
  assert.equal(cron, [
    "preferred",
    "supported",
    "actively-migrated",
    "actively-migrated",
    "actively-migrated",
    "ignored",
  ]);
  // Superseded long before it was deprecated, and served until 1.22.
  const rbac = ["1.16", "1.17", "1.20", "1.21", "1.22"].map((of) =>
    at("rbac.authorization.k8s.io clusterroles v1beta1", of),
  );
  assert.equal(rbac, ["supported", "supported", "actively-migrated", "actively-migrated", "ignored"]);
  let served = 0;
  for (const { group, resource, version, deprecated, introduced, removed } of kubernetesApis().kinds) {
    if (resource === undefined || introduced === undefined || version.includes("alpha")) continue;
    const row = builtInBehaviors(group, resource, version);
    for (const [of, behavior] of row?.behaviors ?? []) {
      const now = release(of);
      if (compareMinors(introduced, now) > 0 || (removed !== undefined && compareMinors(removed, now) <= 0))
        continue;
      if (deprecated !== undefined && compareMinors(deprecated, now) <= 0 && removed === undefined) continue;
      assert.is.not(behavior, "ignored", `${version} ${resource} in ${of}`);
      served++;
    }
  }
  assert.ok(served > 1000, String(served));
});

test.run();
