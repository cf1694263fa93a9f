/**
 * An API key of IBM Cloud (`--credentials`): the file that `ibmcloud iam api-key-create NAME --file FILE` writes, or
 * lines of `NAME=VALUE` as IBM's tools read them. No value ever enters a message.
 */

import { isObject, type Json } from "../core/json.js";
import { lookup } from "../core/lookup.js";
import { problem } from "../core/problem.js";
import { jsonFault, placeAt } from "../text/json-text.js";
import { readYaml, toJson } from "../text/yaml-read.js";
import type { Credentials, RuleContext } from "./platform.js";

/** The key of the credentials Secret that the API key stands under. */
export const IBM_API_KEY = "ibmcloud_api_key";

/** Names of the key, the installer's own first. */
const NAMES = ["IC_API_KEY", "IBMCLOUD_API_KEY", "IBMCLOUD_APIKEY"];
const LINE = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/s;
const FORMS = `the file of ibmcloud iam api-key-create --file, or a line ${NAMES[0]}=KEY`;

/** The API key of the file; undefined when there is none that can be used, which is reported. */
export function readApiKey(
  text: string,
  file: string,
  { report }: Pick<RuleContext, "report">,
): Credentials | undefined {
  const content = text.replace(/^\ufeff/, "");
  const isJson = content.trimStart().startsWith("{");
  const key = isJson ? keyOfJson(content, file) : keyOfLines(content);
  if (key === undefined) {
    report({
      code: "CRED001",
      kind: "Parse",
      file,
      ...(isJson ? placeAt(content, jsonFault(content) ?? 0) : firstOther(content)),
      message: "the file must be JSON or lines of the form NAME=VALUE",
      hint: `use ${FORMS}`,
    });
    return undefined;
  }
  // The key stands in a header of every request, where nothing but visible ASCII can.
  if (/^[\x21-\x7e]+$/.test(key)) return { [IBM_API_KEY]: key };
  report(
    problem(
      "CRED002",
      key === "" ? "Required" : "Invalid",
      "",
      key === "" ? "the file contains no API key" : "the API key contains invalid characters",
      { file, hint: `use ${FORMS}` },
    ),
  );
  return undefined;
}

/** Undefined for what is not a JSON object; empty where it has no key. */
function keyOfJson(text: string, file: string): string | undefined {
  const { documents, problems } = readYaml(text, file);
  const root = documents[0]?.root;
  const value: Json = problems.length > 0 || root === undefined ? null : toJson(root);
  if (!isObject(value)) return undefined;
  const { apikey } = value;
  return typeof apikey === "string" ? apikey.trim() : "";
}

const linesOf = (text: string): readonly string[] => text.split(/\r?\n/).map((line) => line.trim());
const isEntry = (line: string): boolean => line !== "" && !line.startsWith("#");

/** Where a line stands that is none of `NAME=VALUE`. */
const firstOther = (text: string): { readonly line: number; readonly column: number } => ({
  line: linesOf(text).findIndex((line) => isEntry(line) && !LINE.test(line)) + 1,
  column: 1,
});

function keyOfLines(text: string): string | undefined {
  const entries = linesOf(text)
    .filter(isEntry)
    .map((line) => LINE.exec(line));
  if (entries.some((entry) => entry === null)) return undefined;
  const values = Object.fromEntries(
    entries.map((entry) => [entry?.[1] ?? "", (entry?.[2] ?? "").replace(/^(["'])(.*)\1$/s, "$2")]),
  );
  return NAMES.map((name) => lookup(values, name)).find((value) => value !== undefined && value !== "") ?? "";
}
