/**
 * Whether a certificate that is at hand can stay: it certifies its key, names what its row asks for and comes from its
 * signer. Serial, dates and the finer points of the profile are not looked at, so that what another release of the
 * installer has signed stays in use.
 */
import { distinguishedName, type ParsedCertificate, parseCertificate, type Subject } from "./certificate.js";
import { type LeafEntry, MEDIA_SERVER, type SignerEntry } from "./graph.js";
import { publicKeyInfo } from "./public-key.js";
import { type CertifiedKey, type NameInput, subjectAltNames } from "./sign.js";

/** Reads a certificate; undefined for a text that is none, which fits nothing. */
export type ReadCertificate = (certificate: string) => ParsedCertificate | undefined;

/** A signer: self-signed, a CA, with the subject of its row. */
export function fitsSigner(
  { subject }: SignerEntry,
  { key, certificate }: CertifiedKey,
  read: ReadCertificate = tryParse,
): boolean {
  const found = read(certificate);
  if (found === undefined) return false;
  return found.isCA && certifies(found, key, subject) && found.issuer.raw.equals(found.subject.raw);
}

/** The pair of the media server: self-signed and no CA, with the subject of its row. */
export function fitsMediaServer(
  { key, certificate }: CertifiedKey,
  read: ReadCertificate = tryParse,
): boolean {
  const found = read(certificate);
  if (found === undefined) return false;
  return (
    !found.isCA && certifies(found, key, MEDIA_SERVER.subject) && found.issuer.raw.equals(found.subject.raw)
  );
}

/** A leaf: issued by `signer`, for the names of its row; where the row asks for it, the signer follows in the text. */
export function fitsLeaf(
  entry: LeafEntry,
  { key, certificate }: CertifiedKey,
  signer: CertifiedKey,
  names: NameInput,
  read: ReadCertificate = tryParse,
): boolean {
  const [found, issuer] = [read(certificate), read(signer.certificate)];
  if (found === undefined || issuer === undefined) return false;
  const { dnsNames, ipAddresses } = subjectAltNames(entry.names, names);
  return (
    !found.isCA &&
    certifies(found, key, entry.subject) &&
    found.issuer.raw.equals(issuer.subject.raw) &&
    sameIdentifier(found.authority, issuer.keyIdentifier) &&
    sameMembers(found.dnsNames, dnsNames) &&
    sameMembers(found.ipAddresses, ipAddresses) &&
    (!entry.chain || certificate.endsWith(`\n${signer.certificate}`))
  );
}

const certifies = (found: ParsedCertificate, key: string, subject: Subject): boolean =>
  found.publicKeyInfo.equals(publicKeyInfo(key)) && found.subject.raw.equals(distinguishedName(subject));

const sameIdentifier = (a: Buffer | undefined, b: Buffer | undefined): boolean =>
  a !== undefined && b !== undefined && a.equals(b);

const sameMembers = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each) => b.includes(each));

/** A reader that remembers what it has read, for a run that asks again and again. */
export function rememberingReader(): ReadCertificate {
  const known = new Map<string, ParsedCertificate | undefined>();
  return (certificate) => {
    if (!known.has(certificate)) known.set(certificate, tryParse(certificate));
    return known.get(certificate);
  };
}

function tryParse(certificate: string): ParsedCertificate | undefined {
  try {
    return parseCertificate(certificate);
  } catch {
    return undefined;
  }
}
