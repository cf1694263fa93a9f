/** Dependencies of gates from a map gate → gates, and minimum compatibility versions that a list's form drops. */

import type { Position, Report } from "../../core/diagnostics.js";
import { problemList } from "../../core/problem.js";
import type { YamlNode } from "../../text/yaml-read.js";
import { type Dependencies, mergeDependencies } from "../gate-dependencies.js";
import type { Dependency, GateTable } from "../gate-table.js";
import type { Version } from "../version.js";
import { type Document, readDocument } from "./document.js";
import { mappingsOf, placeIn, wrongType } from "./fields.js";

export interface DependencyDeclaration {
  readonly gate: string;
  readonly place: Position;
  readonly needs: readonly Dependency[];
}

export function readDependencies(text: string, file: string, report: Report): DependencyDeclaration[] {
  const document = readDocument(text, file, report);
  return document === undefined ? [] : dependenciesOf(document.root, document);
}

/** The declarations of a map gate → list of gates. */
export function dependenciesOf(
  root: YamlNode,
  { source }: Pick<Document, "source">,
): DependencyDeclaration[] {
  if (root.type !== "mapping") {
    wrongType(
      source,
      root,
      "dependencies",
      "a mapping from a gate to a list of the gates that it depends on",
    );
    return [];
  }
  return root.entries.flatMap(({ key, value }): DependencyDeclaration[] => {
    if (value.type !== "sequence") {
      wrongType(source, value, key.text, "a list of gates");
      return [];
    }
    const needs = value.items.flatMap((item, i): Dependency[] => {
      if (item.type === "scalar" && typeof item.value === "string")
        return [{ name: item.value, place: placeIn(source, item) }];
      wrongType(source, item, `${key.text}[${i}]`, "the name of a gate");
      return [];
    });
    return [{ gate: key.text, place: placeIn(source, key), needs }];
  });
}

/** The dependencies that the gates of a table state themselves. */
export const ownDependencies = (table: Pick<GateTable, "gates">): DependencyDeclaration[] =>
  table.gates.flatMap(({ name, place, dependencies }) =>
    dependencies === undefined ? [] : [{ gate: name, place, needs: dependencies }],
  );

export const allDependencies = (
  table: Pick<GateTable, "gates">,
  others: readonly DependencyDeclaration[],
): Dependencies => mergeDependencies([...ownDependencies(table), ...others]);

/** One minimum compatibility version: of the gate's spec with that index, counted from 0. */
export interface Annotation {
  readonly gate: string;
  readonly index: number;
  readonly minCompatibility: Version;
  readonly place: Position;
}

/** True for a list whose items say `index` and `minCompatibilityVersion`. */
export function isAnnotations(root: YamlNode): boolean {
  if (root.type !== "sequence") return false;
  const [first] = root.items;
  return first?.type === "mapping" && first.entries.some(({ key }) => key.text === "index");
}

export function annotationsOf({ root, source }: Document): Annotation[] {
  if (root.type !== "sequence") {
    wrongType(source, root, "", "a list of {name, index, minCompatibilityVersion}");
    return [];
  }
  return mappingsOf(root.items, "", source).flatMap((fields): Annotation[] => {
    const name = fields.required("name", "the name of the gate");
    const index = fields.integer("index");
    const version = fields.version("minCompatibilityVersion");
    for (const key of ["index", "minCompatibilityVersion"]) if (!fields.has(key)) fields.missing(key, "");
    fields.done();
    if (name === undefined || index === undefined || version === undefined) return [];
    return [{ gate: name.value, index: index.value, minCompatibility: version.value, place: fields.place }];
  });
}

export const hasSpec = ({ gates }: GateTable, { gate, index }: Annotation): boolean =>
  gates.find(({ name }) => name === gate)?.specs[index] !== undefined;

export function reportNoSpec({ gate, index, place }: Annotation, report: Report): void {
  problemList(report, gate, place).report(
    "GATE120",
    "NotFound",
    `gate ${gate} has no spec ${index}`,
    "set index to the number of the spec, starting at 0",
  );
}

/** The table with the annotations put in; one that names no spec is reported. */
export function annotate(table: GateTable, annotations: readonly Annotation[], report: Report): GateTable {
  for (const each of annotations) if (!hasSpec(table, each)) reportNoSpec(each, report);
  return {
    ...table,
    gates: table.gates.map((gate) => {
      const own = annotations.filter((each) => each.gate === gate.name);
      if (own.length === 0) return gate;
      const specs = gate.specs.map((spec, i) => {
        const found = own.find(({ index }) => index === i);
        return found === undefined ? spec : { ...spec, minCompatibility: found.minCompatibility };
      });
      return { ...gate, specs };
    }),
  };
}
