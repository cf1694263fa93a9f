// The options of the environment in which a release of Kubernetes compiles expressions, and the rows in
// tables/kubernetes-cel.json.

import { versionOf } from "./gates.mjs";
import { compositesOf, expressionAt, memberOf } from "./go-source.mjs";
import { minorOf, within } from "./rows.mjs";

const BASE = "k8s.io/apiserver/pkg/cel/environment/base.go";

/** Names that the table has in another way than an option is written. */
const NAMES = {
  "library.Authz": "library.authorizer",
  "library.AuthzSelectors": "library.authorizer-selectors",
  "library.Lists(0)": "library.lists",
  "library.SemverLib(1)": "library.semver",
  "ext.TwoVarComprehensions": "library.two-variable-comprehensions",
  "cel.ASTValidators": "option.literal-validators",
};
/** Options that no expression can tell: how literals are read, when declarations are validated, what presence costs. */
const UNSEEN = new Set([
  "cel.HomogeneousAggregateLiterals",
  "cel.EagerlyValidateDeclarations",
  "cel.DefaultUTCTimeZone",
  "cel.CostEstimatorOptions",
]);

const withHyphens = (name) =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1-$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase();

/** The name of an option such as `UnversionedLib(library.IP)` or `ext.Lists(ext.ListsVersion(3))`. */
function nameOf({ call, arguments: [first] }) {
  const unversioned = /(?:^|\.)UnversionedLib$/.test(call.name);
  const name = unversioned ? first.name : call.name;
  const version =
    !unversioned && /Version$/.test(first?.call?.name ?? "") ? first.arguments[0].number : undefined;
  const written = version === undefined ? name : `${name}(${version})`;
  if (UNSEEN.has(name)) return undefined;
  if (NAMES[written] !== undefined) return NAMES[written];
  const [home, own] = name.split(".");
  const plain = own === own.toUpperCase() || /^[A-Z]+s$/.test(own) ? own.toLowerCase() : withHyphens(own);
  return `${home === "cel" ? "option" : "library"}.${plain}${version === undefined ? "" : `.v${version}`}`;
}

/** The options of base.go, oldest first: `{ name, introduced, removed, gate }`. */
export function optionsOf(tokens) {
  const sets = compositesOf(tokens, /^\[\]VersionedOptions$/).flatMap(({ elements }) =>
    elements.map(({ value }) => value).filter((value) => value.elements !== undefined),
  );
  const found = sets.flatMap((set) =>
    (memberOf(set, "EnvOptions")?.elements ?? []).flatMap(({ value }) => {
      const name = nameOf(value);
      if (name === undefined) return [];
      const removed = versionOf(memberOf(set, "RemovedVersion"));
      const enabled = memberOf(set, "FeatureEnabled");
      const asked = enabled?.body?.findIndex(({ text }) => text === "Enabled") ?? -1;
      const gate =
        asked < 0
          ? undefined
          : expressionAt(enabled.body, asked + 2)
              .value.name.split(".")
              .at(-1);
      return [
        {
          name,
          introduced: versionOf(memberOf(set, "IntroducedVersion")),
          ...(removed === undefined ? {} : { removed }),
          ...(gate === undefined ? {} : { gate }),
        },
      ];
    }),
  );
  return found.sort((a, b) => minorOf(a.introduced) - minorOf(b.introduced));
}

/** The table with a release. */
export function addCel(table, kubernetes) {
  const options = optionsOf(kubernetes.tokens(BASE));
  const gone = table.entries.filter((entry) => !options.some(({ name }) => name === entry.name));
  if (gone.length > 0)
    throw new Error(
      `${BASE} no longer has ${gone.map(({ name }) => name).join(", ")}; look at tables/kubernetes-cel.json`,
    );
  return {
    ...table,
    through: kubernetes.release,
    entries: options.map((option) => {
      // A gate that is gone is one that is always on; binaries that had it keep it.
      const known = table.entries.find(({ name }) => name === option.name);
      const gate = option.gate ?? known?.gate;
      return { ...option, ...(gate === undefined ? {} : { gate }) };
    }),
  };
}

/** The table as it was at an older release. */
export const cutCel = (table, last) => ({
  ...table,
  through: last,
  entries: table.entries
    .filter(({ introduced }) => within(introduced, last))
    .map(({ removed, gate, ...entry }) => ({
      ...entry,
      ...(removed === undefined || !within(removed, last) ? {} : { removed }),
      ...(gate === undefined ? {} : { gate }),
    })),
});
