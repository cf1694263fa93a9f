/** What an API server says of the conversion of a CustomResourceDefinition, and of the webhook that does it. */
import { X509Certificate } from "node:crypto";
import { isObject, type Json, type JsonObject } from "../core/json.js";
import {
  dns1035Faults,
  enumErrors,
  forbidden,
  invalid,
  required,
  type ServerError,
  subdomainFaults,
} from "../kubernetes/server-error.js";
import { objectAt, textAt, textsAt } from "./schema-nodes.js";
import type { Rules } from "./spec.js";

export const REVIEW_VERSIONS: readonly string[] = ["v1", "v1beta1"];
export const reviewVersionsOf = (conversion: JsonObject): readonly string[] =>
  textsAt(objectAt(conversion, "webhook"), "conversionReviewVersions");
export const bundleOf = (conversion: JsonObject): string =>
  textAt(objectAt(objectAt(conversion, "webhook"), "clientConfig"), "caBundle");
/** One block without headers; others do not count. */
const CERTIFICATE =
  /^-----BEGIN CERTIFICATE-----[ \t]*\r?\n([A-Za-z0-9+/=\s]*)^-----END CERTIFICATE-----[ \t]*\r?$/gm;

/** True for base64 of PEM with a certificate in it that can be read. */
export const isBundle = (text: string): boolean =>
  [...Buffer.from(text, "base64").toString("latin1").matchAll(CERTIFICATE)].some(([, body = ""]) =>
    isCertificate(Buffer.from(body, "base64")),
  );

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).raw.length === der.length;
  } catch {
    return false;
  }
}

export function conversionErrors(conversion: JsonObject, rules: Rules): ServerError[] {
  const field = "spec.conversion";
  const strategy = textAt(conversion, "strategy");
  const client = objectAt(conversion, "webhook")["clientConfig"];
  const versions = reviewVersionsOf(conversion);
  const errors = enumErrors(`${field}.strategy`, strategy, ["None", "Webhook"]);
  if (strategy !== "Webhook") {
    if (isObject(client))
      errors.push(
        forbidden(`${field}.webhookClientConfig`, "should not be set when strategy is not set to Webhook"),
      );
    if (versions.length > 0)
      errors.push(
        forbidden(
          `${field}.conversionReviewVersions`,
          "should not be set when strategy is not set to Webhook",
        ),
      );
    return errors;
  }
  if (!isObject(client))
    errors.push(required(`${field}.webhookClientConfig`, "required when strategy is set to Webhook"));
  else errors.push(...clientErrors(client, `${field}.webhookClientConfig`, rules.bundles));
  return [...errors, ...reviewErrors(versions, `${field}.conversionReviewVersions`, rules.reviewVersions)];
}

function clientErrors(client: JsonObject, field: string, bundles: boolean): ServerError[] {
  const { url, service, caBundle } = client;
  const errors: ServerError[] = [];
  if ((typeof url === "string") === isObject(service))
    errors.push(required(field, "exactly one of url or service is required"));
  else if (typeof url === "string") errors.push(...urlErrors(url, `${field}.url`));
  else if (isObject(service)) errors.push(...serviceErrors(service, `${field}.service`));
  if (bundles && typeof caBundle === "string" && caBundle !== "" && !isBundle(caBundle))
    errors.push({
      ...invalid(
        `${field}.caBundle`,
        caBundle,
        "unable to load root certificates: unable to parse bytes as PEM block",
      ),
      // Of a block that is none of a certificate, the server says what is wrong with it.
      exact: !Buffer.from(caBundle, "base64").includes("-----BEGIN "),
    });
  return errors;
}

const FORM = "; desired format: https://host[/path]";

function urlErrors(text: string, field: string): ServerError[] {
  // A relative reference is one for the server, without scheme and host.
  const [, scheme = "", , authority = "", , query, , , fragment] =
    /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(\/\/([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?$/s.exec(text) ?? [];
  const user = authority.includes("@") ? authority.slice(0, authority.lastIndexOf("@")) : undefined;
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const isOdd = / /.test(authority) || /^\d*:|\p{Cc}|%(?![0-9A-Fa-f]{2})/u.test(text);
  if (isOdd || !hasPort(host))
    return [{ ...required(field, `url must be a valid URL${FORM}`), exact: false }];
  return [
    ...(scheme.toLowerCase() === "https"
      ? []
      : [invalid(field, scheme.toLowerCase(), `'https' is the only allowed URL scheme${FORM}`)]),
    ...(host === "" ? [invalid(field, "", `host must be specified${FORM}`)] : []),
    ...(user === undefined ? [] : [invalid(field, user, "user information is not permitted in the URL")]),
    ...(fragment === undefined || fragment === ""
      ? []
      : [invalid(field, fragment, "fragments are not permitted in the URL")]),
    ...(query === undefined || query === "?"
      ? []
      : [invalid(field, query.slice(1), "query parameters are not permitted in the URL")]),
  ];
}

/** True for a host without a port, or with one of digits, as Go reads it; an address of IPv6 stands in brackets. */
function hasPort(host: string): boolean {
  const end = host.startsWith("[") ? host.lastIndexOf("]") + 1 : host.lastIndexOf(":");
  if (host.startsWith("[") && end === 0) return false;
  return end < 0 || /^(?::\d*)?$/.test(host.slice(end));
}

function serviceErrors(service: JsonObject, field: string): ServerError[] {
  const errors: ServerError[] = [];
  // The server mixes the two up, and so do its fields.
  if (textAt(service, "namespace") === "") errors.push(required(`${field}.name`));
  if (textAt(service, "name") === "") errors.push(required(`${field}.namespace`));
  const port: Json = service["port"] ?? 443;
  if (typeof port !== "number" || port < 1 || port > 65535)
    errors.push(invalid(`${field}.port`, port, "port is not valid: must be between 1 and 65535, inclusive"));
  const path = textAt(service, "path");
  if (path === "" || path === "/") return errors;
  const at = `${field}.path`;
  if (path === "//") return [...errors, invalid(at, path, "segment[0] may not be empty")];
  if (!path.startsWith("/")) errors.push(invalid(at, path, "must start with a '/'"));
  path
    .slice(1)
    .replace(/\/$/, "")
    .split("/")
    .forEach((step, i) => {
      const faults = step === "" ? ["may not be empty"] : subdomainFaults(step);
      for (const fault of faults)
        errors.push(invalid(at, path, `segment[${i}]${step === "" ? "" : ":"} ${fault}`));
    });
  return errors;
}

function reviewErrors(versions: readonly string[], field: string, recognised: boolean): ServerError[] {
  if (versions.length === 0) return [required(field)];
  const errors = versions.flatMap((version, i): ServerError[] => {
    if (versions.indexOf(version) < i) return [invalid(`${field}[${i}]`, version, "duplicate version")];
    return dns1035Faults(version).map((fault) => invalid(`${field}[${i}]`, version, fault));
  });
  if (recognised && !versions.some((each) => REVIEW_VERSIONS.includes(each)))
    errors.push(invalid(field, [...versions], `must include at least one of ${REVIEW_VERSIONS.join(", ")}`));
  return errors;
}
