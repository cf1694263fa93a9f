/** Endpoints of a cloud's services, as the installer checks them (openshift/installer pkg/types/<platform>/validation, validateServiceURL). */
import { parseUri } from "../text/uri.js";

/**
 * What is wrong with an endpoint: it is a host, with https or no scheme before it. Undefined when nothing is.
 * @param allows whether a path, with the query behind it, may follow the host
 */
export function endpointFault(
  url: string,
  allows: (path: string) => boolean = () => false,
): string | undefined {
  const uri = parseUri(/^[^:\n]+:\/\//.test(url) ? url : `https://${url}`, "reference");
  if (uri === undefined) return "it is not a URL";
  if (uri.hostname === "") return "it has no host";
  if (uri.scheme !== "https") return `its scheme is ${uri.scheme}, not https`;
  const path = `${uri.path === "" ? "/" : uri.path}${uri.query}`;
  return path === "/" || allows(path) ? undefined : "a path or a query follows the host";
}
