/**
 * URLs as Go's `net/url` reads them. What a cluster's components accept as a proxy, an endpoint or a management
 * address is decided by that reader, which takes both less and more than the URL class of the web.
 */
import { isIPv6 } from "node:net";

export interface Uri {
  /** Lower case; empty when the text has none. */
  readonly scheme: string;
  /** Without brackets; empty when the text has none. */
  readonly hostname: string;
  /** Digits after the last colon of the host; empty when there are none. */
  readonly port: string;
  /** As written, percent escapes and all. */
  readonly path: string;
  /** With its question mark; empty when there is none. */
  readonly query: string;
  /** True when a user name or a password stands before the host. */
  readonly hasUser: boolean;
}

const ESCAPE = /%(?![0-9a-fA-F]{2})/;
const HOST = /^(?:[-A-Za-z0-9_.~!"$&'()*+,;:<=>[\]]|%25|%[89a-fA-F][0-9a-fA-F]|[^\0-\x7f])*$/;
const USER = /^[-A-Za-z0-9._:~!$&'()*+,;=%@]*$/;
const PORT = /^(?::\d*)?$/;

/**
 * Reads a URL. `reference` allows a relative one and cuts a fragment off, `request` does neither. Undefined when the
 * text cannot be read.
 */
export function parseUri(text: string, form: "reference" | "request"): Uri | undefined {
  const hash = form === "reference" ? text.indexOf("#") : -1;
  if (hash >= 0 && ESCAPE.test(text.slice(hash + 1))) return undefined;
  const whole = hash < 0 ? text : text.slice(0, hash);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\0-\x1f\x7f]/.test(whole)) return undefined;
  if (form === "request" && whole === "") return undefined;
  const nothing = { scheme: "", hostname: "", port: "", path: "", query: "", hasUser: false };
  if (whole === "*") return { ...nothing, path: "*" };

  if (whole.startsWith(":")) return undefined;
  const schemed = /^([A-Za-z][-+.A-Za-z0-9]*):(.*)$/s.exec(whole);
  const scheme = schemed?.[1]?.toLowerCase() ?? "";
  const afterScheme = schemed?.[2] ?? whole;
  const question = afterScheme.indexOf("?");
  const query = question < 0 ? "" : afterScheme.slice(question);
  const rest = question < 0 ? afterScheme : afterScheme.slice(0, question);

  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...nothing, scheme, path: rest, query };
    if (form === "request" || rest.split("/", 1)[0]?.includes(":")) return undefined;
  }
  const authority =
    rest.startsWith("//") && (scheme !== "" || (form === "reference" && !rest.startsWith("///")))
      ? rest.slice(2).split("/", 1)[0]
      : undefined;
  const path = authority === undefined ? rest : rest.slice(2 + authority.length);
  if (ESCAPE.test(path)) return undefined;
  if (authority === undefined) return { ...nothing, scheme, path, query };

  const at = authority.lastIndexOf("@");
  const user = authority.slice(0, Math.max(0, at));
  if (!USER.test(user) || ESCAPE.test(user)) return undefined;
  const host = readHost(authority.slice(at + 1));
  return host === undefined ? undefined : { scheme, ...host, path, query, hasUser: at >= 0 };
}

function readHost(host: string): { hostname: string; port: string } | undefined {
  const open = host.lastIndexOf("[");
  if (open > 0 || !HOST.test(host)) return undefined;
  if (open === 0) {
    const close = host.lastIndexOf("]");
    const after = host.slice(close + 1);
    const inner = host.slice(1, close);
    // A zone may be called anything (RFC 6874).
    const zone = inner.indexOf("%25");
    const address = zone < 0 ? inner : inner.slice(0, zone);
    const isAddress = isIPv6(address) && !address.includes("%") && (zone < 0 || zone + 3 < inner.length);
    if (close < 0 || !PORT.test(after) || !isAddress) return undefined;
    return { hostname: decode(inner), port: after.slice(1) };
  }
  const colon = host.lastIndexOf(":");
  if (colon < 0) return { hostname: decode(host), port: "" };
  const port = host.slice(colon);
  return PORT.test(port) ? { hostname: decode(host.slice(0, colon)), port: port.slice(1) } : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
