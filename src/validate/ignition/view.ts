/** Reading parts of a config that may be of any shape: what is not as expected is passed over, for the shape's check tells it. */
import { child, type MappingNode, type ScalarNode, type YamlNode } from "../../text/yaml-read.js";

export const itemsOf = (node: YamlNode | undefined): readonly YamlNode[] =>
  node?.type === "sequence" ? node.items : [];

export const at = (node: YamlNode | undefined, ...path: readonly string[]): YamlNode | undefined =>
  path.reduce<YamlNode | undefined>((from, key) => child(from, key), node);

/** A list of mappings with their paths. */
export const listAt = (root: YamlNode, ...path: readonly string[]): { node: MappingNode; path: string }[] =>
  itemsOf(at(root, ...path)).flatMap((node, i) =>
    node.type === "mapping" ? [{ node, path: `${path.join(".")}[${i}]` }] : [],
  );

/** The scalar under a key; null counts as absent. */
export function scalarAt(node: YamlNode | undefined, ...path: readonly string[]): ScalarNode | undefined {
  const found = at(node, ...path);
  return found?.type === "scalar" && found.value !== null ? found : undefined;
}

export const textAt = (node: YamlNode | undefined, ...path: readonly string[]): string | undefined => {
  const value = scalarAt(node, ...path)?.value;
  return typeof value === "string" ? value : undefined;
};
