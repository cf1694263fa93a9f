/** API lifecycles as code, for a module of its own and for declarations in hand-written files. */
import { type ApiKind, type ApiTable, groupVersion } from "../compatibility/api-table.js";
import { formatMinor } from "../compatibility/version.js";
import { byCodeUnit } from "../core/files.js";
import { compareKubeVersions } from "../kubernetes/versions.js";
import { type CodeLine, docComment, indented, line, quoted } from "./code-lines.js";
import type { Declarations } from "./declarations.js";

/** Kinds with a REST endpoint, by group, resource and version (the most preferred one first). */
export const orderedKinds = ({ kinds }: ApiTable): (ApiKind & { resource: string })[] =>
  kinds
    .filter((kind): kind is ApiKind & { resource: string } => kind.served && kind.resource !== undefined)
    .sort(
      (a, b) =>
        byCodeUnit(a.group, b.group) ||
        byCodeUnit(a.resource, b.resource) ||
        compareKubeVersions(b.version, a.version) ||
        byCodeUnit(a.kind, b.kind),
    );

/** `apps/v1/deployments`; `v1/pods` in the core group. */
export const resourceKey = (kind: ApiKind & { resource: string }): string =>
  `${groupVersion(kind)}/${kind.resource}`;

export const apiAvailabilityDeclarations = (table: ApiTable): Declarations => ({
  object: [...tableLiteral(table), line(0, "}")],
  union: orderedKinds(table).map((kind) => quoted(resourceKey(kind))),
});

const tableLiteral = (table: ApiTable): CodeLine[] => [
  line(0, "{"),
  ...orderedKinds(table).flatMap((kind) => indented(entry(kind), 1)),
];

function entry(kind: ApiKind & { resource: string }): CodeLine[] {
  const { introduced, deprecated, removed, replacement, enabledByDefault } = kind;
  const members = [
    `group: ${quoted(kind.group)}`,
    `version: ${quoted(kind.version)}`,
    `resource: ${quoted(kind.resource)}`,
    `kind: ${quoted(kind.kind)}`,
    `stability: ${quoted(kind.stability)}`,
    ...(introduced === undefined ? [] : [`introduced: ${quoted(formatMinor(introduced))}`]),
    ...(deprecated === undefined ? [] : [`deprecated: ${quoted(formatMinor(deprecated))}`]),
    ...(removed === undefined ? [] : [`removed: ${quoted(formatMinor(removed))}`]),
    ...(replacement === undefined
      ? []
      : [`replacement: ${quoted(`${groupVersion(replacement)}/${replacement.kind}`)}`]),
    ...(enabledByDefault === undefined ? [] : [`enabledByDefault: ${enabledByDefault}`]),
  ];
  return [
    ...docComment([lifeOf(kind)], 0),
    line(0, `${quoted(resourceKey(kind))}: {`),
    ...members.map((member) => line(1, `${member},`)),
    line(0, "},"),
  ];
}

/** `Introduced 1.9, deprecated 1.22, removed 1.25; use apps/v1/Deployment.` */
export function lifeOf({ introduced, deprecated, removed, replacement }: ApiKind): string {
  const parts = [
    introduced === undefined ? "Without lifecycle" : `Introduced ${formatMinor(introduced)}`,
    ...(deprecated === undefined ? [] : [`deprecated ${formatMinor(deprecated)}`]),
    ...(removed === undefined ? [] : [`removed ${formatMinor(removed)}`]),
  ];
  const use = replacement === undefined ? "" : `; use ${groupVersion(replacement)}/${replacement.kind}`;
  return `${parts.join(", ")}${use}.`;
}
