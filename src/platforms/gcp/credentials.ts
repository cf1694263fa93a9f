/**
 * The key file of Google Cloud (`--credentials`): the JSON that `gcloud iam service-accounts keys create` writes. It is
 * taken as it is, byte for byte; nothing comes from the environment, and no value ever enters a message.
 */

import { base64 } from "../../core/base64.js";
import type { Problem } from "../../core/diagnostics.js";
import { isJson, isObject, type Json, textAt } from "../../core/json.js";
import { problem } from "../../core/problem.js";
import { jsonFault, placeAt } from "../../text/json-text.js";
import type { View } from "../../text/render.js";
import type { NormalConfig } from "../config.js";
import type { Credentials, InfrastructureInput, Rendering, RuleContext } from "../platform.js";

/** The name under which operators find the file. */
export const CREDENTIALS_KEY = "service_account.json";

/** What the tools of Google Cloud can read, and what it must hold (golang.org/x/oauth2 google/google.go). */
const REQUIRED: ReadonlyMap<string, readonly string[]> = new Map([
  ["service_account", ["client_email", "private_key"]],
  ["authorized_user", []],
  ["external_account", []],
  ["external_account_authorized_user", []],
  ["impersonated_service_account", []],
]);
const PEOPLE: readonly string[] = ["authorized_user", "external_account_authorized_user"];

export function readCredentials(
  text: string,
  file: string,
  { report }: Pick<RuleContext, "report">,
  config: NormalConfig,
): Credentials | undefined {
  const problem = credentialsProblem(text.replace(/^\ufeff/, ""), config);
  if (problem === undefined) return { [CREDENTIALS_KEY]: text };
  report({ file, ...problem });
  return undefined;
}

const HINT = "use the file that gcloud iam service-accounts keys create writes";

function credentialsProblem(text: string, config: NormalConfig): Problem | undefined {
  const value = parse(text);
  if (!isObject(value))
    return {
      code: "CRED001",
      kind: "Parse",
      ...placeAt(text, jsonFault(text) ?? 0),
      message: "the file must be a JSON object",
      hint: HINT,
    };
  const type = textAt(value, "type");
  if (type === "") return problem("CRED002", "Required", "", "the file has no field type", HINT);
  const required = REQUIRED.get(type);
  if (required === undefined)
    return problem("CRED001", "NotSupported", "", "unsupported credentials type", HINT);
  const lacking = required.filter((name) => textAt(value, name) === "");
  if (lacking.length > 0)
    return problem(
      "CRED002",
      "Required",
      "",
      `the service account key has no ${lacking.join(" and no ")}`,
      HINT,
    );
  // The cluster cannot act as a person.
  if (PEOPLE.includes(type) && config.credentialsMode !== "Manual")
    return problem(
      "CRED003",
      "Forbidden",
      "credentialsMode",
      "the cluster cannot use the credentials of a user account",
      "use a service account key, or set credentialsMode: Manual",
    );
  return undefined;
}

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `spec.credentialsRef` of the GCPCluster; undefined when the controller's own credentials count. */
export const credentialsRef = ({
  credentials,
  identity,
  namespace,
}: InfrastructureInput): View | undefined =>
  credentials === undefined ? undefined : { name: `${identity.infraID}-gcp-credentials`, namespace };

/** The Secret that it names, under the key that the provider reads. */
export function credentialObjects(input: InfrastructureInput): readonly Rendering[] {
  const { credentials, identity } = input;
  const reference = credentialsRef(input);
  if (credentials === undefined || reference === undefined) return [];
  return [
    {
      template: "infrastructure-manifests/gcp/10_credentials-secret.yaml",
      path: "10_credentials-secret.yaml",
      secret: true,
      view: {
        ...reference,
        clusterName: identity.infraID,
        credentials: base64(credentials[CREDENTIALS_KEY] ?? ""),
      },
    },
  ];
}
