/** The few kinds of objects that are kept from the pass over a copy, in the form in which questions are asked of them. */
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { BINDING, CUSTOM_RESOURCE_DEFINITION, type Message, NAMESPACE, ROLE } from "./decode/messages.js";
import { type KeyPlace, type Resource, restOf } from "./key-layout.js";
import type { Copy } from "./read/copies.js";
import { keyText } from "./read/record.js";

export interface Kept {
  readonly what: "definition" | "namespace" | "role" | "binding";
  readonly message: Message;
}

const DEFINITIONS = "apiextensions.k8s.io/customresourcedefinitions";

/** Path below the prefix → what is kept of it. */
export const KEPT: ReadonlyMap<string, Kept> = new Map<string, Kept>([
  [DEFINITIONS, { what: "definition", message: CUSTOM_RESOURCE_DEFINITION }],
  ["namespaces", { what: "namespace", message: NAMESPACE }],
  ["clusterroles", { what: "role", message: ROLE }],
  ["roles", { what: "role", message: ROLE }],
  ["clusterrolebindings", { what: "binding", message: BINDING }],
  ["rolebindings", { what: "binding", message: BINDING }],
]);

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
}

/** A CustomResourceDefinition, as far as it says how its objects are stored. */
export interface Definition {
  readonly name: string;
  readonly prefix: string;
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly versions: readonly DefinitionVersion[];
  readonly storedVersions: readonly string[];
  readonly conversion: string;
  readonly modRevision: bigint;
}

export interface NamespaceState {
  readonly name: string;
  readonly terminating: boolean;
  readonly finalizers: readonly string[];
  readonly modRevision: bigint;
}

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

export interface Role {
  /** Undefined for a ClusterRole. */
  readonly namespace: string | undefined;
  readonly name: string;
  /** Those rules that grant the verb for unsafe deletion. */
  readonly rules: readonly PolicyRule[];
}

export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

export interface Binding {
  /** Undefined for a ClusterRoleBinding. */
  readonly namespace: string | undefined;
  readonly name: string;
  readonly roleKind: string;
  readonly roleName: string;
  readonly subjects: readonly Subject[];
}

/**
 * What is known of an object that cannot be read. `gone`: none is stored. `unread`: one is, and cannot be read. `unknown`:
 * the copies do not hold what would show it.
 */
export type Absence = "gone" | "unread" | "unknown";

/** The verb beside `delete` that an unsafe deletion needs. */
export const UNSAFE_VERB = "unsafe-delete-ignore-read-errors";

export class Cluster {
  private readonly definitionsByKey = new Map<string, Definition>();
  private readonly namespacesByName = new Map<string, NamespaceState>();
  private readonly rolesByKey = new Map<string, Role>();
  private readonly bindingsByKey = new Map<string, Binding>();
  /** Keys of definitions and namespaces, read or not. */
  private readonly metKeys = new Set<string>();
  /** Kind of object and storage prefix → copies that hold any. */
  private readonly copiesWith = new Map<string, Set<Copy>>();
  /** Those that tell what is stored now. */
  private current: readonly Copy[] = [];

  /** The key of an object that is kept, whether it can be read or not. */
  meet({ what }: Kept, key: string, { resource }: KeyPlace, copy: Copy): void {
    if (what !== "definition" && what !== "namespace") return;
    this.metKeys.add(key);
    const kind = `${what} ${resource.prefix}`;
    const copies = this.copiesWith.get(kind) ?? new Set();
    this.copiesWith.set(kind, copies.add(copy));
  }

  /** Everything of the copies was met; of those that were read at an older revision, what was written since was not. */
  settle(current: readonly Copy[]): void {
    this.current = current;
  }

  /**
   * Why an object is not known. A copy with none of the kind shows nothing: it may be that of another store, or of a part
   * of one.
   */
  private absence(what: "definition" | "namespace", prefix: string, key: string): Absence {
    if (this.metKeys.has(key)) return "unread";
    const copies = this.copiesWith.get(`${what} ${prefix}`) ?? new Set<Copy>();
    return [...copies].some((copy) => copy.covers(key)) ? "gone" : "unknown";
  }

  /** Why a custom resource has no definition here. */
  withoutDefinition({ prefix, group, resource }: Pick<Resource, "prefix" | "group" | "resource">): Absence {
    return this.absence("definition", prefix, `${prefix}/${DEFINITIONS}/${resource}.${group}`);
  }

  /** True for a namespace that the store does not hold, though it may hold objects in it. */
  isNamespaceGone(prefix: string, name: string): boolean {
    return this.absence("namespace", prefix, `${prefix}/namespaces/${name}`) === "gone";
  }

