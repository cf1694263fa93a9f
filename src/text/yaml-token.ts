/** The tokens that a YAML text is split into. */
import type { ScalarStyle } from "./yaml-scan-scalars.js";

export type TokenType =
  | "end"
  | "version"
  | "tag-directive"
  | "document-start"
  | "document-end"
  | "block-sequence-start"
  | "block-mapping-start"
  | "block-end"
  | "flow-sequence-start"
  | "flow-sequence-end"
  | "flow-mapping-start"
  | "flow-mapping-end"
  | "entry"
  | "flow-entry"
  | "key"
  | "value"
  | "alias"
  | "anchor"
  | "tag"
  | "scalar";

export interface Token {
  readonly type: TokenType;
  /** Both from 0. */
  readonly line: number;
  readonly column: number;
  /** Scalar text, name of an anchor or alias, suffix of a tag, version, or prefix of a tag directive. */
  readonly text: string;
  /** Handle of a tag or tag directive. */
  readonly handle: string;
  readonly style: ScalarStyle;
  /** The line after which a scalar ends, from 0. */
  readonly endLine: number;
}

export const makeToken = (
  type: TokenType,
  { line, column }: { line: number; column: number },
  more: Partial<Token>,
): Token => ({
  type,
  line,
  column,
  text: "",
  handle: "",
  style: "plain",
  endLine: line,
  ...more,
});
