/**
 * A release of OpenShift stands for its Kubernetes wherever a release of Kubernetes is asked for: every flag, operand and
 * member that takes one answers the same for both, and none answers for a release that is neither.
 */
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GROUPS, SINGLE_COMMANDS } from "../../src/cli/commands/index.js";
import { KUBERNETES_RELEASES } from "../../src/compatibility/kubernetes.js";
import { GATE_RELEASES } from "../../src/compatibility/kubernetes-gates.js";
import { formatMinor, release } from "../../src/core/minor.js";
import { kubernetesOfName, NAMED_RELEASES } from "../../src/core/release.js";
import { kubernetesMeant, NEWEST_TARGET, OLDEST_TARGET } from "../../src/kubernetes/releases.js";
import { dump } from "../etcd/copies.js";
import { HEAD, tableText } from "../helpers/compat.js";
import { tempFolder } from "../helpers/temp.js";
import { answer } from "../hostile/answer.js";

const test = suite("releases of OpenShift");
const folder = tempFolder();
const put = (name: string, text: string | Uint8Array): void => writeFileSync(join(folder, name), text);
cpSync("examples/compat", folder, { recursive: true });
put(
  "crd.yaml",
  `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
status:
  storedVersions: [v1]
`,
);
put("objects.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: d}\n");
put(
  "shares.yaml",
  `apiVersion: slipway.dev/v1alpha1
kind: APILifecycle
kinds:
- {group: shares.example.org, version: v1, kind: Share, resource: shares, introduced: "1.34", namespaced: true}
`,
);
put(
  "dump.json",
  dump([
    {
      key: "/registry/configmaps/d/a",
      value: Buffer.from('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"d"}}'),
    },
  ]),
);

/** Every place where a release of Kubernetes is asked for; @ is the release, 1.35 and 1.33 where one is older. */
const NEW = "1.35";
const LINES: readonly string[] = [
  ...[
    "apis --lifecycle kubernetes",
    "storage-versions --lifecycle kubernetes",
    "fields --table fields.yaml",
    "cel",
  ]
    .concat("skew", "version", "gates --table kubernetes")
    .flatMap((words) => [
      `compat ${words} --binary-version @`,
      `compat ${words} --binary-version ${NEW} --emulated-version @1.34`,
      `compat ${words} --binary-version ${NEW} --min-compatibility-version @1.34`,
      `compat ${words} --binary-version ${NEW} --emulated-version kube=@1.34`,
    ]),
  "compat gates --table gates.yaml --binary-version @",
  "compat gates --table kubernetes@@ --binary-version 1.35",
  "compat matrix --table kubernetes --binary-version @",
  "compat lifecycle --table kubernetes --current @",
  "compat lifecycle --table gates.yaml --current @",
  "compat lint --table kubernetes --current @",
  "compat lint --table gates.yaml --current @",
  "compat plan --from @1.33 --to 1.35 --table kubernetes --lifecycle kubernetes",
  "compat plan --from 1.33 --to @1.35 --table kubernetes",
  "compat plan --from @1.33 --to @1.34",
  "compat usage objects.yaml --from @1.33 --to @1.35",
  "compat flags kubelet --from @1.33 --to @1.35",
  "compat diff @1.34 1.36",
  "compat diff 1.34 @1.36:@1.35:@1.34",
  "compat diff kubernetes@@1.34 kubernetes@1.35",
  "storage behaviors --lifecycle kubernetes --release @",
  "storage crd-guard crd.yaml crd.yaml --release @",
  "storage migrations --lifecycle kubernetes --from @1.33 --to 1.35",
  "storage migrations --lifecycle kubernetes --from 1.33 --to @1.35",
  ...["inventory", "audit", "plan --out /dev/null/none", "extract --as yaml --all --out /dev/null/none"].map(
    (words) => `etcd ${words} --dump dump.json --release @1.36`,
  ),
  "etcd audit --dump dump.json --from @1.33 --release 1.35",
  "etcd plan --out /dev/null/none --dump dump.json --from @1.33 --release 1.35",
  "report --table kubernetes --html - --current @",
  "report --dump dump.json --html - --release @",
  "report --dump dump.json --html - --from @1.33 --release 1.35",
];

/** The line with other releases for those behind an @. */
const filled = (line: string, of: (kubernetes: string) => string): string[] =>
  line
    .split(" ")
    .map((word) =>
      word
        .replace(/^kubernetes@@(1\.[0-9]+)?$/, (_, named?: string) => `kubernetes@${of(named ?? NEW)}`)
        .replace(/(?<!kubernetes)@(1\.[0-9]+)?/g, (_, named?: string) => of(named ?? NEW)),
    );
const openshift = (kubernetes: string): string =>
  NAMED_RELEASES.findLast((name) => formatMinor(kubernetesOfName(name) ?? release("0.0")) === kubernetes) ??
  "none";

for (const line of LINES)
  test(line, async () => {
    const named = await answer(
      filled(line, (each) => each),
      folder,
    );
    const meant = await answer(filled(line, openshift), folder);
    assert.is(meant.stderr, named.stderr);
    assert.is(meant.stdout, named.stdout);
    assert.is(meant.code, named.code);
    for (const none of ["5.99", "4.99"]) {
      const refused = await answer(
        filled(line, () => none),
        folder,
      );
      assert.ok(refused.code === 1 || refused.code === 2, `${none}: exit ${refused.code}`);
      assert.ok(refused.stderr.includes(none), `${none}: ${refused.stderr}`);
    }
  });

/** Flags that take no release, although their names are those of flags that do. */
const OTHERS: readonly string[] = ["compat import --from"];

