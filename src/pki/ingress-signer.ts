/**
 * The signer of the router's certificates, as the ingress operator of a cluster makes it for itself and an image-based
 * installation brings it (openshift/installer pkg/asset/imagebased/configimage/ingressoperatorsigner.go).
 */
import { signCertificate } from "./certificate.js";
import type { CertifiedKey } from "./sign.js";

const SECOND = 1000;
const TWO_YEARS = 2 * 365 * 24 * 3600 * SECOND;

/** A self-signed CA, valid from now; its name has the moment in it. */
export const ingressSigner = (key: string, now: Date): CertifiedKey => ({
  key,
  certificate: signCertificate(
    {
      subject: { commonName: `ingress-operator@${Math.floor(now.getTime() / SECOND)}` },
      isCA: true,
      keyUsage: ["digitalSignature", "keyEncipherment", "certSign"],
      extendedKeyUsage: [],
      dnsNames: [],
      ipAddresses: [],
      notBefore: now,
      notAfter: new Date(now.getTime() + TWO_YEARS),
    },
    key,
  ),
});
