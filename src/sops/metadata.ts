/** What SOPS keeps of itself in an encrypted file, under the key `sops` (getsops/sops v3.10.2, stores/stores.go). */
import { isList, isObject, type Json, type JsonObject, textAt } from "../core/json.js";
import { compileGoPattern } from "../text/go-regexp.js";

export const SOPS = "sops";

/** Which values are encrypted; at most one of the members is set, and with none every value is. */
export interface EncryptionRule {
  readonly unencrypted_suffix?: string;
  readonly encrypted_suffix?: string;
  readonly unencrypted_regex?: string;
  readonly encrypted_regex?: string;
}

const RULES = ["unencrypted_suffix", "encrypted_suffix", "unencrypted_regex", "encrypted_regex"] as const;
/** Rules by comments, which this reader passes over. */
const COMMENT_RULES = ["unencrypted_comment_regex", "encrypted_comment_regex"];
/** In force where a file names no rule. */
export const DEFAULT_RULE: EncryptionRule = { unencrypted_suffix: "_unencrypted" };

export interface WrappedKey {
  /** `age1…`. */
  readonly recipient: string;
  /** The data key, encrypted for the recipient, in age's armour. */
  readonly enc: string;
}

export interface Metadata {
  /** Everything as it stands in the file, so that what other tools keep there survives. */
  readonly raw: JsonObject;
  readonly age: readonly WrappedKey[];
  readonly lastModified: string;
  /** Encrypted. */
  readonly mac: string;
  readonly macOnlyEncrypted: boolean;
  readonly rule: EncryptionRule;
}

/** The metadata of a document; undefined when it is not encrypted with SOPS, a text that says why not when it cannot be read. */
export function readMetadata(root: Json | undefined): Metadata | string | undefined {
  const raw = isObject(root) ? root[SOPS] : undefined;
  if (!isObject(raw) || typeof raw["mac"] !== "string" || typeof raw["lastmodified"] !== "string")
    return undefined;
  if (COMMENT_RULES.some((name) => Object.hasOwn(raw, name)))
    return "its encrypted values are selected by comments";
  if (
    typeof raw["shamir_threshold"] === "number" ||
    (isList(raw["key_groups"]) && raw["key_groups"].length > 1)
  )
    return "its data key is split across several key groups";
  const groups = isList(raw["key_groups"]) ? raw["key_groups"] : [];
  const age = [raw, ...groups].flatMap((group) =>
    isObject(group) && isList(group["age"]) ? group["age"].flatMap(wrappedKey) : [],
  );
  return {
    raw,
    age,
    lastModified: raw["lastmodified"],
    mac: raw["mac"],
    macOnlyEncrypted: raw["mac_only_encrypted"] === true,
    rule: ruleIn(raw),
  };
}

const wrappedKey = (entry: Json): WrappedKey[] =>
  isObject(entry) && typeof entry["enc"] === "string"
    ? [{ recipient: textAt(entry, "recipient"), enc: entry["enc"] }]
    : [];

/** The rule that an object names; the default one where it names none. */
export function ruleIn(object: JsonObject): EncryptionRule {
  const name = RULES.find((each) => typeof object[each] === "string" && object[each] !== "");
  const value = name === undefined ? undefined : object[name];
  return name === undefined || typeof value !== "string" ? DEFAULT_RULE : { [name]: value };
}

/** The object without the rule that it names. */
export const withoutRule = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !RULES.some((each) => each === name)));

/** True where the object names a rule of its own. */
export const namesRule = (object: JsonObject): boolean =>
  RULES.some((each) => typeof object[each] === "string");

/** Whether the value at a path is encrypted; undefined where a pattern cannot be used. */
export function encryptedBy(rule: EncryptionRule): ((path: readonly string[]) => boolean) | undefined {
  const { unencrypted_suffix, encrypted_suffix, unencrypted_regex, encrypted_regex } = rule;
  if (encrypted_suffix !== undefined) return (path) => path.some((key) => key.endsWith(encrypted_suffix));
  if (unencrypted_suffix !== undefined)
    return (path) => !path.some((key) => key.endsWith(unencrypted_suffix));
  const pattern = compileGoPattern(encrypted_regex ?? unencrypted_regex ?? "");
  if (pattern === undefined) return undefined;
  return encrypted_regex !== undefined
    ? (path) => path.some((key) => pattern.test(key))
    : (path) => !path.some((key) => pattern.test(key));
}
