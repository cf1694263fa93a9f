/** Addresses of management controllers (metal3-io/baremetal-operator pkg/hardwareutils/bmc/access.go). */
import { parseAddress } from "../../kubernetes/network.js";
import { quote } from "../../text/quote.js";
import { parseUri, type Uri } from "../../text/uri.js";
import { CONTROLLERS, type Controller } from "./tables.js";

const LABEL = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]{0,61}[a-zA-Z0-9])";
const HOST_NAME = new RegExp(`^(?:${LABEL}\\.)*${LABEL}$`);
/** A host with a port behind it, as Go's net package splits them. */
const HOST_AND_PORT = /^(?:\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/;

/** The kind of controller at an address, or what is wrong with the address, which is not shown: it may hold a login. */
export function controllerAt(address: string): { readonly fault: string } | Controller {
  if (address === "") return { fault: "the BMC has no address" };
  const place = placeOf(address);
  if (place === undefined) return { fault: "must be a URL" };
  const { scheme, hostname } = place;
  if (hostname !== "" && parseAddress(hostname) === undefined && !HOST_NAME.test(hostname))
    return { fault: "the host must be an IP address or a domain name" };
  return CONTROLLERS.get(scheme) ?? { fault: `unsupported BMC type ${quote(scheme)}` };
}

/** Without a scheme an address is that of an IPMI controller. */
function placeOf(address: string): Pick<Uri, "scheme" | "hostname"> | undefined {
  const uri = parseUri(address, "reference");
  if (uri === undefined) {
    if (address.includes(":") && !HOST_AND_PORT.test(address)) return undefined;
    return { scheme: "ipmi", hostname: withoutPort(address) };
  }
  if (uri.scheme !== "" && uri.path !== "" && !uri.path.startsWith("/"))
    return parseUri(address.replace(":", "://"), "reference");
  return uri.scheme === "" && uri.hostname === "" ? parseUri(`ipmi://${address}`, "reference") : uri;
}

function withoutPort(host: string): string {
  const name = host.replace(/:\d*$/, "");
  return name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
}
