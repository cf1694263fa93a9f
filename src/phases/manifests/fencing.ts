/**
 * openshift/99_openshift-etcd_fencing-credentials-secrets-N.yaml: access to the hosts' controllers
 * (docs/reference/install-config-and-manifests.md §3.6, §3.12).
 */

import { createHash } from "node:crypto";
import { base64 } from "../../core/base64.js";
import { type Problem, problem } from "../../core/problem.js";
import { inForce } from "../../platforms/release-changes.js";
import type { Asset } from "./input.js";

export const fencing: Asset = ({ config, release, report }) => {
  if (!inForce(release, "fencingSecrets")) return [];
  const credentials = config.controlPlane.fencing?.credentials ?? [];
  const width = String(credentials.length).length;
  const byAddress = inForce(release, "fencingByMac");
  return credentials.flatMap((credential, index) => {
    const { name, source } = nameOf(credential.hostName ?? "", credential.macAddress ?? "", byAddress);
    const problem = problemOf(name, byAddress);
    if (problem !== undefined) {
      report({ ...problem, field: `controlPlane.fencing.credentials[${index}].hostName` });
      return [];
    }
    const data = {
      address: base64(credential.address ?? ""),
      certificateVerification: base64(credential.certificateVerification ?? ""),
      password: base64(credential.password ?? ""),
      username: base64(credential.username ?? ""),
    };
    return [
      {
        template: "openshift/99_openshift-etcd_fencing-credentials-secrets.yaml",
        path: `openshift/99_openshift-etcd_fencing-credentials-secrets-${String(index).padStart(width, "0")}.yaml`,
        secret: true,
        view: { name: `fencing-credentials-${name}`, source, data },
      },
    ];
  });
};

/** What a Secret is named after. A MAC address is not a legal name: hex SHA-256 of its digits stands for it. */
function nameOf(
  hostName: string,
  macAddress: string,
  byAddress: boolean,
): { readonly name: string; readonly source?: string } {
  if (!byAddress) return { name: hostName };
  if (hostName !== "" || macAddress === "") return { name: hostName, source: "hostname" };
  const digits = macAddress.toLowerCase().replaceAll(/[:.-]/g, "");
  return { name: createHash("sha256").update(digits).digest("hex"), source: "mac-address" };
}

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
/** An object's name has at most 253 characters, and the beginning is taken. */
const MAX_NAME = 253 - "fencing-credentials-".length;

function problemOf(name: string, byAddress: boolean): Problem | undefined {
  if (name === "")
    return problem(
      "MAN004",
      "Required",
      "",
      "the Secret for this credential requires the host name",
      byAddress ? "set hostName or macAddress" : "set hostName",
    );
  if (SUBDOMAIN.test(name) && name.length <= MAX_NAME) return undefined;
  return problem(
    "MAN004",
    "Invalid",
    "",
    "the host name is not valid in the name of the Secret for this credential",
    `use at most ${MAX_NAME} lowercase letters, digits, '-' and '.', and start and end with a letter or digit`,
  );
}
