/**
 * Identity objects of the aws provider, and the Secret of a static one. The provider reads such Secrets from its
 * controller's namespace only (docs/reference/cluster-api.md §5.1; docs/reference/source-designs.md §1.5).
 */
import { base64 } from "../../core/base64.js";
import type { InfrastructureInput, Rendering } from "../platform.js";

const secretName = (input: InfrastructureInput): string => `${input.identity.infraID}-aws-credentials`;

/** `spec.identityRef` of the AWSCluster: the cluster's own identity, or the controller's. */
export const identityRef = (input: InfrastructureInput): { readonly kind: string; readonly name: string } =>
  input.credentials === undefined
    ? { kind: "AWSClusterControllerIdentity", name: "default" }
    : { kind: "AWSClusterStaticIdentity", name: input.identity.infraID };

export function credentialObjects(input: InfrastructureInput): readonly Rendering[] {
  const { credentials, identity, namespace, controllerNamespace } = input;
  if (credentials === undefined)
    return [
      {
        template: "infrastructure-manifests/aws/10_credentials-controller-identity.yaml",
        path: "10_credentials-identity.yaml",
        view: {},
      },
    ];
  const encoded = (key: string): string | undefined => {
    const value = credentials[key];
    return value === undefined ? undefined : base64(value);
  };
  return [
    {
      template: "infrastructure-manifests/aws/10_credentials-static-identity.yaml",
      path: "10_credentials-identity.yaml",
      view: {
        clusterName: identity.infraID,
        name: identity.infraID,
        namespace,
        secretName: secretName(input),
      },
    },
    {
      template: "infrastructure-manifests/aws/10_credentials-secret.yaml",
      path: "10_credentials-secret.yaml",
      secret: true,
      view: {
        clusterName: identity.infraID,
        name: secretName(input),
        namespace: controllerNamespace,
        accessKeyID: encoded("aws_access_key_id"),
        secretAccessKey: encoded("aws_secret_access_key"),
        sessionToken: encoded("aws_session_token"),
      },
    },
  ];
}
