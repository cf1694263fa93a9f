// The feature gates of a release of Kubernetes, as kube-apiserver registers them, and their rows in
// tables/kubernetes-gates.json.
import { compositesOf, memberOf } from "./go-source.mjs";
import { cutRows, releasesOf, sameJson, within } from "./rows.mjs";

/** The packages whose gates kube-apiserver registers; other components add the same to their own registry. */
const PACKAGES = [
  "k8s.io/kubernetes/pkg/features",
  "k8s.io/apiserver/pkg/features",
  "k8s.io/apiextensions-apiserver/pkg/features",
  "k8s.io/client-go/features",
  "k8s.io/component-base/logs/api/v1",
  "k8s.io/component-base/metrics/features",
  "k8s.io/component-base/zpages/features",
  "k8s.io/controller-manager/pkg/features",
];
/** Declares the type, and the gates AllAlpha and AllBeta, which stand for others. */
const DECLARING = "k8s.io/component-base/featuregate";
const LIST = "k8s.io/kubernetes/test/compatibility_lifecycle/reference/versioned_feature_list.yaml";

const byName = (a, b) => {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()];
  return x < y ? -1 : x > y ? 1 : 0;
};

/** `version.MustParse("1.37")`, `version.MajorMinor(1, 37)` */
export function versionOf(value) {
  const [first, second] = value?.arguments ?? [];
  return first?.text ?? (second === undefined ? undefined : `${first.number}.${second.number}`);
}

/** A spec as a row has it: `1.36 Beta on locked min 1.35`; one without a version has 0.0. */
export function specText(spec) {
  const version = versionOf(memberOf(spec, "Version")) ?? "0.0";
  const stage = memberOf(spec, "PreRelease")?.name.split(".").at(-1) ?? "GA";
  const isTrue = (name) => memberOf(spec, name)?.name === "true";
  const minimum = versionOf(memberOf(spec, "MinCompatibilityVersion"));
  return [
    version,
    stage === "PreAlpha" ? "Alpha" : stage,
    isTrue("Default") ? "on" : "off",
    ...(isTrue("LockToDefault") ? ["locked"] : []),
    ...(minimum === undefined ? [] : ["min", minimum]),
  ].join(" ");
}

const minorOf = (text) => Number(text.split(" ")[0].split(".")[1]) + 1000 * Number(text.split(".")[0]);
/** Oldest first; of one version the one without a minimum first. */
const inOrder = (specs) =>
  [...specs].sort((a, b) => minorOf(a) - minorOf(b) || Number(/ min /.test(a)) - Number(/ min /.test(b)));

const GATES = /^map\[(?:\w+\.)?Feature\](?:\w+\.)?(?:VersionedSpecs|FeatureSpec)$/;
const DEPENDENCIES = /^map\[(?:\w+\.)?Feature\]\[\](?:\w+\.)?Feature$/;

/** The name of a constant, which may stand in a conversion: `featuregate.Feature(clientfeatures.Name)`. */
const constantOf = (value) => (value.call === undefined ? value.name : constantOf(value.arguments[0]));

/** What a Go file registers: `specs` and `needs` by the names of constants, as they are written. */
export function gatesOf(tokens) {
  const specs = compositesOf(tokens, GATES).flatMap(({ type, elements }) =>
    elements.map(({ key, value }) => ({
      constant: constantOf(key),
      specs: type.endsWith("VersionedSpecs")
        ? inOrder(value.elements.map((each) => specText(each.value)))
        : [specText(value)],
    })),
  );
  const needs = compositesOf(tokens, DEPENDENCIES).flatMap(({ elements }) =>
    elements.map(({ key, value }) => ({
      constant: constantOf(key),
      needs: value.elements.map((each) => constantOf(each.value)),
    })),
  );
  return { specs, needs };
}

/** The gates of a release: name → `{ specs, constant, needs, package }`. */
export function readGates(kubernetes) {
  const gates = new Map();
  const unread = [];
  for (const path of PACKAGES)
    for (const file of kubernetes.sources(path)) {
      const { specs, needs } = gatesOf(kubernetes.tokens(file));
      const nameOf = (constant) => {
        const name = kubernetes.constant(file, constant);
        if (name === undefined) unread.push(`${file}: ${constant}`);
        return name ?? constant;
      };
      const gateOf = (constant) => {
        const name = nameOf(constant);
        if (!gates.has(name)) gates.set(name, { specs: [], needs: [], package: path });
        return gates.get(name);
      };
      for (const each of specs)
        Object.assign(gateOf(each.constant), {
          specs: each.specs,
          constant: each.constant.split(".").at(-1),
          package: path,
        });
      for (const each of needs) {
        const gate = gateOf(each.constant);
        gate.needs = [...new Set([...gate.needs, ...each.needs.map(nameOf)])].sort(byName);
      }
    }
  if (unread.length > 0) throw new Error(`constants without a value: ${unread.join(", ")}`);
  return gates;
}

