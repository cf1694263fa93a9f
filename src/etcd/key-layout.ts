/**
 * From a key to the resource that it belongs to. The group is not in the key of a built-in resource, so this is a
 * look-up and not parsing; the scope of a custom resource is in its definition, not in its key
 * (docs/reference/storage-and-encryption.md §1.1).
 */
import openshift from "../../tables/etcd-openshift.json" with { type: "json" };
import { BUILT_INS, type BuiltIn } from "./releases.js";

/** A resource of an aggregated API server that is known by name. */
interface ForeignResource {
  readonly path: string;
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/**
 * Whose resource it is. `builtin`: kube-apiserver's own types. `custom`: an instance of a CustomResourceDefinition.
 * `foreign`: another API server's. `unknown`: below a prefix of Kubernetes, of no known resource. `none`: not below
 * such a prefix.
 */
export type Family = "builtin" | "custom" | "foreign" | "unknown" | "none";

export interface Resource {
  readonly family: Family;
  /** As at the start of its keys, with a slash in front; empty for keys below no prefix. */
  readonly prefix: string;
  /** Below the prefix, up to namespace or name. */
  readonly path: string;
  readonly group: string;
  /** Plural name; of an unknown resource the first segment of the key. */
  readonly resource: string;
  readonly kind: string | undefined;
  /** Undefined where only a definition can tell. */
  readonly namespaced: boolean | undefined;
  readonly builtIn: BuiltIn | undefined;
}

/** Where a key belongs, and where in it the namespace, or the name, begins. */
export interface KeyPlace {
  readonly resource: Resource;
  readonly at: number;
}

/** What follows the resource in a key: namespace and name, or name. */
export const restOf = (key: string, { at }: Pick<KeyPlace, "at">): string[] => key.slice(at).split("/");

/** The prefixes that servers use unless told otherwise (docs/reference/storage-and-encryption.md §1.1). */
const KUBERNETES_PREFIX = "/registry";
const OPENSHIFT_KUBERNETES_PREFIX = "/kubernetes.io";
const OPENSHIFT_PREFIX = "/openshift.io";
const KNOWN_PREFIXES: readonly string[] = [KUBERNETES_PREFIX, OPENSHIFT_KUBERNETES_PREFIX, OPENSHIFT_PREFIX];
/** A prefix that is not known is looked for in so many segments. */
const PREFIX_SEGMENTS = 4;

const byFirstSegment = <T extends { readonly path: string }>(all: readonly T[]): Map<string, T[]> => {
  const map = new Map<string, T[]>();
  for (const each of all) {
    const [first = ""] = each.path.split("/");
    map.set(first, [...(map.get(first) ?? []), each]);
  }
  return map;
};
const BUILT_IN_PATHS = byFirstSegment(BUILT_INS);
const OPENSHIFT_PATHS = byFirstSegment<ForeignResource>(openshift.resources);

export class KeyLayout {
  private readonly resources = new Map<string, Resource>();
  private readonly heads = new Map<string, Resource>();
  private readonly prefixes = new Set<string>();

  /**
   * `given`: the only prefixes that count; empty to detect them. `known`: prefixes that were detected before, in keys
   * that may come later here.
   */
  constructor(
    private readonly given: readonly string[] = [],
    known: readonly string[] = [],
  ) {
    for (const each of known) this.prefixes.add(each);
  }

  /** Where a key belongs. Answers the same `Resource` object for every key of a resource. */
  place(key: string): KeyPlace {
    return this.placeByHead(key) ?? this.placeBySegments(key);
  }

  /** The quick way: resources that were met before are known by what their keys start with. */
  private placeByHead(key: string): KeyPlace | undefined {
    const second = key.indexOf("/", 1);
    if (second < 0) return undefined;
    for (
      let end = key.indexOf("/", second + 1), n = 0;
      end >= 0 && n < 2;
      end = key.indexOf("/", end + 1), n++
    ) {
      const resource = this.heads.get(key.slice(0, end));
      if (resource === undefined) continue;
      const slash = key.indexOf("/", end + 1);
      const parts = slash < 0 ? 1 : key.indexOf("/", slash + 1) < 0 ? 2 : 3;
      const whole = end + 1 < key.length && slash !== end + 1 && slash !== key.length - 1;
      const fits = resource.namespaced === undefined ? parts < 3 : parts === (resource.namespaced ? 2 : 1);
      return whole && fits ? { resource, at: end + 1 } : undefined;
    }
    return undefined;
  }

  private placeBySegments(key: string): KeyPlace {
    const prefix = this.prefixOf(key);
    if (prefix === undefined) return { resource: this.intern("none", "", ""), at: 0 };
    const segments = key.slice(prefix.length + 1).split("/");
    const resource =
      prefix === OPENSHIFT_PREFIX ? this.foreign(prefix, segments) : this.kubernetes(prefix, segments);
    if (resource === undefined) {
      const [first = ""] = segments;
      const at = prefix.length + 1 + (segments.length > 1 ? first.length + 1 : 0);
      return { resource: this.intern("unknown", prefix, first), at };
    }
    const head = `${prefix}/${resource.path}`;
    this.heads.set(head, resource);
    return { resource, at: head.length + 1 };
  }

