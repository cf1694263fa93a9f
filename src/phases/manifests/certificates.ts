/**
 * Root CA and machine-config-server pair, as the cluster gets them (docs/reference/install-config-and-manifests.md
 * §3.2, §3.11; docs/reference/ignition-configs.md §3e).
 */
import { base64 } from "../../core/base64.js";
import { readCertificate } from "../../pki/certificate.js";
import { inForce } from "../../platforms/release-changes.js";
import type { Asset } from "./input.js";

export const rootCA: Asset = ({ pki }) => [
  {
    template: "manifests/kube-system-configmap-root-ca.yaml",
    path: "manifests/kube-system-configmap-root-ca.yaml",
    view: { certificate: pki.rootCA.certificate },
  },
];

/** The CA with which the cluster renews the server's certificate: bundle and signer. */
export const machineConfigServerCA: Asset = ({ pki: { rootCA }, release }) => {
  if (!inForce(release, "machineConfigServerCA")) return [];
  const { issuer, notBefore, notAfter } = annotations(rootCA.certificate);
  return [
    {
      template: "manifests/machine-config-server-ca-configmap.yaml",
      path: "manifests/machine-config-server-ca-configmap.yaml",
      view: { certificate: rootCA.certificate },
    },
    {
      template: "manifests/machine-config-server-ca-secret.yaml",
      path: "manifests/machine-config-server-ca-secret.yaml",
      secret: true,
      view: {
        certificate: base64(rootCA.certificate),
        key: base64(rootCA.key),
        issuer,
        notBefore,
        notAfter,
      },
    },
  ];
};

export const machineConfigServer: Asset = ({ pki, release }) => {
  const { certificate, key } = pki.machineConfigServer;
  const managed = inForce(release, "managedServerCertificate");
  return [
    {
      template: "manifests/machine-config-server-tls-secret.yaml",
      path: "manifests/machine-config-server-tls-secret.yaml",
      secret: true,
      view: {
        type: managed ? "kubernetes.io/tls" : "Opaque",
        managed: managed
          ? { ...annotations(certificate), issuer: annotations(pki.rootCA.certificate).issuer }
          : undefined,
        certificate: base64(certificate),
        key: base64(key),
      },
    },
  ];
};

/** What the annotations of a managed certificate say of it; dates in RFC 3339, whole seconds. */
function annotations(pem: string): {
  issuer: string;
  notBefore: string;
  notAfter: string;
  hostnames: string;
} {
  const certificate = readCertificate(pem);
  const names = new Set([...certificate.ipAddresses, ...certificate.dnsNames]);
  return {
    issuer: certificate.issuerCommonName,
    notBefore: rfc3339(certificate.notBefore),
    notAfter: rfc3339(certificate.notAfter),
    hostnames: [...names].sort().join(","),
  };
}

const rfc3339 = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, "Z");
