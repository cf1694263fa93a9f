/**
 * manifests/cluster-pki-02-config.yaml: which keys the cluster's certificates have (5.0, openshift/installer
 * pkg/asset/manifests/pki.go). A config that chooses a key for the signers chooses the profile; the rest of it is the default.
 */
import type { JsonObject } from "../../core/json.js";
import type { NormalConfig } from "../../platforms/config.js";
import { gateEnabled } from "../../platforms/enabled-gates.js";
import { inForce } from "../../platforms/release-changes.js";
import type { Asset } from "./input.js";

/** pkg/types/pki/defaults.go. */
const DEFAULT_KEY = { algorithm: "RSA", rsa: { keySize: 4096 } };

export const pki: Asset = ({ config, release }) =>
  inForce(release, "pki") && gateEnabled(release, config, "ConfigurablePKI")
    ? [
        {
          template: "manifests/cluster-pki-02-config.yaml",
          path: "manifests/cluster-pki-02-config.yaml",
          view: { certificateManagement: certificateManagement(config.pki) },
        },
      ]
    : [];

function certificateManagement(given: NormalConfig["pki"]): JsonObject {
  if (given === undefined) return { mode: "Default" };
  const { algorithm = "", rsa, ecdsa } = given.signerCertificates?.key ?? {};
  const key = {
    algorithm,
    ...(rsa === undefined ? {} : { rsa: { keySize: rsa.keySize ?? 0 } }),
    ...(ecdsa === undefined ? {} : { ecdsa: { curve: ecdsa.curve ?? "" } }),
  };
  return { mode: "Custom", custom: { defaults: { key: DEFAULT_KEY }, signerCertificates: { key } } };
}
