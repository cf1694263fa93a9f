/**
 * Fencing of a control plane of two machines (docs/reference/install-config-and-manifests.md §1.7). No value is ever
 * shown.
 */

import { parseMac } from "../../../kubernetes/network.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { namedTraits, platformsWith } from "../../../platforms/registry.js";
import { inForce } from "../../../platforms/release-changes.js";
import { quote } from "../../../text/quote.js";
import { parseUri } from "../../../text/uri.js";

const FIELD = "controlPlane.fencing";
const VERIFICATION = ["", "Enabled", "Disabled"];

export function validateFencing(config: NormalConfig, context: RuleContext): void {
  const { fencing, replicas } = config.controlPlane;
  const credentials = fencing?.credentials ?? [];
  const possible = namedTraits(config).some((traits) => traits.fencing === true);
  if (fencing !== undefined) {
    if (!possible)
      context.report({
        code: "IC188",
        kind: "Forbidden",
        field: FIELD,
        message: "fencing is not possible on this platform",
        hint: `the platforms with fencing are ${platformsWith((traits) => traits.fencing === true)}`,
      });
    validateRequiredAndUnique(credentials, context);
    for (const [i, credential] of credentials.entries())
      validateCredential(credential, `${FIELD}.credentials[${i}]`, context);
  }
  if ((config.arbiter?.replicas ?? 0) > 0) return;
  const wanted = replicas === 2 ? 2 : 0;
  if (credentials.length !== wanted)
    context.report({
      code: "IC188",
      kind: "Forbidden",
      field: `${FIELD}.credentials`,
      at: fencing === undefined ? "controlPlane.replicas" : `${FIELD}.credentials`,
      message:
        wanted === 2
          ? `a control plane of 2 machines needs 2 fencing credentials; there are ${credentials.length}`
          : `fencing credentials are for a control plane of 2 machines; this one has ${replicas}`,
      hint:
        wanted === 2
          ? possible
            ? "give credentials for both machines, add an arbiter, or use 3 machines"
            : "use 3 machines"
          : "leave controlPlane.fencing out, or write controlPlane.replicas: 2",
    });
}

type Credential = NonNullable<NonNullable<NormalConfig["controlPlane"]["fencing"]>["credentials"]>[number];

function validateRequiredAndUnique(
  credentials: readonly Credential[],
  { release, report }: RuleContext,
): void {
  const byMac = inForce(release, "fencingByMac");
  const required = [...(byMac ? [] : (["hostName"] as const)), "username", "password", "address"] as const;
  const unique = [...(byMac ? (["macAddress"] as const) : []), "hostName", "address"] as const;
  const seen = new Set<string>();
  for (const [i, credential] of credentials.entries()) {
    const field = (name: string) => `${FIELD}.credentials[${i}].${name}`;
    for (const name of required)
      if (!credential[name])
        report({
          code: "IC188",
          kind: "Required",
          field: field(name),
          message: `the credential has no ${name}`,
          hint: `add ${name}`,
        });
    for (const name of unique) {
      const value = credential[name];
      if (!value) continue;
      if (seen.has(`${name} ${value}`))
        report({
          code: "IC188",
          kind: "Duplicate",
          field: field(name),
          message: `another credential has the same ${name}`,
          hint: "give each machine its own",
        });
      seen.add(`${name} ${value}`);
    }
  }
}

function validateCredential(credential: Credential, field: string, { release, report }: RuleContext): void {
  if (inForce(release, "fencingByMac")) {
    if (!credential.hostName && !credential.macAddress)
      report({
        code: "IC188",
        kind: "Required",
        field,
        message: "the credential names no machine",
        hint: "add hostName or macAddress",
      });
    if (credential.macAddress) {
      const mac = parseMac(credential.macAddress);
      if (mac?.length !== 6 || ((mac[0] ?? 1) & 1) === 1)
        report({
          code: "IC188",
          kind: "Invalid",
          field: `${field}.macAddress`,
          message:
            mac?.length === 6
              ? "this MAC address is a multicast address"
              : "this is not a MAC address of six bytes",
          hint: 'write an address such as "52:54:00:aa:bb:cc"',
        });
    }
  }
  if (inForce(release, "fencingAddress"))
    validateAddress(credential.address ?? "", `${field}.address`, report);
  const verification = credential.certificateVerification ?? "";
  if (inForce(release, "certificateVerification") && !VERIFICATION.includes(verification))
    report({
      code: "IC188",
      kind: "Invalid",
      field: `${field}[CertificateVerification]`,
      at: `${field}.certificateVerification`,
      message: `certificateVerification cannot be ${quote(verification)}`,
      hint: "write Enabled or Disabled",
    });
}

function validateAddress(address: string, field: string, report: RuleContext["report"]): void {
  if (address === "") return;
  const uri = parseUri(address, "reference");
  const fault =
    uri === undefined
      ? "the address is not a URL"
      : !address.includes("redfish")
        ? "only Redfish can be used for fencing, and the address does not speak of it"
        : uri.port === "" && !/http|redfish/.test(uri.scheme)
          ? "the address has neither a port nor a scheme that implies one"
          : undefined;
  if (fault !== undefined)
    report({
      code: "IC188",
      kind: "Invalid",
      field,
      message: fault,
      hint: "write it as redfish+https://HOST:PORT/redfish/v1/Systems/ID",
    });
}
