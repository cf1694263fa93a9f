/**
 * The pointer config of a role: where a fresh machine gets its real config from, and the CA that proves it. The
 * same bytes stand in the user-data Secrets and in ROLE.ign (docs/reference/ignition-configs.md §3a, §3e).
 */
import { base64 } from "../core/base64.js";
import type { Json, JsonObject } from "../core/json.js";

export interface PointerInput {
  /** `<name>.<baseDomain>`. */
  readonly domain: string;
  /** Virtual IPs of the API; the first one stands for the name where the platform has any. */
  readonly apiVips: readonly string[];
  /** Root CA as PEM. */
  readonly rootCA: string;
  /** What the platform adds beside `ignition`. */
  readonly additions?: JsonObject;
}

/** One line without final newline. */
export function pointerConfig(
  role: string,
  { domain, apiVips, rootCA, additions = {} }: PointerInput,
): string {
  const [vip] = apiVips;
  const host = vip === undefined ? `api-int.${domain}` : vip.includes(":") ? `[${vip}]` : vip;
  const certificate = base64(rootCA);
  const config = {
    ignition: {
      config: { merge: [{ source: `https://${host}:22623/config/${role}` }] },
      security: {
        tls: { certificateAuthorities: [{ source: `data:text/plain;charset=utf-8;base64,${certificate}` }] },
      },
      version: "3.2.0",
    },
    ...additions,
  };
  return goJson(config);
}

/**
 * JSON as Go writes it, which escapes what HTML and JavaScript could misread; members keep their order.
 * @param indent blanks of each level; without it one line
 */
export const goJson = (value: Json, indent?: number): string =>
  JSON.stringify(value, undefined, indent).replace(/[<>&\u2028\u2029]/g, goEscape);

const goEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