/** Packages that kube-apiserver links and that declare gates, beside those that are read; a newer release may have one. */
export function unreadPackages(kubernetes) {
  const seen = new Set();
  const waiting = ["k8s.io/kubernetes/cmd/kube-apiserver"];
  const found = [];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    for (const file of kubernetes.sources(path)) {
      const text = kubernetes.text(file);
      const imports = /^import (?:\((?<many>[^)]*)\)|.*)/gm;
      for (const [block] of text.matchAll(imports))
        for (const [, name] of block.matchAll(/"(k8s\.io\/[^"]+)"/g)) waiting.push(name);
      if (
        path !== DECLARING &&
        !PACKAGES.includes(path) &&
        /\]\s*(?:\w+\.)?(?:VersionedSpecs|FeatureSpec)\s*\{\s*[^}\s]/.test(text)
      )
        found.push(file);
    }
  }
  return found;
}

/** The names in upstream's own list. */
const listedNames = (kubernetes) =>
  new Set([...kubernetes.text(LIST).matchAll(/^- name: (\S+)$/gm)].map(([, name]) => name));

/** The table with the rows of a release, the next after its last one or one that it has. */
export function addGates(table, kubernetes) {
  const { release } = kubernetes;
  const { before } = releasesOf(release);
  const gates = readGates(kubernetes);
  const listed = listedNames(kubernetes);
  const upTo = (specs, last) => specs.filter((each) => within(each.split(" ")[0], last)).join("; ");

  const rowsOf = (name) => {
    const rows = [...(table.gates[name] ?? [])];
    const now = gates.get(name);
    const last = rows.at(-1);
    const open = last !== undefined && last.before === undefined;
    if (now === undefined) return open ? [...rows.slice(0, -1), ended(last, release)] : rows;
    const specs = now.specs.join("; ");
    // What a binary had up to the release before stays true of it, and the newer specs follow.
    if (open && upTo(last.specs.split("; "), before) === upTo(now.specs, before))
      return [...rows.slice(0, -1), { ...last, specs }];
    const next = { since: release, specs };
    return open ? [...rows.slice(0, -1), ended(last, release), next] : [...rows, next];
  };
  const needsOf = (name) => {
    const rows = [...(table.dependencies[name] ?? [])];
    const needs = gates.get(name)?.needs ?? [];
    const last = rows.at(-1);
    const open = last !== undefined && last.before === undefined;
    if (open && sameJson(last.needs, needs)) return rows;
    return [
      ...(open ? [...rows.slice(0, -1), ended(last, release)] : rows),
      ...(needs.length === 0 ? [] : [{ since: release, needs }]),
    ];
  };
  const names = [...new Set([...Object.keys(table.gates), ...gates.keys()])].sort(byName);
  const needing = [...new Set([...Object.keys(table.dependencies), ...gates.keys()])].sort(byName);
  const byConstant = [...gates].filter(
    ([name, { constant }]) => name !== constant && listed.has(constant) && !listed.has(name),
  );
  const unlisted = [...gates].flatMap(([name, { constant }]) =>
    listed.has(name) || listed.has(constant) ? [] : [name],
  );
  return {
    ...table,
    releases: { ...table.releases, last: release },
    listed: [
      ...table.listed.map((row) =>
        row.before === undefined && !byConstant.some(([name]) => name === row.name)
          ? ended(row, release)
          : row,
      ),
      ...byConstant
        .filter(([name]) => !table.listed.some((row) => row.name === name && row.before === undefined))
        .map(([name, { constant }]) => ({ listed: constant, name, since: release })),
    ],
    unlisted: [...new Set([...table.unlisted, ...unlisted])].sort(),
    gates: Object.fromEntries(names.map((name) => [name, rowsOf(name)])),
    dependencies: Object.fromEntries(
      needing.map((name) => [name, needsOf(name)]).filter(([, rows]) => rows.length > 0),
    ),
  };
}

/** A row that no longer holds from a release on; its specs follow the span. */
const ended = ({ since, specs, needs, ...row }, before) => ({
  ...row,
  ...(since === undefined ? {} : { since }),
  before,
  ...(specs === undefined ? {} : { specs }),
  ...(needs === undefined ? {} : { needs }),
});

/** The table as it was at an older release. Names of gates that no list had are of every release. */
export function cutGates(table, last) {
  const cut = (rows) =>
    cutRows(rows, last).map(({ specs, ...row }) => ({
      ...row,
      ...(specs === undefined
        ? {}
        : {
            specs: specs
              .split("; ")
              .filter((each) => within(each.split(" ")[0], last))
              .join("; "),
          }),
    }));
  const all = (rows) =>
    Object.fromEntries(
      Object.entries(rows)
        .map(([name, each]) => [name, cut(each)])
        .filter(([, each]) => each.length > 0),
    );
  const gates = all(table.gates);
  return {
    ...table,
    releases: { ...table.releases, last },
    listed: cutRows(table.listed, last),
    unlisted: table.unlisted.filter((name) => name in gates),
    gates,
    dependencies: all(table.dependencies),
  };
}
