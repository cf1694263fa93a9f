/**
 * What the installer refuses, or stumbles over, when it makes the manifests, although the install-config alone tells it
 * (openshift/installer pkg/asset/machines/vsphere, pkg/asset/manifests/vsphere/infrastructure.go, pkg/utils/vmware.go).
 */

import type { Problem } from "../../../core/diagnostics.js";
import { problem, warning } from "../../../core/problem.js";
import type { NormalConfig } from "../../config.js";
import { isGenerated, topologyOf, vsphereOf } from "../config.js";
import { validateDataDisks } from "../install-config/pool-rules.js";
import { computePools, controlPlanePool } from "../machines/pools.js";

const FIELD = "platform.vsphere";
/** Half of the ports that TCP has: what the field in Infrastructure allows. */
const HIGHEST_PORT = 32767;

const refused = (field: string, message: string, hint: string): Problem =>
  problem("FACT008", "Invalid", field, message, hint);

export const cloudRules = (config: NormalConfig): Problem[] => [
  ...unknownZones(config),
  ...unknownVcenters(config),
  ...missingNetworks(config),
  ...emptyNames(config),
  ...unusablePorts(config),
  ...bootstrapAddresses(config),
  ...emptyNameservers(config),
  ...commonDisks(config),
  ...architectures(config),
];

/** Releases have boot images of one architecture alone (openshift/installer pkg/asset/rhcos/image.go, 8014c32032). */
const architectures = (config: NormalConfig): Problem[] =>
  (vsphereOf(config).clusterOSImage ?? "") !== ""
    ? []
    : [
        { pool: config.controlPlane, path: "controlPlane" },
        ...config.compute.slice(0, 1).map((pool) => ({ pool, path: "compute[0]" })),
      ].flatMap(({ pool, path }) =>
        pool.architecture === "amd64"
          ? []
          : [
              {
                ...refused(
                  `${path}.architecture`,
                  `this release has no vSphere boot image for ${pool.architecture}`,
                  `use amd64, or set ${FIELD}.clusterOSImage to your own image`,
                ),
                kind: "NotSupported",
              },
            ],
      );

/** A text without an address in it passes, and makes a machine that no API server takes. */
const emptyNameservers = (config: NormalConfig): Problem[] =>
  (vsphereOf(config).hosts ?? []).flatMap(({ networkDevice: { nameservers = [] } = {} }, host) =>
    nameservers.flatMap((text, index) =>
      text === ""
        ? [
            problem(
              "IC342",
              "Invalid",
              `${FIELD}.hosts[${host}].networkDevice.nameservers[${index}]`,
              "must not be empty",
              "set an address, or remove the entry",
            ),
          ]
        : [],
    ),
  );

/** Data disks of defaultMachinePlatform, which no rule looks at; the cluster refuses the machines. */
function commonDisks(config: NormalConfig): Problem[] {
  const problems: Problem[] = [];
  validateDataDisks(vsphereOf(config).defaultMachinePlatform ?? {}, `${FIELD}.defaultMachinePlatform`, {
    report: ({ at, ...problem }) => problems.push(at === undefined ? problem : { ...problem, field: at }),
  });
  return problems;
}

/** Zones of defaultMachinePlatform, which no rule looks at. */
function unknownZones(config: NormalConfig): Problem[] {
  const names = (vsphereOf(config).failureDomains ?? []).map(({ name = "" }) => name);
  const unknown = [controlPlanePool(config), ...computePools(config)].flatMap((pool) => pool.unknown);
  return [...new Set(unknown)].map((zone) =>
    refused(
      `${FIELD}.defaultMachinePlatform.zones`,
      `unsupported failure domain ${JSON.stringify(zone)}`,
      `use ${names.join(", ")}, or remove zones`,
    ),
  );
}

