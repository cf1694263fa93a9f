/** An object that is judged: what it is, where it stands, and where findings about it go. */
import type { KindReference } from "../compatibility/api-table.js";
import type { Problem } from "../core/diagnostics.js";
import { parseApiVersion } from "../kubernetes/identity.js";
import { child, type YamlNode } from "../text/yaml-read.js";
import { type Use, useOf } from "./found.js";

export interface Subject extends KindReference {
  readonly root: YamlNode;
  readonly file: string;
  readonly apiVersion: string;
  /** `networking.k8s.io/v1beta1 Ingress shop/web` */
  readonly name: string;
  readonly uses: Use[];
  report(use: Omit<Use, "diagnostic" | "object">, problem: Problem): void;
}

export const textIn = (node: YamlNode | undefined, key: string): string => {
  const value = child(node, key);
  return value?.type === "scalar" && typeof value.value === "string" ? value.value : "";
};

/** The object of a node; undefined where it has no kind. */
export function subjectOf(root: YamlNode, file: string, uses: Use[]): Subject | undefined {
  const [apiVersion, kind] = [textIn(root, "apiVersion"), textIn(root, "kind")];
  if (apiVersion === "" || kind === "") return undefined;
  const metadata = child(root, "metadata");
  const [namespace, name] = [
    textIn(metadata, "namespace"),
    textIn(metadata, "name") || textIn(metadata, "generateName"),
  ];
  const title = `${apiVersion} ${kind}${name === "" ? "" : ` ${namespace === "" ? "" : `${namespace}/`}${name}`}`;
  return {
    ...parseApiVersion(apiVersion),
    kind,
    root,
    file,
    apiVersion,
    name: title,
    uses,
    report(use, problem) {
      const named = { ...problem, file, message: `${title}: ${problem.message}` };
      uses.push(useOf({ ...use, object: title }, { line: root.line, column: root.column, ...named }));
    },
  };
}
