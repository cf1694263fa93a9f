/**
 * The pull secret with the login of the registry inside the cluster (docs/reference/ignition-configs.md §2b; release
 * 4.22).
 */
import { base64 } from "../../core/base64.js";
import { isObject, type Json, sortKeys } from "../../core/json.js";
import type { InternalReleaseImage } from "../assets.js";
import { goJson } from "../pointer-config.js";

const PORT = 22625;

/** Written anew, keys sorted. A pull secret that is not an object with `auths` comes back as it is; the rules refuse it. */
export function pullSecretWithLogin(
  pullSecret: string,
  { htpasswd, password }: Pick<InternalReleaseImage, "htpasswd" | "password">,
  domain: string,
): string {
  const secret: Json = JSON.parse(pullSecret);
  if (!isObject(secret) || !isObject(secret["auths"])) return pullSecret;
  const [user = ""] = htpasswd.split(":");
  const auth = base64(`${user}:${password}`);
  return goJson(
    sortKeys({ ...secret, auths: { ...secret["auths"], [`api-int.${domain}:${PORT}`]: { auth } } }),
  );
}
