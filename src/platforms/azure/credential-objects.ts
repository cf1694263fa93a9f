/**
 * The identity that the azure provider uses for the cluster, and the Secret of a service principal. Both lie in the
 * cluster's namespace, and go along when it moves.
 */
import { base64 } from "../../core/base64.js";
import { PLACEHOLDER_PREFIX } from "../../kubernetes/labels.js";
import type { InfrastructureInput, Rendering } from "../platform.js";
import { loginOf, tenantOf } from "./credentials.js";

/** Name of the AzureClusterIdentity. */
export const identityName = ({ identity }: Pick<InfrastructureInput, "identity">): string => identity.infraID;

/** Types of an AzureClusterIdentity by the way that it logs in. */
export const IDENTITY_TYPES = {
  secret: "ServicePrincipal",
  certificate: "ServicePrincipalCertificate",
  "managed identity": "UserAssignedMSI",
} as const;

export function credentialObjects(input: InfrastructureInput): readonly Rendering[] {
  const { credentials, identity, facts, namespace } = input;
  const { infraID } = identity;
  const secretName = `${infraID}-azure-client-secret`;
  const login = credentials === undefined ? undefined : loginOf(credentials);
  const clientID = credentials?.["clientId"] ?? facts.azure?.providerIdentity?.clientID;
  const object: Rendering = {
    template: "infrastructure-manifests/azure/10_credentials-identity.yaml",
    path: "10_credentials-identity.yaml",
    view: {
      clusterName: infraID,
      name: identityName(input),
      namespace,
      placeholder: clientID === undefined ? "spec.clientID" : undefined,
      certPath: login === "certificate" ? credentials?.["clientCertificate"] : undefined,
      clientID: clientID ?? `${PLACEHOLDER_PREFIX}client-id`,
      secretName: login === "secret" ? secretName : undefined,
      tenantID: tenantOf(input),
      type:
        login === undefined
          ? (facts.azure?.providerIdentity?.type ?? "WorkloadIdentity")
          : IDENTITY_TYPES[login],
    },
  };
  if (login !== "secret") return [object];
  return [
    object,
    {
      template: "infrastructure-manifests/azure/10_credentials-secret.yaml",
      path: "10_credentials-secret.yaml",
      secret: true,
      view: {
        clusterName: infraID,
        name: secretName,
        namespace,
        clientSecret: base64(credentials?.["clientSecret"] ?? ""),
      },
    },
  ];
}
