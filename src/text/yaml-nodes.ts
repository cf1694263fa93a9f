/** What a YAML text is read to: trees of nodes, each with its position. */
import type { Problem } from "../core/diagnostics.js";
import type { Scalar, ScalarKind } from "./yaml-scalars.js";
import type { ScalarStyle } from "./yaml-scan-scalars.js";

interface NodeBase {
  readonly line: number;
  readonly column: number;
  /** Explicit tag in its short form, such as `!!str`; empty when there is none. */
  readonly tag: string;
}

export interface ScalarNode extends NodeBase {
  readonly type: "scalar";
  /** The decoded text, whatever its type. */
  readonly text: string;
  readonly kind: ScalarKind;
  readonly value: Scalar;
  readonly style: ScalarStyle;
  /** The line on which the text ends; beyond `line` for a text over several lines. */
  readonly endLine: number;
}

export interface SequenceNode extends NodeBase {
  readonly type: "sequence";
  readonly items: readonly YamlNode[];
}

export interface MappingEntry {
  readonly key: ScalarNode;
  /** The key as a string: `on` is `true`, `0x10` is `16`. */
  readonly name: string;
  readonly value: YamlNode;
}

export interface MappingNode extends NodeBase {
  readonly type: "mapping";
  /** In the order written; merge keys are already resolved. */
  readonly entries: readonly MappingEntry[];
}

export type YamlNode = ScalarNode | SequenceNode | MappingNode;

export interface YamlDocument {
  /** Undefined for an empty document (nothing but blanks, comments and markers). */
  readonly root: YamlNode | undefined;
  /** The line where the document's content starts; 0 when there is none. */
  readonly line: number;
  /** The line of the first thing behind the document, such as a marker; 0 when the text ends with it. */
  readonly next: number;
  /** What is wrong with this document. */
  readonly problems: readonly Problem[];
}
