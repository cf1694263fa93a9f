/**
 * What the installer refuses of nutanix once it makes machines, although the config alone tells it (openshift/installer
 * pkg/types/nutanix/machinepool.go).
 */

import type { Problem } from "../../core/diagnostics.js";
import { lookup } from "../../core/lookup.js";
import { compareQuantities } from "../../kubernetes/quantities.js";
import { quote } from "../../text/quote.js";
import type { NormalConfig } from "../config.js";
import { rejected } from "../fact-problems.js";
import {
  failureDomain,
  type NutanixDataDisk,
  type NutanixMachinePool,
  nutanixOf,
  type PlacedPool,
  poolsIn,
} from "./config.js";
import { sectionOf } from "./pools.js";

export const FIELD = "platform.nutanix";
/** In bytes. */
const LEAST_DISK = "1Gi";
const BOOT_TYPES = ["Legacy", "UEFI", "SecureBoot"];
const ADAPTERS: Readonly<Record<string, readonly string[]>> = {
  Disk: ["SCSI", "IDE", "PCI", "SATA", "SPAPR"],
  CDRom: ["IDE", "SATA"],
};
const DISK_MODES = ["Standard", "Flash"];

/** Where a member of a pool's merged section was written. */
type At = (member: keyof NutanixMachinePool) => string;

export const writtenAt =
  (config: NormalConfig, { pool, path }: PlacedPool): At =>
  (member) => {
    const isOwn = nutanixOf(config).defaultMachinePlatform?.[member] === undefined;
    const own = pool.platform.nutanix?.[member];
    const here = isOwn || (Array.isArray(own) ? own.length > 0 : own !== undefined && own !== "");
    return `${here ? `${path}.${FIELD}` : `${FIELD}.defaultMachinePlatform`}.${member}`;
  };

/** One problem each, also where several pools inherit what is wrong. */
export const eachOnce = (problems: readonly Problem[]): Problem[] => [
  ...new Map(
    problems.map((each) => [`${each.code} ${each.kind} ${each.field} ${each.message}`, each]),
  ).values(),
];

/** What the installer refuses when it makes machines, although the config alone tells it. */
export const cloudRules = (config: NormalConfig): readonly Problem[] =>
  eachOnce([
    ...poolsIn(config).flatMap((placed) => poolProblems(config, placed)),
    ...architectureProblems(config),
  ]);

/** The release has boot images of one architecture alone. */
const architectureProblems = (config: NormalConfig): Problem[] =>
  nutanixOf(config).clusterOSImage
    ? []
    : poolsIn(config)
        .slice(0, 2)
        .flatMap(({ pool, path }) =>
          pool.architecture === "amd64"
            ? []
            : [
                rejected(
                  "NotSupported",
                  `${path}.architecture`,
                  `this release has no Nutanix boot image for ${pool.architecture}`,
                  "use amd64, or set platform.nutanix.clusterOSImage to your own image",
                ),
              ],
        );

function poolProblems(config: NormalConfig, placed: PlacedPool): Problem[] {
  const section = sectionOf(config, placed);
  const at = writtenAt(config, placed);
  const forbidden = (member: "gpus" | "dataDisks"): Problem[] =>
    (section[member] ?? []).length === 0
      ? []
      : [
          rejected(
            "Forbidden",
            at(member),
            `${member} is not supported for the control plane`,
            "move them to the compute pools",
          ),
        ];
  return [
    ...(section.bootType === undefined || BOOT_TYPES.includes(section.bootType)
      ? []
      : [
          rejected(
            "Invalid",
            at("bootType"),
            `unsupported value ${quote(section.bootType)}`,
            `use ${BOOT_TYPES.join(", ")}`,
          ),
        ]),
    ...projectProblems(section, at("project")),
    ...(section.failureDomains ?? []).flatMap((name, index) =>
      failureDomain(nutanixOf(config), name) === undefined
        ? [
            rejected(
              "Invalid",
              `${at("failureDomains")}[${index}]`,
              `unsupported failure domain ${quote(name)}`,
              "add it to platform.nutanix.failureDomains",
            ),
          ]
        : [],
    ),
    ...(placed.role === "master"
      ? [...forbidden("gpus"), ...forbidden("dataDisks")]
      : [
          ...gpuProblems(section, at("gpus")),
          ...(section.dataDisks ?? []).flatMap((disk, index) =>
            diskProblems(config, section, disk, `${at("dataDisks")}[${index}]`),
          ),
        ]),
  ];
}

function projectProblems({ project }: NutanixMachinePool, field: string): Problem[] {
  if (project === undefined) return [];
  const { type = "" } = project;
  if (type !== "uuid" && type !== "name")
    return [rejected("Invalid", `${field}.type`, `unsupported value ${quote(type)}`, "use uuid or name")];
  return project[type]
    ? []
    : [rejected("Required", `${field}.${type}`, `required value is missing: ${type}`, `add ${type}`)];
}

