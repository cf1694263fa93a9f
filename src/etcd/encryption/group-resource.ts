/** Resources as an encryption configuration names them. */

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export const ANY: GroupResource = { group: "*", resource: "*" };
export const ruleKey = ({ group, resource }: GroupResource): string => `${group}/${resource}`;

/** Text before the first dot is the resource, all after it the group; `*.` is every resource of the core group. */
export function parseGroupResource(text: string): GroupResource {
  const dot = text.indexOf(".");
  return dot < 0
    ? { group: "", resource: text }
    : { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}

export const formatGroupResource = ({ group, resource }: GroupResource): string =>
  group === "" ? (resource === "*" ? "*." : resource) : `${resource}.${group}`;
