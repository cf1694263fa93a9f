// The definitions of OpenShift's kinds, with what differs by release and by feature set as rows.
//
//   node scripts/openshift-definitions.mjs API
//
// API is a git directory of openshift/api with the branches that tables/releases.json names. The script writes
// tables/definitions/kinds.json, which has every kind with the releases and feature sets that serve its versions, and
// a file of schemas for each group of GROUPS. Read are the CustomResourceDefinitions of the cluster profile of an installation;
// where the payload has one of several of the same name, that one, and otherwise the newest version.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { load } from "js-yaml";
import { jsonText } from "./json-text.mjs";

const [api] = process.argv.slice(2);
if (api === undefined) throw new Error("usage: openshift-definitions.mjs API");
const git = (args, input = "") =>
  execFileSync("git", [`--git-dir=${api}`, ...args], { input, maxBuffer: 1 << 28 });

/** The texts of blobs, all read by one process. */
function textsOf(blobs) {
  const out = git(["cat-file", "--batch"], blobs.join("\n"));
  let at = 0;
  return blobs.map(() => {
    const start = out.indexOf("\n", at) + 1;
    const size = Number(out.toString("utf8", at, start).split(" ")[2]);
    at = start + size + 1;
    return out.toString("utf8", start, start + size);
  });
}

const table = (name) => JSON.parse(readFileSync(new URL(`../tables/${name}`, import.meta.url), "utf8"));
const compiled = table("releases.json").releases.filter((each) => each.installer !== undefined);
const gates = table("openshift-feature-gates.json").gates;
const order = compiled.map(({ name }) => name);
const NEWEST = order[order.length - 1];

/** Feature sets, each with what those before it serve; a custom set serves what any gate allows. */
const SETS = ["Default", "TechPreviewNoUpgrade", "DevPreviewNoUpgrade", "CustomNoUpgrade"];
const PROFILE = "include.release.openshift.io/self-managed-high-availability";

/** Groups whose kinds are described by schemas, with the files that they are written to. */
const GROUPS = {
  "config.openshift.io": "config",
  "machine.openshift.io": "machine",
  "machineconfiguration.openshift.io": "machineconfiguration",
  "operator.openshift.io": "operator",
};
/** Kinds that only operators write, which would be a good part of the data. */
const NAMES_ONLY = new Set([
  "ClusterMonitoring",
  "ClusterOperator",
  "ControllerConfig",
  "MachineConfigNode",
  "MachineOSBuild",
  "OpenShiftControllerManager",
  "ServiceCA",
]);
/** Kinds whose status the installer writes, too; that of the others is written by operators. */
const WITH_STATUS = new Set(["Infrastructure"]);
const ANY_STATUS = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const rowOf = (rows, release) =>
  (rows ?? []).find(
    ({ since, before }) =>
      order.indexOf(since) <= order.indexOf(release) &&
      (before === undefined || order.indexOf(before) > order.indexOf(release)),
  );

/** The feature sets that serve a definition. */
function setsOf({ annotations = {} }, release) {
  const gate = annotations["release.openshift.io/feature-gate"];
  if (gate !== undefined) {
    const least = SETS.indexOf(rowOf(gates[gate], release)?.set);
    return SETS.filter((_, index) => index === SETS.length - 1 || (least >= 0 && index >= least));
  }
  const sets = annotations["release.openshift.io/feature-set"];
  return sets === undefined ? SETS : SETS.filter((set) => sets.split(",").includes(set));
}

const versionRank = (name) => {
  const [, major, stage = "", minor = "0"] = /^v(\d+)(alpha|beta)?(\d+)?$/.exec(name);
  return [stage === "" ? 2 : stage === "beta" ? 1 : 0, Number(major), Number(minor)];
};
const newer = (a, b) => {
  const [x, y] = [versionRank(a), versionRank(b)];
  const at = x.findIndex((each, index) => each !== y[index]);
  return at >= 0 && x[at] > y[at];
};

/** The definitions of a release, one for each file name. */
function definitionsOf(branch) {
  const files = git(["ls-tree", "-r", branch])
    .toString()
    .split("\n")
    .map((line) => /^\S+ \S+ (\S+)\t(.*)$/.exec(line))
    .filter((found) => found?.[2].endsWith(".crd.yaml"));
  const shipped = new Map(
    files.flatMap(([, blob, path]) =>
      path.startsWith("payload-manifests/crds/") ? [[path.split("/").pop(), blob]] : [],
    ),
  );
  const chosen = files.flatMap(([, blob, path]) => {
    const [, folder, name] = /^(.*)\/zz_generated\.crd-manifests\/(.*)$/.exec(path) ?? [];
    if (name === undefined || folder.startsWith("example/")) return [];
    return shipped.has(name) && shipped.get(name) !== blob ? [] : [{ name, blob }];
  });
  const texts = textsOf(chosen.map(({ blob }) => blob));
  const found = new Map();
  for (const [index, { name }] of chosen.entries()) {
    const definition = load(texts[index]);
    if (definition.metadata.annotations?.[PROFILE] === undefined) continue;
    const key = `${definition.spec.group} ${name}`;
    const known = found.get(key);
    if (known === undefined || newer(definition.spec.versions[0].name, known.spec.versions[0].name))
      found.set(key, definition);
  }
  return [...found.values()];
}

