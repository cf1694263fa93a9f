/** Command-line flags of components by release, and those that files start components with. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { flagsOfHelp, readFlags } from "../../scripts/kubernetes/flags.mjs";
import { FLAG_COMPONENTS as NAMED } from "../../src/cli/commands/compat/flags.js";
import {
  FLAG_COMPONENTS,
  FLAG_RELEASES,
  flagChanges,
  flagsAt,
  judgeFlags,
  refusedFlags,
} from "../../src/compatibility/component-flags.js";
import { type FlagInUse, readFlagsInUse } from "../../src/compatibility/read/flags-in-use.js";
import { createReporter } from "../../src/core/diagnostics.js";
import { formatMinor, type Minor, release } from "../../src/core/minor.js";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("compatibility/component-flags");

const place = { file: "pod.yaml", line: 1, column: 1 };
const used = (component: string, flag: string): FlagInUse => ({ component, flag, value: "x", place });
const judged = (inUse: readonly FlagInUse[], ...releases: readonly string[]): string[] => {
  const { report, diagnostics } = createReporter();
  judgeFlags(inUse, releases.map(release), report);
  return diagnostics.map(({ severity, code, field }) => `${severity} ${code} ${field}`);
};
const names = (component: string, at: Minor): ReadonlySet<string> => new Set(flagsAt(component, at).keys());

test("knows the flags of each component in each release", () => {
  assert.equal([...FLAG_COMPONENTS].sort(), [...NAMED]);
  for (const at of FLAG_RELEASES)
    for (const component of FLAG_COMPONENTS) {
      const own = names(component, at);
      assert.ok(own.size > 40, `${component} ${formatMinor(at)}`);
      assert.ok(own.has("feature-gates") && own.has("version") && own.has("v"), component);
    }
  assert.is(flagsAt("kube-apiserver", release("1.37")).get("secure-port")?.initial, "6443");
  assert.match(flagsAt("kubelet", release("1.37")).get("max-pods")?.deprecated ?? "", /config file/);
});

test("lists changes release by release, in either direction", () => {
  const changes = (...way: readonly string[]): string[] =>
    flagChanges("kubelet", way.map(release))
      .filter(({ flag }) => flag === "containerd-namespace")
      .map(({ change, release: at }) => `${change} ${formatMinor(at)}`);
  assert.equal(changes("1.36", "1.37"), ["removed 1.37"]);
  assert.equal(changes("1.37", "1.36"), ["added 1.36"]);
  assert.equal(changes("1.37"), []);
  assert.equal(
    flagChanges("kube-controller-manager", [release("1.36"), release("1.37")]).map(
      ({ change, flag }) => `${change} ${flag}`,
    ),
    ["added concurrent-disruption-syncs", "removed concurrent-service-syncs"],
  );
});

test("refuses what the next release does not have", () => {
  const inUse = [
    used("kubelet", "containerd-namespace"),
    used("kubelet", "max-pods"),
    used("kubelet", "help"),
    used("kubelet", "never-was"),
    used("etcd", "data-dir"),
  ];
  assert.equal(judged(inUse, "1.36", "1.37"), [
    "error CMP001 --containerd-namespace",
    "warning CMP003 --max-pods",
    "error CMP002 --never-was",
  ]);
  assert.equal(
    refusedFlags(inUse, "kubelet", release("1.36"), release("1.37")).map(({ field }) => field),
    ["--containerd-namespace"],
  );
  assert.equal(refusedFlags(inUse, "kube-apiserver", release("1.36"), release("1.37")), []);
  const later = [used("kube-controller-manager", "concurrent-disruption-syncs")];
  assert.equal(judged(later, "1.36", "1.37"), ["warning CMP002 --concurrent-disruption-syncs"]);
  assert.equal(judged(later, "1.37", "1.36"), ["error CMP001 --concurrent-disruption-syncs"]);
});

function read(text: string): readonly string[] {
  const { report, diagnostics } = createReporter();
  const found = readFlagsInUse(text, "a.yaml", report);
  return [
    ...found.map(({ component, flag, value, place: at }) => `${component} ${flag}=${value} ${at.line}`),
    ...diagnostics.map(({ code }) => code),
  ];
}

test("reads the words of static pods", () => {
  const pod = (words: string): string =>
    `kind: Pod\nspec:\n  containers:\n  - name: a\n    command:\n${words}    - --last\n`;
  assert.equal(
    read(
      pod(
        "    - kube-scheduler\n    - --bind_address=b=c\n    - -v\n    - '2'\n    - --secure-port\n    - '1'\n",
      ),
    ),
    ["kube-scheduler bind-address=b=c 7", "kube-scheduler secure-port=1 10", "kube-scheduler last= 12"],
  );
  assert.equal(read(pod("    - sh\n    - -c\n    - kubelet --max-pods=3\n")), []);
});

test("reads kubeadm, k3s, rke2 and OpenShift", () => {
  assert.equal(
    read(
      "kind: ClusterConfiguration\napiServer:\n  extraArgs: {a-b: c}\nscheduler:\n  extraArgs:\n  - {name: d, value: e}\n",
    ),
    ["kube-apiserver a-b=c 3", "kube-scheduler d=e 6"],
  );
  assert.equal(read("kind: JoinConfiguration\nnodeRegistration:\n  kubeletExtraArgs: {max-pods: '9'}\n"), [
    "kubelet max-pods=9 3",
  ]);
  assert.equal(
    read(
      "write-kubeconfig-mode: '644'\nkube-apiserver-arg:\n- a=b\n- c\nkubelet-arg+: [max-pods=9]\netcd-arg: [d=e]\n",
    ),
    ["kube-apiserver a=b 3", "kube-apiserver c= 4", "kubelet max-pods=9 5"],
  );
  assert.equal(
    read(
      "kind: KubeAPIServer\nspec:\n  unsupportedConfigOverrides:\n    apiServerArguments:\n      a: [b, c]\n",
    ),
    ["kube-apiserver a=b,c 5"],
  );
  assert.equal(read("kind: ConfigMap\n"), ["TAB005"]);
  assert.equal(read("replicas: 3\n"), ["TAB005"]);
});

test("reads what components print for --help", () => {
  const help = `Usage:
  kube-thing [flags]

Generic flags:

      --a-flag strings      Some words. (default [b,c])
      --old                 Words. (DEPRECATED: use --a-flag
                            instead)
  -h, --help                help for kube-thing
      --port int            The port. (default 10250)
`;
  assert.equal(
    flagsOfHelp(help).map(({ Name, Default, Deprecated }) => [Name, Default, Deprecated]),
    [
      ["a-flag", "[b,c]", ""],
      ["old", "", "use --a-flag instead"],
      ["help", "", ""],
      ["port", "10250", ""],
    ],
  );
  assert.equal(Object.keys(readFlags(JSON.stringify({ a: help, b: [] }))), ["a", "b"]);
});

test("blocks a plan on flags that the next release refuses", () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "config.yaml"), "kubelet-arg: [containerd-namespace=x, max-pods=9]\n");
  const plan = (...more: readonly string[]) =>
    slipway(["compat", "plan", "--from", "1.36", "--to", "1.37", "--flags-from", "config.yaml", ...more], {
      cwd,
    });
  const text = plan();
  assert.is(text.code, 3, text.stderr);
  assert.match(text.stdout, /kubelet 1\.37 does not have --containerd-namespace/);
  const { steps } = JSON.parse(plan("-o", "json").stdout);
  const blocked = steps.filter(({ blockers }: { blockers: readonly unknown[] }) => blockers.length > 0);
  assert.is(blocked.length, 1);
  assert.is(blocked[0].component, "kubelet");
  assert.is(blocked[0].blockers[0].code, "CMP001");
});

test("asks about releases and components that are known", () => {
  assert.is(slipway(["compat", "flags", "etcd", "--from", "1.36", "--to", "1.37"]).code, 2);
  assert.is(slipway(["compat", "flags", "--to", "1.37"]).code, 2);
  const old = slipway(["compat", "flags", "--from", "1.20", "--to", "1.37"]);
  assert.is(old.code, 1);
  assert.match(old.stderr, /VER011: no flags of 1\.20 are known/);
  const one = slipway(["compat", "flags", "kubelet", "--from", "1.36", "--to", "1.37"]);
  assert.is(one.code, 0);
  assert.match(one.stdout, /^removed +1\.37 +kubelet +--containerd-namespace/m);
});

test.run();
