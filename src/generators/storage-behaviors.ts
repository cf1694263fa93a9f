/** The rows of a table of storage behaviours as code, for a module of its own and for declarations in hand-written files. */
import { byCodeUnit } from "../core/files.js";
import { compareKubeVersions } from "../kubernetes/versions.js";
import { formatMinor, groupResource } from "../storage/compatibility.js";
import type { BehaviorTable, ResourceRows } from "../storage/model.js";
import { type CodeLine, line, propertyName, quoted } from "./code-lines.js";
import type { Declarations } from "./declarations.js";

/** Resources by name as `kubectl` writes it, versions from the most preferred one on. */
export const orderedResources = ({ resources }: BehaviorTable): ResourceRows[] =>
  [...resources]
    .sort((a, b) => byCodeUnit(groupResource(a.group, a.resource), groupResource(b.group, b.resource)))
    .map((each) => ({
      ...each,
      versions: [...each.versions].sort((a, b) => compareKubeVersions(b.version, a.version)),
    }));

/** The releases of the table, oldest first. */
export const releaseNames = ({ releases }: BehaviorTable): string[] => releases.map(formatMinor);

/** A variable gets the table, a type alias the union of resources. */
export const storageBehaviorsDeclarations = (table: BehaviorTable): Declarations => ({
  object: [...tableLiteral(table), line(0, "}")],
  union: orderedResources(table).map(({ group, resource }) => quoted(groupResource(group, resource))),
});

const tableLiteral = (table: BehaviorTable): CodeLine[] => [
  line(0, "{"),
  ...orderedResources(table).flatMap(({ group, resource, storedWith, versions }) => [
    ...(storedWith === undefined
      ? []
      : [line(1, `/** Stored with ${groupResource(storedWith.group, storedWith.resource)}. */`)]),
    line(1, `${propertyName(groupResource(group, resource))}: {`),
    ...versions.flatMap((row) => [
      line(2, `${propertyName(row.version)}: {`),
      ...releaseNames(table).flatMap((name) => {
        const behavior = row.behaviors.get(name);
        return behavior === undefined ? [] : [line(3, `${quoted(name)}: ${quoted(behavior)},`)];
      }),
      line(2, "},"),
    ]),
    line(1, "},"),
  ]),
];
