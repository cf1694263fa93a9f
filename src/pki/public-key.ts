/**
 * The public half of a private key, taken from the key's own encoding: PKCS#1 and SEC1 both hold it, so that nothing
 * has to be computed. Any other form of a key goes through OpenSSL (docs/reference/ignition-configs.md §1c, §1e).
 */
import { createPrivateKey, createPublicKey } from "node:crypto";
import { asn1Null, bitString, contextTag, oid, readOid, readValue, readValues, sequence } from "./der.js";
import { firstPemBlock, toPem } from "./pem.js";

const RSA = "1.2.840.113549.1.1.1";
const ELLIPTIC = "1.2.840.10045.2.1";

/** SubjectPublicKeyInfo, in DER, of a private key in PEM. Throws when the text holds no private key. */
export function publicKeyInfo(key: string): Buffer {
  const block = firstPemBlock(key);
  return (
    (block?.label === "RSA PRIVATE KEY" ? rsaInfo(block.der) : undefined) ??
    (block?.label === "EC PRIVATE KEY" ? ellipticInfo(block.der) : undefined) ??
    createPublicKey(key).export({ type: "spki", format: "der" })
  );
}

/** False for a text that is not a private key, or a damaged one. */
export function isPrivateKey(text: string): boolean {
  try {
    // The encoding is read as OpenSSL reads it when the key signs, which is stricter than what the public half needs.
    createPrivateKey(text);
    publicKeyInfo(text);
    return true;
  } catch {
    return false;
  }
}

function rsaInfo(der: Buffer): Buffer | undefined {
  const [, modulus, exponent] = readValues(readValue(der).content);
  if (modulus === undefined || exponent === undefined) return undefined;
  return sequence(sequence(oid(RSA), asn1Null()), bitString(sequence(modulus.raw, exponent.raw)));
}

/** RFC 5915: the curve and the point may be left out of the key; then OpenSSL computes them. */
function ellipticInfo(der: Buffer): Buffer | undefined {
  const members = readValues(readValue(der).content);
  const inside = (number: number): Buffer | undefined =>
    members.find(({ tag }) => tag === contextTag(number, true))?.content;
  const [curve, point] = [inside(0), inside(1)];
  if (curve === undefined || point === undefined) return undefined;
  return sequence(sequence(oid(ELLIPTIC), curve), point);
}

/** The public key in upstream's form: a SubjectPublicKeyInfo under a label that promises PKCS#1; readers accept it. */
export const publicKeyPem = (key: string): string => toPem("RSA PUBLIC KEY", publicKeyInfo(key));

/** The public half of a key as a line of `authorized_keys`, final newline included (RFC 4253 §6.6, RFC 5656 §3.1). */
export function sshPublicKey(key: string): string {
  const { type, bits } = partsOf(publicKeyInfo(key));
  const [name, ...members] =
    type === RSA ? ["ssh-rsa", ...rsaMembers(bits)] : ["ecdsa-sha2-nistp256", "nistp256", bits];
  const wire = [name, ...members].flatMap((member) => {
    const data = Buffer.from(member);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return [length, data];
  });
  return `${name} ${Buffer.concat(wire).toString("base64")}\n`;
}

/** Exponent and modulus, the integers as they are in DER, which is the form that SSH wants. */
function rsaMembers(bits: Buffer): Buffer[] {
  const [modulus, exponent] = readValues(readValue(bits).content);
  if (modulus === undefined || exponent === undefined) throw new Error("not an RSA key");
  return [exponent.content, modulus.content];
}

/** The algorithm of a SubjectPublicKeyInfo and the bits of its key. */
function partsOf(info: Buffer): { readonly type: string; readonly bits: Buffer } {
  const [algorithm, bits] = readValues(readValue(info).content);
  const [type] = readValues(algorithm?.content ?? Buffer.alloc(0));
  if (type === undefined || bits === undefined) throw new Error("not a public key");
  return { type: readOid(type.content), bits: bits.content.subarray(1) };
}

/** True when the first block of a PEM text is a private RSA key, in the form PKCS#1 or PKCS#8, and of that many bits when asked. */
export function isRsaKey(key: string, bits?: number): boolean {
  const label = firstPemBlock(key)?.label;
  if (label !== "RSA PRIVATE KEY" && label !== "PRIVATE KEY") return false;
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(key);
    return (
      asymmetricKeyType === "rsa" && (bits === undefined || asymmetricKeyDetails?.modulusLength === bits)
    );
  } catch {
    return false;
  }
}
