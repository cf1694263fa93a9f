/**
 * Our own schema of what is emitted, for the kinds that are defined in code. The build compiles these beside
 * schemas/emitted/, so it must not import anything generated.
 */
import type { JsonObject } from "../core/json.js";
import { type CrdDefinition, openApiSchema, type StructuralSchema } from "../crd/definition.js";
import { OPENSHIFT_CONTROL_PLANE } from "../crd/openshift-control-plane.js";
import { TRANSFER_DEFINITIONS } from "../crd/storage-transfer.js";

/** A JSON Schema of this project with its place below `schemas/`. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: JsonObject;
}

const METADATA: JsonObject = {
  type: "object",
  description: "Name, namespace, labels and annotations of the object.",
  required: ["name", "namespace"],
  additionalProperties: false,
  properties: {
    name: {
      type: "string",
      maxLength: 253,
      pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
    },
    namespace: { type: "string", maxLength: 63, pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" },
    labels: { type: "object", minProperties: 1, additionalProperties: { type: "string", maxLength: 63 } },
    annotations: { type: "object", minProperties: 1, additionalProperties: { type: "string" } },
  },
};

/**
 * The JSON Schema of an emitted object: as the CustomResourceDefinition, but without status, without members that it
 * does not name, and without empty mappings.
 */
export function emittedSchema(definition: CrdDefinition, versionName: string): JsonObject {
  const version = definition.versions.find(({ name }) => name === versionName);
  if (version === undefined) throw new Error(`${definition.kind} has no version ${versionName}`);
  const { description } = openApiSchema(version);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: definition.kind,
    ...(description === undefined ? {} : { description }),
    type: "object",
    required: ["apiVersion", "kind", "metadata", "spec"],
    additionalProperties: false,
    properties: {
      apiVersion: { const: `${definition.group}/${version.name}` },
      kind: { const: definition.kind },
      metadata: METADATA,
      spec: closed(version.spec),
    },
  };
}

function closed(schema: StructuralSchema): JsonObject {
  const { properties, additionalProperties, items, nullable: _, ...rest } = schema;
  const map = schema.type === "object" ? { minProperties: 1 } : {};
  return {
    ...map,
    ...rest,
    ...(additionalProperties === undefined ? {} : { additionalProperties: closed(additionalProperties) }),
    ...(items === undefined ? {} : { items: closed(items) }),
    ...(properties === undefined
      ? {}
      : {
          additionalProperties: false,
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, each]) => [name, closed(each)]),
          ),
        }),
  };
}

export const EMITTED_FROM_DEFINITIONS: readonly NamedSchema[] = [
  OPENSHIFT_CONTROL_PLANE,
  TRANSFER_DEFINITIONS.approval,
  TRANSFER_DEFINITIONS.request,
].flatMap((definition) =>
  definition.versions.map(({ name }) => ({
    name: `emitted/${definition.kind}.${name}`,
    schema: emittedSchema(definition, name),
  })),
);
