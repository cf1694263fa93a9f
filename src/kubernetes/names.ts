/** The name rules of Kubernetes that more than one kind of object obeys. */

export const DNS_LABEL_LIMIT = 63;
export const DNS_SUBDOMAIN_LIMIT = 253;

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** RFC 1123 label: lower-case letters, digits and dashes, at most 63 characters. */
export const isDnsLabel = (text: string): boolean => text.length <= DNS_LABEL_LIMIT && LABEL.test(text);

/** RFC 1123 subdomain: labels joined by dots, at most 253 characters; a single label has no limit of its own. */
export const isDnsSubdomain = (text: string): boolean =>
  text.length <= DNS_SUBDOMAIN_LIMIT && SUBDOMAIN.test(text);

/** What is wrong with a text that should be an RFC 1123 subdomain; undefined when nothing is. */
export function subdomainFault(text: string): string | undefined {
  if (text === "") return "it is empty";
  if (text.length > DNS_SUBDOMAIN_LIMIT) return `it is longer than ${DNS_SUBDOMAIN_LIMIT} characters`;
  if (SUBDOMAIN.test(text)) return undefined;
  if (/[A-Z]/.test(text)) return "it holds upper-case letters";
  const odd = /[^-a-z0-9.]/.exec(text);
  if (odd !== null) return `it holds the character ${JSON.stringify(odd[0])}`;
  if (/^\.|\.\.|\.$/.test(text)) return "two dots stand together, or one at an end";
  return "a part of it begins or ends with a dash";
}
