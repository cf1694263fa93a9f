/**
 * Rules of the cluster's security groups (docs/reference/cluster-api.md §5.1; table in
 * src/platforms/aws/data/ingress-rules.json).
 */

import { rowsAt, type Span } from "../../../core/by-release.js";
import type { Release } from "../../../core/release.js";
import type { View } from "../../../text/render.js";
import type { NormalConfig } from "../../config.js";
import { awsOf, isDualStack, publishesExternally } from "../config.js";
import table from "../data/ingress-rules.json" with { type: "json" };
import { has } from "../tables.js";

const ANY_IPV4 = "0.0.0.0/0";
const ANY_IPV6 = "::/0";

interface Row extends Span {
  readonly description: string;
  readonly protocol: string;
  readonly ports: readonly number[];
  readonly from?: readonly string[];
  readonly dualStack?: boolean;
}

interface Source {
  readonly blocks?: readonly string[];
  readonly roles?: readonly string[];
}

/** View of the template of a rule: one source, either address blocks of both families or security groups. */
function rule(row: Row, source: Source): View {
  const [fromPort = 0, toPort = 0] = row.ports;
  const isIPv6 = (block: string): boolean => block.includes(":");
  const some = (blocks: readonly string[]): readonly string[] | undefined =>
    blocks.length > 0 ? blocks : undefined;
  return {
    description: row.description,
    protocol: row.protocol,
    fromPort,
    toPort,
    cidrBlocks: some((source.blocks ?? []).filter((block) => !isIPv6(block))),
    ipv6CidrBlocks: some((source.blocks ?? []).filter(isIPv6)),
    roles: source.roles,
  };
}

/** What may pass between all machines of the cluster. */
export function clusterRules(config: NormalConfig, release: Release): readonly View[] {
  const rows: readonly Row[] = table.cluster;
  const dualStack = isDualStack(awsOf(config));
  return rowsAt(rows, release)
    .filter((row) => dualStack || row.dualStack !== true)
    .map((row) => rule(row, {}));
}

/** Machine networks that rules name: all of them, in older releases the first alone. */
export const ruleNetworks = (config: NormalConfig, release: Release): readonly string[] => {
  const networks = config.networking.machineNetwork.map(({ cidr }) => cidr).filter((cidr) => cidr !== "");
  return has(release, "everyMachineNetwork") ? networks : networks.slice(0, 1);
};

interface ControlPlaneRow extends Row {
  readonly from: readonly string[];
  readonly bootstrap?: boolean;
}

function controlPlaneRows(release: Release): readonly ControlPlaneRow[] {
  const rows: readonly ControlPlaneRow[] = table.controlPlane;
  return rowsAt(rows, release);
}

const everywhere = (config: NormalConfig): readonly string[] =>
  isDualStack(awsOf(config)) ? [ANY_IPV4, ANY_IPV6] : [ANY_IPV4];

/** What may reach the control plane beside that; the last rules go when the bootstrap machine has gone. */
export const controlPlaneRules = (config: NormalConfig, release: Release): readonly View[] => [
  ...controlPlaneRows(release).map((row) => rule(row, { roles: row.from })),
  rule(table.bootstrapSsh, {
    blocks: publishesExternally(config) ? everywhere(config) : ruleNetworks(config, release),
  }),
];

/** What may reach the internal load balancer; the API too when there is no other. */
export const internalLoadBalancerRules = (config: NormalConfig): readonly View[] => [
  rule(table.machineConfigServer, { roles: table.machineConfigServer.from }),
  ...(publishesExternally(config) ? [] : [rule(table.privateApi, { blocks: everywhere(config) })]),
];

export const externalLoadBalancerRules = (config: NormalConfig): readonly View[] => [
  rule(table.publicApi, { blocks: everywhere(config) }),
];

/** Descriptions of the rules that only the bootstrap machine needs. */
export const bootstrapRules = (release: Release): readonly string[] => [
  table.bootstrapSsh.description,
  ...controlPlaneRows(release).flatMap(({ bootstrap, description }) => (bootstrap ? [description] : [])),
];
