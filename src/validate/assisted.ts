/** What holds together the objects of a cluster that assisted-service installs. */
import { decode, encode } from "../core/files.js";
import { isList, isObject, type Json, textAt } from "../core/json.js";
import { type Problem, problem } from "../core/problem.js";
import { MANIFEST_FOLDERS, parseManifestPath } from "../kubernetes/manifest-secrets.js";
import { saysSame } from "../text/yaml-content.js";
import { at, type Check, type Context, compileAgain, dig, isKind, type Known } from "./context.js";

const CONFIG = ["spec", "config"];
const BOOTSTRAP = [
  ["spec", "openshiftAssistedConfigSpec"],
  ["spec", "template", "spec"],
];

export const checkAssisted: Check = (context) => {
  const { assisted } = context;
  if (assisted === undefined) return [];
  const maps = referencedMaps(assisted, context);
  return [
    ...nameProblems(assisted, context),
    ...secretProblems(context),
    ...maps.problems,
    ...manifestProblems(assisted, maps.found, context),
  ];
};

/** The bootstrap provider looks for a ClusterDeployment whose label is the name of the Cluster. */
function nameProblems(assisted: Known, { cluster }: Context): Problem[] {
  const given = dig(assisted.object, [...CONFIG, "clusterName"]);
  const name = cluster?.identity.name;
  if (given === undefined || given === "" || name === undefined || given === name) return [];
  return [
    at(
      assisted,
      problem(
        "CAPI045",
        "Invalid",
        [...CONFIG, "clusterName"].join("."),
        `the Cluster is named ${JSON.stringify(name)}; with another name here, its machines never start`,
        "use the name of the Cluster",
      ),
    ),
  ];
}

function secretProblems({ objects, secrets, unreadable }: Context): Problem[] {
  if (unreadable.size > 0) return [];
  return objects.flatMap((known) =>
    [CONFIG, ...BOOTSTRAP].flatMap((path) => {
      const field = [...path, "pullSecretRef", "name"];
      const name = dig(known.object, field);
      if (typeof name !== "string" || secrets.some(({ identity }) => identity.name === name)) return [];
      return [missing(known, field.join("."), "Secret", name)];
    }),
  );
}

const missing = (known: Known, field: string, kind: string, name: string): Problem =>
  at(
    known,
    problem(
      "CAPI010",
      "NotFound",
      field,
      `${kind} ${JSON.stringify(name)} is not in the folder`,
      "write it: slipway create infrastructure-manifests",
    ),
  );

interface Manifests {
  readonly known: Known;
  readonly data: ReadonlyMap<string, string>;
}

function referencedMaps(
  assisted: Known,
  { objects, unreadable }: Context,
): { readonly found: readonly Manifests[]; readonly problems: readonly Problem[] } {
  const named = (reference: Json | undefined): string =>
    isObject(reference) ? textAt(reference, "name") : "";
  const lookup = (field: string, name: string): { readonly map?: Known; readonly problems: Problem[] } => {
    if (name === "") return { problems: [] };
    const map = objects.find((each) => isKind(each, "", "ConfigMap") && each.identity.name === name);
    if (map !== undefined) return { map, problems: [] };
    return { problems: unreadable.size > 0 ? [] : [missing(assisted, field, "ConfigMap", name)] };
  };
  const registry = lookup(
    "spec.config.imageRegistryRef.name",
    named(dig(assisted.object, [...CONFIG, "imageRegistryRef"])),
  );
  const references = dig(assisted.object, [...CONFIG, "manifestsConfigMapRefs"]);
  const maps = (isList(references) ? references : []).map((each, index) =>
    lookup(`spec.config.manifestsConfigMapRefs[${index}].name`, named(each)),
  );
  return {
    found: maps.flatMap(({ map }) => (map === undefined ? [] : [{ known: map, data: dataOf(map) }])),
    problems: [...registry.problems, ...maps.flatMap(({ problems }) => problems)],
  };
}

const dataOf = ({ object }: Known): ReadonlyMap<string, string> => {
  const data = object["data"];
  const entries = isObject(data) ? Object.entries(data) : [];
  return new Map(entries.flatMap(([key, text]) => (typeof text === "string" ? [[key, text]] : [])));
};

/** Every manifest that the user added is in one of the ConfigMaps, as it is on disk; no key is in two. */
function manifestProblems(assisted: Known, maps: readonly Manifests[], context: Context): Problem[] {
  const { directory, history, unreadable } = context;
  const problems: Problem[] = [];
  const owners = new Map<string, Known>();
  for (const { known, data } of maps)
    for (const [key, text] of data) {
      const owner = owners.get(key);
      if (owner !== undefined)
        problems.push(
          at(
            known,
            problem(
              "CAPI045",
              "Duplicate",
              `data[${key}]`,
              `${owner.file} has a manifest with the same name, and assisted-service rejects both`,
              "rename one of them",
            ),
          ),
        );
      owners.set(key, known);
      const paths = MANIFEST_FOLDERS.map((folder) => `${folder}/${key}`);
      const source = paths.flatMap((path) => directory.files.get(path) ?? [])[0];
      if (source !== undefined && !saysSame(source.path, encode(text), source.data))
        problems.push(
          at(
            known,
            problem(
              "CAPI018",
              "Invalid",
              `data[${key}]`,
              `the content of the ConfigMap differs from ${source.path} on disk`,
              {
                severity: history(known.file) === "edited" ? "warning" : "error",
                hint: `make changes in the file, not in the ConfigMap, then update it: ${compileAgain(known.file, context)}`,
              },
            ),
          ),
        );
    }
  if (directory.history === undefined || unreadable.size > 0) return problems;
  const added = [...directory.files.values()].filter(({ path }) => history(path) === "added");
  for (const { path, data } of added) {
    const file = parseManifestPath(path)?.file;
    if (file === undefined || decode(data) === undefined || owners.has(file)) continue;
    problems.push(
      problem(
        "CAPI018",
        "NotFound",
        "",
        `no ConfigMap referenced by ${assisted.file} contains the file, so it will not be applied to the cluster`,
        { file: path, hint: "run slipway create infrastructure-manifests again" },
      ),
    );
  }
  return problems;
}
