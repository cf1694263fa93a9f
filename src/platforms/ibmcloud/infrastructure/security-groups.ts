/** The security groups of a cluster, as its IBMVPCCluster names them (data/security-groups.json). */
import type { JsonObject } from "../../../core/json.js";
import table from "../data/security-groups.json" with { type: "json" };

/** @param subnets names of all subnets of the cluster */
export const securityGroupSpecs = (
  infraID: string,
  subnets: readonly string[],
  closed: boolean,
): JsonObject[] =>
  Object.entries(table.groups).map(([name, rules]) => ({
    name: `${infraID}-${name}`,
    rules: rules.map(([direction, protocol, ports, whom]): JsonObject => {
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

function remotes(infraID: string, whom: string, subnets: readonly string[], closed: boolean): JsonObject[] {
  if (whom === "any" || (whom === "bootstrap" && !closed)) return [{ remoteType: "any" }];
  if (whom === "subnets" || whom === "bootstrap")
    return subnets.map((name) => ({ remoteType: "cidr", cidrSubnetName: name }));
  return [{ remoteType: "sg", securityGroupName: `${infraID}-${whom}` }];
}
