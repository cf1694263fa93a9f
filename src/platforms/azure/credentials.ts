/**
 * The installer's own credentials file (`--credentials`), osServicePrincipal.json: a service principal with a secret or
 * a certificate, or a managed identity. Nothing is taken from the environment, and no value ever enters a message
 * (openshift/installer pkg/asset/installconfig/azure/session.go).
 */

import type { Problem } from "../../core/diagnostics.js";
import { isObject, type JsonObject } from "../../core/json.js";
import { problem } from "../../core/problem.js";
import { readYaml, toJson } from "../../text/yaml-read.js";
import type { NormalConfig } from "../config.js";
import type { Credentials, PlatformInput, RuleContext } from "../platform.js";

const REQUIRED = ["subscriptionId", "tenantId"] as const;
const OPTIONAL = ["clientId", "clientSecret", "clientCertificate", "clientCertificatePassword"] as const;

export const CREDENTIAL_NAMES: readonly string[] = ["subscriptionId", "tenantId", "clientId", "clientSecret"];

/** How the credentials log in. */
export type Login = "secret" | "certificate" | "managed identity";

export const loginOf = (credentials: Credentials): Login =>
  credentials["clientCertificate"] !== undefined
    ? "certificate"
    : credentials["clientSecret"] !== undefined
      ? "secret"
      : "managed identity";

const FORM =
  'use {"subscriptionId": …, "tenantId": …, "clientId": …, "clientSecret": …}; az ad sp create-for-rbac prints the last three as tenant, appId and password';

/** The members of the file that count. Undefined when they cannot be used; what is wrong is reported with its line. */
export function readCredentials(
  text: string,
  file: string,
  { report }: Pick<RuleContext, "report">,
  config: NormalConfig,
): Credentials | undefined {
  const { documents, problems } = readYaml(text.replace(/^\ufeff/, ""), file);
  const root = documents[0]?.root;
  const value = problems.length > 0 || root === undefined ? undefined : toJson(root);
  if (!isObject(value)) {
    const [first] = problems;
    report(
      problem("CRED001", "Parse", "", "the file must be JSON with the fields of a service principal", {
        file,
        line: first?.line ?? 1,
        column: first?.column ?? 1,
        hint: FORM,
      }),
    );
    return undefined;
  }
  const found = members(value);
  const faults = [...missing(found, file), ...unusable(found, file, config)];
  faults.forEach(report);
  return faults.length > 0 ? undefined : found;
}

/** Names are read without regard to case, as the installer reads them. */
function members(value: JsonObject): Credentials {
  const entries = new Map(Object.entries(value).map(([name, each]) => [name.toLowerCase(), each]));
  return Object.fromEntries(
    [...REQUIRED, ...OPTIONAL].flatMap((name): [string, string][] => {
      const each = entries.get(name.toLowerCase());
      return typeof each === "string" && each !== "" ? [[name, each]] : [];
    }),
  );
}

function missing(found: Credentials, file: string): Problem[] {
  const wanted = [...REQUIRED, ...(loginOf(found) === "managed identity" ? [] : (["clientId"] as const))];
  return wanted
    .filter((name) => found[name] === undefined)
    .map((name) =>
      problem("CRED002", "Required", "", `the credentials have no ${name}`, {
        file,
        line: 1,
        column: 1,
        hint: FORM,
      }),
    );
}

/** Operators log in with a secret; whoever has none gives them their credentials by hand. */
function unusable(found: Credentials, file: string, { credentialsMode }: NormalConfig): Problem[] {
  const login = loginOf(found);
  if (login === "secret" || credentialsMode === "Manual") return [];
  return [
    problem("CRED003", "Invalid", "credentialsMode", `the cluster cannot use the credentials of a ${login}`, {
      file,
      line: 1,
      column: 1,
      hint: "use a service principal with a clientSecret, or set credentialsMode: Manual",
    }),
  ];
}

type Given = Pick<PlatformInput, "credentials" | "facts">;

/** The subscription of the cluster; empty where neither credentials nor facts name it. */
export const subscriptionOf = ({ credentials, facts }: Given): string =>
  credentials?.["subscriptionId"] ?? facts.azure?.subscriptionID ?? "";

/** The tenant of the subscription; empty where neither credentials nor facts name it. */
export const tenantOf = ({ credentials, facts }: Given): string =>
  credentials?.["tenantId"] ?? facts.azure?.tenantID ?? "";
