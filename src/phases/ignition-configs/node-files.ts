/**
 * Files of the bootstrap node that hold data of the install-config, on every platform
 * (docs/reference/ignition-configs.md §2b).
 */
import type { IgnitionFile } from "../../platforms/ignition.js";
import { inForce } from "../../platforms/release-changes.js";
import { proxyStatus } from "../manifests/proxy.js";
import type { IgnitionInput } from "./input.js";
import { pullSecretWithLogin } from "./pull-secret.js";
import { mirroredSources, registriesConf } from "./registries.js";

const PRIVATE = 0o600;

export function nodeFiles(input: IgnitionInput): IgnitionFile[] {
  const { config, release } = input;
  const proxy = proxyStatus(input);
  return [
    // A private mode breaks rpm-ostree.
    {
      path: "/etc/containers/registries.conf",
      mode: 0o644,
      data: registriesConf(mirroredSources(config, release)),
    },
    {
      path: "/etc/systemd/system.conf.d/10-default-env.conf",
      mode: PRIVATE,
      data: `[Manager]\n${assignments(proxy, systemdAssignment)}`,
    },
    { path: "/etc/profile.d/proxy.sh", mode: PRIVATE, data: assignments(proxy, shellExport) },
    {
      path: "/etc/pki/ca-trust/source/anchors/ca.crt",
      mode: PRIVATE,
      data: withNewline(config.additionalTrustBundle ?? ""),
    },
    {
      path: "/etc/ignition-machine-config-encapsulated.json",
      mode: PRIVATE,
      data: fipsStub(config.fips ?? false),
    },
    { path: "/root/.docker/config.json", mode: PRIVATE, data: withNewline(pullSecret(input)) },
  ];
}

const withNewline = (text: string): string => (text === "" ? "" : `${text}\n`);

function pullSecret({ config, internalReleaseImage, domain, release }: IgnitionInput): string {
  if (internalReleaseImage === undefined || !inForce(release, "internalReleaseImageAuth"))
    return config.pullSecret;
  return pullSecretWithLogin(config.pullSecret, internalReleaseImage, domain);
}

const VARIABLES = [
  ["HTTP_PROXY", "httpProxy"],
  ["HTTPS_PROXY", "httpsProxy"],
  ["NO_PROXY", "noProxy"],
] as const;

/** One line for each variable that has a value. */
const assignments = (
  proxy: { readonly [name: string]: string } | undefined,
  line: (name: string, value: string) => string,
): string =>
  VARIABLES.map(([name, member]) => {
    const value = proxy?.[member] ?? "";
    return value === "" ? "" : `${line(name, value)}\n`;
  }).join("");

/** Inside double quotes a shell takes these for more than themselves. */
const shellExport = (name: string, value: string): string =>
  `export ${name}="${value.replace(/["$\\`]/g, "\\$&")}"`;

/** systemd takes `%` for a specifier and the backslash for an escape. */
const systemdAssignment = (name: string, value: string): string =>
  `DefaultEnvironment=${name}="${value.replace(/["\\]/g, "\\$&").replaceAll("%", "%%")}"`;

/**
 * What the machine config daemon looks for on a node that no machine config server has configured; it carries the
 * FIPS switch alone.
 */
const fipsStub = (fips: boolean): string =>
  `${JSON.stringify(
    {
      metadata: { name: "bootstrap-fips" },
      spec: { config: { ignition: { version: "3.1.0" } }, kernelArguments: [], fips },
    },
    undefined,
    2,
  )}\n`;
