/**
 * What a config fetches: addresses, data, compression and hashes
 * (docs/reference/ignition-configs.md §4b, with what Ignition's own validator lets pass and a machine stumbles over).
 */
import { gunzipSync } from "node:zlib";
import { isBase64 } from "../../core/base64.js";
import type { YamlNode } from "../../text/yaml-read.js";
import type { ReportAtNode } from "./report.js";
import { at, itemsOf, listAt, scalarAt, textAt } from "./view.js";

/** Schemes by the minor spec version that has them first. */
const SCHEMES: Readonly<Record<string, number>> = {
  http: 0,
  https: 0,
  tftp: 0,
  s3: 0,
  data: 0,
  gs: 2,
  arn: 4,
};

const HASHES: Readonly<Record<string, { readonly since: number; readonly digits: number }>> = {
  sha512: { since: 0, digits: 128 },
  sha256: { since: 1, digits: 64 },
};

export function checkSources(root: YamlNode, minor: number, report: ReportAtNode): void {
  const check = (node: YamlNode | undefined, path: string, needed = false): void => {
    if (node?.type === "mapping") checkResource(node, path, minor, needed, report);
  };
  const all = (path: string, nodes: readonly YamlNode[], needed = false): void => {
    for (const [i, node] of nodes.entries()) check(node, `${path}[${i}]`, needed);
  };
  all("ignition.config.merge", itemsOf(at(root, "ignition", "config", "merge")), true);
  check(at(root, "ignition", "config", "replace"), "ignition.config.replace");
  const authorities = ["ignition", "security", "tls", "certificateAuthorities"];
  all(authorities.join("."), itemsOf(at(root, ...authorities)), true);
  for (const { node, path } of listAt(root, "storage", "files")) {
    check(at(node, "contents"), `${path}.contents`);
    all(`${path}.append`, itemsOf(at(node, "append")));
  }
  for (const { node, path } of listAt(root, "storage", "luks")) check(at(node, "keyFile"), `${path}.keyFile`);
  for (const name of ["httpProxy", "httpsProxy"])
    checkProxy(scalarAt(root, "ignition", "proxy", name), name, report);
}

function checkResource(
  node: YamlNode,
  path: string,
  minor: number,
  needed: boolean,
  report: ReportAtNode,
): void {
  const source = scalarAt(node, "source");
  const text = textAt(node, "source");
  if (needed && (text === undefined || text === ""))
    report(source ?? node, `${path}.source`, "IGN035", "Required", "required value is missing: source", "");
  const compression = scalarAt(node, "compression");
  const method = textAt(node, "compression") ?? "";
  if (compression !== undefined && method !== "" && method !== "gzip")
    report(
      compression,
      `${path}.compression`,
      "IGN035",
      "NotSupported",
      `unsupported compression ${JSON.stringify(method)}`,
      "use gzip, or remove it",
    );
  if (source !== undefined && text !== undefined && text !== "") {
    const fault = text.startsWith("data:") ? dataFault(text, method) : addressFault(text, minor);
    if (fault !== undefined) report(source, `${path}.source`, "IGN035", "Invalid", fault.message, fault.hint);
    if (/^s3:/.test(text) && method !== "")
      report(
        source,
        `${path}.compression`,
        "IGN035",
        "NotSupported",
        "compression is not supported for s3",
        "remove compression",
      );
  }
  const hash = scalarAt(node, "verification", "hash");
  if (hash !== undefined) checkHash(hash, path, minor, report);
}

interface Fault {
  readonly message: string;
  readonly hint: string;
}

