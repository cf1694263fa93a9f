/**
 * Envelope encryption. A plug-in is never called: what it would have answered comes from a file, and what it would
 * have to be asked is listed (docs/reference/storage-and-encryption.md §1.3).
 */
import { type Cursor, readInt64, readLength, readVarint, skipField, WireFault } from "../read/varint.js";
import { badKeySize, type Decrypted, failed, isAesKey, openCbc, openGcm, openSeeded } from "./ciphers.js";

/** A data key or seed as a plug-in wrapped it. */
export interface WrappedKey {
  /** Name of the plug-in. */
  readonly provider: string;
  readonly version: "v1" | "v2";
  /** Of the plug-in's own key; empty for v1. */
  readonly keyID: string;
  readonly wrapped: Buffer;
}

/** What a plug-in would answer: the key, or its words; undefined when the answers do not say. */
export type Unwrap = (key: WrappedKey) => Decrypted | undefined;

/** Stands for the words of a plug-in that was never asked. */
export const PLUGIN_ERROR = "<plug-in error>";

/** The state of a v2 provider that decides whether a value is stale. */
export interface KeyState {
  readonly provider: string;
  readonly keyID: string;
  /** 0: the unwrapped source is the key; 1: it is a seed. */
  readonly sourceType: number;
}

export interface KmsRead {
  readonly result: Decrypted;
  readonly wrapped?: WrappedKey;
  /** True for a v1 value in the AES-CBC form of releases up to 1.24. */
  readonly oldForm?: boolean;
  readonly state?: KeyState;
}

const unanswered = (text: string): Decrypted => ({ ...failed(text), approximate: true });

export function readKmsV1(provider: string, body: Buffer, authenticated: Buffer, unwrap: Unwrap): KmsRead {
  const length = body.length < 2 ? undefined : body.readUInt16BE(0);
  if (length === undefined || 2 + length > body.length)
    return {
      result: failed(
        "invalid data encountered by envelope transformer: failed to read uint16 length prefixed data",
      ),
    };
  const wrapped: WrappedKey = { provider, version: "v1", keyID: "", wrapped: body.subarray(2, 2 + length) };
  const key = unwrap(wrapped) ?? unanswered(PLUGIN_ERROR);
  if (!key.ok) return { result: key, wrapped };
  if (!isAesKey(key.data)) return { result: badKeySize(key.data), wrapped };
  const data = body.subarray(2 + length);
  const now = openGcm(key.data, data, authenticated);
  if (now.ok) return { result: now, wrapped };
  const old = openCbc(key.data, data);
  if (old.ok) return { result: old, wrapped, oldForm: true };
  return { result: failed(...now.errors, ...old.errors), wrapped };
}

export function readKmsV2(provider: string, body: Buffer, authenticated: Buffer, unwrap: Unwrap): KmsRead {
  const object = parseEncryptedObject(body);
  if (typeof object === "string") return { result: failed(object) };
  if ("approximate" in object) return { result: unanswered(object.approximate) };
  const { keyID, source, sourceType, data } = object;
  const wrapped: WrappedKey = { provider, version: "v2", keyID, wrapped: source };
  const state: KeyState = { provider, keyID, sourceType };
  const key = unwrap(wrapped) ?? unanswered(PLUGIN_ERROR);
  if (!key.ok)
    return {
      result: { ...key, errors: [`failed to decrypt DEK, error: ${joinErrors(key.errors)}`] },
      wrapped,
      state,
    };
  if (sourceType === 1) return { result: openSeeded(key.data, data, authenticated), wrapped, state };
  if (!isAesKey(key.data)) return { result: badKeySize(key.data), wrapped, state };
  return { result: openGcm(key.data, data, authenticated), wrapped, state };
}

interface EncryptedObject {
  readonly data: Buffer;
  readonly keyID: string;
  readonly source: Buffer;
  readonly sourceType: number;
}

const LONGEST_KEY_ID = 1024;
const LONGEST_SOURCE = 1024;
const LARGEST_ANNOTATIONS = 32 * 1024;
const FQDN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)+$/;

/** The message, or the server's words for what is wrong with it. */
function parseEncryptedObject(body: Buffer): EncryptedObject | string | { readonly approximate: string } {
  let data: Buffer = Buffer.alloc(0);
  let keyID: Buffer = Buffer.alloc(0);
  let source: Buffer = Buffer.alloc(0);
  let sourceType = 0n;
  const annotations = new Map<string, Buffer>();
  const cursor: Cursor = { data: body, at: 0, end: body.length };
  const bytes = (): Buffer => {
    const end = readLength(cursor);
    const found = body.subarray(cursor.at, end);
    cursor.at = end;
    return found;
  };
  try {
    while (cursor.at < cursor.end) {
      const tag = readVarint(cursor);
      if (tag === 0x0a) data = bytes();
      else if (tag === 0x12) keyID = bytes();
      else if (tag === 0x1a) source = bytes();
      else if (tag === 0x22) addAnnotation(annotations, bytes());
      else if (tag === 0x28) sourceType = BigInt.asIntN(32, readInt64(cursor));
      else if (tag < 8) throw new WireFault("a field without a number");
      else skipField(cursor, tag & 7);
    }
  } catch (error) {
    if (!(error instanceof WireFault)) throw error;
    return { approximate: "proto: cannot parse invalid wire-format data" };
  }
  if (sourceType !== 0n && sourceType !== 1n) return `unknown encryptedDEKSourceType: ${sourceType}`;
  if (data.length === 0) return "encrypted data is empty";
  const sizes =
    limits("failed to validate encrypted DEK source", "encrypted DEK source", source, LONGEST_SOURCE) ??
    limits("failed to validate key id", "keyID", keyID, LONGEST_KEY_ID) ??
    annotationFault(annotations);
  return sizes ?? { data, keyID: keyID.toString("utf8"), source, sourceType: Number(sourceType) };
}

function addAnnotation(annotations: Map<string, Buffer>, entry: Buffer): void {
  const cursor: Cursor = { data: entry, at: 0, end: entry.length };
  let key = "";
  let value: Buffer = Buffer.alloc(0);
  while (cursor.at < cursor.end) {
    const tag = readVarint(cursor);
    if (tag !== 0x0a && tag !== 0x12) {
      skipField(cursor, tag & 7);
      continue;
    }
    const end = readLength(cursor);
    if (tag === 0x0a) key = entry.toString("utf8", cursor.at, end);
    else value = entry.subarray(cursor.at, end);
    cursor.at = end;
  }
  annotations.set(key, value);
}

function limits(context: string, name: string, value: Buffer, longest: number): string | undefined {
  if (value.length === 0) return `${context}: ${name} is empty`;
  return value.length > longest
    ? `${context}: ${name} is ${value.length} bytes, which exceeds the max size of ${longest}`
    : undefined;
}

function annotationFault(annotations: ReadonlyMap<string, Buffer>): string | undefined {
  const errors: string[] = [];
  let size = 0;
  for (const [key, value] of annotations) {
    if (!FQDN.test(key) || key.length > 253)
      errors.push(
        "annotations: Invalid value: should be a domain with at least two segments separated by dots",
      );
    size += Buffer.byteLength(key) + value.length;
  }
  if (size > LARGEST_ANNOTATIONS)
    errors.push(`total size of annotations is ${size}, which exceeds the max size of ${LARGEST_ANNOTATIONS}`);
  return errors.length === 0 ? undefined : `failed to validate annotations: ${joinErrors(errors)}`;
}

/** Several errors as the server joins them: each text once, in brackets when there is more than one. */
export function joinErrors(errors: readonly string[]): string {
  const texts = [...new Set(errors)];
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}
