/**
 * Reading the members of a YAML mapping with the place of every fault. What is wrong is reported, with the field's path
 * from the document's root, and answered as undefined.
 */
import type { Position, Problem, Report } from "../../core/diagnostics.js";
import { closest } from "../../text/closest.js";
import {
  entryWritten,
  type MappingEntry,
  type MappingNode,
  type ScalarNode,
  type YamlNode,
} from "../../text/yaml-read.js";
import { type Minor, parseMinor, parseVersion, type Version } from "../version.js";

export interface Source {
  readonly file: string;
  readonly report: Report;
  /** Added to every line, where a document is one line of a larger file. */
  readonly lineOffset: number;
}

export interface Placed<T> {
  readonly value: T;
  readonly place: Position;
}

const NAMES = { mapping: "a mapping", sequence: "a list", scalar: "a single value" } as const;

/** The members of one mapping. Members that nothing asked for are reported by `done`. */
export class Fields {
  private readonly asked = new Set<string>();

  constructor(
    readonly node: MappingNode,
    readonly path: string,
    readonly source: Source,
  ) {}

  get place(): Position {
    return placeIn(this.source, this.node);
  }

  entry(key: string): MappingEntry | undefined {
    this.asked.add(key);
    return entryWritten(this.node, key);
  }

  has(key: string): boolean {
    return this.entry(key) !== undefined;
  }

  /** The node under a key; null counts as absent. */
  child(key: string): YamlNode | undefined {
    const value = this.entry(key)?.value;
    return value?.type === "scalar" && value.value === null && value.style === "plain" ? undefined : value;
  }

  pathOf(key: string): string {
    return this.path === "" ? key : `${this.path}.${key}`;
  }

  problem(
    key: string | undefined,
    rest: Pick<Problem, "code" | "kind" | "message"> & Partial<Problem>,
  ): void {
    const at = key === undefined ? undefined : this.entry(key)?.value;
    this.source.report({
      ...(at === undefined ? this.place : placeIn(this.source, at)),
      field: key === undefined ? this.path : this.pathOf(key),
      ...rest,
    });
  }

  missing(key: string, hint: string): undefined {
    return void this.problem(undefined, {
      code: "TAB003",
      kind: "Required",
      field: this.pathOf(key),
      message: `${key} is missing`,
      hint,
    });
  }

  scalar(key: string): ScalarNode | undefined {
    const node = this.child(key);
    if (node === undefined || node.type === "scalar") return node;
    return void wrongType(this.source, node, this.pathOf(key), "a single value");
  }

  /** A text; numbers and booleans are no texts. */
  text(key: string): Placed<string> | undefined {
    const node = this.scalar(key);
    return node && textOf(node, this.pathOf(key), this.source);
  }

  required(key: string, hint: string): Placed<string> | undefined {
    if (this.child(key) === undefined) return this.missing(key, hint);
    return this.text(key);
  }

  boolean(key: string): Placed<boolean> | undefined {
    const node = this.scalar(key);
    if (node === undefined) return undefined;
    if (typeof node.value === "boolean") return { value: node.value, place: placeIn(this.source, node) };
    return void wrongType(this.source, node, this.pathOf(key), "true or false");
  }

  choice<const C extends string>(key: string, choices: readonly C[]): Placed<C> | undefined {
    const found = this.text(key);
    if (found === undefined) return undefined;
    const value = choices.find((each) => each === found.value);
    if (value !== undefined) return { value, place: found.place };
    const near = closest(found.value, choices);
    return void this.problem(key, {
      code: "TAB004",
      kind: "NotSupported",
      message: `${JSON.stringify(found.value)} is not supported`,
      hint: near === undefined ? `one of ${choices.join(", ")}` : `did you mean ${near}?`,
    });
  }

