// Which version of a built-in kind a release of Kubernetes stores where it is fixed by hand, and the rows in
// tables/kubernetes-storage.json.
import { callsOf, constantsOf, importsOf } from "./go-source.mjs";
import { cutRows, sameJson, within } from "./rows.mjs";

const FACTORY = "k8s.io/kubernetes/pkg/kubeapiserver/default_storage_factory_builder.go";
const DEFINITIONS = "k8s.io/apiextensions-apiserver/pkg/cmd/server/options/options.go";
const REGISTRY = "k8s.io/kubernetes/pkg/registry";

/** `scheduling.Resource("workloads")`, with the alias of the group. */
const resourceIn = (value) =>
  value?.call?.name?.endsWith(".Resource")
    ? { alias: value.call.name.split(".")[0], resource: value.arguments[0].text }
    : undefined;

/** The pins and the resources under one key that a storage factory is built with; groups are aliases of imports. */
export function storageOf(tokens) {
  const pins = callsOf(
    // Every pin is a call on the result of another.
    tokens,
    "WithVersion",
  ).map(([version]) => version.text);
  const resources = [];
  for (let at = 0; at + 8 < tokens.length; at += 1)
    if (tokens[at + 1].text === "." && tokens[at + 2].text === "Resource" && tokens[at + 3].text === "(")
      if (tokens[at + 5].text === ")" && tokens[at + 7]?.text === "WithVersion" && tokens[at].kind === "name")
        resources.push({ alias: tokens[at].text, resource: tokens[at + 4].text });
  if (pins.length !== resources.length)
    throw new Error("a pin of another form than Resource(…).WithVersion(…)");
  return {
    pins: resources.map((each, i) => ({ ...each, version: pins[i] })),
    cohabitation: callsOf(tokens, "AddCohabitatingResources").map((values) => values.map(resourceIn)),
  };
}

/** Those of a release, with the names of groups. */
export function readStorage(kubernetes) {
  const tokens = kubernetes.tokens(FACTORY);
  const imports = importsOf(tokens);
  const groupOf = (alias) => {
    const path = imports.get(alias);
    const group =
      path === undefined ? undefined : constantsOf(kubernetes.tokens(`${path}/register.go`)).get("GroupName");
    if (group?.text === undefined) throw new Error(`${FACTORY}: the group of ${alias} is not known`);
    return group.text;
  };
  const named = ({ alias, resource, ...rest }) => ({ group: groupOf(alias), resource, ...rest });
  const { pins, cohabitation } = storageOf(tokens);
  return { pins: pins.map(named), cohabitation: cohabitation.map((pair) => pair.map(named)) };
}

/** The registries that stand between a server and the store, and so do not pass on what deletes unreadable objects. */
const wrapped = (kubernetes) =>
  kubernetes.list(REGISTRY).flatMap((group) =>
    kubernetes.list(`${REGISTRY}/${group}`).flatMap((name) =>
      ["storage", "policybased"].flatMap((folder) =>
        kubernetes
          .sources(`${REGISTRY}/${group}/${name}/${folder}`)
          .filter((file) =>
            /^type (?:REST|Storage) struct \{\n(?:\t\/\/.*\n)*\t(?:rest\.StandardStorage|store +\*genericregistry\.Store)$/m.test(
              kubernetes.text(file),
            ),
          )
          .map(() => (name.endsWith("s") ? `${name}es` : `${name}s`)),
      ),
    ),
  );

/** The table with a release; `apis` is the table of kinds that has it already. */
export function addStorage(table, kubernetes, apis) {
  const { release } = kubernetes;
  const { pins, cohabitation } = readStorage(kubernetes);
  const byHand = (what) => {
    throw new Error(`Kubernetes ${release}: ${what}; look at tables/kubernetes-storage.json`);
  };
  if (!sameJson(cohabitation, table.cohabitation)) byHand("other resources lie under one key");
  if (
    !/LegacyCodec\(v1beta1\.SchemeGroupVersion, v1\.SchemeGroupVersion\)/.test(kubernetes.text(DEFINITIONS))
  )
    byHand("definitions of kinds are encoded in another way");
  const unsafe = table.withoutUnsafeDeletion.map(({ resource }) => resource).sort();
  if (!sameJson([...new Set(wrapped(kubernetes))].sort(), unsafe))
    byHand("other registries pass on no unsafe deletion");

  const exists = ({ group, resource }) =>
    apis.resources.some(
      (row) =>
        row.group === group &&
        row.resource === resource &&
        row.versions.some(
          ({ first, last }) => within(first, release) && (last === undefined || within(release, last)),
        ),
    );
  const now = pins.filter(exists);
  const same = (a, b) => a.group === b.group && a.resource === b.resource && a.version === b.version;
  const rows = table.pins.map((row) =>
    row.before === undefined && !now.some((pin) => same(pin, row)) ? { ...row, before: release } : row,
  );
  const open = rows.filter(({ before }) => before === undefined);
  const added = now
    .filter((pin) => !open.some((row) => same(pin, row)))
    .map(({ group, resource, version }) => ({ group, resource, version, since: release }));
  const keyOf = ({ group, resource }) => `${group} ${resource}`;
  for (const pin of added) {
    const at = rows.findLastIndex((row) => keyOf(row) <= keyOf(pin));
    rows.splice(at + 1, 0, pin);
  }
  const unstored = apis.others
    .filter((row) => row.resource !== undefined && row.versions.some(({ first }) => first === release))
    .filter((row) => !table.withoutStorage.some((each) => keyOf(each) === keyOf(row)))
    .map(({ group, resource }) => ({ group, resource }));
  return { ...table, withoutStorage: [...table.withoutStorage, ...unstored], pins: rows };
}

/** The table as it was at an older release. */
export const cutStorage = (table, last) => ({ ...table, pins: cutRows(table.pins, last) });
