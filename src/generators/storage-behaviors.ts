/** The rows of a table of storage behaviours as code, for a module of its own and for declarations in hand-written files. */

import { byCodeUnit } from "../core/files.js";
import { compareKubeVersions } from "../kubernetes/versions.js";
import { formatMinor, groupResource } from "../storage/compatibility.js";
import type { BehaviorTable, ResourceRows } from "../storage/model.js";
import type { StoragePolicy } from "../storage/policy.js";
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

/** What a table was made from, for the head of a file. */
export interface TableOrigin {
  /** Name of the input, without its folder. */
  readonly input: string;
  /** SHA-256 of the input; undefined for a table that slipway has itself. */
  readonly sha256: string | undefined;
  readonly policy: StoragePolicy;
  /** The input has the behaviors itself, and none are derived by the policy. */
  readonly isExplicit: boolean;
}

/** What the head of a file says of its table: the policy, the input and the digest of the input. */
export function originLines({ input, sha256, policy, isExplicit }: TableOrigin): readonly string[] {
  const numbers = policy.moratorium
    ? "every version that was ever written stays readable, as servers do"
    : `${policy.durations.supported} supported and ${policy.durations.migrated} migrated releases, alpha ${policy.alpha.supported} and ${policy.alpha.migrated}`;
  return [
    `Policy: ${oneLine(policy.name)} (${numbers})${isExplicit ? "; the input lists the behaviors, the policy only checks them" : ""}`,
    `Input: ${oneLine(input)}${sha256 === undefined ? "" : `, sha256:${sha256}`}`,
  ];
}

/** A name from outside in a comment of one line. */
const oneLine = (text: string): string =>
  JSON.stringify(text).slice(1, -1).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
