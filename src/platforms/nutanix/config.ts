/** The nutanix section of an install-config, and what follows from it alone. */
import { factsAt } from "../../core/by-release.js";
import type {
  NutanixDataDisk,
  NutanixFailureDomain,
  NutanixMachinePool,
  NutanixPlatform,
} from "../../generated/types/install-config.js";
import type { NormalConfig, NormalPool } from "../config.js";
import features from "./data/features.json" with { type: "json" };

export type { NutanixDataDisk, NutanixFailureDomain, NutanixMachinePool, NutanixPlatform };

/** True when the installer of the release does what the feature says (data/features.json). */
export const has = factsAt(features.features);

/** The nutanix section; a config of another platform has none, which is a bug here. */
export function nutanixOf(config: NormalConfig): NutanixPlatform {
  const { nutanix } = config.platform;
  if (nutanix === undefined) throw new Error("the install-config has no section platform.nutanix");
  return nutanix;
}

/** The Prism Element of the platform itself; exactly one is legal. */
export const prismElement = ({ prismElements }: NutanixPlatform) => prismElements?.[0] ?? {};

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

export const endpointOf = (given: { readonly address?: string; readonly port?: number } = {}): Endpoint => ({
  address: given.address ?? "",
  port: given.port ?? 0,
});

export const prismCentral = ({ prismCentral: central }: NutanixPlatform): Endpoint =>
  endpointOf(central?.endpoint);

/** A failure domain by its name; of two with one name the first. */
export const failureDomain = (
  { failureDomains }: NutanixPlatform,
  name: string,
): NutanixFailureDomain | undefined => failureDomains?.find((each) => each.name === name);

/** What names something of Prism in an object by its UUID. */
export const byUuid = (uuid: string) => ({ type: "uuid", uuid });

/** Where a pool stands in the config. */
export interface PlacedPool {
  readonly pool: NormalPool;
  /** Field of the pool, such as `compute[0]`. */
  readonly path: string;
  readonly role: "master" | "worker";
}

/** The pools that machines are made of. */
export const poolsIn = ({ controlPlane, compute }: NormalConfig): readonly PlacedPool[] => [
  { pool: controlPlane, path: "controlPlane", role: "master" },
  ...compute.map((pool, index): PlacedPool => ({ pool, path: `compute[${index}]`, role: "worker" })),
];

/** Name of the Prism category that everything of a cluster is put into. */
export const clusterCategory = (infraID: string): string => `kubernetes-io-cluster-${infraID}`;

/** The boot image: one that is in Prism Central already, or the one that is uploaded for the cluster. */
export const imageName = ({ preloadedOSImageName }: NutanixPlatform, infraID: string): string =>
  preloadedOSImageName || `${infraID}-rhcos`;
