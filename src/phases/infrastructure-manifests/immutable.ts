/**
 * Names of what a provider refuses to change. The spec of a machine template is immutable
 * (docs/reference/cluster-api.md §7): a change under the same name is refused by the webhook, and a GitOps controller
 * stays behind for good. So its name ends in a digest of its spec, whatever refers to it follows, and a changed one is
 * another object beside the old.
 */
import { createHash, createHmac } from "node:crypto";
import { decode, type OutputFile } from "../../core/files.js";
import { isList, isObject, type Json, type JsonObject, sortKeys, textAt } from "../../core/json.js";
import { identityOf } from "../../kubernetes/identity.js";
import { valuesOf } from "../../text/yaml-content.js";
import { INFRASTRUCTURE_FOLDER, SECRETS_FOLDER } from "./layout.js";

/** Kinds of objects whose spec no provider lets change; the contract of Cluster API names them so. */
export const isImmutableKind = (kind: string): boolean => /MachineTemplate$/.test(kind);

const SUFFIX = /-[0-9a-f]{8}$/;

/**
 * The name of a template with this spec.
 * @param key of a template that holds a secret: nobody shall try passwords against a committed name
 */
export function contentName(name: string, spec: Json, key?: string): string {
  const text = JSON.stringify(sortKeys(spec));
  const hash = key === undefined ? createHash("sha256") : createHmac("sha256", `slipway name\n${key}`);
  return `${name}-${hash.update(text).digest("hex").slice(0, 8)}`;
}

interface Named {
  readonly object: JsonObject;
  readonly secret: boolean;
}

/** The objects with names by content where they need one, and references that follow. */
export function nameByContent<T extends Named>(objects: readonly T[], key = ""): T[] {
  const renamed = new Map<string, string>();
  for (const { object, secret } of objects) {
    const { kind, name } = identityOf(object);
    if (isImmutableKind(kind))
      renamed.set(`${kind}/${name}`, contentName(name, object["spec"] ?? null, secret ? key : undefined));
  }
  if (renamed.size === 0) return [...objects];
  return objects.map((each) => {
    const { kind, name } = identityOf(each.object);
    const own = renamed.get(`${kind}/${name}`);
    const object = withReferences(each.object, renamed);
    if (own === undefined) return { ...each, object };
    const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
    return { ...each, object: { ...object, metadata: { ...metadata, name: own } } };
  });
}

function withReferences(object: JsonObject, renamed: ReadonlyMap<string, string>): JsonObject {
  const walk = (value: Json): Json => {
    if (isList(value)) return value.map(walk);
    if (!isObject(value)) return value;
    const name = renamed.get(`${textAt(value, "kind")}/${textAt(value, "name")}`);
    const members = Object.entries(value).map(([key, each]) => [key, walk(each)] as const);
    return { ...Object.fromEntries(members), ...(name === undefined ? {} : { name }) };
  };
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, walk(value)]));
}

/** An object of an earlier run that something still names, with the name of its file. */
export interface Kept {
  readonly name: string;
  readonly object: JsonObject;
  readonly secret: boolean;
}

/**
 * Templates that lie on disk, are not compiled any more, and are still named by a file as it will be: by one that the
 * user edited or added.
 */
export function stillNamed(after: readonly OutputFile[], disk: readonly OutputFile[]): Kept[] {
  const kept = new Map<string, Kept>();
  for (const file of disk.filter(isPlain))
    for (const object of objectsOf(file)) {
      const key = templateKey(object);
      if (key === "" || kept.has(key)) continue;
      const { name } = identityOf(object);
      const suffix = SUFFIX.exec(name)?.[0] ?? `-${name}`;
      kept.set(key, { name: `50_machine-template${suffix}.yaml`, object, secret: file.secret });
    }
  if (kept.size === 0) return [];
  const objects = after.filter(isPlain).flatMap(objectsOf);
  for (const object of objects) kept.delete(templateKey(object));
  if (kept.size === 0) return [];
  const named = new Set(objects.flatMap(({ metadata: _, ...rest }) => templateReferences(rest)));
  return [...kept].flatMap(([key, each]) => (named.has(key) ? [each] : []));
}

/** A file of the folders that holds objects other than Secrets. */
const isPlain = ({ path }: OutputFile): boolean =>
  /^(?:[^/]*)\/(?![23]0_)[^/]*\.ya?ml$/.test(path) &&
  [INFRASTRUCTURE_FOLDER, SECRETS_FOLDER].some((folder) => path.startsWith(`${folder}/`));

const objectsOf = ({ data }: OutputFile): JsonObject[] =>
  decode(data) === undefined ? [] : (valuesOf(data) ?? []).filter(isObject);

const templateKey = (object: JsonObject): string => {
  const { kind, name } = identityOf(object);
  return isImmutableKind(kind) ? `${kind}/${name}` : "";
};

function templateReferences(value: Json): string[] {
  if (isList(value)) return value.flatMap(templateReferences);
  if (!isObject(value)) return [];
  const { kind, name } = value;
  const own =
    typeof kind === "string" && typeof name === "string" && isImmutableKind(kind) ? [`${kind}/${name}`] : [];
  return [...own, ...Object.values(value).flatMap(templateReferences)];
}
