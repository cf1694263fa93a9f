/** The table of steps, release by release, as data. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RELEASES } from "../../../src/core/release.js";
import {
  containerOptions,
  type Step,
  stepsFile,
  stepsOf,
} from "../../../src/phases/ignition-configs/boot/steps.js";
import { bootInput, DATA_FILES } from "../../helpers/bootstrap-node.js";

const test = suite("steps of the bootstrap node");

const CLOUD = "manifests/cloud-provider-config.yaml";
const CLOUD_CA = "tls/cloud-ca-cert.pem";
const IDMS = "manifests/image-digest-mirror-set.yaml";
const ICSP = "manifests/image-content-source-policy.yaml";

const step = (steps: readonly Step[], name: string): Step => {
  const found = steps.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no step ${name}`);
  return found;
};

/** Flags by step, without their values. */
const flags = (release: string): Map<string, readonly string[]> =>
  new Map(
    stepsOf(bootInput(release)).map(({ name, args }) => [
      name,
      args.filter((arg) => arg.startsWith("--")).map((arg) => arg.replace(/=.*/, "")),
    ]),
  );

/** What a release has that the one before lacks, and the other way round (docs/reference/ignition-configs.md §2h). */
const CHANGES: readonly {
  readonly from: string;
  readonly to: string;
  readonly steps?: readonly string[];
  readonly added?: readonly string[];
  readonly container?: readonly string[];
  readonly copies?: readonly string[];
}[] = [
  { from: "4.18", to: "4.19", steps: ["auth-api-bootstrap"] },
  { from: "4.19", to: "4.20" },
  {
    from: "4.20",
    to: "4.21",
    container: ["--log-driver=k8s-file"],
    copies: ["mco-bootstrap: image-references"],
  },
  { from: "4.21", to: "4.22", added: ["cvo-bootstrap --cluster-version-manifest-path"] },
];

const copiesOf = (release: string): readonly string[] =>
  stepsOf(bootInput(release)).flatMap(({ name, copies }) => copies.map(({ from }) => `${name}: ${from}`));

for (const { from, to, ...expected } of CHANGES)
  test(`from ${from} to ${to}`, () => {
    const [before, after] = [flags(from), flags(to)];
    assert.equal(
      [...after.keys()].filter((name) => !before.has(name)),
      [...(expected.steps ?? [])],
    );
    assert.equal(
      [...before.keys()].filter((name) => !after.has(name)),
      [],
    );
    const added = [...after].flatMap(([name, list]) => {
      const old = before.get(name);
      return old === undefined
        ? []
        : list.filter((flag) => !old.includes(flag)).map((flag) => `${name} ${flag}`);
    });
    assert.equal(added, [...(expected.added ?? [])]);
    for (const [name, list] of before)
      assert.ok(
        list.every((flag) => after.get(name)?.includes(flag)),
        name,
      );
    const [early, late] = [containerOptions(bootInput(from)), containerOptions(bootInput(to))];
    assert.equal(
      late.filter((option) => !early.includes(option)),
      [...(expected.container ?? [])],
    );
    assert.equal(
      copiesOf(to).filter((copy) => !copiesOf(from).includes(copy) && !copy.startsWith("auth-api-bootstrap")),
      [...(expected.copies ?? [])],
    );
  });

test("flags that depend on a file, wherever the file lies", () => {
  const argsOf = (name: string, files: readonly string[]) =>
    step(stepsOf(bootInput("4.22", { files: [...DATA_FILES, ...files] })), name).args.join(" ");
  for (const name of ["payload-version", "kubernetes-version"]) {
    assert.not.match(argsOf(name, []), "-file=");
    assert.match(argsOf(name, [IDMS]), `--idms-file=%{root}/${IDMS}`);
    assert.match(argsOf(name, [ICSP]), `--icsp-file=%{root}/${ICSP}`);
    // Both: the older kind wins, and only one flag may be given.
    assert.not.match(argsOf(name, [IDMS, ICSP]), "--idms-file");
    assert.match(argsOf(name, [IDMS.replace("manifests", "openshift")]), "--idms-file");
  }
  assert.not.match(argsOf("config-bootstrap", []), "--cloud-provider-config-input-file");
  assert.match(argsOf("config-bootstrap", [CLOUD]), `--cloud-provider-config-input-file=/assets/${CLOUD}`);
  assert.match(
    argsOf("mco-bootstrap", [CLOUD]),
    "--cloud-config-file=/assets/config-bootstrap/cloud-provider-",
  );
  assert.not.match(argsOf("mco-bootstrap", [CLOUD]), "--cloud-provider-ca-file");
  assert.match(argsOf("mco-bootstrap", [CLOUD_CA]), `--cloud-provider-ca-file=/assets/${CLOUD_CA}`);
});

