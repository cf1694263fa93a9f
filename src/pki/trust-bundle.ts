/**
 * Bundles of certificates in PEM, judged as the components that load them do: every block must be a certificate, and
 * nothing may follow the last one, not even an empty line. Text before and between blocks is a comment.
 */

import { X509Certificate } from "node:crypto";
import { isBase64 } from "../core/base64.js";
import { withoutEnd } from "../core/trim.js";

export interface PemBlock {
  readonly type: string;
  readonly data: Buffer;
}

const BEGIN = "-----BEGIN ";
const END = "\n-----END ";
const DASHES = "-----";

const lineAt = (text: string, at: number): { line: string; next: number } => {
  const end = text.indexOf("\n", at);
  const line = text.slice(at, end < 0 ? text.length : end).replace(/\r$/, "");
  return { line: withoutEnd(line, " \t"), next: end < 0 ? text.length : end + 1 };
};

/** The first well-formed block of a text from `from` on, and where the text behind it begins. */
export function nextPemBlock(text: string, from: number): { block: PemBlock; next: number } | undefined {
  for (let at = from; ; ) {
    const end = text.indexOf(END, at);
    if (end < 0) return undefined;
    // Between the last end and this one only, so that many ends cost no more than one.
    const begin = text.slice(at, end).lastIndexOf(BEGIN) + at;
    if (begin >= at && (begin === at || text[begin - 1] === "\n")) {
      const found = blockBetween(text, begin, end);
      if (found !== undefined) return found;
    }
    at = end + END.length;
  }
}

function blockBetween(
  text: string,
  begin: number,
  end: number,
): { block: PemBlock; next: number } | undefined {
  const head = lineAt(text, begin + BEGIN.length);
  if (!head.line.endsWith(DASHES)) return undefined;
  const type = head.line.slice(0, -DASHES.length);
  let at = head.next;
  for (let header = lineAt(text, at); at < end && header.line.includes(":"); header = lineAt(text, at))
    at = header.next;
  const tail = lineAt(text, end + END.length);
  if (tail.line !== `${type}${DASHES}`) return undefined;
  const encoded = text.slice(at, Math.max(at, end)).replace(/[ \t\r\n]/g, "");
  if (!isBase64(encoded)) return undefined;
  return { block: { type, data: Buffer.from(encoded, "base64") }, next: tail.next };
}

/** Why a bundle is refused: the position in its text and the reason; undefined when it is fine. */
export function bundleFault(text: string): { readonly offset: number; readonly fault: string } | undefined {
  let at = 0;
  do {
    const found = nextPemBlock(text, at);
    if (found === undefined)
      return {
        offset: at,
        fault:
          at === 0
            ? "it contains no PEM block"
            : /^\s*$/.test(text.slice(at))
              ? "there is an empty line after the last certificate"
              : "the text after the last certificate is not a certificate",
      };
    const fault = certificateFault(found.block);
    if (fault !== undefined) return { offset: at, fault };
    at = found.next;
  } while (at < text.length);
  return undefined;
}

function certificateFault({ type, data }: PemBlock): string | undefined {
  const kind = type === "CERTIFICATE" ? "a certificate" : `a block of the type ${JSON.stringify(type)}`;
  try {
    const certificate = new X509Certificate(data);
    if (certificate.raw.length !== data.length) return `${kind} contains extra bytes after the certificate`;
    return certificate.serialNumber.startsWith("-")
      ? "a certificate has a negative serial number"
      : undefined;
  } catch {
    return `${kind} cannot be read as an X.509 certificate`;
  }
}

/** A certificate of a bundle that its readers take, and that helps nobody. */
export interface UselessCertificate {
  /** Its subject in one line. */
  readonly subject: string;
  readonly why: string;
}

/** Certificates that are no authority, by X.509 version or by their own word, and those that have ended. */
export function uselessCertificates(text: string, now: Date): UselessCertificate[] {
  const useless: UselessCertificate[] = [];
  for (let found = nextPemBlock(text, 0); found !== undefined; found = nextPemBlock(text, found.next)) {
    const certificate = certificateOf(found.block);
    if (certificate === undefined) continue;
    const subject = certificate.subject.replaceAll("\n", ", ");
    if (!certificate.ca)
      useless.push({
        subject,
        why: isVersion1(found.block.data)
          ? "has X.509 version 1, which does not support CA certificates"
          : "is not a CA certificate",
      });
    if (new Date(certificate.validTo) < now)
      useless.push({ subject, why: `expired on ${certificate.validTo}` });
  }
  return useless;
}

function certificateOf({ data }: PemBlock): X509Certificate | undefined {
  try {
    return new X509Certificate(data);
  } catch {
    return undefined;
  }
}

/** The version stands first in the body of a certificate, tagged; version 1 leaves it out. */
function isVersion1(der: Buffer): boolean {
  const afterHeader = (at: number): number => {
    const length = der[at + 1] ?? 0;
    return at + 2 + (length < 0x80 ? 0 : length & 0x7f);
  };
  return der[afterHeader(afterHeader(0))] !== 0xa0;
}
