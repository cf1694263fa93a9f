/** A part of the public key infrastructure, where a cluster makes the rest of it itself. */
import { fitsLeaf, fitsSigner, rememberingReader } from "./fit.js";
import { type CertifiedName, type KeyName, PKI } from "./graph.js";
import { type CertifiedKey, certifyLeaf, certifySigner, type NameInput, type Period } from "./sign.js";

interface PartRequest {
  /** Every private key of the part, PEM. */
  readonly keys: ReadonlyMap<KeyName, string>;
  /** Certificates of an earlier run, PEM, kept byte for byte as long as they fit. */
  readonly known: ReadonlyMap<string, string>;
  readonly names: NameInput;
  readonly period: Period;
}

/** Certifies the named keys; the signer of a leaf is among the names. Throws when a key is missing: a bug of the caller. */
export function certifyPart<N extends CertifiedName>(
  names: readonly N[],
  { keys, known, names: given, period }: PartRequest,
): ReadonlyMap<CertifiedName, CertifiedKey> {
  const done = new Map<CertifiedName, CertifiedKey>();
  const signers = new Map<string, CertifiedKey>();
  const read = rememberingReader();
  const wanted: readonly string[] = names;
  for (const entry of PKI) {
    if (entry.kind === "plain" || !wanted.includes(entry.name)) continue;
    const key = keys.get(entry.name);
    if (key === undefined) throw new Error(`the key ${entry.name} is missing`);
    const certificate = known.get(entry.name);
    const kept = certificate === undefined ? undefined : { key, certificate };
    if (entry.kind === "signer") {
      const fits = kept !== undefined && fitsSigner(entry, kept, read);
      const pair = fits ? kept : certifySigner(entry, key, period);
      done.set(entry.name, pair);
      signers.set(entry.name, pair);
      continue;
    }
    const signer = signers.get(entry.signer);
    if (signer === undefined) throw new Error(`${entry.name} has no signer`);
    const fits = kept !== undefined && fitsLeaf(entry, kept, signer, given, read);
    done.set(entry.name, fits ? kept : certifyLeaf(entry, key, signer, given, period));
  }
  return done;
}