  /** Prefixes under which something was found, in byte order. */
  get found(): readonly string[] {
    return [...this.prefixes].sort();
  }

  private prefixOf(key: string): string | undefined {
    const among = this.given.length > 0 ? this.given : [...KNOWN_PREFIXES, ...this.prefixes];
    let found = among.find((each) => key.startsWith(each) && key[each.length] === "/");
    if (found === undefined && this.given.length === 0) found = detectPrefix(key);
    if (found !== undefined) this.prefixes.add(found);
    return found;
  }

  private kubernetes(prefix: string, segments: readonly string[]): Resource | undefined {
    const builtIn = findPath(BUILT_IN_PATHS, segments);
    if (builtIn !== undefined) {
      const { path, group, resource, kind, namespaced } = builtIn;
      const rest = segments.slice(path.split("/").length);
      if (!isRest(rest, namespaced ? 2 : 1)) return undefined;
      return this.remember(`${prefix}/${path}`, () => ({
        family: "builtin",
        prefix,
        path,
        group,
        resource: builtIn.internal === true ? path : resource,
        kind,
        namespaced,
        builtIn,
      }));
    }
    const [group = "", resource = ""] = segments;
    const rest = segments.slice(2);
    if (!group.includes(".") || resource === "" || !(isRest(rest, 1) || isRest(rest, 2))) return undefined;
    return this.custom(prefix, group, resource);
  }

  private custom(prefix: string, group: string, resource: string): Resource {
    const path = `${group}/${resource}`;
    return this.remember(`${prefix}/${path}`, () => ({
      family: "custom",
      prefix,
      path,
      group,
      resource,
      kind: undefined,
      namespaced: undefined,
      builtIn: undefined,
    }));
  }

  private foreign(prefix: string, segments: readonly string[]): Resource | undefined {
    const known = findPath(OPENSHIFT_PATHS, segments);
    if (known === undefined) return undefined;
    const { path, group, resource, kind, namespaced } = known;
    if (!isRest(segments.slice(path.split("/").length), namespaced ? 2 : 1)) return undefined;
    return this.remember(`${prefix}/${path}`, () => ({
      family: "foreign",
      prefix,
      path,
      group,
      resource,
      kind,
      namespaced,
      builtIn: undefined,
    }));
  }

  private intern(family: "unknown" | "none", prefix: string, resource: string): Resource {
    return this.remember(`${family} ${prefix}/${resource}`, () => ({
      family,
      prefix,
      path: resource,
      group: "",
      resource,
      kind: undefined,
      namespaced: undefined,
      builtIn: undefined,
    }));
  }

  private remember(id: string, make: () => Resource): Resource {
    const known = this.resources.get(id);
    if (known !== undefined) return known;
    const made = make();
    this.resources.set(id, made);
    return made;
  }
}

const isRest = (rest: readonly string[], length: number): boolean =>
  rest.length === length && rest.every((each) => each !== "");

function findPath<T extends { readonly path: string }>(
  paths: ReadonlyMap<string, readonly T[]>,
  segments: readonly string[],
): T | undefined {
  return paths
    .get(segments[0] ?? "")
    ?.find(({ path }) => path.split("/").every((part, i) => segments[i] === part));
}

/** The shortest start of a key after which the key of a built-in resource follows. */
function detectPrefix(key: string): string | undefined {
  if (!key.startsWith("/")) return undefined;
  const segments = key.split("/");
  for (let length = 1; length <= PREFIX_SEGMENTS; length++) {
    const after = segments.slice(length + 1);
    const builtIn = findPath(BUILT_IN_PATHS, after);
    if (builtIn === undefined) continue;
    const rest = after.slice(builtIn.path.split("/").length);
    if (isRest(rest, builtIn.namespaced ? 2 : 1)) return segments.slice(0, length + 1).join("/");
  }
  return undefined;
}

/**
 * The resource by which the encryption configuration of a server names what a key holds: allocators follow `services`,
 * and nothing but a wildcard matches the servers' own leases (docs/reference/storage-and-encryption.md §1.1).
 */
export const encryptedAs = ({
  group,
  resource,
  builtIn,
}: Resource): { readonly group: string; readonly resource: string } => ({
  group,
  resource: builtIn?.resource ?? resource,
});

/**
 * A key as it may be shown. Before OpenShift 4.6 the name of an OAuth token was the token itself, so such a name is
 * left out.
 */
export function shownKey(key: string): string {
  const [, place, name] = /^(\/openshift\.io\/oauth\/(?:access|authorize)tokens\/)(.*)$/s.exec(key) ?? [];
  return place === undefined || name === undefined || name.startsWith("sha256~") ? key : `${place}REDACTED`;
}
