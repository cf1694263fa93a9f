/**
 * A small config that only says where the whole one lies: `config.replace`, the user's own certificate authorities one
 * by one, and the proxy, both of which the machine needs before it has fetched anything
 * (docs/reference/ignition-configs.md §4d). The address is the user's: slipway uploads nothing.
 */
import { base64 } from "../../core/base64.js";
import { type OutputFile, textFile } from "../../core/files.js";
import type { JsonObject } from "../../core/json.js";
import { type Problem, problem, warning } from "../../core/problem.js";
import { toPem } from "../../pki/pem.js";
import { nextPemBlock } from "../../pki/trust-bundle.js";
import type { NormalConfig } from "../../platforms/config.js";
import { goJson } from "../pointer-config.js";
import { excessOf } from "./user-data.js";

export const MACHINE_ROLES = ["arbiter", "bootstrap", "master", "worker"] as const;
export type MachineRole = (typeof MACHINE_ROLES)[number];

/** Addresses of whole configs by role. They may be signed, so no message quotes them. */
export type ShimSources = ReadonlyMap<MachineRole, string>;

export type ShimSettings = Pick<NormalConfig, "additionalTrustBundle" | "proxy">;

export const configFile = (role: MachineRole): string => `${role}.ign`;
export const shimFile = (role: MachineRole): string => `${role}-shim.ign`;

/** One line without final newline, in the form of the installer's. */
export function shimConfig(source: string, { additionalTrustBundle, proxy }: ShimSettings): string {
  const authorities = certificates(additionalTrustBundle ?? "").map((pem) => ({
    source: `data:text/plain;charset=utf-8;base64,${base64(pem)}`,
  }));
  const ignition: JsonObject = {
    config: { replace: { source } },
    ...(proxy === undefined ? {} : { proxy: proxySettings(proxy) }),
    ...(authorities.length === 0 ? {} : { security: { tls: { certificateAuthorities: authorities } } }),
    version: "3.2.0",
  };
  return goJson({ ignition });
}

/** The user's entries as they are: what is inside of the cluster is not there yet. */
function proxySettings({
  httpProxy = "",
  httpsProxy = "",
  noProxy = "",
}: NonNullable<ShimSettings["proxy"]>): JsonObject {
  return {
    ...(httpProxy === "" ? {} : { httpProxy }),
    ...(httpsProxy === "" ? {} : { httpsProxy }),
    ...(noProxy === "" ? {} : { noProxy: noProxy.split(",") }),
  };
}

/** Every certificate of a bundle as a PEM text of its own: Ignition reads one for each entry. */
function certificates(bundle: string): string[] {
  const found: string[] = [];
  for (let next = nextPemBlock(bundle, 0); next !== undefined; next = nextPemBlock(bundle, next.next))
    if (next.block.type === "CERTIFICATE") found.push(toPem("CERTIFICATE", next.block.data));
  return found;
}

/** What Ignition 3.2 fetches a config from. */
const SCHEMES = ["https", "http", "tftp", "s3", "gs"];

/**
 * The sources of `--shim-source [ROLE=]URL`; without a role it is the bootstrap node's. Problems are reported without
 * the address.
 */
export function readShimSources(given: readonly string[], report: (problem: Problem) => void): ShimSources {
  const sources = new Map<MachineRole, string>();
  for (const text of given) {
    const [, word] = /^([a-z]+)=/.exec(text) ?? [];
    const role = word === undefined ? "bootstrap" : MACHINE_ROLES.find((each) => each === word);
    const refuse = (kind: Problem["kind"], message: string, hint: string): void =>
      report(problem("IGN051", kind, "--shim-source", message, hint));
    if (role === undefined) {
      refuse(
        "NotSupported",
        `unsupported machine role ${JSON.stringify(word)}`,
        `use one of: ${MACHINE_ROLES.join(", ")}`,
      );
      continue;
    }
    const source = word === undefined ? text : text.slice(word.length + 1);
    const fault = sourceFault(source);
    if (fault !== undefined)
      refuse(
        "Invalid",
        `the URL for ${role} ${fault}`,
        `use a URL with one of the schemes ${SCHEMES.join(", ")}`,
      );
    else if (sources.has(role)) refuse("Duplicate", `duplicate URL for ${role}`, "remove one of them");
    else {
      sources.set(role, source);
      if (/^(?:http|tftp):/i.test(source) && role === "bootstrap")
        report(
          warning(
            "IGN051",
            "Invalid",
            "--shim-source",
            "the bootstrap config, which contains the keys of the cluster, is sent over the network unencrypted",
            "use https, with a certificate in additionalTrustBundle if required",
          ),
        );
    }
  }
  return sources;
}

function sourceFault(source: string): string | undefined {
  const [, scheme = ""] = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(source) ?? [];
  if (scheme === "") return "has no scheme";
  if (!SCHEMES.includes(scheme.toLowerCase())) return `has the unsupported scheme ${JSON.stringify(scheme)}`;
  if (/[^\x21-\x7e]/.test(source)) return "contains a space or a non-ASCII character; use percent-encoding";
  if (!/^[^:]+:\/\/[^/?#]/.test(source) || !URL.canParse(source)) return "is not a URL with a host";
  return undefined;
}

/** A shim for each source whose config is there; a source without a config, and a shim that does not fit, are reported. */
export function shimFiles(
  configs: readonly OutputFile[],
  sources: ShimSources,
  settings: ShimSettings,
  report: (problem: Problem) => void,
): OutputFile[] {
  return [...sources].flatMap(([role, source]): OutputFile[] => {
    if (configs.some(({ path }) => path === configFile(role)))
      // The address may be signed and the proxy may hold a password.
      return [textFile(shimFile(role), shimConfig(source, settings), { secret: true })];
    report(
      problem(
        "IGN051",
        "NotFound",
        "--shim-source",
        `the cluster has no ${configFile(role)}`,
        "remove the URL",
      ),
    );
    return [];
  });
}

/**
 * Configs that are larger than what machines of a platform (or of a place that the user names) are given: those that
 * have a shim are judged by it.
 */
export function sizeProblems(configs: readonly OutputFile[], place: string): Problem[] {
  return MACHINE_ROLES.flatMap((role): Problem[] => {
    const shim = configs.find(({ path }) => path === shimFile(role));
    const config = shim ?? configs.find(({ path }) => path === configFile(role));
    const excess = config === undefined ? undefined : excessOf(config.data, place);
    if (config === undefined || excess === undefined) return [];
    const { what, size, limit, uploads } = excess;
    return [
      problem(
        "IGN050",
        "TooLong",
        "",
        `${size} bytes exceed the limit of ${what} (${limit})${uploads === undefined ? "" : `; ${uploads}`}`,
        {
          severity: shim !== undefined ? "error" : uploads === undefined ? "warning" : "info",
          file: config.path,
          hint:
            shim !== undefined
              ? "remove certificates that the URL does not require from additionalTrustBundle"
              : `upload the file to where the machine can fetch it, and generate a config that points to it: --shim-source ${role}=URL`,
        },
      ),
    ];
  });
}
