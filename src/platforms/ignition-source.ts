/** How a machine reaches the config that it fetches: the proxy on the way, and the certificates that are trusted there. */
import { base64 } from "../core/base64.js";
import type { View } from "../text/render.js";
import { pemBlocks } from "./pem-blocks.js";
import type { PlatformInput } from "./platform.js";

/** The certificates of the trust bundle as data URLs, one for each PEM block. */
export const trustedAuthorities = ({ config }: PlatformInput): readonly string[] =>
  pemBlocks(config.additionalTrustBundle ?? "").map(
    (block) => `data:text/plain;charset=utf-8;base64,${base64(block)}`,
  );

/** The proxy that the ignition data is fetched through. */
export function ignitionProxy({ config }: PlatformInput): View | undefined {
  const { httpProxy = "", httpsProxy = "", noProxy = "" } = config.proxy ?? {};
  if (httpProxy === "" && httpsProxy === "" && noProxy === "") return undefined;
  return {
    ...(httpProxy === "" ? {} : { httpProxy }),
    ...(httpsProxy === "" ? {} : { httpsProxy }),
    ...(noProxy === "" ? {} : { noProxy: noProxy.split(",") }),
  };
}

/** True when a proxy's address carries a user or a password, which makes the template a secret file. */
export const proxyHoldsSecret = ({ config }: PlatformInput): boolean =>
  [config.proxy?.httpProxy, config.proxy?.httpsProxy].some(
    (url) => url !== undefined && /:\/\/[^/]*@/.test(url),
  );
