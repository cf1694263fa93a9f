/**
 * Reading the members of a YAML mapping with the place of every fault. What is wrong is reported, with the field's path
 * from the document's root, and answered as undefined.
 */

import type { Position, Report } from "../../core/diagnostics.js";
import { type ProblemList, problemList } from "../../core/problem.js";
import { closest } from "../../text/closest.js";
import {
  entryWritten,
  type MappingEntry,
  type MappingNode,
  type ScalarNode,
  type YamlNode,
} from "../../text/yaml-read.js";
import { type Minor, parseMinor, parseStrictVersion, type parseVersion, type Version } from "../version.js";

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

const NAMES = { mapping: "a mapping", sequence: "a list", scalar: "a scalar" } as const;

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

  /** Where problems of a member go: to its place, or that of the mapping where the member is missing. */
  at(key: string): ProblemList {
    const value = this.entry(key)?.value;
    return problemList(
      this.source.report,
      this.pathOf(key),
      value === undefined ? this.place : placeIn(this.source, value),
    );
  }

  /** Where problems of the mapping as a whole go. */
  get whole(): ProblemList {
    return problemList(this.source.report, this.path, this.place);
  }

  /** Reports that a member is missing; `what` says what to set it to. */
  missing(key: string, what: string): undefined {
    const hint = what === "" ? "" : `set ${key} to ${what}`;
    return void problemList(this.source.report, this.pathOf(key), this.place).required("TAB003", "", hint);
  }

  scalar(key: string): ScalarNode | undefined {
    const node = this.child(key);
    if (node === undefined || node.type === "scalar") return node;
    return void wrongType(this.source, node, this.pathOf(key), "a scalar");
  }

  /** A string; numbers and Booleans are none. */
  text(key: string): Placed<string> | undefined {
    const node = this.scalar(key);
    return node && textOf(node, this.pathOf(key), this.source);
  }

  required(key: string, what: string): Placed<string> | undefined {
    if (this.child(key) === undefined) return this.missing(key, what);
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
    return void this.at(key).unsupported(
      "TAB004",
      found.value,
      choices,
      near === undefined ? "" : `did you mean ${near}?`,
    );
  }

  /** A version; an unquoted number is taken by its text. With `parseVersion` what follows the numbers is ignored. */
  version(key: string, parse: typeof parseVersion = parseStrictVersion): Placed<Version> | undefined {
    const node = this.scalar(key);
    if (node === undefined) return undefined;
    const parsed = parse(node.text);
    if ("fault" in parsed || typeof node.value === "boolean")
      return void this.at(key).invalid(
        "VER001",
        node.text,
        "fault" in parsed ? parsed.fault : "must be a version",
        "use major.minor in quotes, such as '1.35'",
      );
    return { value: parsed.version, place: placeIn(this.source, node) };
  }

  /** A release: major.minor and nothing else. */
  minor(key: string): Placed<Minor> | undefined {
    const node = this.scalar(key);
    if (node === undefined) return undefined;
    const value = parseMinor(node.text);
    if (value !== undefined) return { value, place: placeIn(this.source, node) };
    return void this.at(key).invalid(
      "VER001",
      node.text,
      "must be a release",
      "use major.minor in quotes, such as '1.35'",
    );
  }

  integer(key: string): Placed<number> | undefined {
    const node = this.scalar(key);
    if (node === undefined) return undefined;
    if (typeof node.value === "number" && Number.isInteger(node.value))
      return { value: node.value, place: placeIn(this.source, node) };
    return void wrongType(this.source, node, this.pathOf(key), "an integer");
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
      wrongType(this.source, item, path, "a string");
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
      problemList(this.source.report, this.pathOf(key.text), placeIn(this.source, key)).report(
        "TAB002",
        "NotSupported",
        `unknown field ${JSON.stringify(key.text)}`,
        near === undefined ? "remove it" : `did you mean ${near}?`,
      );
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
  problemList(source.report, path, placeIn(source, node)).report(
    "TAB001",
    "Invalid",
    isShown
      ? `invalid value ${JSON.stringify(node.text)}: must be ${wanted}`
      : `must be ${wanted}, found ${NAMES[node.type]}`,
  );
}

function textOf(node: ScalarNode, path: string, source: Source): Placed<string> | undefined {
  if (typeof node.value === "string") return { value: node.value, place: placeIn(source, node) };
  return void wrongType(source, node, path, "a string in quotes");
}