  /** True where every object that the resource has now is in the copies. */
  holdsAllOf(prefix: string, group: string, plural: string): boolean {
    const stores = this.copiesWith.get(`definition ${prefix}`) ?? new Set<Copy>();
    return this.current.some(
      (copy) => copy.covers(`${prefix}/${group}/${plural}/`) && (copy.form === "dump" || stores.has(copy)),
    );
  }

  keep({ what }: Kept, object: JsonObject, key: string, place: KeyPlace, modRevision: bigint): void {
    const { resource } = place;
    const names = restOf(key, place).map(keyText);
    const name = names.at(-1) ?? "";
    const namespace = names.length > 1 ? names[0] : undefined;
    const id = `${resource.prefix}/${names.join("/")}`;
    switch (what) {
      case "definition": {
        const definition = definitionOf(object, name, resource.prefix, modRevision);
        if (definition !== undefined) this.definitionsByKey.set(id, definition);
        break;
      }
      case "namespace":
        this.namespacesByName.set(name, namespaceOf(object, name, modRevision));
        break;
      case "role": {
        const rules = items(object, "rules").map(ruleOf).filter(grantsUnsafe);
        if (rules.length > 0) this.rolesByKey.set(id, { namespace, name, rules });
        break;
      }
      case "binding":
        this.bindingsByKey.set(id, bindingOf(object, namespace, name));
        break;
    }
  }

  /** Definitions in the order of their names. */
  get definitions(): readonly Definition[] {
    return sorted(this.definitionsByKey);
  }

  definition(group: string, plural: string): Definition | undefined {
    for (const each of this.definitionsByKey.values())
      if (each.group === group && each.plural === plural) return each;
    return undefined;
  }

  get namespaces(): ReadonlyMap<string, NamespaceState> {
    return this.namespacesByName;
  }

  /** Roles that grant the verb for unsafe deletion, by name or through `*`. */
  get roles(): readonly Role[] {
    return sorted(this.rolesByKey);
  }

  get bindings(): readonly Binding[] {
    return sorted(this.bindingsByKey);
  }
}

const sorted = <T>(map: ReadonlyMap<string, T>): T[] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);

const text = (object: JsonObject, name: string): string => {
  const value = object[name];
  return typeof value === "string" ? value : "";
};
const part = (object: JsonObject, name: string): JsonObject => {
  const value = object[name];
  return isObject(value) ? value : {};
};
const items = (object: JsonObject, name: string): JsonObject[] => {
  const value = object[name];
  return isList(value) ? value.filter(isObject) : [];
};
const texts = (object: JsonObject, name: string): string[] => {
  const value = object[name];
  return isList(value) ? value.filter((each: Json): each is string => typeof each === "string") : [];
};

function definitionOf(
  object: JsonObject,
  name: string,
  prefix: string,
  modRevision: bigint,
): Definition | undefined {
  const spec = part(object, "spec");
  const names = part(spec, "names");
  const group = text(spec, "group");
  const plural = text(names, "plural");
  if (group === "" || plural === "") return undefined;
  const listed = items(spec, "versions").map((each) => ({
    name: text(each, "name"),
    served: each["served"] === true,
    storage: each["storage"] === true,
  }));
  // Before 1.11 a definition had one version and no list.
  const versions =
    listed.length > 0 ? listed : [{ name: text(spec, "version"), served: true, storage: true }];
  return {
    name,
    prefix,
    group,
    plural,
    kind: text(names, "kind"),
    namespaced: text(spec, "scope") === "Namespaced",
    versions,
    storedVersions: texts(part(object, "status"), "storedVersions"),
    conversion: text(part(spec, "conversion"), "strategy") || "None",
    modRevision,
  };
}

const namespaceOf = (object: JsonObject, name: string, modRevision: bigint): NamespaceState => ({
  name,
  terminating:
    text(part(object, "metadata"), "deletionTimestamp") !== "" ||
    text(part(object, "status"), "phase") === "Terminating",
  finalizers: [
    ...texts(part(object, "spec"), "finalizers"),
    ...texts(part(object, "metadata"), "finalizers"),
  ],
  modRevision,
});

const ruleOf = (rule: JsonObject): PolicyRule => ({
  verbs: texts(rule, "verbs"),
  apiGroups: texts(rule, "apiGroups"),
  resources: texts(rule, "resources"),
  resourceNames: texts(rule, "resourceNames"),
});

const grantsUnsafe = ({ verbs, resources }: PolicyRule): boolean =>
  resources.length > 0 && (verbs.includes("*") || verbs.includes(UNSAFE_VERB));

function bindingOf(object: JsonObject, namespace: string | undefined, name: string): Binding {
  const role = part(object, "roleRef");
  return {
    namespace,
    name,
    roleKind: text(role, "kind"),
    roleName: text(role, "name"),
    subjects: items(object, "subjects").map((subject) => ({
      kind: text(subject, "kind"),
      name: text(subject, "name"),
      namespace: text(subject, "namespace"),
    })),
  };
}
