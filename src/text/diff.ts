/**
 * A unified diff of two versions of a file, without its secrets.
 *
 * Both versions are redacted before they are compared. Where a document holds a secret, what is compared is the
 * redacted object in canonical YAML; where the text cannot be read, or the whole file is secret in a form that is
 * not known, nothing of it is shown.
 */
import { decode } from "../core/files.js";
import { equalJson, isObject, type Json } from "../core/json.js";
import { redactJson, redactText } from "./redact.js";
import { readYaml, toJson } from "./yaml-read.js";
import { writeYaml } from "./yaml-write.js";

export interface DiffSide {
  readonly data: Uint8Array;
  /** Named behind the path, such as `on disk`. */
  readonly label: string;
}

export interface DiffOptions {
  readonly path: string;
  /** The file is one of those that only its owner may read. */
  readonly secret: boolean;
  /** Program text: what looks like a secret is taken out of it, but the word `secret` alone hides nothing. */
  readonly code?: boolean;
}

/** More differences than this are not worked out. */
const MOST_EDITS = 1500;

/** The diff, ending in a newline; empty when both sides have the same bytes. An absent side is an absent file. */
export async function unifiedDiff(
  before: DiffSide | undefined,
  after: DiffSide | undefined,
  { path, secret, code = false }: DiffOptions,
): Promise<string> {
  const name = (side: DiffSide | undefined): string =>
    side === undefined ? "/dev/null" : `${path} (${side.label})`;
  const header = `--- ${name(before)}\n+++ ${name(after)}\n`;
  if (before !== undefined && after !== undefined && Buffer.compare(before.data, after.data) === 0) return "";
  const old = before === undefined ? "" : shown(before.data, secret, code);
  const next = after === undefined ? "" : shown(after.data, secret, code);
  if (old === undefined || next === undefined) return `${header}(not shown: may contain secrets)\n`;
  if (old === next) return `${header}(only secrets, formatting or comments differ)\n`;
  const { structuredPatch, formatPatch } = await import("diff");
  const patch = structuredPatch(path, path, old, next, "", "", { context: 3, maxEditLength: MOST_EDITS });
  if (patch === undefined) return `${header}(too many differences to show)\n`;
  const text = formatPatch(patch);
  return header + text.slice(text.indexOf("@@"));
}

/** The form of a file that may be shown; undefined when none may. */
function shown(data: Uint8Array, secret: boolean, code: boolean): string | undefined {
  const text = decode(data);
  if (text === undefined) return undefined;
  if (code && !secret) return redactText(text);
  const { documents, problems } = readYaml(text, "");
  const values = documents.flatMap(({ root }) => (root === undefined ? [] : [toJson(root)]));
  const readable = problems.length === 0 && values.every(isObject);
  if (!readable) return secret || /secret/i.test(text) ? undefined : redactText(text);
  if (secret && !values.some(isSecretObject)) return undefined;
  const redacted = values.map(redactJson);
  return redacted.every((value, i) => equalJson(value, values[i])) ? redactText(text) : canonical(redacted);
}

const isSecretObject = (value: Json): boolean => isObject(value) && value["kind"] === "Secret";

const canonical = (values: readonly Json[]): string => values.map(writeYaml).join("---\n");
