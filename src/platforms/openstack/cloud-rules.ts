/**
 * Rules that the installer checks only once it talks to the cloud, although they need nothing of it (openshift/installer
 * pkg/asset/installconfig/openstack), and one that it breaks off at while it makes machines.
 */

import type { Problem } from "../../core/diagnostics.js";
import { problem } from "../../core/problem.js";
import { quote } from "../../text/quote.js";
import { parseUri } from "../../text/uri.js";
import type { NormalConfig } from "../config.js";
import { isIPv6Alone, isUuidV4, type OpenstackMachinePool, openstackOf, poolsByField } from "./config.js";
import { listsOf, mergedSection } from "./pools.js";

const FIELD = "platform.openstack";
const LEAST_VOLUME = 25;
const RECOMMENDED_VOLUME = 100;
const MOST_CONTROL_PLANE = 3;

const refused = (kind: Problem["kind"], field: string, message: string, hint: string): Problem =>
  problem("FACT008", kind, field, message, hint);

export const cloudRules = (config: NormalConfig): Problem[] => [
  ...network(config),
  ...image(config),
  ...controlPlane(config),
  ...poolsByField(config).flatMap(({ pool, field }) =>
    poolRules(mergedSection(config, pool), `${field}.platform.openstack`),
  ),
];

function network(config: NormalConfig): Problem[] {
  const { externalDNS = [], controlPlanePort, externalNetwork = "", ...openstack } = openstackOf(config);
  const { apiFloatingIP = "", ingressFloatingIP = "" } = openstack;
  return [
    ...(controlPlanePort !== undefined && externalDNS.length > 0
      ? [
          refused(
            "Invalid",
            `${FIELD}.externalDNS`,
            "DNS servers are given to a network that is made, and controlPlanePort names one of your own",
            "set them on the subnet, and leave externalDNS out",
          ),
        ]
      : []),
    ...(externalNetwork !== "" && isIPv6Alone(config)
      ? [
          refused(
            "Invalid",
            `${FIELD}.externalNetwork`,
            "a cluster with IPv6 alone has no external network: there are no floating IPs of IPv6",
            "remove it",
          ),
        ]
      : []),
    ...(["apiFloatingIP", "ingressFloatingIP"] as const).flatMap((name) =>
      (openstack[name] ?? "") !== "" && externalNetwork === ""
        ? [
            refused(
              "Invalid",
              `${FIELD}.${name}`,
              "a floating IP needs the external network that it is of",
              "set externalNetwork, or leave the floating IP out",
            ),
          ]
        : [],
    ),
    ...(ingressFloatingIP !== "" && ingressFloatingIP === apiFloatingIP
      ? [
          refused(
            "Invalid",
            `${FIELD}.ingressFloatingIP`,
            "the routes cannot have the floating IP of the API",
            "write another one",
          ),
        ]
      : []),
  ];
}

/** The installer uploads images from these addresses. */
const SCHEMES = ["http", "https", "file"];

function image(config: NormalConfig): Problem[] {
  const { clusterOSImage = "" } = openstackOf(config);
  const uri = clusterOSImage === "" ? undefined : parseUri(clusterOSImage, "request");
  return uri === undefined || SCHEMES.includes(uri.scheme)
    ? []
    : [
        refused(
          "Invalid",
          `${FIELD}.clusterOSImage`,
          `an image cannot be taken from an address of the scheme ${quote(uri.scheme)}`,
          `write an address of ${SCHEMES.join(", ")}, or the name of an image`,
        ),
      ];
}

const controlPlane = ({ controlPlane: { replicas } }: NormalConfig): Problem[] =>
  replicas <= MOST_CONTROL_PLANE
    ? []
    : [
        {
          ...refused(
            "Invalid",
            "controlPlane.replicas",
            `the installer provisions no more than ${MOST_CONTROL_PLANE} control plane machines; ${replicas} come up by these objects alone`,
            `write ${MOST_CONTROL_PLANE}, and add machines after the installation`,
          ),
          severity: "warning",
        },
      ];

function poolRules(section: OpenstackMachinePool, field: string): Problem[] {
  const { type = "", zones = [], rootVolume } = section;
  const uuids = (name: "additionalNetworkIDs" | "additionalSecurityGroupIDs"): Problem[] =>
    (section[name] ?? []).flatMap((id, index) =>
      isUuidV4(id)
        ? []
        : [
            refused(
              "Invalid",
              `${field}.${name}[${index}]`,
              `${quote(id)} is not a UUID of version 4`,
              "write the identifier, not the name",
            ),
          ],
    );
  return [
    ...(type === ""
      ? [
          refused(
            "Required",
            `${field}.type`,
            "the machines have no flavor, and there is no default",
            `set type, or ${FIELD}.defaultMachinePlatform.type; openstack flavor list shows the flavors`,
          ),
        ]
      : []),
    ...(rootVolume === undefined ? [] : volumeRules(rootVolume, zones, field)),
    ...lengths(section, field),
    ...uuids("additionalNetworkIDs"),
    ...uuids("additionalSecurityGroupIDs"),
  ];
}

function volumeRules(
  { size = 0, zones: volumeZones = [] }: NonNullable<OpenstackMachinePool["rootVolume"]>,
  zones: readonly string[],
  field: string,
): Problem[] {
  // A pool without zones has one, the cloud's choice, and so has its root volume.
  const [machines, volumes] = [zones, volumeZones].map((list) => Math.max(1, list.length));
  return [
    ...(size < LEAST_VOLUME
      ? [
          refused(
            "Invalid",
            `${field}.rootVolume.size`,
            `a root volume has at least ${LEAST_VOLUME} GiB, and this one ${size}`,
            `write ${RECOMMENDED_VOLUME}`,
          ),
        ]
      : size < RECOMMENDED_VOLUME
        ? [
            {
              ...refused(
                "Invalid",
                `${field}.rootVolume.size`,
                `${RECOMMENDED_VOLUME} GiB are recommended for a root volume, and this one has ${size}`,
                `write ${RECOMMENDED_VOLUME}`,
              ),
              code: "IC349" as const,
              severity: "warning" as const,
            },
          ]
        : []),
    ...(volumes !== 1 && volumes !== machines
      ? [
          refused(
            "Invalid",
            `${field}.rootVolume.zones`,
            `there are ${volumes} zones of root volumes for ${machines} of machines`,
            "write one zone for all, or one for each zone of the pool",
          ),
        ]
      : []),
  ];
}

/** What is listed by failure domain is as long as the longest list, or one entry for all. */
function lengths(section: OpenstackMachinePool, field: string): Problem[] {
  const several = listsOf(section).filter(({ count }) => count > 1);
  const [first] = several;
  const other = several.find(({ count }) => count !== first?.count);
  const isTold = [first?.what, other?.what].join() === "zones,rootVolume.zones";
  return first === undefined || other === undefined || isTold
    ? []
    : [
        refused(
          "Invalid",
          `${field}.${other.what}`,
          `${other.what} has ${other.count} entries, and ${first.what} has ${first.count}`,
          "write one entry for all, or one for each failure domain",
        ),
      ];
}
