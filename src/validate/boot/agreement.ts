/**
 * Keys and names that several files have to agree on: with another root CA, or a server under another name, machines
 * ask for their config for ever (docs/reference/ignition-configs.md §3e, §6 row 7).
 */

import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { type Problem, problem, warning } from "../../core/problem.js";
import type { BootMaterial, Placed, Pointer } from "./material.js";

export const agreementProblems = (material: BootMaterial): Problem[] => [
  ...rootProblems(material),
  ...serverProblems(material),
  ...differing(material.clusterIDs, "the cluster UUID"),
  ...differing(material.infraIDs, "the infrastructure name"),
];

const MIXED = "the files are from different runs; create them again from one state";

function rootProblems({ rootCAs, pointers }: BootMaterial): Problem[] {
  const [first, ...others] = rootCAs;
  if (first === undefined) return [];
  const root = fingerprint(first.text);
  const stranger = (file: string, field: string): Problem =>
    problem("BOOT010", "Invalid", field, `differs from the root CA in ${first.file}`, { file, hint: MIXED });
  return [
    ...others.flatMap(({ file, field, text }) =>
      fingerprints(text).includes(root) ? [] : [stranger(file, field)],
    ),
    ...pointers.flatMap(({ file, source, authorities }) =>
      !isMachineConfigServer(source) || authorities.some((text) => fingerprints(text).includes(root))
        ? []
        : [stranger(file, "ignition.security.tls.certificateAuthorities")],
    ),
  ];
}

/** The port of the machine config server; a pointer that goes elsewhere trusts whom its author likes. */
const isMachineConfigServer = (source: string): boolean => /^https:\/\/[^/]+:22623\//.test(source);

function serverProblems({ rootCAs, servers, pointers }: BootMaterial): Problem[] {
  const root = certificateOf(rootCAs[0]?.text ?? "");
  return servers.flatMap(({ file, field, text }): Problem[] => {
    const certificate = certificateOf(text);
    const refused = (message: string): Problem =>
      problem("BOOT011", "Invalid", field, message, { file, hint: MIXED });
    if (certificate === undefined) return [refused("not a certificate")];
    if (root !== undefined && !certificate.verify(root.publicKey))
      return [
        refused(`the machine config server certificate is not signed by the root CA in ${rootCAs[0]?.file}`),
      ];
    const strangers = pointers.filter(({ source }) => !serves(certificate, source));
    return [...new Map(strangers.map((each) => [hostOf(each), each])).values()].map((pointer) =>
      refused(
        `the machine config server certificate is not valid for ${hostOf(pointer)}, which ${pointer.file} uses`,
      ),
    );
  });
}

/** Pointer configs that send machines to a name of another cluster than the install-config's. */
export const domainProblems = ({ pointers }: BootMaterial, domain: string): Problem[] =>
  pointers.flatMap((pointer): Problem[] => {
    const host = hostOf(pointer);
    if (!isMachineConfigServer(pointer.source) || isIP(host) !== 0 || host === `api-int.${domain}`) return [];
    return [
      warning(
        "BOOT011",
        "Invalid",
        "ignition.config.merge[0].source",
        `machines connect to ${host}, but the cluster in the install-config uses api-int.${domain}`,
        { file: pointer.file, hint: "create the files again if the install-config was changed later" },
      ),
    ];
  });

const hostOf = ({ source }: Pick<Pointer, "source">): string =>
  /^https:\/\/(\[[^\]]*\]|[^/:]*)/.exec(source)?.[1]?.replace(/^\[|\]$/g, "") ?? "";

function serves(certificate: X509Certificate, source: string): boolean {
  if (!isMachineConfigServer(source)) return true;
  const host = hostOf({ source });
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
}

function differing(places: readonly Placed[], what: string): Problem[] {
  const [first, ...others] = places;
  return others.flatMap(({ file, field, text }): Problem[] =>
    first === undefined || text === first.text
      ? []
      : [
          problem(
            "BOOT012",
            "Invalid",
            field,
            `${what} is ${JSON.stringify(text)} here and ${JSON.stringify(first.text)} in ${first.file}`,
            { file, hint: MIXED },
          ),
        ],
  );
}

function certificateOf(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

const fingerprints = (pem: string): string[] => (pem.match(CERTIFICATES) ?? []).map(fingerprint);

const fingerprint = (pem: string): string => certificateOf(pem)?.fingerprint256 ?? "";