/** Up to 4.21 one failure domain of a listed vCenter is enough for the rules; the machines of the others have none. */
function unknownVcenters(config: NormalConfig): Problem[] {
  const { failureDomains = [], vcenters = [] } = vsphereOf(config);
  const servers = vcenters.map(({ server = "" }) => server);
  const used = [controlPlanePool(config), ...computePools(config)].flatMap((pool) => pool.zones);
  return failureDomains.flatMap((domain, index) =>
    servers.includes(domain.server ?? "") || !used.includes(domain)
      ? []
      : [
          refused(
            `${FIELD}.failureDomains[${index}].server`,
            `unsupported vCenter ${JSON.stringify(domain.server ?? "")}`,
            `use ${servers.join(" or ")}, or list the vCenter in vcenters`,
          ),
        ],
  );
}

/**
 * An install-config of old passes without a network. With a compute cluster beside it, it is usual where people start the
 * machines and remove those that the manifests describe.
 */
function missingNetworks(config: NormalConfig): Problem[] {
  const { failureDomains = [], hosts } = vsphereOf(config);
  return failureDomains.flatMap((domain, index) => {
    const { networks = [], computeCluster = "" } = topologyOf(domain);
    if ((networks[0] ?? "") !== "" || (computeCluster === "" && hosts === undefined)) return [];
    const field = `${FIELD}.failureDomains[${index}].topology.networks`;
    if (!isGenerated(domain) || networks.length === 0 || hosts !== undefined)
      return [refused(field, "required value is missing", "set the names of its networks")];
    return [
      {
        ...refused(
          field,
          "required value is missing: the machines in the manifests need a network",
          `set ${FIELD}.network, unless you create the machines yourself (machine management none)`,
        ),
        severity: "warning",
      },
    ];
  });
}

/** Names that are an empty text pass, and make an Infrastructure that no API server takes. */
function emptyNames(config: NormalConfig): Problem[] {
  const { failureDomains = [], vcenters = [] } = vsphereOf(config);
  const lists: readonly (readonly [field: string, names: readonly string[]])[] = [
    ...vcenters.map(
      ({ datacenters = [] }, index) => [`vcenters[${index}].datacenters`, datacenters] as const,
    ),
    // The first network is looked at above.
    ...failureDomains.map((domain, index) => {
      const [, ...further] = topologyOf(domain).networks ?? [];
      return [`failureDomains[${index}].topology.networks`, ["first", ...further]] as const;
    }),
  ];
  return lists.flatMap(([field, names]) =>
    names.flatMap((name, index) =>
      name === ""
        ? [refused(`${FIELD}.${field}[${index}]`, "must not be empty", "set the name, or remove the entry")]
        : [],
    ),
  );
}

/** Ports that the installer never looks at, and that Infrastructure cannot hold (openshift/api config/v1 types_infrastructure.go). */
const unusablePorts = (config: NormalConfig): Problem[] =>
  (vsphereOf(config).vcenters ?? []).flatMap(({ port = 0 }, index) =>
    port < 0 || port > HIGHEST_PORT
      ? [
          refused(
            `${FIELD}.vcenters[${index}].port`,
            `invalid value ${port}: the cluster cannot store this port`,
            `use a port from 1 to ${HIGHEST_PORT}, or remove it for 443`,
          ),
        ]
      : [],
  );

/**
 * The installer looks for a gateway for each address of the bootstrap machine, and there is one. It does so when it makes
 * the machines of `create cluster`, not with the manifests (pkg/utils/vmware.go, ConstructKargsFromNetworkConfig).
 */
function bootstrapAddresses(config: NormalConfig): Problem[] {
  return (vsphereOf(config).hosts ?? []).flatMap(({ role, networkDevice: { ipAddrs = [] } = {} }, index) =>
    role === "bootstrap" && ipAddrs.length > 1
      ? [
          warning(
            "FACT008",
            "Invalid",
            `${FIELD}.hosts[${index}].networkDevice.ipAddrs`,
            "openshift-install create cluster would fail: the bootstrap machine has several static addresses",
            "keep one address",
          ),
        ]
      : [],
  );
}