test("a cluster profile goes to the cluster version operator only", () => {
  assert.not.match(stepsFile(bootInput("4.22")), "CLUSTER_PROFILE");
  const text = stepsFile(bootInput("4.22", { clusterProfile: "single-node-developer" }));
  assert.is(text.split("single-node-developer").length, 2);
  assert.equal(
    [
      ...step(stepsOf(bootInput("4.22", { clusterProfile: "single-node-developer" })), "cvo-bootstrap")
        .options,
    ],
    ["--env=CLUSTER_PROFILE=single-node-developer"],
  );
});

/** What is below `folder`, or is it. */
const within = (paths: ReadonlySet<string>, folder: string): boolean =>
  paths.has(folder) || [...paths].some((path) => path.startsWith(`${folder}/`));

/** `/assets/X` in an argument, as something that the step reads. */
const READ = /^--(?!.*output|dest-dir|asset-dir|cluster-auth-file)[a-z-]+=\/assets\/(.+)$/;

test("every step finds what it reads: files of the config, or of a step before it", () => {
  const conditional = [CLOUD, CLOUD_CA, IDMS, ICSP];
  fc.assert(
    fc.property(fc.constantFrom(...RELEASES), fc.subarray(conditional), (release, extra) => {
      const input = bootInput(release, { files: [...DATA_FILES, ...extra] });
      const there = new Set(input.files);
      for (const each of stepsOf(input)) {
        const finds = (path: string) =>
          assert.ok(within(there, path.replace(/\/\*$/, "")), `${release} ${each.name}: ${path}`);
        for (const path of each.needs) finds(path);
        for (const arg of each.args) {
          const read = READ.exec(arg)?.[1];
          if (read !== undefined) finds(read);
          if (arg.includes("%{version}")) finds("slipway/version");
          if (arg.includes("%{kubernetes-version}")) finds("slipway/kubernetes-version");
        }
        for (const path of each.writes) there.add(path.replace(/\*$/, "some"));
        if (each.save !== undefined) there.add(each.save);
        for (const { from, to, kind } of each.copies) {
          if (kind === "copy?") continue;
          finds(from);
          const below = from.replace(/\/\*$/, "");
          for (const path of [...there])
            if (path === below || path.startsWith(`${below}/`))
              there.add(to.endsWith("/") ? `${to}${path.slice(below.length + 1)}` : to);
        }
      }
      assert.ok(there.has("/etc/kubernetes/manifests/machineconfigoperator-bootstrap-pod.yaml"));
      assert.ok(there.has("/etc/ssl/mcs/tls.key"));
    }),
  );
});

test("what a flag of a step reads is asked for in its needs", () => {
  for (const release of RELEASES)
    for (const { name, args, needs } of stepsOf(
      bootInput(release, { files: [...DATA_FILES, CLOUD, CLOUD_CA] }),
    ))
      for (const arg of args) {
        const read = READ.exec(arg)?.[1];
        if (read === undefined) continue;
        const asked = needs.some((need) => need === read || need.startsWith(`${read}/`));
        assert.ok(asked, `${release} ${name}: ${read}`);
      }
});

test("a folder that a program writes is cleared before it, so that nothing of an earlier try is copied", () => {
  for (const release of RELEASES)
    for (const { name, writes, copies, clears, image } of stepsOf(bootInput(release)))
      for (const path of [
        ...writes,
        ...copies.filter(({ kind }) => kind === "copy?").map(({ from }) => from),
      ])
        if (image !== undefined) assert.ok(clears.includes(path.split("/")[0] ?? ""), `${name}: ${path}`);
});

test("names are unique and the file on the node lists only what the release needs", () => {
  for (const release of RELEASES) {
    const names = stepsOf(bootInput(release)).map(({ name }) => name);
    assert.is(new Set(names).size, names.length);
    const text = stepsFile(bootInput(release));
    assert.equal(
      [...text.matchAll(/^step (.+)$/gm)].map(([, name]) => name),
      names,
    );
    assert.not.match(text, /%\{(api|api-int|cluster-profile)\}|undefined| $/m);
  }
});

test.run();
