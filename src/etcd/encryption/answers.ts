/** The answers file: what key management plug-ins would have said, collected by whoever may ask them. */

import type { Problem } from "../../core/diagnostics.js";
import { isJson, isList, isObject, type Json } from "../../core/json.js";
import { problem } from "../../core/problem.js";
import validate from "../../generated/validators/kms-answers.js";
import { readYaml, toJson } from "../../text/yaml-read.js";
import { failed } from "./ciphers.js";
import type { Unwrap } from "./kms.js";

export interface KmsAnswers {
  readonly unwrap: Unwrap;
  /** keyID that a v2 plug-in wraps with now, where the file says so. */
  current(provider: string): string | undefined;
}

export const NO_ANSWERS: KmsAnswers = { unwrap: () => undefined, current: () => undefined };

const HINT =
  'use a list of {"provider", "api", "keyID", "encryptedDEKSource", "plaintext"}; encode the last two in base64';

/** Reads an answers file; undefined when it cannot be used. Nothing of its content reaches a message. */
export function readKmsAnswers(
  text: string,
  file: string,
  report: (problem: Problem) => void,
): KmsAnswers | undefined {
  const refuse = (message: string, field = ""): undefined =>
    void report(problem("ETC023", "Invalid", field, message, { file, hint: HINT }));
  const document = parse(text, file);
  if (document === undefined) return refuse("the file is neither JSON nor YAML");
  if (!validate(document)) {
    const [first] = validate.errors ?? [];
    return refuse(
      "the file is not a list of answers",
      first?.instancePath.replaceAll("/", ".").replace(/^\./, "") ?? "",
    );
  }
  const entries = isObject(document) ? document["answers"] : document;
  if (!isList(entries)) return refuse("the file is not a list of answers");
  const answers = new Map<string, ReturnType<Unwrap>>();
  const current = new Map<string, string>();
  let sound = true;
  entries.forEach((entry, i) => {
    if (!isObject(entry)) return;
    const text = (name: string): string => String(entry[name] ?? "");
    if (entry["current"] === true) current.set(text("provider"), text("keyID"));
    if (text("encryptedDEKSource") === "") return;
    if ((text("plaintext") === "") === (text("error") === "")) {
      sound = false;
      refuse("must have either plaintext or error", `[${i}]`);
      return;
    }
    const answer =
      text("error") === ""
        ? { ok: true as const, data: Buffer.from(text("plaintext"), "base64") }
        : { ...failed(text("error")), approximate: false };
    answers.set(
      idOf(text("provider"), text("api"), text("keyID"), canonical(text("encryptedDEKSource"))),
      answer,
    );
  });
  if (!sound) return undefined;
  return {
    unwrap: ({ provider, version, keyID, wrapped }) => {
      const source = wrapped.toString("base64");
      return (
        answers.get(idOf(provider, version, keyID, source)) ??
        answers.get(idOf(provider, version, "", source))
      );
    },
    current: (provider) => current.get(provider),
  };
}

const idOf = (...parts: string[]): string => parts.join("\0");
const canonical = (base64: string): string => Buffer.from(base64, "base64").toString("base64");

function parse(text: string, file: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    const { documents, problems } = readYaml(text, file);
    const [first] = documents;
    return problems.length > 0 || first?.root === undefined ? undefined : toJson(first.root);
  }
}
