/**
 * Names of image repositories as the container tools read them (the grammar of distribution references, with
 * Docker's short forms).
 */
import { isIP } from "node:net";
import { subdomainFault } from "./names.js";

const DOMAIN_PART = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const DOMAIN = `${DOMAIN_PART}(?:\\.${DOMAIN_PART})*(?::[0-9]+)?`;
const COMPONENT = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const NAME = `(?:${DOMAIN}/)?${COMPONENT}(?:/${COMPONENT})*`;
const TAG = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}";
const DIGEST = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
const REFERENCE = new RegExp(`^(${NAME})(?::(${TAG}))?(?:@(${DIGEST}))?$`);
const NAME_LIMIT = 255;
const IDENTIFIER = /^[a-f0-9]{64}$/;

export type Repository =
  /** A full name such as `registry.example.com:5000/team/image`. */
  | { readonly kind: "repository"; readonly host: string }
  /** A registry alone, with or without a port. */
  | { readonly kind: "registry"; readonly host: string }
  | { readonly kind: "fault"; readonly fault: string };

const fault = (text: string): Repository => ({ kind: "fault", fault: text });

/** Reads the source or the mirror of an image: a repository or a registry, without tag and digest. */
export function parseRepository(text: string): Repository {
  if (text === "") return fault("it is empty");
  if (IDENTIFIER.test(text)) return fault("it is an image ID");
  if (text.includes("://")) return fault("it is a URL");
  const slash = text.indexOf("/");
  const first = text.slice(0, Math.max(0, slash));
  const hasDomain = slash >= 0 && (/[.:]/.test(first) || first === "localhost");
  const written = hasDomain ? first : "docker.io";
  const domain = written === "index.docker.io" ? "docker.io" : written;
  const path = hasDomain ? text.slice(slash + 1) : text;
  const remainder = domain === "docker.io" && !path.includes("/") ? `library/${path}` : path;
  const name = remainder.split(":", 1)[0] ?? "";
  if (name !== name.toLowerCase()) return fault("it contains upper-case letters");
  const whole = `${domain}/${remainder}`;
  const match = REFERENCE.exec(whole);
  if (match === null || (match[1] ?? "").length > NAME_LIMIT)
    return fault("it is not the name of a repository");
  if (whole !== text) {
    const host = /^([^:[\]]*):[^:]*$/.exec(text)?.[1] ?? text;
    return isIP(host) !== 0 || subdomainFault(host) === undefined
      ? { kind: "registry", host: text }
      : fault("it is neither a registry nor a repository with its registry");
  }
  if (match[2] !== undefined) return fault("it has a tag");
  return match[3] === undefined ? { kind: "repository", host: domain } : fault("it has a digest");
}
