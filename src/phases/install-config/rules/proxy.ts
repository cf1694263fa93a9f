/**
 * The cluster-wide proxy (docs/reference/install-config-and-manifests.md §1.7). Addresses are not shown: they
 * contain passwords.
 */
import { counted } from "../../../core/counted.js";
import { HIDDEN, invalid, type More, problem, required } from "../../../core/problem.js";
import { subdomainFault } from "../../../kubernetes/names.js";
import { contains, parseAddress, parseCidr } from "../../../kubernetes/network.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { parseUri } from "../../../text/uri.js";
import { blocksOf } from "./networking.js";

const SCHEMES = { httpProxy: ["http"], httpsProxy: ["http", "https"] } as const;

/** Of many invalid entries that many are reported one by one. */
const MOST_SHOWN = 5;

export function validateProxy(config: NormalConfig, context: RuleContext): void {
  const { proxy } = config;
  if (proxy === undefined) return;
  if (!proxy.httpProxy && !proxy.httpsProxy)
    context.report(required("IC190", "proxy", "httpProxy or httpsProxy", "add one of them, or remove proxy"));
  for (const name of ["httpProxy", "httpsProxy"] as const) {
    const address = proxy[name] ?? "";
    if (address !== "") validateAddress(config, name, address, context);
  }
  validateNoProxy(proxy.noProxy ?? "", context);
}

function validateAddress(
  config: NormalConfig,
  name: keyof typeof SCHEMES,
  address: string,
  { report }: RuleContext,
): void {
  const field = `proxy.${name}`;
  const schemes: readonly string[] = SCHEMES[name];
  const fault = (must: string, more: More): void => report(invalid("IC190", field, HIDDEN, must, more));
  const hint = `use the form ${schemes.map((scheme) => `${scheme}://HOST:PORT`).join(" or ")}`;
  const uri = parseUri(address, "request");
  if (uri === undefined) {
    fault("must be a URL", `${hint}; percent-encode special characters in a password`);
    return;
  }
  if (!schemes.includes(uri.scheme))
    fault(
      uri.scheme === "" || uri.hostname === ""
        ? "must start with a scheme and a host"
        : `unsupported scheme ${uri.scheme}`,
      { kind: "NotSupported", hint },
    );
  const ip = parseAddress(uri.hostname);
  if (ip === undefined) return;
  const { pods, services } = blocksOf(config.networking);
  const join = parseCidr(config.networking.ovnKubernetesConfig?.ipv4?.internalJoinSubnet ?? "");
  const inside = [
    pods.some(({ cidr }) => contains(cidr, ip)) ? "a cluster network" : undefined,
    services.some(({ cidr }) => contains(cidr, ip)) ? "a service network" : undefined,
    join !== undefined && contains(join, ip) ? "the join subnet" : undefined,
  ].find((each) => each !== undefined);
  if (inside !== undefined)
    fault(`must not be in ${inside}`, "use a proxy outside the cluster, or other CIDRs");
}

function validateNoProxy(noProxy: string, { report }: RuleContext): void {
  if (noProxy === "" || noProxy === "*") return;
  const fault = (must: string, hint: string): void =>
    report(problem("IC191", "Invalid", "proxy.noProxy", must, hint));
  if (noProxy.includes(" ")) fault("must not contain spaces", "separate the entries only with commas");
  const faulty = noProxy
    .split(",")
    .map((entry, i) => ({ text: entry.trim(), number: i + 1 }))
    .filter(({ text }) => !isNoProxyEntry(text));
  for (const { text, number } of faulty.slice(0, MOST_SHOWN))
    fault(
      text === ""
        ? `entry ${number} is empty`
        : `entry ${number} must be a domain, an IP address or a CIDR${text.includes("*") ? "; wildcards are not supported" : ""}`,
      text.includes("*")
        ? 'use ".example.com" for all subdomains of example.com'
        : 'use entries such as "example.com", ".example.com", "192.0.2.1" or "10.0.0.0/16"',
    );
  if (faulty.length > MOST_SHOWN)
    fault(
      `${counted(faulty.length - MOST_SHOWN, "more entry is", "more entries are")} invalid`,
      "correct them as well",
    );
}

const isNoProxyEntry = (text: string): boolean =>
  subdomainFault(text.replace(/^\./, "").replace(/\.$/, "")) === undefined ||
  parseCidr(text) !== undefined ||
  parseAddress(text) !== undefined;
