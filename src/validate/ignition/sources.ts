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
    report(source ?? node, `${path}.source`, "IGN035", "Required", "the source is missing", "");
  const compression = scalarAt(node, "compression");
  const method = textAt(node, "compression") ?? "";
  if (compression !== undefined && method !== "" && method !== "gzip")
    report(
      compression,
      `${path}.compression`,
      "IGN035",
      "NotSupported",
      `${JSON.stringify(method)} is not a compression that Ignition knows`,
      "gzip, or none",
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
        "what comes from s3 cannot be compressed",
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
      hint: "http, https, tftp, s3 or data; gs since 3.2, arn since 3.4",
    };
  if (scheme.toLowerCase() === "arn") return undefined;
  const host = /^[^:]+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(text)?.[1];
  if (host === undefined || host === "")
    return { message: `${shown(text)} names no host`, hint: "SCHEME://HOST/PATH" };
  if (!host.startsWith("[") && host.split(":").length > 2)
    return {
      message: `the host ${host} reads as an IPv6 address without brackets; no machine could connect to it`,
      hint: `write [${host.replace(/:\d+$/, "")}]`,
    };
  if (/\s|\p{Cc}/u.test(text) || /%(?![0-9A-Fa-f]{2})/.test(text))
    return {
      message: "the address holds a blank, a control character or a lone %",
      hint: "escape it with %",
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
  if (found === null)
    return { message: "this is not a data URL that Ignition reads", hint: "data:,TEXT or data:;base64,…" };
  const [, , base64, data = ""] = found;
  let bytes: Buffer;
  if (base64 !== undefined) {
    if (!isBase64(data))
      return { message: "the data is not base64 with its padding", hint: "encode it anew, in one line" };
    bytes = Buffer.from(data, "base64");
  } else {
    if (/[^A-Za-z0-9\-_.!~*'();/?:@&=+$,%]|%(?![0-9A-Fa-f]{2})/.test(data))
      return {
        message: "the data holds characters that a URL cannot have as they are",
        hint: "escape them with %, or use base64",
      };
    bytes = Buffer.from(
      data.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
      "latin1",
    );
  }
  if (method === "gzip" && !isGzip(bytes))
    return {
      message: "compression is gzip, and the data is not; the machine would stop at it",
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
      `Ignition cannot check the hash ${JSON.stringify(name)}`,
      "sha512-HEX, or since 3.1 sha256-HEX",
    );
  else if (digits.length !== known.digits || !/^[0-9a-fA-F]*$/.test(digits))
    report(
      hash,
      `${path}.verification.hash`,
      "IGN037",
      "Invalid",
      `a ${name} has ${known.digits} hexadecimal digits`,
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
      "a proxy is reached by http or https",
      "",
    );
  else if (name === "httpsProxy" && scheme === "http")
    report(
      node,
      `ignition.proxy.${name}`,
      "IGN035",
      "Invalid",
      "the proxy for https is reached without encryption",
      "",
      "warning",
    );
}