/** The schema as it counts here: no texts, no validation rules. */
function plain(node) {
  const out = {};
  for (const [key, value] of Object.entries(node)) {
    if (value === null) continue;
    if (["description", "title", "example", "externalDocs", "x-kubernetes-validations"].includes(key))
      continue;
    if (key === "properties")
      out[key] = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
    else if (["items", "not"].includes(key) || (key === "additionalProperties" && typeof value === "object"))
      out[key] = plain(value);
    else if (["allOf", "anyOf", "oneOf"].includes(key)) {
      // Branches are about single members; what is left of one without its rules restricts nothing.
      const branches = value.map(plain);
      if (branches.every((each) => Object.keys(each).length > 0)) out[key] = branches;
    } else out[key] = value;
  }
  return out;
}

function schemaOf(kind, schema) {
  const { status, ...properties } = plain(schema).properties;
  const own = status === undefined ? {} : { status: WITH_STATUS.has(kind) ? status : ANY_STATUS };
  return { ...plain(schema), properties: { ...properties, ...own } };
}

// ---- One schema for all releases and feature sets ----

/** A variant: what a release has in a feature set. `at` is its key, the release before the set. */
const VARIANTS = order.flatMap((release) => SETS.map((set) => ({ release, set, at: `${release} ${set}` })));
/** The variants by how much they say of the whole: the newest release first, and in it the default set. */
const PREFERRED = [...order].reverse().flatMap((release) => SETS.map((set) => `${release} ${set}`));

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/**
 * Rows that say what holds at a release in a feature set, of those that hold the last: `valueAt` has the value of each
 * variant, undefined where nothing is asked. No rows where every variant has the base value.
 */
function rowsOf(valueAt, base, key) {
  const rows = [];
  let open = [];
  let start = true;
  for (const release of order) {
    if (SETS.every((set) => valueAt(`${release} ${set}`) === undefined)) continue;
    const steps = [];
    let last = base;
    for (const set of SETS) {
      const value = valueAt(`${release} ${set}`);
      if (value === undefined || same(value, last)) continue;
      steps.push({ ...(set === SETS[0] ? {} : { set }), [key]: value });
      last = value;
    }
    const current = open.map(({ since, before, ...row }) => row);
    const first = start;
    start = false;
    if (same(current, steps)) continue;
    for (const row of open) row.before = release;
    open = steps.map((step) => ({ ...(first ? {} : { since: release }), before: undefined, ...step }));
    rows.push(...open);
  }
  const rank = ({ set }) => (set === undefined ? 0 : SETS.indexOf(set));
  return rows.map((row) => JSON.parse(JSON.stringify(row))).sort((a, b) => rank(a) - rank(b));
}

/** Where a child or a version is served: the least set of each release, as rows; undefined where it is everywhere that its parent is. */
function servedRows(present, parent, where) {
  const rows = [];
  for (const release of order) {
    const asked = SETS.filter((set) => parent.has(`${release} ${set}`));
    // Where the parent is not served, either answer does.
    if (asked.length === 0) continue;
    const served = asked.filter((set) => present.has(`${release} ${set}`));
    if (served.length > 0 && !same(served, asked.slice(-served.length)))
      throw new Error(`${where} at ${release} is served in ${served.join(", ")} only`);
    const set = served.length === 0 ? "none" : served.length === asked.length ? undefined : served[0];
    const last = rows[rows.length - 1];
    if (last !== undefined && last.set === set) continue;
    if (last !== undefined) last.before = release;
    rows.push({ ...(rows.length === 0 ? {} : { since: release }), before: undefined, set });
  }
  const kept = rows.filter(({ set }) => set !== "none").map((row) => JSON.parse(JSON.stringify(row)));
  return kept.length === 1 && Object.keys(kept[0]).length === 0 ? undefined : kept;
}

