/**
 * An API of ours, defined once. From it follow the CustomResourceDefinition, the JSON Schema of what we emit, and
 * what `slipway explain` shows.
 */
import type { JsonObject } from "../core/json.js";

/** A structural schema (apiextensions.k8s.io/v1): every node has a type, properties or items are complete. */
export type StructuralSchema = {
  readonly type: "object" | "array" | "string" | "boolean" | "integer" | "number";
  readonly description?: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly nullable?: boolean;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-validations"?: readonly { readonly rule: string; readonly message: string }[];
};

export type PrinterColumn = {
  readonly name: string;
  readonly type: "string" | "boolean" | "integer" | "date";
  readonly jsonPath: string;
  readonly description: string;
  readonly priority?: number;
};

export interface CrdVersionDefinition {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly description: string;
  readonly spec: StructuralSchema;
  /** With it the version has the status subresource. */
  readonly status?: StructuralSchema;
  readonly columns?: readonly PrinterColumn[];
}

export interface CrdDefinition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  /** Labels and annotations of the CustomResourceDefinition itself. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly versions: readonly CrdVersionDefinition[];
}

export const crdName = ({ plural, group }: CrdDefinition): string => `${plural}.${group}`;

const API_VERSION: StructuralSchema = {
  type: "string",
  description: "Group and version of this object's schema.",
};
const KIND: StructuralSchema = { type: "string", description: "The kind of this object." };

/** The whole schema of a version, as it stands in the CustomResourceDefinition. */
export const openApiSchema = (version: CrdVersionDefinition): StructuralSchema => ({
  type: "object",
  description: version.description,
  required: ["spec"],
  properties: {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: { type: "object" },
    spec: version.spec,
    ...(version.status === undefined ? {} : { status: version.status }),
  },
});

/** What a template renders into a CustomResourceDefinition. */
export function crdView(definition: CrdDefinition): JsonObject {
  const { group, kind, plural, singular, shortNames, categories, scope, labels, annotations, versions } =
    definition;
  return {
    name: crdName(definition),
    group,
    scope,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    names: {
      kind,
      listKind: `${kind}List`,
      plural,
      singular,
      ...(shortNames === undefined ? {} : { shortNames }),
      ...(categories === undefined ? {} : { categories }),
    },
    versions: versions.map((version) => ({
      name: version.name,
      served: version.served,
      storage: version.storage,
      schema: { openAPIV3Schema: openApiSchema(version) },
      ...(version.status === undefined ? {} : { subresources: { status: {} } }),
      ...(version.columns === undefined ? {} : { additionalPrinterColumns: version.columns }),
    })),
  };
}
