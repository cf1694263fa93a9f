/** The load balancers of a cluster and the pools behind them (openshift/installer pkg/asset/manifests/ibmcloud/loadbalancers.go). */
import type { JsonObject } from "../../../core/json.js";
import type { PlatformInput } from "../../platform.js";
import { isPrivate } from "../config.js";
import { machineConfigPool, privateLoadBalancer, publicLoadBalancer } from "../names.js";

const API_PORT = 6443;
const MACHINE_CONFIG_PORT = 22623;

/** The API behind a private load balancer, beside the configs of machines; a published cluster has a public one too. */
export function loadBalancers({ config, identity }: PlatformInput, subnets: readonly string[]): JsonObject[] {
  const { infraID } = identity;
  const of = (name: string, open: boolean, pools: readonly BackendPool[]): JsonObject => ({
    name,
    public: open,
    additionalListeners: pools.map((pool) => ({
      defaultPoolName: pool.name,
      port: pool.port,
      protocol: "tcp",
      selector: {},
    })),
    backendPools: pools.map((pool) => ({
      name: pool.name,
      algorithm: "round_robin",
      protocol: "tcp",
      healthMonitor: { delay: 60, retries: 5, timeout: 30, type: pool.check, urlPath: "/readyz" },
    })),
    securityGroups: [{ name: `${infraID}-sg-kube-api-lb` }],
    subnets: subnets.map((subnet) => ({ name: subnet })),
  });
  return poolsByLoadBalancer(infraID, isPrivate(config)).map(({ name, open, pools }) =>
    of(name, open, pools),
  );
}

export interface BackendPool {
  readonly name: string;
  readonly port: number;
  readonly check: "https" | "tcp";
}

export interface LoadBalancer {
  readonly name: string;
  readonly open: boolean;
  readonly pools: readonly BackendPool[];
}

export function poolsByLoadBalancer(infraID: string, closed: boolean): readonly LoadBalancer[] {
  const inner = privateLoadBalancer(infraID);
  const outer = publicLoadBalancer(infraID);
  return [
    {
      name: inner,
      open: false,
      pools: [
        { name: inner, port: API_PORT, check: "https" },
        { name: machineConfigPool(infraID), port: MACHINE_CONFIG_PORT, check: "tcp" },
      ],
    },
    ...(closed
      ? []
      : [{ name: outer, open: true, pools: [{ name: outer, port: API_PORT, check: "https" } as const] }]),
  ];
}