const CHILDREN = ["items", "additionalProperties", "not"];
const isNode = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Joins the schemas of all variants that have the node. */
function joined(variants, where) {
  const preferred = PREFERRED.filter((at) => variants.has(at));
  const all = preferred.map((at) => variants.get(at));
  const out = {};
  const rows = {};
  for (const member of [...new Set(all.flatMap((each) => Object.keys(each)))]) {
    if (member === "properties" || (CHILDREN.includes(member) && all.some((each) => isNode(each[member]))))
      continue;
    const base = all[0][member];
    if (base !== undefined) out[member] = base;
    const found = rowsOf(
      (at) => (variants.has(at) ? (variants.get(at)[member] ?? null) : undefined),
      base ?? null,
      "value",
    );
    if (found.length > 0) rows[member] = found;
  }
  const child = (name, pick) => {
    const below = new Map();
    for (const [at, each] of variants) if (isNode(pick(each))) below.set(at, pick(each));
    const path = `${where}.${name}`;
    const served = servedRows(below, variants, path);
    const { "x-slipway": notes, ...node } = joined(below, path);
    const own = { ...(served === undefined ? {} : { served }), ...notes };
    return Object.keys(own).length === 0 ? node : { ...node, "x-slipway": own };
  };
  const names = [...new Set(all.flatMap((each) => Object.keys(each.properties ?? {})))].sort();
  if (all.some((each) => each.properties !== undefined))
    out.properties = Object.fromEntries(
      names.map((name) => [name, child(name, (each) => each.properties?.[name])]),
    );
  for (const name of CHILDREN)
    if (all.some((each) => isNode(each[name])))
      out[name] = child(name === "items" ? "[]" : name, (each) => each[name]);
  return Object.keys(rows).length === 0 ? out : { ...out, "x-slipway": { members: rows } };
}

// ---- All of it ----

const kinds = new Map();
for (const { name: release, installer } of compiled)
  for (const { metadata, spec } of definitionsOf(installer.branch)) {
    const sets = setsOf(metadata, release);
    const key = `${spec.group} ${spec.names.kind}`;
    if (!kinds.has(key)) kinds.set(key, { group: spec.group, kind: spec.names.kind, versions: new Map() });
    const known = kinds.get(key);
    Object.assign(known, { plural: spec.names.plural, namespaced: spec.scope === "Namespaced" });
    for (const version of spec.versions) {
      if (!version.served) continue;
      if (!known.versions.has(version.name)) known.versions.set(version.name, new Map());
      const variants = known.versions.get(version.name);
      for (const set of sets) {
        if (variants.has(`${release} ${set}`))
          throw new Error(`${key} is defined twice at ${release} in ${set}`);
        variants.set(`${release} ${set}`, schemaOf(known.kind, version.schema.openAPIV3Schema));
      }
    }
  }

const EVERYWHERE = new Set(VARIANTS.map(({ at }) => at));
const sorted = [...kinds.values()].sort((a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0));
const write = (name, value) =>
  writeFileSync(new URL(`../tables/definitions/${name}.json`, import.meta.url), `${jsonText(value)}\n`);

const compared = compiled.map(({ name, installer: { branch } }) => {
  const [commit, date] = git(["log", "-1", "--format=%H %cs", branch]).toString().trim().split(" ");
  return { release: name, branch, commit: commit.slice(0, 12), date };
});
const source =
  "CustomResourceDefinitions of openshift/api, cluster profile self-managed-high-availability, made by scripts/openshift-definitions.mjs from the branches in kinds.json";

const groups = {};
for (const { group, kind, versions } of sorted) {
  groups[group] ??= {};
  groups[group][kind] = [...versions].flatMap(([version, variants]) =>
    (servedRows(variants, EVERYWHERE, `${kind} ${version}`) ?? [{}]).map((row) => ({ version, ...row })),
  );
}
write("kinds", {
  source,
  reviewed: NEWEST,
  about:
    "The versions of OpenShift's kinds: each is served by the releases of a row, from the feature set on that it names (without one from Default on; CustomNoUpgrade: only where its gate is on). Kinds that other repositories define are not here.",
  compared,
  groups: Object.fromEntries(Object.entries(groups).sort(([a], [b]) => (a < b ? -1 : 1))),
});
for (const [group, file] of Object.entries(GROUPS))
  write(file, {
    source,
    reviewed: NEWEST,
    about:
      "Schemas of the kinds, without descriptions, validation rules and (but for Infrastructure) status. What is not so everywhere says it in x-slipway: `served` has the releases, and the feature set from which on, that have a field; `members` the values that members of the schema have elsewhere, of the rows that hold the last (null: not there).",
    group,
    definitions: sorted
      .filter((each) => each.group === group && !NAMES_ONLY.has(each.kind))
      .map(({ kind, plural, namespaced, versions }) => ({
        kind,
        plural,
        namespaced,
        versions: [...versions].map(([name, variants]) => ({
          name,
          schema: joined(variants, `${kind}.${name}`),
        })),
      })),
  });
