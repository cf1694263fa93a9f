/** Where the machines of the control plane go. */
import type { PlatformInput } from "../../platform.js";
import { HOST_GROUP, type VsphereFailureDomain, vsphereOf } from "../config.js";
import { controlPlanePool, domainOf, type Pool } from "../machines/pools.js";

export interface Placement {
  readonly pool: Pool;
  /** The failure domain of each machine. */
  readonly machines: readonly VsphereFailureDomain[];
  /** The failure domains of the machines, each once; the first one is that of the first machine. */
  readonly domains: readonly VsphereFailureDomain[];
  /** True when the provider has to know the failure domains: there are several, or the machines are bound to hosts. */
  readonly zoned: boolean;
  /** The vCenter of the first one, which the cluster's objects name. */
  readonly server: string;
}

export function placement({ config }: Pick<PlatformInput, "config">): Placement {
  const pool = controlPlanePool(config);
  const all = vsphereOf(config).failureDomains ?? [];
  const machines = Array.from({ length: pool.replicas }, (_, index) => domainOf(pool, index, all));
  const domains = [...new Set(machines)];
  return {
    pool,
    machines,
    domains,
    zoned: domains.length > 1 || domains.some(({ zoneType }) => zoneType === HOST_GROUP),
    server: domains[0]?.server ?? "",
  };
}

/** User and password of the cluster's vCenter. */
export function loginOf(input: Pick<PlatformInput, "config">): {
  readonly user: string;
  readonly password: string;
} {
  const { server } = placement(input);
  const { user = "", password = "" } =
    (vsphereOf(input.config).vcenters ?? []).find((each) => each.server === server) ?? {};
  return { user, password };
}
