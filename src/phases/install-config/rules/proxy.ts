/**
 * The cluster-wide proxy (docs/reference/install-config-and-manifests.md §1.7). Addresses are not shown: they hold
 * passwords.
 */
import { subdomainFault } from "../../../kubernetes/names.js";
import { contains, parseAddress, parseCidr } from "../../../kubernetes/network.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { parseUri } from "../../../text/uri.js";
import { blocksOf } from "./networking.js";

const SCHEMES = { httpProxy: ["http"], httpsProxy: ["http", "https"] } as const;

/** Of many wrong entries that many are shown one by one. */
const MOST_SHOWN = 5;

export function validateProxy(config: NormalConfig, context: RuleContext): void {
  const { proxy } = config;
  if (proxy === undefined) return;
  if (!proxy.httpProxy && !proxy.httpsProxy)
    context.report({
      code: "IC190",
      kind: "Required",
      field: "proxy",
      message: "the proxy has no address",
      hint: "add httpProxy or httpsProxy, or leave proxy out",
    });
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
  const hint = `write it as ${schemes.map((scheme) => `${scheme}://HOST:PORT`).join(" or ")}`;
  const uri = parseUri(address, "request");
  if (uri === undefined) {
    report({
      code: "IC190",
      kind: "Invalid",
      field,
      message: "the address of the proxy is not a URL",
      hint: `${hint}; write special characters of a password as percent escapes`,
    });
    return;
  }
  if (!schemes.includes(uri.scheme))
    report({
      code: "IC190",
      kind: "NotSupported",
      field,
      message:
        uri.scheme === "" || uri.hostname === ""
          ? "the address of the proxy does not begin with a scheme and a host"
          : `a proxy with the scheme ${uri.scheme} cannot be used here`,
      hint,
    });
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
    report({
      code: "IC190",
      kind: "Invalid",
      field,
      message: `the address of the proxy is in ${inside}`,
      hint: "a proxy must be reached from outside the cluster; use other blocks or another proxy",
    });
}

function validateNoProxy(noProxy: string, { report }: RuleContext): void {
  if (noProxy === "" || noProxy === "*") return;
  const invalid = (message: string, hint: string) =>
    report({ code: "IC191", kind: "Invalid", field: "proxy.noProxy", message, hint });
  if (noProxy.includes(" ")) invalid("noProxy holds a blank", "separate the entries by commas alone");
  const faulty = noProxy
    .split(",")
    .map((entry, i) => ({ text: entry.trim(), number: i + 1 }))
    .filter(({ text }) => !isNoProxyEntry(text));
  for (const { text, number } of faulty.slice(0, MOST_SHOWN))
    invalid(
      text === ""
        ? `entry ${number} of noProxy is empty`
        : text.includes("*")
          ? `entry ${number} of noProxy has a wildcard, which stands for nothing there`
          : `entry ${number} of noProxy is neither a domain nor an address nor a block`,
      text.includes("*")
        ? 'write ".example.com" for everything below example.com'
        : 'entries are such as "example.com", ".example.com", "192.0.2.1" or "10.0.0.0/16"',
    );
  if (faulty.length > MOST_SHOWN)
    invalid(`${faulty.length - MOST_SHOWN} more entries of noProxy are wrong`, "correct the first ones");
}

const isNoProxyEntry = (text: string): boolean =>
  subdomainFault(text.replace(/^\./, "").replace(/\.$/, "")) === undefined ||
  parseCidr(text) !== undefined ||
  parseAddress(text) !== undefined;
