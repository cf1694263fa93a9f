/** How the values of each resource are read: by which providers on which server, with which codec. */

import data from "../../tables/kubernetes-messages.json" with { type: "json" };
import { KEPT, type Kept } from "./cluster.js";
import type { Codec, TypeCheck } from "./decode/decode.js";
import { JsonForm } from "./decode/json-form.js";
import { wrongType } from "./decode/json-types.js";
import { TypedBodies } from "./decode/typed-body.js";
import type { KmsAnswers } from "./encryption/answers.js";
import { type EncryptionConfig, providersOf } from "./encryption/config.js";
import type { Provider } from "./encryption/providers.js";
import { Transformer } from "./encryption/transform.js";
import type { WrappedKeys } from "./encryption/wrapped-keys.js";
import { encryptedAs, type Family, type Resource } from "./key-layout.js";

export interface ServerReader {
  readonly transformer: Transformer;
  /** An earlier server that reads the resource in the same way. */
  readonly sameAs: number | undefined;
}

export interface ResourceReader {
  readonly codec: Codec;
  /** Set for built-in kinds. */
  readonly types: TypeCheck | undefined;
  /** Of protobuf values; set for built-in kinds. */
  readonly bodies: TypedBodies | undefined;
  readonly servers: readonly ServerReader[];
  /** Every provider that some server uses for the resource. */
  readonly providers: readonly Provider[];
  /** Set for the kinds that are kept whole. */
  readonly keep: Kept | undefined;
}

const CODECS: Readonly<Record<Family, Codec>> = {
  builtin: "typed",
  custom: "unstructured",
  foreign: "any",
  unknown: "any",
  none: "any",
};

/** Matches `*.*` and nothing else. */
const NO_RESOURCE = { group: "unknown", resource: "unknown" };

export class Readers {
  /** Number of outcomes of each value. */
  readonly servers: number;
  private readonly known = new Map<Resource, ResourceReader>();
  private readonly families: readonly ("kubernetes" | "foreign" | "both")[];

  constructor(
    private readonly configs: readonly EncryptionConfig[],
    private readonly answers: KmsAnswers,
    private readonly wrapped: WrappedKeys,
  ) {
    this.servers = Math.max(1, configs.length);
    this.families = configs.map(familyOf);
  }

  of(resource: Resource): ResourceReader {
    const known = this.known.get(resource);
    if (known !== undefined) return known;
    const made = this.make(resource);
    this.known.set(resource, made);
    return made;
  }

  /** True when the configuration is of a server that keeps the resource. */
  applies(server: number, { family }: Resource): boolean {
    const own = this.families[server];
    return own === undefined || own === "both" || (own === "foreign") === (family === "foreign");
  }

  private make(resource: Resource): ResourceReader {
    const { family } = resource;
    const name = family === "unknown" || family === "none" ? NO_RESOURCE : encryptedAs(resource);
    const lists = this.configs.map((config, server) =>
      this.applies(server, resource) ? providersOf(config, name) : null,
    );
    const first = lists.findIndex((list) => list !== null);
    // A server that does not keep the resource says nothing about it; the first that does stands in.
    const filled =
      lists.length === 0
        ? [undefined]
        : lists.map((list) => (list === null ? (lists[first] ?? undefined) : list));
    const ids = filled.map((list) => idOf(list));
    const servers = filled.map((list, server): ServerReader => {
      const same = ids.indexOf(ids[server] ?? "");
      const wrapped: typeof this.wrapped.note = (...args) => this.wrapped.note(...args);
      return {
        transformer: new Transformer(list, this.answers.unwrap, wrapped),
        sameAs: same < server ? same : undefined,
      };
    });
    return {
      codec: CODECS[family],
      types: resource.builtIn && typesOf(resource.builtIn.kind),
      bodies: family === "builtin" ? bodies() : undefined,
      servers,
      providers: filled.flatMap((list) => list ?? []),
      keep: family === "builtin" ? KEPT.get(resource.path) : undefined,
    };
  }
}

/**
 * Checks JSON by the types of its kind. A value without a version is decoded into the server's internal type, whose
 * members have other names; so nothing is said about it.
 */
const typesOf =
  (own: string): TypeCheck =>
  (text, { apiVersion, kind = own }) =>
    apiVersion === undefined ? undefined : wrongType(text, apiVersion, kind, messages());

let form: JsonForm | undefined;
const messages = (): JsonForm => {
  form ??= new JsonForm(data);
  return form;
};

let typedBodies: TypedBodies | undefined;
const bodies = (): TypedBodies => {
  typedBodies ??= new TypedBodies(messages());
  return typedBodies;
};

const idOf = (providers: readonly Provider[] | undefined): string =>
  providers === undefined
    ? "none"
    : JSON.stringify(
        providers.map((each) =>
          each.kind === "identity" || each.kind === "kms"
            ? each
            : [each.kind, each.keys.map(({ name, secret }) => [name, secret.toString("base64")])],
        ),
      );

/** A configuration that names resources of OpenShift's own API servers alone is theirs, and not kube-apiserver's. */
function familyOf({ providers }: EncryptionConfig): "kubernetes" | "foreign" | "both" {
  const rules = [...providers.keys()];
  const foreign = rules.filter((rule) => FOREIGN_GROUPS.has(rule.slice(0, rule.indexOf("/")))).length;
  const wild = rules.some((rule) => rule.startsWith("*/"));
  if (wild || (foreign > 0 && foreign < rules.length)) return "both";
  return foreign > 0 ? "foreign" : "kubernetes";
}

const FOREIGN_GROUPS = new Set(
  ["route", "image", "build", "apps", "template", "oauth", "user", "security"].map(
    (each) => `${each}.openshift.io`,
  ),
);
