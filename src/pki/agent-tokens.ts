/**
 * Logins of the programs on the hosts at assisted-service (openshift/installer pkg/asset/agent/gencrypto): JSON Web Tokens of
 * one key, which do not expire. The key itself is needed once.
 */
import { createPrivateKey, type KeyObject } from "node:crypto";
import { base64 } from "../core/base64.js";
import { signP256Plain } from "./ecdsa.js";
import { toPem } from "./pem.js";
import { publicKeyInfo } from "./public-key.js";

export interface AgentTokens {
  /** PEM in base64, by which assisted-service verifies the tokens. */
  readonly publicKey: string;
  readonly agent: string;
  readonly user: string;
  readonly watcher: string;
}

/** Tokens of a P-256 key, PEM; the same key gives the same tokens. */
export function agentTokens(key: string): AgentTokens {
  const secret = createPrivateKey(key);
  return {
    publicKey: base64(toPem("EC PUBLIC KEY", publicKeyInfo(key))),
    agent: tokenOf(secret, "agentAuth"),
    user: tokenOf(secret, "userAuth"),
    watcher: tokenOf(secret, "watcherAuth"),
  };
}

function tokenOf(key: KeyObject, scheme: string): string {
  const parts = [{ alg: "ES256", typ: "JWT" }, { auth_scheme: scheme }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const body = parts.join(".");
  return `${body}.${signP256Plain(Buffer.from(body), key).toString("base64url")}`;
}
