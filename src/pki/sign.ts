/** Certificates of the graph: from an entry, its key and its signer to PEM (docs/reference/ignition-configs.md §1). */
import ipaddr from "ipaddr.js";
import { type KeyUsage, readCertificate, type Signer, signCertificate } from "./certificate.js";
import {
  type LeafEntry,
  MEDIA_SERVER,
  type NameSource,
  pkiEntry,
  type SignerEntry,
  type Validity,
} from "./graph.js";
import type { Keys } from "./keys.js";

/** What names in server certificates come from. */
export interface NameInput {
  /** `<name>.<baseDomain>`. */
  readonly domain: string;
  readonly apiVips: readonly string[];
  /** First block of networking.serviceNetwork. */
  readonly serviceNetwork: string;
}

/** A private key with its certificate, both PEM. */
export interface CertifiedKey {
  readonly key: string;
  readonly certificate: string;
}

const HOUR = 3_600_000;

/** Validity in hours. */
const HOURS: Readonly<Record<Validity, number>> = { day: 24, year: 365 * 24, "ten years": 3650 * 24 };

/** What the gate ShortCertRotation makes of a day and a year, in hours. */
export interface ShortRotation {
  readonly day: number;
  readonly year: number;
}

/** Since 4.20; release 4.19 halves both (openshift/installer pkg/asset/tls/tls.go, branches release-4.19 and later). */
export const SHORT_ROTATION: ShortRotation = { day: 2, year: 4 };
export const FIRST_SHORT_ROTATION: ShortRotation = { day: 1, year: 2 };

export interface Period {
  readonly now: Date;
  /** The gate ShortCertRotation; true for the hours of 4.20 and later. */
  readonly short?: boolean | ShortRotation;
}

const SIGNER_USAGE: readonly KeyUsage[] = ["digitalSignature", "keyEncipherment", "certSign"];
const LEAF_USAGE: readonly KeyUsage[] = ["digitalSignature", "keyEncipherment"];

/** A self-signed CA, valid from now. */
export function certifySigner(entry: SignerEntry, key: string, period: Period): CertifiedKey {
  const certificate = signCertificate(
    {
      subject: entry.subject,
      isCA: true,
      keyUsage: SIGNER_USAGE,
      extendedKeyUsage: [],
      dnsNames: [],
      ipAddresses: [],
      notBefore: period.now,
      notAfter: end(entry.validity, period),
    },
    key,
  );
  return { key, certificate };
}

/** A leaf, valid from the day of its CA; where the entry asks for the chain, the CA follows after an empty line. */
export function certifyLeaf(
  entry: LeafEntry,
  key: string,
  signer: Signer,
  names: NameInput,
  period: Period,
): CertifiedKey {
  const alternatives = subjectAltNames(entry.names, names);
  const certificate = signCertificate(
    {
      subject: entry.subject,
      isCA: false,
      keyUsage: entry.keyUsage ? LEAF_USAGE : [],
      extendedKeyUsage: entry.extendedKeyUsage,
      ...alternatives,
      notBefore: readCertificate(signer.certificate).notBefore,
      notAfter: end(entry.validity, period),
    },
    key,
    signer,
  );
  return { key, certificate: entry.chain ? `${certificate}\n${signer.certificate}` : certificate };
}

/** The pair of row 25, for platforms whose bootstrap node serves media to hosts. */
export function certifyMediaServer(key: string, period: Period): CertifiedKey {
  const certificate = signCertificate(
    {
      subject: MEDIA_SERVER.subject,
      isCA: false,
      keyUsage: LEAF_USAGE,
      extendedKeyUsage: [],
      dnsNames: [],
      ipAddresses: [],
      notBefore: period.now,
      notAfter: end(MEDIA_SERVER.validity, period),
    },
    key,
  );
  return { key, certificate };
}

/**
 * Root CA and machine-config-server pair, which the manifests phase needs; neither expires with the day. A root CA
 * that is there already is kept.
 */
export function certifyManifestsPki(
  keys: Pick<Keys, "root-ca" | "machine-config-server">,
  names: NameInput,
  period: Period,
  existing?: CertifiedKey,
): { readonly rootCA: CertifiedKey; readonly machineConfigServer: CertifiedKey } {
  const [root, server] = [pkiEntry("root-ca"), pkiEntry("machine-config-server")];
  if (root.kind !== "signer" || server.kind !== "leaf") throw new Error("the table has changed its kinds");
  const rootCA = existing ?? certifySigner(root, keys["root-ca"], period);
  const machineConfigServer = certifyLeaf(server, keys["machine-config-server"], rootCA, names, period);
  return { rootCA, machineConfigServer };
}

function end(validity: Validity, { now, short = false }: Period): Date {
  const rotation = short === true ? SHORT_ROTATION : short;
  const hours = rotation === false ? HOURS : { ...HOURS, ...rotation };
  return new Date(now.getTime() + hours[validity] * HOUR);
}

const SERVICES = ["kubernetes", "openshift"];
const SERVICE_SUFFIXES = ["", ".default", ".default.svc", ".default.svc.cluster.local"];

/**
 * DNS and IP names of a server (docs/reference/ignition-configs.md §1b). A virtual IP stands under both, since old
 * clients compare it as text.
 */
export function subjectAltNames(
  source: NameSource | undefined,
  { domain, apiVips, serviceNetwork }: NameInput,
): { readonly dnsNames: readonly string[]; readonly ipAddresses: readonly string[] } {
  switch (source) {
    case undefined:
      return { dnsNames: [], ipAddresses: [] };
    case "machine-config-server":
      return { dnsNames: [`api-int.${domain}`, ...apiVips], ipAddresses: apiVips };
    case "internal-release-image":
      return {
        dnsNames: ["localhost", `api-int.${domain}`, ...apiVips],
        ipAddresses: [...apiVips, "127.0.0.1", "::1"],
      };
    case "localhost":
      return { dnsNames: ["localhost"], ipAddresses: ["127.0.0.1", "::1"] };
    case "service-network":
      return {
        dnsNames: SERVICES.flatMap((service) => SERVICE_SUFFIXES.map((suffix) => service + suffix)),
        ipAddresses: [firstHost(serviceNetwork)],
      };
    case "api":
      return { dnsNames: [`api.${domain}`], ipAddresses: [] };
    case "api-int":
      return { dnsNames: [`api-int.${domain}`], ipAddresses: [] };
  }
}

/** The address after the network's own. */
function firstHost(cidr: string): string {
  const [address, length] = ipaddr.parseCIDR(cidr);
  const bytes = address.toByteArray();
  const network = bytes.map((byte, index) => byte & mask(length - 8 * index));
  for (let index = network.length - 1; index >= 0; index--) {
    const next = ((network[index] ?? 0) + 1) % 256;
    network[index] = next;
    if (next !== 0) break;
  }
  return ipaddr.fromByteArray(network).toString();
}

const mask = (bits: number): number => (bits >= 8 ? 255 : bits <= 0 ? 0 : 256 - 2 ** (8 - bits));
