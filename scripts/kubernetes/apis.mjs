// The built-in kinds of a release of Kubernetes with their lifecycles, endpoints and gates, and their rows in
// tables/kubernetes-apis.json.
import {
  afterBracket,
  callsOf,
  constantsOf,
  expressionAt,
  functionsOf,
  importsOf,
  memberOf,
} from "./go-source.mjs";
import { cutRow, cutRows, holdsAt, minorOf, releasesOf, sameJson, within } from "./rows.mjs";

const FIXTURES = "k8s.io/kubernetes/test/integration/etcd/data.go";
const DEFAULTS = "k8s.io/kubernetes/pkg/controlplane/instance.go";
/** Groups of servers that kube-apiserver contains. */
const CONTAINED = [
  "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions",
  "k8s.io/kube-aggregator/pkg/apis/apiregistration",
];
/** Groups that are answered without being registered where the others are. */
const ANSWERED = ["k8s.io/api/apidiscovery"];
/** A binary emulates so many releases, and serves what they served: so long the endpoint of what was removed is of interest. */
const EMULATED = 3;
const LIFECYCLE = ["introduced", "deprecated", "removed", "replacement"];

const apiVersionOf = (group, version) => (group === "" ? version : `${group}/${version}`);
const groupOf = (apiVersion) => (apiVersion.includes("/") ? apiVersion.split("/")[0] : "");
const isVersion = (name) => /^v\d+(?:(?:alpha|beta)\d+)?$/.test(name);

/** The resource of a kind, as apimachinery guesses it (`UnsafeGuessKindToResource`). */
export function resourceOf(kind) {
  const one = kind.toLowerCase();
  if (one.endsWith("endpoints")) return one;
  if (one.endsWith("s")) return `${one}es`;
  return one.endsWith("y") ? `${one.slice(0, -1)}ies` : `${one}s`;
}

/** The kinds that a register.go adds to a scheme, without lists and options. */
export const kindsOf = (tokens) =>
  callsOf(tokens, "AddKnownTypes")
    .flatMap((values) => values.slice(1))
    .flatMap(({ type }) => (type === undefined ? [] : [type]))
    .filter((type) => !type.includes(".") && !/(?:List|Options)$/.test(type));

/** The lifecycle methods of a generated file: kind → `{ introduced, deprecated, removed, replacement }`. */
export function lifecyclesOf(tokens) {
  const found = new Map();
  for (const { name, receiver, body } of functionsOf(tokens)) {
    const member = /^APILifecycle(Introduced|Deprecated|Removed|Replacement)$/.exec(name)?.[1].toLowerCase();
    if (member === undefined) continue;
    const back = body.findIndex((each) => each.kind === "name" && each.text === "return");
    const { value, next } = expressionAt(body, back + 1);
    if (!found.has(receiver)) found.set(receiver, {});
    found.get(receiver)[member] =
      value.elements === undefined
        ? `${value.number}.${expressionAt(body, next + 1).value.number}`
        : ["Group", "Version", "Kind"].map((part) => memberOf(value, part)?.text ?? "").join("/");
  }
  return found;
}

