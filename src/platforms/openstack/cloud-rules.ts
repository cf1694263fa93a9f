/**
 * Rules that the installer checks only once it talks to the cloud, although they need nothing of it (openshift/installer
 * pkg/asset/installconfig/openstack), and one that it breaks off at while it makes machines.
 */

import type { Problem } from "../../core/diagnostics.js";
import { quote } from "../../text/quote.js";
import { parseUri } from "../../text/uri.js";
import type { NormalConfig } from "../config.js";
import { rejected } from "../fact-problems.js";
import { isIPv6Alone, isUuidV4, type OpenstackMachinePool, openstackOf, poolsByField } from "./config.js";
import { listsOf, mergedSection } from "./pools.js";

const FIELD = "platform.openstack";
const LEAST_VOLUME = 25;
const RECOMMENDED_VOLUME = 100;
const MOST_CONTROL_PLANE = 3;

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
          rejected(
            "Invalid",
            `${FIELD}.externalDNS`,
            "forbidden: DNS servers are set only on networks that the installer creates, and controlPlanePort specifies an existing one",
            "set them on the subnet, and remove externalDNS",
          ),
        ]
      : []),
    ...(externalNetwork !== "" && isIPv6Alone(config)
      ? [
          rejected(
            "Invalid",
            `${FIELD}.externalNetwork`,
            "forbidden: an IPv6-only cluster has no floating IP addresses",
            "remove it",
          ),
        ]
      : []),
    ...(["apiFloatingIP", "ingressFloatingIP"] as const).flatMap((name) =>
      (openstack[name] ?? "") !== "" && externalNetwork === ""
        ? [
            rejected(
              "Invalid",
              `${FIELD}.${name}`,
              "required value is missing: a floating IP address requires it",
              "set externalNetwork, or remove the floating IP address",
            ),
          ]
        : [],
    ),
    ...(ingressFloatingIP !== "" && ingressFloatingIP === apiFloatingIP
      ? [
          rejected(
            "Invalid",
            `${FIELD}.ingressFloatingIP`,
            "must differ from the floating IP address of the API",
            "use another one",
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
        rejected(
          "Invalid",
          `${FIELD}.clusterOSImage`,
          `unsupported URL scheme ${quote(uri.scheme)}`,
          `use a URL with the scheme ${SCHEMES.join(" or ")}, or the name of an image`,
        ),
      ];
}

const controlPlane = ({ controlPlane: { replicas } }: NormalConfig): Problem[] =>
  replicas <= MOST_CONTROL_PLANE
    ? []
    : [
        {
          ...rejected(
            "Invalid",
            "controlPlane.replicas",
            `the installer supports at most ${MOST_CONTROL_PLANE} control plane machines, found ${replicas}`,
            `use at most ${MOST_CONTROL_PLANE}, and add machines after the installation`,
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
            rejected(
              "Invalid",
              `${field}.${name}[${index}]`,
              `invalid value ${quote(id)}: must be a version 4 UUID`,
              "use the ID, not the name",
            ),
          ],
    );
  return [
    ...(type === ""
      ? [
          rejected(
            "Required",
            `${field}.type`,
            "required value is missing: no default flavor is set",
            `set type or ${FIELD}.defaultMachinePlatform.type; to list the flavors, run: openstack flavor list`,
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
          rejected(
            "Invalid",
            `${field}.rootVolume.size`,
            `invalid value ${size}: must be at least ${LEAST_VOLUME} GiB`,
            `use ${RECOMMENDED_VOLUME}`,
          ),
        ]
      : size < RECOMMENDED_VOLUME
        ? [
            {
              ...rejected(
                "Invalid",
                `${field}.rootVolume.size`,
                `root volume of ${size} GiB is smaller than the recommended ${RECOMMENDED_VOLUME} GiB`,
                `use ${RECOMMENDED_VOLUME}`,
              ),
              code: "IC349" as const,
              severity: "warning" as const,
            },
          ]
        : []),
    ...(volumes !== 1 && volumes !== machines
      ? [
          rejected(
            "Invalid",
            `${field}.rootVolume.zones`,
            `the root volume has ${volumes} zones, but the pool has ${machines}`,
            "use one zone for all, or one for each zone of the pool",
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
        rejected(
          "Invalid",
          `${field}.${other.what}`,
          `${other.what} has ${other.count} entries, but ${first.what} has ${first.count}`,
          "use one entry for all, or one for each failure domain",
        ),
      ];
}
