/**
 * Fencing of a control plane of two machines (docs/reference/install-config-and-manifests.md §1.7). No value is ever
 * shown.
 */

import { duplicate, forbidden, HIDDEN, invalid, required, unsupported } from "../../../core/problem.js";
import { parseMac } from "../../../kubernetes/network.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { namedTraits, platformsWith } from "../../../platforms/registry.js";
import { inForce } from "../../../platforms/release-changes.js";

import { parseUri } from "../../../text/uri.js";

const CODE = "IC188";
const FIELD = "controlPlane.fencing";
const VERIFICATION = ["", "Enabled", "Disabled"];

export function validateFencing(config: NormalConfig, context: RuleContext): void {
  const { fencing, replicas } = config.controlPlane;
  const credentials = fencing?.credentials ?? [];
  const possible = namedTraits(config).some((traits) => traits.fencing === true);
  if (fencing !== undefined) {
    if (!possible)
      context.report(
        forbidden(
          CODE,
          FIELD,
          "fencing is not supported on this platform",
          `fencing is supported on ${platformsWith((traits) => traits.fencing === true)}`,
        ),
      );
    validateRequiredAndUnique(credentials, context);
    for (const [i, credential] of credentials.entries())
      validateCredential(credential, `${FIELD}.credentials[${i}]`, context);
  }
  if ((config.arbiter?.replicas ?? 0) > 0) return;
  const wanted = replicas === 2 ? 2 : 0;
  if (credentials.length !== wanted)
    context.report(
      wanted === 2
        ? forbidden(
            CODE,
            `${FIELD}.credentials`,
            `a control plane with 2 replicas requires 2 fencing credentials, found ${credentials.length}`,
            {
              at: fencing === undefined ? "controlPlane.replicas" : `${FIELD}.credentials`,
              hint: possible
                ? "add credentials for both nodes, add an arbiter, or use 3 replicas"
                : "use 3 replicas",
            },
          )
        : forbidden(
            CODE,
            `${FIELD}.credentials`,
            `fencing credentials require a control plane with 2 replicas, found ${replicas}`,
            "remove controlPlane.fencing, or set controlPlane.replicas: 2",
          ),
    );
}

type Credential = NonNullable<NonNullable<NormalConfig["controlPlane"]["fencing"]>["credentials"]>[number];

function validateRequiredAndUnique(
  credentials: readonly Credential[],
  { release, report }: RuleContext,
): void {
  const byMac = inForce(release, "fencingByMac");
  const requiredNames = [
    ...(byMac ? [] : (["hostName"] as const)),
    "username",
    "password",
    "address",
  ] as const;
  const unique = [...(byMac ? (["macAddress"] as const) : []), "hostName", "address"] as const;
  const seen = new Set<string>();
  for (const [i, credential] of credentials.entries()) {
    const field = (name: string) => `${FIELD}.credentials[${i}].${name}`;
    for (const name of requiredNames) if (!credential[name]) report(required(CODE, field(name)));
    for (const name of unique) {
      const value = credential[name];
      if (!value) continue;
      if (seen.has(`${name} ${value}`))
        report(duplicate(CODE, field(name), HIDDEN, `use a different ${name} for each node`));
      seen.add(`${name} ${value}`);
    }
  }
}

function validateCredential(credential: Credential, field: string, { release, report }: RuleContext): void {
  if (inForce(release, "fencingByMac")) {
    if (!credential.hostName && !credential.macAddress)
      report(required(CODE, field, "hostName or macAddress"));
    if (credential.macAddress) {
      const mac = parseMac(credential.macAddress);
      if (mac?.length !== 6 || ((mac[0] ?? 1) & 1) === 1)
        report(
          invalid(
            CODE,
            `${field}.macAddress`,
            HIDDEN,
            mac?.length === 6 ? "must not be a multicast address" : "must be a MAC address of 6 bytes",
            'use an address such as "52:54:00:aa:bb:cc"',
          ),
        );
    }
  }
  if (inForce(release, "fencingAddress"))
    validateAddress(credential.address ?? "", `${field}.address`, report);
  const verification = credential.certificateVerification ?? "";
  if (inForce(release, "certificateVerification") && !VERIFICATION.includes(verification))
    report(
      unsupported(CODE, `${field}[CertificateVerification]`, verification, VERIFICATION.slice(1), {
        kind: "Invalid",
        at: `${field}.certificateVerification`,
      }),
    );
}

function validateAddress(address: string, field: string, report: RuleContext["report"]): void {
  if (address === "") return;
  const uri = parseUri(address, "reference");
  const must =
    uri === undefined
      ? "must be a URL"
      : !address.includes("redfish")
        ? "must be a Redfish address"
        : uri.port === "" && !/http|redfish/.test(uri.scheme)
          ? "must have a port, or a scheme that implies one"
          : undefined;
  if (must !== undefined)
    report(
      invalid(CODE, field, HIDDEN, must, "use the form redfish+https://HOST:PORT/redfish/v1/Systems/ID"),
    );
}
