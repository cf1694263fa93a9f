// The feature gates of every OpenShift release, as the release's payload has them and as its installer does.
//
//   node scripts/openshift-gates.mjs API INSTALLER > tables/openshift-feature-gates.json
//
// API and INSTALLER are git directories of openshift/api and openshift/installer with the branches that
// tables/releases.json names. The payload's gates are those of the release branch of openshift/api; the
// installer's are those of the commit of openshift/api that its go.mod requires, which is usually older.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { jsonText } from "./json-text.mjs";

const [api, installer] = process.argv.slice(2);
if (installer === undefined) throw new Error("usage: openshift-gates.mjs API INSTALLER");

const git = (directory, ...args) =>
  execFileSync("git", [`--git-dir=${directory}`, ...args], { encoding: "utf8", maxBuffer: 1 << 28 });

const { releases } = JSON.parse(readFileSync(new URL("../tables/releases.json", import.meta.url), "utf8"));
const compiled = releases.filter((each) => each.installer !== undefined);

/** The cluster profile that an installation by openshift-install has, in the names of the files. */
const PROFILE = "SelfManagedHA";
/** Each has on what those before it have; the script fails where one does not. */
const SETS = ["Default", "TechPreviewNoUpgrade", "DevPreviewNoUpgrade"];

/** Name of a gate → the least feature set that has it on, or `off`. */
function gatesAt(commit, release) {
  const [major] = release.split(".");
  const sets = new Map();
  for (const path of git(api, "ls-tree", "--name-only", commit, "payload-manifests/featuregates/")
    .trim()
    .split("\n")) {
    const [, profile, set] = /featureGate-(?:[0-9-]+-)?(\w+)-(\w+)\.yaml$/.exec(path) ?? [];
    if (profile !== PROFILE) continue;
    const { metadata, status } = JSON.parse(git(api, "show", `${commit}:${path}`));
    const majors = metadata.annotations?.["release.openshift.io/major-version"];
    if (majors !== undefined && !majors.split(",").includes(major)) continue;
    const [{ enabled, disabled }] = status.featureGates;
    sets.set(set, {
      on: new Set(enabled.map(({ name }) => name)),
      off: new Set(disabled.map(({ name }) => name)),
    });
  }
  const names = new Set([...sets.values()].flatMap(({ on, off }) => [...on, ...off]));
  const least = new Map();
  for (const name of names) {
    const first = SETS.findIndex((set) => sets.get(set).on.has(name));
    if (SETS.some((set, index) => sets.get(set).on.has(name) !== (first >= 0 && index >= first)))
      throw new Error(`${release}: ${name} is on in a feature set and off in a later one`);
    if (sets.has("OKD") && sets.get("OKD").on.has(name) !== (first === 0))
      throw new Error(`${release}: ${name} in the feature set OKD differs from Default`);
    least.set(name, first < 0 ? "off" : SETS[first]);
  }
  return { least, sets: [...sets.keys()] };
}

const described = (directory, commit) => {
  const [full, date] = git(directory, "log", "-1", "--format=%H %cs", commit).trim().split(" ");
  return { commit: full.slice(0, 12), date };
};

const columns = compiled.map(({ name, installer: { branch, commit } }) => {
  const required = git(installer, "show", `${commit}:go.mod`).match(
    /github\.com\/openshift\/api v[0-9.]+-[0-9.]+-([0-9a-f]{12})/,
  )[1];
  return {
    release: name,
    payload: { branch, ...described(api, branch) },
    installer: { branch, commit, api: described(api, required) },
    shipped: gatesAt(branch, name),
    vendored: gatesAt(required, name),
  };
});

const UNKNOWN = "unknown";
const gates = {};
for (const gate of [
  ...new Set(columns.flatMap((each) => [...each.shipped.least.keys(), ...each.vendored.least.keys()])),
].sort()) {
  const rows = [];
  for (const { release, shipped, vendored } of columns) {
    const set = shipped.least.get(gate) ?? UNKNOWN;
    const own = vendored.least.get(gate) ?? UNKNOWN;
    const last = rows[rows.length - 1];
    if (last?.before === undefined && last?.set === set && last.installer === (own === set ? undefined : own))
      continue;
    if (last !== undefined) last.before ??= release;
    if (set === UNKNOWN && own === UNKNOWN) continue;
    rows.push({ since: release, before: undefined, set, ...(own === set ? {} : { installer: own }) });
  }
  gates[gate] = rows;
}

/** Feature sets that an install-config may name, with the first release whose installer accepts each. */
const featureSets = [...SETS.slice(1), "OKD"].map((name) => ({
  name,
  since: columns.find(({ vendored }) => vendored.sets.includes(name))?.release,
}));

process.stdout.write(
  `${jsonText({
    source:
      "openshift/api payload-manifests/featuregates, made by scripts/openshift-gates.mjs: `payload` is the release branch of openshift/api at the commit named, `installer` the commit of openshift/api that the release's branch of openshift/installer requires",
    reviewed: compiled[compiled.length - 1].name,
    about:
      "At most one row of a gate holds at a release: `set` is the least feature set of the release's payload that has the gate on: Default, TechPreviewNoUpgrade, DevPreviewNoUpgrade or off (in no set); unknown: the payload has no such gate, and neither has a release without a row. A set has on what the sets before it have; OKD is as Default. `installer` stands where the release's openshift-install judges otherwise: its branch keeps an older commit of openshift/api, so that the rules about install-config.yaml and the manifests that it writes follow that column, and the cluster follows `set`.",
    clusterProfile: "self-managed-high-availability",
    compared: columns.map(({ release, payload, installer: own }) => ({ release, payload, installer: own })),
    featureSets,
    gates,
  })}\n`,
);