/** What a group keeps in etcd, by upstream's fixtures: `{ group, version, resource, path, namespaced }`. */
export function fixturesOf(tokens) {
  const found = [];
  for (let at = 0; at + 1 < tokens.length; at += 1) {
    if (tokens[at].text !== "gvr" || tokens[at + 1].text !== "(" || tokens[at - 1]?.text === "func") continue;
    const names = expressionAt(tokens, at);
    const colon = names.next;
    if (tokens[colon]?.text !== ":" || tokens[colon + 1]?.text !== "{") continue;
    const end = afterBracket(tokens, colon + 1);
    const inside = tokens.slice(colon + 1, end);
    const field = inside.findIndex((each) => each.kind === "name" && each.text === "ExpectedEtcdPath");
    if (field < 0) continue;
    const { value } = expressionAt(inside, field + 2);
    const parts = (value.operands ?? [value]).filter((each) => typeof each === "object");
    const [group, version, resource] = names.value.arguments.map((each) => each.text);
    found.push({
      group,
      version,
      resource,
      path: parts[0].text.replace(/^\/registry\//, "").replace(parts.length > 1 ? /\/$/ : /\/[^/]*$/, ""),
      namespaced: parts.some(({ name }) => name === "namespace"),
    });
  }
  return found;
}

/** The endpoints that a file of a registry makes: `{ alias, resource, gates }`, `alias` the import of the version. */
export function endpointsOf(tokens) {
  const found = [];
  // Some make those of every version in one function, which is given the version.
  const everyVersion = tokens.flatMap(({ text }, at) =>
    text === "VersionedResourcesStorageMap" && tokens[at + 1]?.text === "[" ? [tokens[at + 2].text] : [],
  );
  for (let at = 0; at + 3 < tokens.length; at += 1) {
    if (!(tokens[at].text === "if" && tokens[at + 1].text === "resource" && tokens[at + 2].text === ":="))
      continue;
    const resource = tokens[at + 3].text;
    let open = at + 4;
    let alias;
    const gates = [];
    while (tokens[open].text !== "{" || tokens[open].kind !== "mark") {
      if (tokens[open + 2]?.text === "SchemeGroupVersion") alias ??= tokens[open].text;
      if (tokens[open].text === "Enabled" && tokens[open + 1]?.text === "(")
        gates.push(expressionAt(tokens, open + 2).value.name);
      open += 1;
    }
    const body = tokens.slice(open + 1, afterBracket(tokens, open) - 1);
    // Gates of the blocks around the line that puts the resource among those of the group.
    const set = body.findIndex((each, i) => each.text === "storage" && body[i + 1]?.text === "[");
    for (let i = 0; i < set; i += 1) {
      if (body[i].text !== "if") continue;
      const [inner, end] = blockAt(body, i);
      if (inner === undefined || inner > set || end <= set) continue;
      for (let j = i; j < inner; j += 1)
        if (body[j].text === "Enabled" && body[j + 1]?.text === "(")
          gates.push(expressionAt(body, j + 2).value.name);
    }
    for (const each of alias === undefined ? everyVersion : [alias])
      found.push({ alias: each, resource, gates });
  }
  return found;
}

/** Where the block of a statement opens, and the place after it. */
function blockAt(tokens, from) {
  for (let at = from; at < tokens.length; at += 1) {
    if (tokens[at].kind !== "mark") continue;
    if (tokens[at].text === "{") return [at, afterBracket(tokens, at)];
    if (tokens[at].text === "(" || tokens[at].text === "[") at = afterBracket(tokens, at) - 1;
  }
  return [];
}

/** Group and version of a package such as k8s.io/api/apps/v1 or k8s.io/kubernetes/pkg/apis/apps/v1. */
function groupVersionOf(kubernetes, path) {
  const version = path.split("/").at(-1);
  const [folder] = path.split("/").slice(-2);
  const home = path.startsWith("k8s.io/kubernetes/pkg/apis/")
    ? `k8s.io/api/${apiFolder(folder)}/${version}`
    : path;
  for (const file of [`${home}/register.go`, `${home.slice(0, home.lastIndexOf("/"))}/register.go`]) {
    if (!kubernetes.has(file)) continue;
    const group = constantsOf(kubernetes.tokens(file)).get("GroupName");
    if (group?.text !== undefined) return { group: group.text, version };
  }
  return undefined;
}

const apiFolder = (folder) => folder;

/** Everything of a release that the table has. */
export function readApis(kubernetes) {
  /** apiVersion + kind → lifecycle, and where the type is declared. */
  const kinds = new Map();
  const add = (path) => {
    const { group, version } = groupVersionOf(kubernetes, path) ?? {};
    if (group === undefined) throw new Error(`${path} has no GroupName`);
    const files = kubernetes.sources(path);
    // Most are generated; a few types of v1 have theirs by hand, in a file beside them.
    const lifecycles = new Map();
    for (const file of files.filter((each) => kubernetes.text(each).includes(") APILifecycle")))
      for (const [kind, members] of lifecyclesOf(kubernetes.tokens(file)))
        lifecycles.set(kind, { ...lifecycles.get(kind), ...members });
    for (const kind of kindsOf(kubernetes.tokens(`${path}/register.go`)))
      kinds.set(`${apiVersionOf(group, version)} ${kind}`, {
        group,
        apiVersion: apiVersionOf(group, version),
        kind,
        path,
        lifecycle: lifecycles.get(kind) ?? {},
      });
  };
  const priorities = new Map();
  for (const folder of kubernetes.list("k8s.io/kubernetes/pkg/apis")) {
    const file = `k8s.io/kubernetes/pkg/apis/${folder}/install/install.go`;
    if (!kubernetes.has(file)) continue;
    const tokens = kubernetes.tokens(file);
    const imports = importsOf(tokens);
    const versions = [...imports.values()].filter(
      (path) => path.startsWith(`k8s.io/kubernetes/pkg/apis/${folder}/`) && isVersion(path.split("/").at(-1)),
    );
    for (const path of versions) add(`k8s.io/api/${folder}/${path.split("/").at(-1)}`);
    for (const values of callsOf(tokens, "SetVersionPriority")) {
      const ordered = values.map(({ name }) => imports.get(name.split(".")[0]).split("/").at(-1));
      const { group } = groupVersionOf(kubernetes, `k8s.io/kubernetes/pkg/apis/${folder}/${ordered[0]}`);
      priorities.set(group, ordered);
    }
  }
  for (const home of [...CONTAINED, ...ANSWERED])
    for (const version of kubernetes.list(home).filter(isVersion)) add(`${home}/${version}`);

  /** apiVersion + resource → gates without which it has no endpoint. */
  const endpoints = new Map();
  const groups = new Set();
  for (const folder of kubernetes.list("k8s.io/kubernetes/pkg/registry"))
    for (const file of folder === "testapigroup"
      ? []
      : kubernetes.sources(`k8s.io/kubernetes/pkg/registry/${folder}/rest`)) {
      const imports = importsOf(kubernetes.tokens(file));
      for (const { alias, resource, gates } of endpointsOf(kubernetes.tokens(file))) {
        const path = imports.get(alias);
        const of = path === undefined ? undefined : groupVersionOf(kubernetes, path);
        if (of === undefined)
          throw new Error(`${file}: the version of ${resource} is not understood (${alias})`);
        groups.add(of.group);
        const names = gates.map((gate) => kubernetes.constant(file, gate) ?? gate);
        endpoints.set(`${apiVersionOf(of.group, of.version)} ${resource}`, names);
      }
    }

  /** Beta versions that are on by themselves, and with a resource of them alone. */
  const enabled = new Set();
  const defaults = kubernetes.tokens(DEFAULTS);
  const aliases = importsOf(defaults);
  for (let at = 0; at < defaults.length; at += 1) {
    if (!/EnabledByDefault(?:Resources)?$/.test(defaults[at].text) || defaults[at + 1]?.text !== "=")
      continue;
    for (const each of expressionAt(defaults, at + 2).value.elements ?? []) {
      const name = each.value.name ?? each.value.call?.name ?? "";
      const of = groupVersionOf(kubernetes, aliases.get(name.split(".")[0]) ?? "");
      if (of === undefined) throw new Error(`${DEFAULTS}: ${name} is not understood`);
      const resource = each.value.arguments?.[0]?.text;
      enabled.add(`${apiVersionOf(of.group, of.version)}${resource === undefined ? "" : ` ${resource}`}`);
    }
  }
  return { kinds, priorities, endpoints, groups, enabled, fixtures: fixturesOf(kubernetes.tokens(FIXTURES)) };
}

const rank = (version) => (version.includes("alpha") ? 0 : version.includes("beta") ? 1 : 2);
const numbers = (version) => [...version.matchAll(/\d+/g)].map(([digits]) => Number(digits));
/** GA before beta before alpha, the newest first (apimachinery, `CompareKubeAwareVersionStrings`). */
const byPreference = (a, b) => {
  const [x, y] = [numbers(a), numbers(b)];
  return rank(b) - rank(a) || y[0] - x[0] || (y[1] ?? 0) - (x[1] ?? 0);
};

const ORDER = ["apiVersion", ...LIFECYCLE, "was", "first", "last", "enabledByDefault", "endpoint"];
const inOrder = (version) =>
  Object.fromEntries(ORDER.flatMap((name) => (version[name] === undefined ? [] : [[name, version[name]]])));

/** The table with a release, the next after its last one. */
export function addApis(table, kubernetes) {
  const { release } = kubernetes;
  const { before } = releasesOf(release);
  const read = readApis(kubernetes);
  const known = new Set();

  const updated = (row) => (version) => {
    const key = `${version.apiVersion} ${row.kind}`;
    known.add(key);
    const now = read.kinds.get(key);
    if (now === undefined)
      return version.last === undefined ? inOrder({ ...version, last: before }) : version;
    const { last, ...rest } = version;
    // A type that an older binary had and the last one had not would need spans; upstream brings none back.
    if (last !== undefined)
      throw new Error(`${key} was registered up to ${last}, and is again in ${release}`);
    // No API serves these; their lifecycle tells nothing.
    if (row.internal === true) return version;
    const was = LIFECYCLE.filter((name) => rest[name] !== now.lifecycle[name]).map((name) => ({
      in: release,
      [name]: rest[name] ?? null,
    }));
    const lifecycle = Object.fromEntries(LIFECYCLE.map((name) => [name, now.lifecycle[name]]));
    const all = [...(rest.was ?? []), ...was];
    const next = { ...rest, ...lifecycle, was: all.length === 0 ? undefined : all };
    return inOrder({ ...next, ...served(row, next) });
  };

  /** Whether a version has an endpoint, and is on by default, where that has changed. */
  const served = (row, version) => {
    const { group } = read.kinds.get(`${version.apiVersion} ${row.kind}`);
    if (row.resource === undefined || row.internal === true || !read.groups.has(group)) return {};
    const key = `${version.apiVersion} ${row.resource}`;
    const changes = {};
    const stays = version.removed === undefined || minorOf(version.removed) + EMULATED > minorOf(before);
    const had = version.first !== release && holdsAt(version.endpoint ?? {}, before);
    const has = read.endpoints.has(key);
    if (!has && (stays || version.first === release) && had)
      changes.endpoint = { ...version.endpoint, before: release };
    if (has && version.first !== release && !holdsAt(version.endpoint ?? {}, before))
      changes.endpoint = { since: release };
    const on = read.enabled.has(version.apiVersion) || read.enabled.has(key);
    const beta = /beta\d+$/.test(version.apiVersion);
    const wasOn = version.enabledByDefault !== undefined && holdsAt(version.enabledByDefault, before);
    const late = version.introduced !== undefined && minorOf(version.introduced) >= minorOf("1.24");
    if (beta && late && on && !wasOn) changes.enabledByDefault = { since: release };
    if (beta && late && !on && wasOn && stays)
      changes.enabledByDefault = { ...version.enabledByDefault, before: release };
    return changes;
  };

  const gateOf = (row) => {
    const gates = row.versions
      .map(({ apiVersion }) => read.endpoints.get(`${apiVersion} ${row.resource}`))
      .filter((each) => each !== undefined);
    if (gates.length === 0) return row.gate;
    const always = gates[0].find((gate) => gates.every((each) => each.includes(gate)));
    return always;
  };

  const withVersions = (row) => {
    const versions = row.versions.map(updated(row));
    return { ...row, versions };
  };
  const resources = table.resources.map(withVersions);
  const others = table.others.map(withVersions);
  for (const [key, { group, apiVersion, kind, path, lifecycle }] of read.kinds) {
    if (known.has(key)) continue;
    const version = inOrder({ apiVersion, ...lifecycle, first: release });
    const rows = [...resources, ...others].filter(
      (row) =>
        row.kind === kind &&
        (row.group === group || row.versions.some((each) => groupOf(each.apiVersion) === group)),
    );
    const fixture = read.fixtures.find((each) => each.group === group && each.resource === resourceOf(kind));
    if (rows.length > 0) {
      for (const row of rows) insertVersion(row.versions, version);
      continue;
    }
    if (fixture !== undefined)
      resources.push({
        path: fixture.path,
        group,
        resource: fixture.resource,
        kind,
        namespaced: fixture.namespaced,
        versions: [version],
      });
    else {
      const resource = resourceOf(kind);
      const answers = read.endpoints.has(`${apiVersion} ${resource}`);
      others.push({
        group,
        kind,
        ...(answers ? { resource, namespaced: isNamespaced(kubernetes, path, kind) } : {}),
        versions: [version],
      });
    }
  }
  for (const row of resources) {
    if (row.internal === true || !read.groups.has(row.group)) continue;
    const gate = gateOf(row);
    if (gate !== row.gate) {
      const { versions, gate: _, ...rest } = row;
      for (const name of Object.keys(row)) delete row[name];
      Object.assign(row, rest, gate === undefined ? {} : { gate }, { versions });
    }
  }
  const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  return {
    ...table,
    releases: { ...table.releases, last: release },
    priorities: addPriorities(table.priorities, read, release),
    resources: resources.sort((a, b) => byText(a.path, b.path)),
    others: others.sort((a, b) => byText(a.group, b.group) || byText(a.kind, b.kind)),
  };
}

/** A version goes before the first of its group that follows it by name. */
function insertVersion(versions, version) {
  const group = groupOf(version.apiVersion);
  const own = versions.filter((each) => groupOf(each.apiVersion) === group);
  const next = own.find((each) => each.apiVersion > version.apiVersion);
  const at = next === undefined ? versions.indexOf(own.at(-1)) + 1 : versions.indexOf(next);
  versions.splice(own.length === 0 ? versions.length : at, 0, version);
}

function isNamespaced(kubernetes, path, kind) {
  const text = kubernetes.text(`${path}/types.go`);
  const declared = text.indexOf(`\ntype ${kind} struct`);
  const comment = text.slice(text.lastIndexOf("\n}\n", declared), declared);
  return !comment.includes("+genclient:nonNamespaced");
}

function addPriorities(rows, read, release) {
  const next = rows.map((row) => ({ ...row }));
  const isServed = (group, version) =>
    [...read.kinds.values()].some(
      (each) =>
        each.apiVersion === apiVersionOf(group, version) &&
        (each.lifecycle.removed === undefined || !within(each.lifecycle.removed, release)),
    );
  for (const [group, all] of read.priorities) {
    const versions = all.filter((version) => isServed(group, version));
    const open = next.find((row) => row.group === group && row.before === undefined);
    const plain = sameJson([...versions].sort(byPreference), versions);
    if (open !== undefined && (plain || !sameJson(open.versions, versions))) open.before = release;
    if (plain || sameJson(open?.versions, versions)) continue;
    const at = next.findLastIndex((row) => row.group <= group);
    next.splice(at + 1, 0, { group, versions, since: release });
  }
  return next;
}

/** The table as it was at an older release. */
export function cutApis(table, last) {
  const cutVersion = ({ was = [], ...version }) => {
    if (!within(version.first, last)) return [];
    const back = { ...version };
    for (const { in: at, ...before } of [...was].reverse())
      if (!within(at, last))
        for (const [name, value] of Object.entries(before)) back[name] = value === null ? undefined : value;
    if (back.last !== undefined && !within(back.last, releasesOf(last).before)) back.last = undefined;
    for (const name of ["endpoint", "enabledByDefault"]) {
      const span = back[name] === undefined ? undefined : cutRow(back[name], last);
      back[name] = span === undefined || Object.keys(span).length === 0 ? undefined : span;
    }
    const kept = was.filter(({ in: at }) => within(at, last));
    return [inOrder({ ...back, was: kept.length === 0 ? undefined : kept })];
  };
  const cut = (row) => {
    const versions = row.versions.flatMap(cutVersion);
    return versions.length === 0 ? [] : [{ ...row, versions }];
  };
  return {
    ...table,
    releases: { ...table.releases, last },
    priorities: cutRows(table.priorities, last),
    resources: table.resources.flatMap(cut),
    others: table.others.flatMap(cut),
  };
}
