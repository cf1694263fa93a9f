/** The security groups of a cluster, as its IBMVPCCluster names them (data/security-groups.json). */
import { rowsAt, type Span } from "../../../core/by-release.js";
import type { JsonObject } from "../../../core/json.js";
import type { Release } from "../../../core/release.js";
import table from "../data/security-groups.json" with { type: "json" };

/** Direction, protocol, ports and remote, as the table has them. */
type Rule = readonly (string | readonly number[])[];

interface ReleaseRule extends Span {
  readonly group: string;
  readonly rule: Rule;
}

const BY_RELEASE: readonly ReleaseRule[] = table.byRelease;

/** @param subnets names of all subnets of the cluster */
export const securityGroupSpecs = (
  release: Release,
  infraID: string,
  subnets: readonly string[],
  closed: boolean,
): JsonObject[] =>
  Object.entries(table.groups).map(([name, rules]) => ({
    name: `${infraID}-${name}`,
    rules: rulesAt(release, name, rules).map(([direction, protocol, ports, whom]): JsonObject => {
      const [minimumPort, maximumPort] = Array.isArray(ports) ? ports : [];
      const traffic: JsonObject = {
        protocol: String(protocol),
        ...(minimumPort === undefined || maximumPort === undefined
          ? {}
          : { portRange: { minimumPort, maximumPort } }),
        remotes: remotes(infraID, String(whom), subnets, closed),
      };
      return {
        action: "allow",
        direction: String(direction),
        ...(direction === "inbound" ? { source: traffic } : { destination: traffic }),
      };
    }),
  }));

const rulesAt = (release: Release, name: string, rules: readonly Rule[]): readonly Rule[] => [
  ...rules,
  ...rowsAt(BY_RELEASE, release)
    .filter(({ group }) => group === name)
    .map(({ rule }) => rule),
];

function remotes(infraID: string, whom: string, subnets: readonly string[], closed: boolean): JsonObject[] {
  if (whom === "any" || (whom === "bootstrap" && !closed)) return [{ remoteType: "any" }];
  if (whom === "subnets" || whom === "bootstrap")
    return subnets.map((name) => ({ remoteType: "cidr", cidrSubnetName: name }));
  return [{ remoteType: "sg", securityGroupName: `${infraID}-${whom}` }];
}