  /** A version as a component reads it; an unquoted number is taken by its text. */
  version(key: string): Placed<Version> | undefined {
    const node = this.scalar(key);
    if (node === undefined) return undefined;
    const parsed = parseVersion(node.text);
    if ("fault" in parsed || typeof node.value === "boolean")
      return void this.problem(key, {
        code: "VER001",
        kind: "Invalid",
        message: `${JSON.stringify(node.text)} is not a version${"fault" in parsed ? `: ${parsed.fault}` : ""}`,
        hint: "write major.minor in quotes, such as '1.35'",
      });
    return { value: parsed.version, place: placeIn(this.source, node) };
  }

  /** A release: major.minor and nothing else. */
  minor(key: string): Placed<Minor> | undefined {
    const node = this.scalar(key);
    if (node === undefined) return undefined;
    const value = parseMinor(node.text);
    if (value !== undefined) return { value, place: placeIn(this.source, node) };
    return void this.problem(key, {
      code: "VER001",
      kind: "Invalid",
      message: `${JSON.stringify(node.text)} is not a release`,
      hint: "write major.minor in quotes, such as '1.35'",
    });
  }

  integer(key: string): Placed<number> | undefined {
    const node = this.scalar(key);
    if (node === undefined) return undefined;
    if (typeof node.value === "number" && Number.isInteger(node.value))
      return { value: node.value, place: placeIn(this.source, node) };
    return void wrongType(this.source, node, this.pathOf(key), "a whole number");
  }

  items(key: string): readonly YamlNode[] | undefined {
    const node = this.child(key);
    if (node === undefined) return undefined;
    if (node.type === "sequence") return node.items;
    return void wrongType(this.source, node, this.pathOf(key), "a list");
  }

  /** The members of each mapping of a list. */
  list(key: string): Fields[] | undefined {
    const items = this.items(key);
    return items && mappingsOf(items, this.pathOf(key), this.source);
  }

  texts(key: string): Placed<string>[] | undefined {
    return this.items(key)?.flatMap((item, i) => {
      const path = `${this.pathOf(key)}[${i}]`;
      if (item.type === "scalar") return textOf(item, path, this.source) ?? [];
      wrongType(this.source, item, path, "a text");
      return [];
    });
  }

  mapping(key: string): Fields | undefined {
    const node = this.child(key);
    if (node === undefined) return undefined;
    if (node.type === "mapping") return new Fields(node, this.pathOf(key), this.source);
    return void wrongType(this.source, node, this.pathOf(key), "a mapping");
  }

  /** Reports every member that nothing has asked for. */
  done(): void {
    for (const { key } of this.node.entries) {
      if (this.asked.has(key.text)) continue;
      const near = closest(key.text, this.asked);
      this.source.report({
        code: "TAB002",
        kind: "NotSupported",
        ...placeIn(this.source, key),
        field: this.pathOf(key.text),
        message: `${JSON.stringify(key.text)} is not a known member`,
        hint: near === undefined ? "remove it" : `did you mean ${near}?`,
      });
    }
  }
}

export function mappingsOf(items: readonly YamlNode[], path: string, source: Source): Fields[] {
  return items.flatMap((item, i) => {
    const at = `${path}[${i}]`;
    if (item.type === "mapping") return [new Fields(item, at, source)];
    wrongType(source, item, at, "a mapping");
    return [];
  });
}

export const placeIn = ({ file, lineOffset }: Source, node: { line: number; column: number }): Position => ({
  file,
  line: node.line + lineOffset,
  column: node.column,
});

/** What holds others. */
const COLLECTION = /^a (?:list|mapping|question)\b/;

/** A text in the place of a list or a mapping is not shown: it may be another file, with a key or a token in it. */
export function wrongType(source: Source, node: YamlNode, path: string, wanted: string): void {
  const isShown = node.type === "scalar" && !COLLECTION.test(wanted);
  const found = isShown ? JSON.stringify(node.text) : NAMES[node.type];
  source.report({
    code: "TAB001",
    kind: "Invalid",
    ...placeIn(source, node),
    field: path,
    message: `${found} is here, but ${wanted} is needed`,
    hint: "",
  });
}

function textOf(node: ScalarNode, path: string, source: Source): Placed<string> | undefined {
  if (typeof node.value === "string") return { value: node.value, place: placeIn(source, node) };
  return void wrongType(source, node, path, "a text in quotes");
}
