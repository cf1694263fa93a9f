/** Endpoints of a cloud's services, as the installer checks them (openshift/installer pkg/types/<platform>/validation, validateServiceURL). */

import type { Code } from "../core/codes.js";
import type { ErrorKind } from "../core/diagnostics.js";
import { duplicate, invalid } from "../core/problem.js";
import { parseUri } from "../text/uri.js";
import type { RuleContext } from "./platform.js";

/**
 * What is wrong with an endpoint: it is a host, with https or no scheme before it. Undefined when nothing is.
 * @param allows whether a path, with the query behind it, may follow the host
 */
export function endpointFault(
  url: string,
  allows: (path: string) => boolean = () => false,
): string | undefined {
  const uri = parseUri(/^[^:\n]+:\/\//.test(url) ? url : `https://${url}`, "reference");
  if (uri === undefined) return "must be a URL";
  if (uri.hostname === "") return "must have a host";
  if (uri.scheme !== "https") return `must have the scheme https, found ${uri.scheme}`;
  const path = `${uri.path === "" ? "/" : uri.path}${uri.query}`;
  return path === "/" || allows(path) ? undefined : "must not have a path or a query";
}

export interface EndpointRules {
  /** Path of the list, such as `platform.aws.serviceEndpoints`. */
  readonly field: string;
  readonly code: Code;
  /** Kind of a service that has two endpoints. */
  readonly repeated: ErrorKind;
  /** True for a version, with the query behind it, that may follow the host. Left out where nothing may. */
  readonly version?: (path: string) => boolean;
}

/** Reports every endpoint that names a service again or cannot be used. */
export function validateServiceEndpoints(
  endpoints: readonly { readonly name?: string | undefined; readonly url?: string | undefined }[],
  { field: list, code, repeated, version }: EndpointRules,
  { report }: RuleContext,
): void {
  const seen = new Map<string, number>();
  for (const [i, { name = "", url = "" }] of endpoints.entries()) {
    const field = `${list}[${i}]`;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, i);
    else report(duplicate(code, `${field}.name`, name, { kind: repeated, hint: "remove one of them" }));
    const fault = endpointFault(url, version);
    if (fault !== undefined)
      report(
        invalid(
          code,
          `${field}.url`,
          url,
          fault,
          `use https://HOST with an optional port${version === undefined ? "" : " and an optional version such as /v1"}`,
        ),
      );
  }
}
