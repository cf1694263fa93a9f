/**
 * X.509 version 3 certificates in the profile of docs/reference/ignition-configs.md §1: order of extensions and names,
 * key identifiers, string and time types. The serial derives from what is certified, so the same input gives the same
 * bytes.
 */
import { createHash, createPrivateKey, type KeyObject, sign } from "node:crypto";
import ipaddr from "ipaddr.js";
import {
  asn1Null,
  bitString,
  boolean,
  contextTag,
  directoryString,
  integer,
  octetString,
  oid,
  readOid,
  readTime,
  readValue,
  readValues,
  sequence,
  setOf,
  time,
  tlv,
  type Value,
} from "./der.js";
import { signP256 } from "./ecdsa.js";
import { firstPemBlock, pemBlocks, toPem } from "./pem.js";
import { publicKeyInfo } from "./public-key.js";

/** O, OU and CN; several values of one attribute stand in one set. */
export interface Subject {
  readonly organizations?: readonly string[];
  readonly organizationalUnit?: string;
  readonly commonName: string;
}

export type KeyUsage = "digitalSignature" | "keyEncipherment" | "certSign";
export type ExtendedKeyUsage = "server" | "client";

export interface CertificateRequest {
  readonly subject: Subject;
  readonly isCA: boolean;
  /** Empty: no keyUsage extension. */
  readonly keyUsage: readonly KeyUsage[];
  readonly extendedKeyUsage: readonly ExtendedKeyUsage[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Key and certificate of a signer, as PEM. */
export interface Signer {
  readonly key: string;
  readonly certificate: string;
}

const OID = {
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  organizationalUnit: "2.5.4.11",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  rsaWithSha256: "1.2.840.113549.1.1.11",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  ellipticKey: "1.2.840.10045.2.1",
} as const;

const USAGE_BIT: Readonly<Record<KeyUsage, number>> = {
  digitalSignature: 0x80,
  keyEncipherment: 0x20,
  certSign: 0x04,
};

const PURPOSE: Readonly<Record<ExtendedKeyUsage, string>> = {
  server: "1.3.6.1.5.5.7.3.1",
  client: "1.3.6.1.5.5.7.3.2",
};

/**
 * Certifies the public half of `key` (PEM); without a signer the certificate is self-signed. Returns PEM.
 * An elliptic key signs, it does not encipher: keyEncipherment is left out for it.
 */
export function signCertificate(request: CertificateRequest, key: string, signer?: Signer): string {
  const spki = publicKeyInfo(key);
  const subject = distinguishedName(request.subject);
  const issuer = signer === undefined ? undefined : parseCertificate(signer.certificate);
  const signingKey = createPrivateKey(signer === undefined ? key : signer.key);
  const algorithm = signatureAlgorithm(signingKey);
  const validity = sequence(time(request.notBefore), time(request.notAfter));
  const body = sequence(
    tlv(contextTag(0, true), integer(Buffer.from([2]))),
    integer(serial(spki, subject, validity)),
    algorithm,
    issuer?.subject.raw ?? subject,
    validity,
    subject,
    spki,
    tlv(contextTag(3, true), sequence(...extensions(request, spki, issuer?.keyIdentifier))),
  );
  const signature = isElliptic(signingKey) ? signP256(body, signingKey) : sign("sha256", body, signingKey);
  return toPem("CERTIFICATE", sequence(body, algorithm, bitString(signature)));
}

function extensions(request: CertificateRequest, spki: Buffer, authority: Buffer | undefined): Buffer[] {
  const usages = request.keyUsage.filter((usage) => usage !== "keyEncipherment" || !isEllipticInfo(spki));
  const purposes = request.extendedKeyUsage.map((usage) => oid(PURPOSE[usage]));
  const names = [
    ...request.dnsNames.map((dns) => tlv(contextTag(2, false), Buffer.from(dns, "utf8"))),
    ...request.ipAddresses.map((ip) =>
      tlv(contextTag(7, false), Buffer.from(ipaddr.process(ip).toByteArray())),
    ),
  ];
  return [
    ...(usages.length === 0 ? [] : [extension(OID.keyUsage, keyUsageBits(usages), true)]),
    ...(purposes.length === 0 ? [] : [extension(OID.extendedKeyUsage, sequence(...purposes))]),
    extension(OID.basicConstraints, sequence(...(request.isCA ? [boolean(true)] : [])), true),
    extension(OID.subjectKeyIdentifier, octetString(keyIdentifier(spki))),
    ...(authority === undefined
      ? []
      : [extension(OID.authorityKeyIdentifier, sequence(tlv(contextTag(0, false), authority)))]),
    ...(names.length === 0 ? [] : [extension(OID.subjectAltName, sequence(...names))]),
  ];
}

const extension = (identifier: string, value: Buffer, critical = false): Buffer =>
  sequence(oid(identifier), ...(critical ? [boolean(true)] : []), octetString(value));

function keyUsageBits(usages: readonly KeyUsage[]): Buffer {
  const bits = usages.reduce((sum, usage) => sum | USAGE_BIT[usage], 0);
  const unused = 31 - Math.clz32(bits & -bits);
  return bitString(Buffer.from([bits]), unused);
}

/** The DER of a subject, in Go's order: O, OU, CN. */
export const distinguishedName = ({ organizations = [], organizationalUnit, commonName }: Subject): Buffer =>
  sequence(
    ...(organizations.length === 0
      ? []
      : [setOf(...organizations.map((each) => attribute(OID.organization, each)))]),
    ...(organizationalUnit === undefined
      ? []
      : [setOf(attribute(OID.organizationalUnit, organizationalUnit))]),
    setOf(attribute(OID.commonName, commonName)),
  );

const attribute = (type: string, text: string): Buffer => sequence(oid(type), directoryString(text));

/** SHA-1 over the key bits of the SubjectPublicKeyInfo: PKCS#1 for RSA, the point for an elliptic key. */
function keyIdentifier(spki: Buffer): Buffer {
  const [, bits] = readValues(readValue(spki).content);
  if (bits === undefined) throw new Error("not a public key");
  return createHash("sha1").update(bits.content.subarray(1)).digest();
}

/** 63 bits of a digest of key, subject and validity; the top bit is clear, and zero is as good as impossible. */
function serial(spki: Buffer, subject: Buffer, validity: Buffer): Buffer {
  const digest = createHash("sha256")
    .update(sequence(spki, subject, validity))
    .digest()
    .subarray(0, 8);
  digest.writeUInt8(digest.readUInt8(0) & 0x7f, 0);
  return digest;
}

function isEllipticInfo(spki: Buffer): boolean {
  const [algorithm] = readValues(readValue(spki).content);
  const [type] = readValues(algorithm?.content ?? Buffer.alloc(0));
  return type !== undefined && readOid(type.content) === OID.ellipticKey;
}

const isElliptic = (key: KeyObject): boolean => key.asymmetricKeyType === "ec";

const signatureAlgorithm = (key: KeyObject): Buffer =>
  isElliptic(key) ? sequence(oid(OID.ecdsaWithSha256)) : sequence(oid(OID.rsaWithSha256), asn1Null());

/** What the product asks of a certificate that it finds. */
export interface Certificate {
  readonly subjectCommonName: string;
  readonly issuerCommonName: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly dnsNames: readonly string[];
  /** In the usual text form, IPv6 shortened. */
  readonly ipAddresses: readonly string[];
}

/** Reads the first certificate of a PEM text. Throws when there is none or when it is not one. */
export function readCertificate(pem: string): Certificate {
  const { issuer, subject, notBefore, notAfter, dnsNames, ipAddresses } = parseCertificate(pem);
  return {
    subjectCommonName: commonName(subject),
    issuerCommonName: commonName(issuer),
    notBefore,
    notAfter,
    dnsNames,
    ipAddresses,
  };
}

/** A certificate in the parts by which one is told to belong to a key, a signer and names. */
/** False for a text that is not a certificate, or a damaged one. */
export function isCertificate(pem: string): boolean {
  try {
    parseCertificate(pem);
    return true;
  } catch {
    return false;
  }
}

export interface ParsedCertificate
  extends Pick<Certificate, "notBefore" | "notAfter" | "dnsNames" | "ipAddresses"> {
  readonly issuer: Value;
  readonly subject: Value;
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKeyInfo: Buffer;
  /** Content of the subject key identifier. */
  readonly keyIdentifier: Buffer | undefined;
  /** Key identifier of the signer; self-signed certificates have none. */
  readonly authority: Buffer | undefined;
  readonly isCA: boolean;
}

/** Reads the first certificate of a PEM text. Throws when there is none or when it is not one. */
export function parseCertificate(pem: string): ParsedCertificate {
  const first = firstPemBlock(pem);
  const block =
    first?.label === "CERTIFICATE" ? first : pemBlocks(pem).find(({ label }) => label === "CERTIFICATE");
  if (block === undefined) throw new Error("no certificate in the PEM text");
  const [body] = readValues(readValue(block.der).content);
  const members = readValues(body?.content ?? Buffer.alloc(0));
  const versioned = members[0]?.tag === contextTag(0, true) ? members.slice(1) : members;
  const [, , issuer, validity, subject, publicKey] = versioned;
  const [notBefore, notAfter] = readValues(validity?.content ?? Buffer.alloc(0));
  if (issuer === undefined || subject === undefined || publicKey === undefined)
    throw new Error("not a certificate");
  if (notBefore === undefined || notAfter === undefined) throw new Error("not a certificate");
  const found = versioned.find(({ tag }) => tag === contextTag(3, true));
  const list = found === undefined ? [] : readValues(readValue(found.content).content);
  const extension = (identifier: string): Buffer | undefined => {
    for (const each of list) {
      const parts = readValues(each.content);
      const id = parts[0];
      if (id !== undefined && readOid(id.content) === identifier) return parts.at(-1)?.content;
    }
    return undefined;
  };
  const inside = (identifier: string): Value[] => {
    const der = extension(identifier);
    return der === undefined ? [] : readValues(readValue(der).content);
  };
  const ofTag = (values: readonly Value[], number: number): Buffer[] =>
    values.filter(({ tag }) => tag === contextTag(number, false)).map(({ content }) => content);
  const names = inside(OID.subjectAltName);
  const identifier = extension(OID.subjectKeyIdentifier);
  return {
    issuer,
    subject,
    publicKeyInfo: publicKey.raw,
    notBefore: readTime(notBefore),
    notAfter: readTime(notAfter),
    keyIdentifier: identifier === undefined ? undefined : readValue(identifier).content,
    authority: ofTag(inside(OID.authorityKeyIdentifier), 0)[0],
    isCA: inside(OID.basicConstraints)[0]?.content[0] === 0xff,
    dnsNames: ofTag(names, 2).map((content) => content.toString("utf8")),
    ipAddresses: ofTag(names, 7).map((content) => ipaddr.fromByteArray([...content]).toString()),
  };
}

function commonName({ content }: Value): string {
  for (const set of readValues(content))
    for (const each of readValues(set.content)) {
      const [type, text] = readValues(each.content);
      if (type !== undefined && readOid(type.content) === OID.commonName)
        return text?.content.toString("utf8") ?? "";
    }
  return "";
}
