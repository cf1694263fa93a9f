/**
 * manifests/cluster-proxy-01-config.yaml with the computed noProxy (docs/reference/install-config-and-manifests.md
 * §3.2).
 */
import type { PlatformInput } from "../../platforms/platform.js";
import type { Asset, ManifestInput } from "./input.js";

export const proxy: Asset = (input) => {
  const { config } = input;
  const settings = present(config.proxy ?? {});
  const status = proxyStatus(input);
  const trusted =
    (config.additionalTrustBundle ?? "") !== "" &&
    (config.additionalTrustBundlePolicy === "Always" || config.proxy !== undefined);
  return [
    {
      template: "manifests/cluster-proxy-01-config.yaml",
      path: "manifests/cluster-proxy-01-config.yaml",
      secret: Object.values(settings).some(hasUserInfo),
      view: {
        spec: { ...settings, trustedCA: { name: trusted ? "user-ca-bundle" : "" } },
        status,
      },
    },
  ];
};

type ProxyInput = PlatformInput & Pick<ManifestInput, "domain" | "platform">;

/** The settings in force, with the computed noProxy; undefined where nothing goes through a proxy. */
export function proxyStatus(input: ProxyInput): { readonly [name: string]: string } | undefined {
  const settings = present(input.config.proxy ?? {});
  const used = settings["httpProxy"] !== undefined || settings["httpsProxy"] !== undefined;
  return used ? { ...settings, noProxy: noProxy(input) } : undefined;
}

/**
 * What must not go through the proxy: the user's entries, split at commas and not trimmed, and everything inside
 * the cluster; sorted by byte. A lone `*` of the user stays alone.
 */
export function noProxy(input: ProxyInput): string {
  const { config, domain, platform } = input;
  const given = config.proxy?.noProxy ?? "";
  if (given === "*") return given;
  const { serviceNetwork, machineNetwork, clusterNetwork } = config.networking;
  const entries = [
    "127.0.0.1",
    "localhost",
    ".svc",
    ".cluster.local",
    `api-int.${domain}`,
    ...platform.manifests.noProxy(input),
    ...serviceNetwork,
    ...machineNetwork.map(({ cidr }) => cidr),
    ...clusterNetwork.map(({ cidr }) => cidr),
    ...given.split(",").filter((entry) => entry !== ""),
  ];
  return [...new Set(entries)].sort(byBytes).join(",");
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const hasUserInfo = (url: string): boolean => /\/\/[^/]*@/.test(url);

/** The members that hold a text. */
const present = (settings: { readonly [name: string]: string }): { [name: string]: string } =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== ""));
