/**
 * Objects of Metal3 for a cluster that assisted-service installs: as for any other (infrastructure.ts), but every host
 * belongs to the management cluster, and hosts boot with what the InfraEnv of their machine says of their network
 * (docs/reference/cluster-api.md §8).
 */

import { isList, isObject, type Json, textAt } from "../../core/json.js";
import { problem } from "../../core/problem.js";
import { CLUSTER_NAME_LABEL } from "../../kubernetes/labels.js";
import { formatMac, parseMac } from "../../kubernetes/network.js";
import { NODES } from "../../kubernetes/openshift-assisted.js";
import { isSecretName } from "../../text/redact.js";
import type {
  AssistedInfrastructure,
  InfrastructureInput,
  PlatformInput,
  PlatformModule,
  Rendering,
  RuleContext,
} from "../platform.js";
import type { SupplementItem } from "../supplement.js";
import {
  type AssignedHost,
  assignedHosts,
  baremetalOf,
  FIELD,
  keepsMachines,
  networkConfigOf,
} from "./config.js";
import { baremetalFactsOf } from "./facts.js";
import { API_VERSION, hostObjects, imageOf } from "./infrastructure.js";
import { validateHosts } from "./install-config/rules.js";
import { dns, provider } from "./supplement.js";

function infrastructure(input: InfrastructureInput, context: RuleContext): AssistedInfrastructure {
  const { config, facts, identity, namespace, release } = input;
  const { infraID: name } = identity;
  if (!keepsMachines(config)) validateHosts(config, context);
  const { apiVIPs = [], ingressVIPs = [], additionalNTPServers = [] } = baremetalOf(config);
  const common = { infraID: name, namespace };
  const hosts = assignedHosts(config, release);
  const networks = hosts.flatMap((each) => networkObject(input, each, context));
  const [host = ""] = apiVIPs;
  const image = imageOf(baremetalFactsOf(facts));
  const template = (role: string) => ({
    apiVersion: API_VERSION,
    kind: "Metal3MachineTemplate",
    name: `${name}-${role}`,
    placeholder: false,
  });
  const cluster = { apiVersion: API_VERSION, kind: "Metal3Cluster", name, placeholder: false };
  const pools = config.compute.filter(({ replicas }) => replicas > 0);
  return {
    cluster,
    controlPlane: template("master"),
    compute: (pool) => template(pool.name),
    objects: [
      ...hosts.flatMap((each) => hostObjects(input, each)),
      ...networks,
      {
        template: "infrastructure-manifests/baremetal/40_infrastructure-cluster.yaml",
        path: "40_infrastructure-cluster.yaml",
        view: { ...common, host },
      },
      {
        template: "infrastructure-manifests/baremetal/48_data-template.yaml",
        path: "48_data-template.yaml",
        view: { ...common, name },
      },
      {
        template: "infrastructure-manifests/baremetal/50_machine-template.yaml",
        path: "50_machine-template.yaml",
        view: { ...common, name: `${name}-master`, dataTemplate: name, image },
      },
      ...pools.map((pool) => ({
        template: "infrastructure-manifests/baremetal/51_machine-template-compute.yaml" as const,
        path: `51_machine-template-${pool.name}.yaml`,
        view: { ...common, name: `${name}-${pool.name}`, dataTemplate: name, image },
      })),
    ],
    apiVIPs,
    ingressVIPs,
    timeServers: additionalNTPServers,
    nodes: NODES.get(cluster.kind),
    networks: networks.length === 0 ? undefined : labelsOf(name),
  };
}

const labelsOf = (name: string) => ({ [CLUSTER_NAME_LABEL]: name });

/** The network of a host; every interface of it is found by its MAC address. */
function networkObject(
  { identity, namespace }: InfrastructureInput,
  { host, index }: AssignedHost,
  { report }: RuleContext,
): Rendering[] {
  const config = networkConfigOf(host);
  if (!isObject(config)) return [];
  const interfaces = interfacesOf(config, host.bootMACAddress ?? "");
  if (interfaces.length === 0) {
    report(
      problem(
        "CAPI040",
        "Required",
        `${FIELD}.hosts[${index}].networkConfig`,
        "cannot map the interfaces to MAC addresses, which NMStateConfig requires",
        "set name and mac-address on every Ethernet interface; for a single interface, bootMACAddress is used",
      ),
    );
    return [];
  }
  return [
    {
      template: "infrastructure-manifests/baremetal/46_host-network.yaml",
      path: `46_host-network-${host.name}.yaml`,
      secret: holdsSecret(config),
      view: {
        labels: labelsOf(identity.infraID),
        name: host.name,
        namespace,
        config,
        interfaces,
      },
    },
  ];
}

/** Names and addresses of the hardware's own interfaces; empty where one of them is missing. */
function interfacesOf(network: Json, bootMAC: string): { name: string; macAddress: string }[] {
  const given = isObject(network) ? network["interfaces"] : undefined;
  const own = (isList(given) ? given : []).filter(isObject).filter((each) => {
    const type = textAt(each, "type");
    return type === "ethernet" || type === "";
  });
  const found = own.flatMap((each) => {
    const mac = parseMac(textAt(each, "mac-address") || (own.length === 1 ? bootMAC : ""));
    const name = textAt(each, "name");
    return mac === undefined || name === "" ? [] : [{ name, macAddress: formatMac(mac) }];
  });
  return found.length === own.length ? found : [];
}

/** True where a login stands in the config, such as that of 802.1X. */
const holdsSecret = (value: Json): boolean => {
  if (isList(value)) return value.some(holdsSecret);
  return (
    isObject(value) && Object.entries(value).some(([name, each]) => isSecretName(name) || holdsSecret(each))
  );
};

function supplement(input: PlatformInput): readonly SupplementItem[] {
  return [provider(input), dns(input)];
}

export const assisted: NonNullable<PlatformModule["assisted"]> = { infrastructure, supplement };
