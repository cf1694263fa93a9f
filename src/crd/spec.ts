/** A CustomResourceDefinition as an API server sees it, and which of its rules an update is held to. */
import { isList, isObject, type JsonObject } from "../core/json.js";
import type { SchemaRules } from "./node-rules.js";
import { nodesAt, objectAt, readableSchema, textAt, textsAt } from "./schema-nodes.js";

export interface Version {
  readonly index: number;
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly object: JsonObject;
  readonly schema: JsonObject | undefined;
}

/** The definition with what the server fills in. */
export interface Spec {
  readonly object: JsonObject;
  readonly names: JsonObject;
  readonly versions: readonly Version[];
  readonly conversion: JsonObject;
  readonly preserves: boolean;
  readonly established: boolean;
  readonly stored: readonly string[];
  /** False where the status has no such list. */
  readonly listed: boolean;
  readonly annotations: JsonObject;
}

/** Reads what the server reads, with what it fills in; whatever has another form counts as absent. */
export function readSpec(definition: JsonObject): Spec {
  const spec = objectAt(definition, "spec");
  const names = objectAt(spec, "names");
  const kind = textAt(names, "kind");
  const status = objectAt(definition, "status");
  const versions = nodesAt(spec, "versions").map((written, index): Version => {
    const given = objectAt(written, "schema")["openAPIV3Schema"];
    const schema = isObject(given) ? readableSchema(given) : undefined;
    const object: JsonObject =
      schema === undefined
        ? written
        : { ...written, schema: { ...objectAt(written, "schema"), openAPIV3Schema: schema } };
    return {
      index,
      name: textAt(object, "name"),
      served: object["served"] === true,
      storage: object["storage"] === true,
      object,
      schema,
    };
  });
  const listed = textsAt(status, "storedVersions");
  const storage = versions.find((each) => each.storage);
  return {
    object: spec,
    names: {
      ...names,
      ...(textAt(names, "singular") === "" ? { singular: kind.toLowerCase() } : {}),
      ...(textAt(names, "listKind") === "" && kind !== "" ? { listKind: `${kind}List` } : {}),
    },
    versions,
    conversion: isObject(spec["conversion"]) ? spec["conversion"] : { strategy: "None" },
    preserves: spec["preserveUnknownFields"] === true,
    established: nodesAt(status, "conditions").some(
      (each) => each["type"] === "Established" && each["status"] === "True",
    ),
    listed: isList(status["storedVersions"]),
    stored: listed.length > 0 || storage === undefined ? listed : [storage.name],
    annotations: objectAt(objectAt(definition, "metadata"), "annotations"),
  };
}

/** The rules that hold; those that the stored definition breaks already are not tightened. */
export interface Rules {
  readonly schema: SchemaRules;
  readonly everyVersionHasSchema: boolean;
  readonly reviewVersions: boolean;
  readonly bundles: boolean;
  /** Versions whose selectable fields were too many already. */
  readonly manyFields: ReadonlySet<string>;
}
