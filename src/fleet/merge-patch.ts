import { isObject, type Json, type JsonObject } from "../core/json.js";
import { setMember } from "../text/yaml-read.js";

/** A JSON merge patch (RFC 7386) over a value: objects are merged, null takes a member away, all else replaces. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const base: JsonObject = isObject(target) ? target : {};
  const merged: Record<string, Json> = {};
  for (const [name, value] of Object.entries(base))
    if (!Object.hasOwn(patch, name)) setMember(merged, name, value);
  for (const [name, value] of Object.entries(patch))
    if (value !== null)
      setMember(merged, name, mergePatch(Object.hasOwn(base, name) ? base[name] : undefined, value));
  return merged;
}
