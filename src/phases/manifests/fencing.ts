/** openshift/99_openshift-etcd_fencing-credentials-secrets-N.yaml: access to the hosts' controllers (§3.6, §3.12). */
import { createHash } from "node:crypto";
import { type Asset, base64 } from "./input.js";
import { hasTrait } from "./releases.js";

export const fencing: Asset = ({ config, release, report }) => {
  const credentials = config.controlPlane.fencing?.credentials ?? [];
  if (!hasTrait(release, "fencingSecrets")) return [];
  const width = String(credentials.length).length;
  const byAddress = hasTrait(release, "fencingByHardwareAddress");
  return credentials.flatMap((credential, index) => {
    const { hostName = "", macAddress = "" } = credential;
    const named = hostName !== "" || !byAddress;
    const name = `fencing-credentials-${named ? hostName : addressName(macAddress)}`;
    if (!SUBDOMAIN.test(name) || name.length > 253) {
      report({
        code: "MAN004",
        kind: "Invalid",
        field: `controlPlane.fencing.credentials[${index}].${named ? "hostName" : "macAddress"}`,
        message: "the Secret of this credential is named after it, and the name is not legal",
        hint: "use lower-case letters, digits, '-' and '.', starting and ending with a letter or digit",
      });
      return [];
    }
    const source = byAddress ? (named ? "hostname" : "mac-address") : undefined;
    return [
      {
        template: "openshift/99_openshift-etcd_fencing-credentials-secrets.yaml",
        path: `openshift/99_openshift-etcd_fencing-credentials-secrets-${String(index).padStart(width, "0")}.yaml`,
        secret: true,
        view: {
          name,
          source,
          data: {
            address: base64(credential.address ?? ""),
            certificateVerification: base64(credential.certificateVerification ?? ""),
            password: base64(credential.password ?? ""),
            username: base64(credential.username ?? ""),
          },
        },
      },
    ];
  });
};

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** A MAC address is no legal name: hex SHA-256 of its lower-case digits stands for it. */
const addressName = (mac: string): string =>
  createHash("sha256").update(mac.toLowerCase().replaceAll(/[:.-]/g, "")).digest("hex");
