/**
 * What Kubernetes accepts as a name (apimachinery `validation`; docs/reference/cluster-api.md §4.6).
 */

const LABEL = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
const DNS_LABEL = new RegExp(`^${LABEL}$`);
const DNS_SUBDOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);

export const DNS_LABEL_HINT =
  "use lower-case letters, digits and '-', at most 63 characters; start and end with a letter or digit";
export const DNS_SUBDOMAIN_HINT =
  "use lower-case letters, digits, '-' and '.', at most 253 characters; start and end each part with a letter or digit";
export const PATH_SEGMENT_HINT = "do not use '.', '..', '/' or '%'";

/** RFC 1123 label: the name of a Namespace, or one part of a host name. */
export const isDnsLabel = (text: string): boolean => text.length <= 63 && DNS_LABEL.test(text);

/** RFC 1123 subdomain: the name of most objects. */
export const isDnsSubdomain = (text: string): boolean => text.length <= 253 && DNS_SUBDOMAIN.test(text);

const QUALIFIED_NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** Key of a label or annotation: an optional DNS subdomain and `/`, then a name of at most 63 characters. */
export function isQualifiedName(text: string): boolean {
  const slash = text.indexOf("/");
  const name = text.slice(slash + 1);
  return (
    (slash < 0 || isDnsSubdomain(text.slice(0, slash))) && name.length <= 63 && QUALIFIED_NAME.test(name)
  );
}

/** Value of a label: empty, or at most 63 characters, alphanumeric at both ends. */
export const isLabelValue = (text: string): boolean =>
  text === "" || (text.length <= 63 && QUALIFIED_NAME.test(text));

/** RFC 1035 label: the name of a Service. */
export const isDns1035Label = (text: string): boolean => isDnsLabel(text) && /^[a-z]/.test(text);

/** A segment of a path: the name of a role and of its bindings, which may hold capitals and colons. */
export const isPathSegment = (text: string): boolean => text !== "." && text !== ".." && !/[/%]/.test(text);

/** What is wrong with a text that should be an RFC 1123 subdomain; undefined when nothing is. */
export function subdomainFault(text: string): string | undefined {
  if (isDnsSubdomain(text)) return undefined;
  if (text === "") return "must not be empty";
  if (text.length > 253) return "must have at most 253 characters";
  if (/[A-Z]/.test(text)) return "must not contain upper-case letters";
  const odd = /[^-a-z0-9.]/u.exec(text);
  if (odd !== null) return `must not contain the character ${JSON.stringify(odd[0])}`;
  if (/^\.|\.\.|\.$/.test(text)) return "must not start or end with a dot, or contain adjacent dots";
  return "no part may start or end with a hyphen";
}
