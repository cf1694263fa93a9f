/** Whether a request or approval that is there may be replaced by one that is made now. */
import { equalJson, isObject, type JsonObject } from "../core/json.js";
import { readYaml, toJson } from "../text/yaml-read.js";
import { writeYaml } from "../text/yaml-write.js";
import { OWN_PREFIX } from "./api.js";
import { objectAt } from "./object.js";

/**
 * An approval that is given again gets new pins, and nothing else may change: a file that approves another request, or
 * to which somebody has added a comment, a label or a document, is not ours to replace.
 */
export function mayReplace(old: string, fresh: string): boolean {
  const [before, after] = [objectOf(old), objectOf(fresh)];
  if (before === undefined || after === undefined) return false;
  return writeYaml(before) === old && equalJson(withoutPins(before), withoutPins(after));
}

function objectOf(text: string): JsonObject | undefined {
  const { documents, problems } = readYaml(text, "");
  const [document, ...others] = documents;
  if (problems.length > 0 || others.length > 0 || document?.root === undefined) return undefined;
  const value = toJson(document.root);
  return isObject(value) ? value : undefined;
}

function withoutPins(object: JsonObject): JsonObject {
  const { annotations: _, ...metadata } = objectAt(object, "metadata");
  const annotations = Object.entries(objectAt(object, "metadata", "annotations")).filter(
    ([key]) => !key.startsWith(OWN_PREFIX),
  );
  return { ...object, metadata: { ...metadata, annotations: Object.fromEntries(annotations) } };
}