function addressFault(text: string, minor: number): Fault | undefined {
  const [, scheme = ""] = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text) ?? [];
  const known = Object.hasOwn(SCHEMES, scheme.toLowerCase()) ? SCHEMES[scheme.toLowerCase()] : undefined;
  if (known === undefined || known > minor)
    return {
      message: `Ignition cannot fetch ${shown(text)}`,
      hint: "use http, https, tftp, s3 or data; gs since 3.2, arn since 3.4",
    };
  if (scheme.toLowerCase() === "arn") return undefined;
  const host = /^[^:]+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(text)?.[1];
  if (host === undefined || host === "")
    return { message: `invalid URL ${shown(text)}: no host`, hint: "SCHEME://HOST/PATH" };
  if (!host.startsWith("[") && host.split(":").length > 2)
    return {
      message: `invalid host ${host}: an IPv6 address must be in brackets`,
      hint: `write [${host.replace(/:\d+$/, "")}]`,
    };
  if (/\s|\p{Cc}/u.test(text) || /%(?![0-9A-Fa-f]{2})/.test(text))
    return {
      message: "the URL contains a space, a control character or a single %",
      hint: "use percent-encoding",
    };
  return undefined;
}

/** Without user name and password. */
const shown = (text: string): string => JSON.stringify(text.replace(/\/\/[^/@]*@/, "//").slice(0, 80));

/** What Ignition's reader of data URLs refuses, and data that is not what the compression says. */
function dataFault(text: string, method: string): Fault | undefined {
  const found =
    /^data:((?:[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+)?(?:;[A-Za-z0-9!#$&^_.+-]+=(?:[A-Za-z0-9!#$&^_.%+-]*|"[^"]*"))*)(;base64)?,([\s\S]*)$/.exec(
      text,
    );
  if (found === null) return { message: "invalid data URL", hint: "use data:,TEXT or data:;base64,…" };
  const [, , base64, data = ""] = found;
  let bytes: Buffer;
  if (base64 !== undefined) {
    if (!isBase64(data))
      return {
        message: "the data is not valid base64 with padding",
        hint: "encode it again, on a single line",
      };
    bytes = Buffer.from(data, "base64");
  } else {
    if (/[^A-Za-z0-9\-_.!~*'();/?:@&=+$,%]|%(?![0-9A-Fa-f]{2})/.test(data))
      return {
        message: "the data contains characters that are not allowed in a URL",
        hint: "use percent-encoding or base64",
      };
    bytes = Buffer.from(
      data.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
      "latin1",
    );
  }
  if (method === "gzip" && !isGzip(bytes))
    return {
      message: "compression is gzip, but the data is not compressed; the machine would fail to boot",
      hint: "compress the data, or remove compression",
    };
  return undefined;
}

function isGzip(bytes: Buffer): boolean {
  try {
    gunzipSync(bytes, { maxOutputLength: 64 * 1024 * 1024 });
    return true;
  } catch {
    return false;
  }
}

function checkHash(
  hash: { text: string; line: number; column: number },
  path: string,
  minor: number,
  report: ReportAtNode,
): void {
  const [, name = "", digits = ""] = /^([^-]*)-(.*)$/s.exec(hash.text) ?? [];
  const known = Object.hasOwn(HASHES, name) ? HASHES[name] : undefined;
  if (known === undefined || known.since > minor)
    report(
      hash,
      `${path}.verification.hash`,
      "IGN037",
      "NotSupported",
      `unsupported hash ${JSON.stringify(name)}`,
      "use sha512-HEX, or since 3.1 sha256-HEX",
    );
  else if (digits.length !== known.digits || !/^[0-9a-fA-F]*$/.test(digits))
    report(
      hash,
      `${path}.verification.hash`,
      "IGN037",
      "Invalid",
      `a ${name} hash must have ${known.digits} hexadecimal digits`,
      "",
    );
}

function checkProxy(
  node: { text: string; line: number; column: number } | undefined,
  name: string,
  report: ReportAtNode,
): void {
  if (node === undefined || node.text === "") return;
  const scheme = /^([a-z]+):\/\//i.exec(node.text)?.[1]?.toLowerCase();
  if (scheme !== "http" && scheme !== "https")
    report(
      node,
      `ignition.proxy.${name}`,
      "IGN035",
      "NotSupported",
      "a proxy must have an http or https URL",
      "",
    );
  else if (name === "httpsProxy" && scheme === "http")
    report(
      node,
      `ignition.proxy.${name}`,
      "IGN035",
      "Invalid",
      "the connection to the https proxy is not encrypted",
      "",
      "warning",
    );
}