const gpuProblems = ({ gpus = [] }: NutanixMachinePool, field: string): Problem[] =>
  gpus.flatMap(({ type = "", deviceID, name }, index) => {
    const at = `${field}[${index}]`;
    if (type === "DeviceID")
      return deviceID === undefined
        ? [rejected("Required", `${at}.deviceID`, "required value is missing: deviceID", "add deviceID")]
        : [];
    if (type === "Name")
      return name ? [] : [rejected("Required", `${at}.name`, "required value is missing: name", "add name")];
    return [rejected("Invalid", `${at}.type`, `unsupported value ${quote(type)}`, "use Name or DeviceID")];
  });

function diskProblems(
  config: NormalConfig,
  section: NutanixMachinePool,
  disk: NutanixDataDisk,
  at: string,
): Problem[] {
  const { diskSize = "0", deviceProperties: device, storageConfig: storage, dataSourceImage: image } = disk;
  const lacking = (reference: string, list: "storageContainers" | "dataSourceImages"): string[] =>
    (section.failureDomains ?? []).filter((name) =>
      (failureDomain(nutanixOf(config), name)?.[list] ?? []).every(
        ({ referenceName }) => referenceName !== reference,
      ),
    );
  const unknown = (reference: string, list: "storageContainers" | "dataSourceImages", field: string) => {
    const domains = lacking(reference, list);
    return domains.length === 0
      ? []
      : [
          rejected(
            "Invalid",
            `${field}.referenceName`,
            `unsupported value ${quote(reference)}: not defined in ${domains.join(", ")}`,
            `add it to ${list} of ${domains.length === 1 ? "the failure domain" : "the failure domains"}`,
          ),
        ];
  };
  const container = storage?.storageContainer;
  return [
    ...((compareQuantities(diskSize, LEAST_DISK) ?? -1) < 0
      ? [rejected("Invalid", `${at}.diskSize`, `must be at least ${LEAST_DISK}`, "use a size such as 20Gi")]
      : []),
    ...(device === undefined ? [] : deviceProblems(device, `${at}.deviceProperties`)),
    ...(storage === undefined || DISK_MODES.includes(storage.diskMode ?? "")
      ? []
      : [
          rejected(
            "Invalid",
            `${at}.storageConfig.diskMode`,
            `unsupported value ${quote(storage.diskMode ?? "")}`,
            `use ${DISK_MODES.join(" or ")}`,
          ),
        ]),
    ...(container === undefined
      ? []
      : container.referenceName
        ? unknown(container.referenceName, "storageContainers", `${at}.storageConfig.storageContainer`)
        : container.uuid
          ? []
          : [
              rejected(
                "Required",
                `${at}.storageConfig.storageContainer.uuid`,
                "required value is missing: uuid or referenceName",
                "add one of them",
              ),
            ]),
    ...(image === undefined
      ? []
      : image.referenceName
        ? unknown(image.referenceName, "dataSourceImages", `${at}.dataSourceImage`)
        : image.uuid || image.name
          ? []
          : [
              rejected(
                "Required",
                `${at}.dataSourceImage`,
                "required value is missing: uuid, name or referenceName",
                "add one of them",
              ),
            ]),
    ...[
      { given: container, field: `${at}.storageConfig.storageContainer` },
      { given: image, field: `${at}.dataSourceImage` },
    ].flatMap(({ given, field }) =>
      given?.referenceName && !given.uuid
        ? [
            {
              ...rejected(
                "Required",
                `${field}.uuid`,
                "the MachineSets will have an empty uuid here: the installer does not copy it from the failure domain",
                "set uuid in addition to referenceName, or correct the MachineSets in openshift/",
              ),
              code: "FACT007" as const,
              severity: "warning" as const,
            },
          ]
        : [],
    ),
  ];
}

function deviceProblems(device: NonNullable<NutanixDataDisk["deviceProperties"]>, at: string): Problem[] {
  const { deviceType = "", adapterType = "", deviceIndex = 0 } = device;
  const adapters = lookup(ADAPTERS, deviceType);
  return [
    ...(adapters === undefined
      ? [
          rejected(
            "Invalid",
            `${at}.deviceType`,
            `unsupported device type ${quote(deviceType)}`,
            `use ${Object.keys(ADAPTERS).join(" or ")}`,
          ),
        ]
      : adapters.includes(adapterType)
        ? []
        : [
            rejected(
              "Invalid",
              `${at}.adapterType`,
              `unsupported adapter ${quote(adapterType)} for ${deviceType}`,
              `use ${adapters.join(", ")}`,
            ),
          ]),
    ...(deviceIndex < 0
      ? [rejected("Invalid", `${at}.deviceIndex`, "must not be negative", "use 0 or more")]
      : []),
  ];
}
