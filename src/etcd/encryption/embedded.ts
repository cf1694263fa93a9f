/**
 * Encryption configurations as clusters keep them: inside a Secret, a MachineConfig or Ignition config, or any other
 * object with files in it (`--encryption-config` takes these, too).
 */
import { gunzipSync } from "node:zlib";
import type { Problem } from "../../core/diagnostics.js";
import { isList, isObject, type Json, textAt } from "../../core/json.js";
import { readYaml, toJson } from "../../text/yaml-read.js";
import { type EncryptionConfig, readEncryptionConfig } from "./config.js";
import { isConfigKind } from "./config-rules.js";

interface Embedded {
  /** Members on the way to it, such as `data.encryption-config`. */
  readonly path: string;
  readonly text: string;
}

/** Larger texts than any configuration are not decoded. */
const LARGEST = 4 << 20;

/**
 * Reads a file that is an encryption configuration or holds some; each counts as the configuration of a server, equal
 * ones once. Positions in an embedded one are those of its own text.
 */
export function readEncryptionConfigs(
  text: string,
  file: string,
  report: (problem: Problem) => void,
): EncryptionConfig[] {
  const { documents } = readYaml(text, file);
  const found = documents.flatMap(({ root }, i): Embedded[] => {
    const value = root === undefined ? null : toJson(root);
    // The reader of the file itself says what is wrong with it.
    if (isConfig(value)) return [];
    return [...embedded(value, documents.length > 1 ? `[${i}]` : "", 0)];
  });
  if (found.length === 0) {
    const own = readEncryptionConfig(text, file, report);
    return own === undefined ? [] : [own];
  }
  const different = new Map(found.map((each) => [each.text, each]));
  return [...different.values()].flatMap((each) => {
    const config = readEncryptionConfig(each.text, `${file} (${each.path})`, report);
    return config === undefined ? [] : [config];
  });
}

const isConfig = (value: Json): boolean =>
  isObject(value) && isConfigKind(textAt(value, "apiVersion"), textAt(value, "kind"));

/** Texts below a value that are a configuration, plainly or in base64 or a data URL. */
function* embedded(value: Json, path: string, depth: number): Generator<Embedded> {
  if (depth > 100) return;
  if (typeof value === "string") {
    for (const text of readings(value)) {
      if (!/Encryption(?:Configuration|Config)\b/.test(text)) continue;
      const { documents } = readYaml(text, "", { firstOnly: true });
      const root = documents[0]?.root;
      if (root === undefined) continue;
      const inner = toJson(root);
      if (isConfig(inner)) yield { path, text };
      // A MachineConfig in a Secret holds it one level further down.
      else if (typeof inner === "object") yield* embedded(inner, path, depth + 10);
    }
  } else if (isList(value))
    for (const [i, each] of value.entries()) yield* embedded(each, `${path}[${i}]`, depth + 1);
  else if (isObject(value))
    for (const [name, each] of Object.entries(value))
      yield* embedded(each, path === "" ? name : `${path}.${name}`, depth + 1);
}

/** What a text may stand for: itself, or what it encodes. */
function readings(value: string): string[] {
  if (value.length > LARGEST) return [];
  const [, base64, content] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(value) ?? [];
  if (content !== undefined)
    return base64 === undefined ? [percentDecoded(content)] : decoded(percentDecoded(content));
  const compact = value.replace(/\s/g, "");
  return /^[A-Za-z0-9+/]{64,}={0,2}$/.test(compact) ? decoded(compact) : [value];
}

function decoded(base64: string): string[] {
  const data = Buffer.from(base64, "base64");
  if (data[0] !== 0x1f || data[1] !== 0x8b) return [data.toString("utf8")];
  try {
    return [gunzipSync(data, { maxOutputLength: LARGEST }).toString("utf8")];
  } catch {
    return [];
  }
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
