/**
 * What the bootstrap does with the files of manifests/ and openshift/ that their author would not expect
 * (docs/reference/ignition-configs.md §2f, §2g, §7b): it copies openshift/ over manifests/, renders of operators write
 * over both, of each file the first document alone is applied, and all is tried until everything exists.
 */
import table from "../../../tables/bootstrap-manifests.json" with { type: "json" };
import { rowAt } from "../../core/by-release.js";
import { decode } from "../../core/files.js";
import { isObject, type JsonObject, textAt } from "../../core/json.js";
import { lookup } from "../../core/lookup.js";
import { type Problem, problem, warning } from "../../core/problem.js";
import type { Release } from "../../core/release.js";
import { identityOf } from "../../kubernetes/identity.js";
import { itemsOf } from "../../kubernetes/list-members.js";
import { isDnsLabel } from "../../kubernetes/names.js";
import { child, readYaml, toJson, type YamlDocument, type YamlNode } from "../../text/yaml-read.js";
import type { DiskText } from "../documents.js";

/** Minor number of the newest Ignition spec version that machines of a release read. */
export const newestSpec = (release: Release): number => rowAt(table.ignition.newest, release)?.minor ?? 0;

interface Manifest {
  readonly path: string;
  /** Name of the file without its folder. */
  readonly name: string;
  /** Those that are not empty. */
  readonly documents: readonly YamlDocument[];
  /** Whether the first document of the file is one of them. */
  readonly startsEmpty: boolean;
}

interface Applied {
  readonly path: string;
  readonly node: YamlNode;
  readonly object: JsonObject;
}

/** @param files files of both folders with the endings that the installer takes */
export function bootManifestProblems(files: readonly DiskText[]): Problem[] {
  const manifests = files.map((file): Manifest => {
    const text = decode(file.data) ?? "";
    const all = readYaml(text, file.path).documents;
    const documents = all.filter(({ root }) => !isEmpty(root));
    return {
      path: file.path,
      name: file.path.slice(file.path.lastIndexOf("/") + 1),
      documents,
      startsEmpty: isEmpty(all[0]?.root),
    };
  });
  const applied = manifests.flatMap(({ path, documents }): Applied[] => {
    const node = documents[0]?.root;
    const object = node === undefined ? undefined : toJson(node);
    return node !== undefined && isObject(object) ? [{ path, node, object }] : [];
  });
  return [
    ...shadowed(manifests),
    ...manifests.flatMap(renderedOver),
    ...manifests.flatMap(severalDocuments),
    ...applied.flatMap(listOfObjects),
    ...namespaceProblems(applied),
    ...overridesMissing(files),
  ];
}

const isEmpty = (root: YamlNode | undefined): boolean =>
  root === undefined || (root.type === "scalar" && root.value === null);

function shadowed(manifests: readonly Manifest[]): Problem[] {
  const winners = new Map(
    manifests.flatMap(({ path, name }): [string, string][] =>
      path.startsWith("openshift/") ? [[name, path]] : [],
    ),
  );
  return manifests.flatMap(({ path, name }): Problem[] => {
    const winner = path.startsWith("manifests/") ? winners.get(name) : undefined;
    if (winner === undefined) return [];
    return [
      problem(
        "BOOT001",
        "Duplicate",
        "",
        `the bootstrap overwrites it with ${winner}, so it is not applied`,
        { file: path, hint: "rename one of the two files" },
      ),
    ];
  });
}

function renderedOver({ path, name }: Manifest): Problem[] {
  const step = table.rendered.find(
    ({ names = [], prefixes = [] }) =>
      names.some((each) => each === name) || prefixes.some((prefix) => name.startsWith(prefix)),
  );
  if (step === undefined) return [];
  return [
    warning(
      "BOOT002",
      "Forbidden",
      "",
      `${step.step} writes files with such names on the bootstrap machine and may overwrite this one`,
      { file: path, hint: "use another file name" },
    ),
  ];
}

function severalDocuments({ path, documents, startsEmpty }: Manifest): Problem[] {
  const [first, second] = documents;
  if (startsEmpty && first?.root !== undefined)
    return [
      problem(
        "BOOT003",
        "Invalid",
        "",
        "the bootstrap reads only the first document of a file; this one is empty, so the bootstrap fails",
        {
          file: path,
          line: first.root.line,
          column: first.root.column,
          hint: "remove the --- line after the empty document",
        },
      ),
    ];
  if (second?.root === undefined) return [];
  return [
    problem(
      "BOOT003",
      "TooMany",
      "",
      `the bootstrap applies only the first document of a file; ${documents.length - 1} more would be lost`,
      {
        file: path,
        line: second.root.line,
        column: second.root.column,
        hint: "write each document to its own file: slipway create manifests --split-documents",
      },
    ),
  ];
}

function listOfObjects({ path, node, object }: Applied): Problem[] {
  if (itemsOf(node) === undefined) return [];
  const place = child(node, "kind") ?? node;
  return [
    problem(
      "BOOT004",
      "NotSupported",
      "kind",
      `the bootstrap cannot load a ${textAt(object, "kind")} and fails`,
      {
        file: path,
        line: place.line,
        column: place.column,
        hint: "write each item to its own file: slipway create manifests --split-documents",
      },
    ),
  ];
}

function namespaceProblems(applied: readonly Applied[]): Problem[] {
  const made = new Set(
    applied.flatMap(({ object }) =>
      object["kind"] === "Namespace" || object["kind"] === "Project" ? [identityOf(object).name] : [],
    ),
  );
  const isThere = (name: string): boolean => made.has(name) || table.namespaces.includes(name);
  return applied.flatMap(({ path, node, object }): Problem[] => {
    const { group, version, kind, namespace, name } = identityOf(object);
    // What is no object, or names no namespace that there can be, is told as that.
    if (version === "" || (namespace !== "" && !isDnsLabel(namespace))) return [];
    const metadata = child(node, "metadata");
    if (namespace === "") {
      const namespaced: readonly string[] = lookup(table.namespaced, group) ?? [];
      if (!namespaced.includes(kind)) return [];
      const { line, column } = metadata ?? node;
      return [
        problem(
          "BOOT006",
          "Required",
          "metadata.namespace",
          `${[kind, name].filter(Boolean).join(" ")} has no namespace, and the bootstrap has no default namespace`,
          { file: path, line, column, hint: "set metadata.namespace" },
        ),
      ];
    }
    if (isThere(namespace)) return [];
    const { line, column } = child(metadata, "namespace") ?? node;
    return [
      warning(
        "BOOT005",
        "NotFound",
        "metadata.namespace",
        `no manifest creates the namespace ${namespace}; the bootstrap retries until the namespace exists, and fails if nothing creates it`,
        { file: path, line, column, hint: "add a manifest of the Namespace" },
      ),
    ];
  });
}

/** Where the manifests of the installer are, that of the cluster version is needed. */
function overridesMissing(files: readonly DiskText[]): Problem[] {
  const has = (path: string): boolean => files.some((file) => file.path === path);
  if (!has("manifests/cluster-config.yaml") || has("manifests/cvo-overrides.yaml")) return [];
  return [
    problem("IGN004", "NotFound", "", "the installer cannot create ignition-configs without the file", {
      file: "manifests/cvo-overrides.yaml",
      hint: "restore it: slipway create manifests --theirs manifests/cvo-overrides.yaml",
    }),
  ];
}