test("every flag that takes a release is asked", () => {
  const names =
    /^(?:binary-version|emulated-version|min-compatibility-version|from|to|current|release|target)$/;
  const commands = [...SINGLE_COMMANDS, ...GROUPS.flatMap((group) => group.commands)].filter(({ path }) =>
    /^(?:compat|storage|etcd|generate|report)\b/.test(path),
  );
  const flags = commands.flatMap(({ path, flags: own }) =>
    own.filter(({ name }) => names.test(name)).map(({ name }) => `${path} --${name}`),
  );
  const asked = (flag: string): boolean => {
    const [path = "", name = ""] = [
      flag.slice(0, flag.lastIndexOf(" ")),
      flag.slice(flag.lastIndexOf(" ") + 1),
    ];
    return LINES.some((line) => line.startsWith(path) && new RegExp(`${name} (?:kube=)?@`).test(line));
  };
  assert.equal(
    flags.filter((flag) => !asked(flag) && !OTHERS.includes(flag)),
    [],
  );
  assert.ok(flags.length > 30, `${flags.length}`);
});

const scenario = (at: string, after: string): string => `${HEAD}kind: StorageScenario
servers: [{name: a, release: "${at}"}]
objects: [{resource: deployments.apps, namespace: d, name: x, version: v1}]
steps:
- {action: upgrade, release: "${after}"}
- {action: read}
`;
const inventory = (version: string, emulated: string): string => `${HEAD}kind: ComponentInventory
components:
- {component: kube-apiserver, name: a, version: "${version}", emulatedVersion: "${emulated}"}
- {component: kubelet, name: node-1, version: "${emulated}"}
`;
const question = (version: string, emulated: string, table = "gates.yaml"): string =>
  `{"id": 1, "table": "${table}", "binaryVersion": "${version}", "emulatedVersion": "${emulated}"}\n`;

for (const [line, file, text] of [
  [
    "storage simulate --table kubernetes --scenario s.yaml",
    "s.yaml",
    (a: string, b: string) => scenario(b, a),
  ],
  ["compat skew --inventory i.yaml", "i.yaml", inventory],
  ["compat gates --batch q.jsonl", "q.jsonl", question],
  [
    "compat gates --batch k.jsonl",
    "k.jsonl",
    (a: string, b: string) => question(a, b, "kubernetes") + question("1.35", "1.34", `kubernetes@${a}`),
  ],
] as const)
  test(`${line}: its members`, async () => {
    const of = async (newer: string, older: string) => {
      put(file, text(newer, older));
      return answer(line.split(" "), folder);
    };
    const named = await of("1.35", "1.34");
    assert.is.not(named.code, 1, named.stderr);
    assert.equal(await of("4.22", "4.21"), named);
    for (const none of ["5.99", "4.99"]) {
      for (const refused of [await of(none, "1.34"), await of("1.35", none)])
        assert.match(refused.stdout + refused.stderr, new RegExp(`VER011.*${none}`));
    }
  });

test("a table that counts releases of its own is asked by those", async () => {
  put("own.yaml", tableText({ Anvil: "Alpha 4.20 off, Beta 4.21 on", Bellows: "Beta 4.22 on" }));
  const { code, stdout, stderr } = await answer(
    "compat gates --table own.yaml --binary-version 4.22 --emulated-version 4.20".split(" "),
    folder,
  );
  assert.is(code, 0, stderr);
  assert.match(stdout, /binary 4\.22, emulated 4\.20/);
  assert.match(stdout, /Anvil +Alpha +off/);
});

test("a release that is refused is named as it was typed, with what it means", async () => {
  const told = async (words: string) => (await answer(words.split(" "), folder)).stderr;
  assert.match(
    await told("storage migrations --lifecycle kubernetes --from 4.22 --to 1.31"),
    /--from 4\.22 \(Kubernetes 1\.35\) is newer than --to 1\.31$/m,
  );
  assert.match(
    await told("storage migrations --lifecycle shares.yaml --from 1.34 --to 5.0"),
    /TAB007: --to: .* 5\.0 \(Kubernetes 1\.36\)/,
  );
  assert.match(
    await told("storage behaviors --lifecycle apis.yaml --release 4.10"),
    /TAB007: --release: .* 4\.10 \(Kubernetes 1\.23\)/,
  );
});

test("what OpenShift holds is known as far as the data about Kubernetes reach", () => {
  const meant = (text: string): string | undefined => {
    const found = kubernetesMeant(release(text));
    return found && formatMinor(found);
  };
  const named = ["4.3", "4.18", "4.22", "4.23", "5.0"];
  assert.equal(named.map(meant), ["1.16", "1.31", "1.35", "1.36", "1.36"]);
  // Neither name follows from another one's number.
  assert.equal(["4.2", "4.24", "5.99", "3.11", "0.9"].map(meant), Array(5).fill(undefined));
  assert.equal(["1.2", "1.99"].map(meant), ["1.2", "1.99"]);
  assert.equal(KUBERNETES_RELEASES[0], OLDEST_TARGET);
  assert.equal(KUBERNETES_RELEASES.at(-1), NEWEST_TARGET);
  assert.equal(GATE_RELEASES.at(-1), NEWEST_TARGET);
});

test("a plan beyond the data says so, whichever of them end", async () => {
  for (const data of [
    "--table kubernetes",
    "--lifecycle kubernetes",
    "--table kubernetes --lifecycle kubernetes",
  ]) {
    const { stderr } = await answer(`compat plan --from 1.36 --to 1.39 ${data}`.split(" "), folder);
    assert.is(stderr.split("TAB010").length, 2, `${data}: ${stderr}`);
  }
  const { stderr } = await answer("compat diff 1.36 1.39".split(" "), folder);
  assert.match(stderr, /TAB010/);
});

test.run();
