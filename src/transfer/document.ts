import type { Json } from "../core/json.js";
import { child, toJson, type YamlNode } from "../text/yaml-read.js";

export interface Member {
  /** `text` is a scalar that is a string; `scalar` is one of another type. */
  readonly kind: "text" | "scalar" | "null" | "mapping" | "list";
  /** Of a scalar; else empty. */
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/** A member of a mapping, with the place of its key. */
export interface Named {
  readonly name: string;
  readonly isNull: boolean;
  readonly line: number;
  readonly column: number;
}

/** The members of one document, by path. */
export class Document {
  constructor(private readonly root: YamlNode) {}

  get line(): number {
    return this.root.line;
  }

  get column(): number {
    return this.root.column;
  }

  /** The member at a path; undefined when there is none. */
  at(...path: readonly string[]): Member | undefined {
    const node = this.node(path);
    if (node === undefined) return undefined;
    const { line, column } = node;
    switch (node.type) {
      case "mapping":
        return { kind: "mapping", text: "", line, column };
      case "sequence":
        return { kind: "list", text: "", line, column };
      case "scalar": {
        const kind = node.value === null ? "null" : typeof node.value === "string" ? "text" : "scalar";
        return { kind, text: node.text, line, column };
      }
    }
  }

  /** The members of a mapping; undefined when the path does not lead to one. */
  members(...path: readonly string[]): readonly Named[] | undefined {
    const node = this.node(path);
    if (node?.type !== "mapping") return undefined;
    return node.entries.map(({ key, name, value }) => ({
      name,
      isNull: value.type === "scalar" && value.value === null,
      line: key.line,
      column: key.column,
    }));
  }

  value(...path: readonly string[]): Json {
    const node = this.node(path);
    return node === undefined ? null : toJson(node);
  }

  private node(path: readonly string[]): YamlNode | undefined {
    let node: YamlNode | undefined = this.root;
    for (const step of path) node = child(node, step);
    return node;
  }
}
