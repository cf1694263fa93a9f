/**
 * Offline facts of nutanix, what is refused once machines are made, and where facts and install-config contradict each
 * other (openshift/installer pkg/types/nutanix/machinepool.go, pkg/asset/installconfig/nutanix/validation.go,
 * pkg/asset/rhcos/image.go).
 */
import type { Problem } from "../../core/diagnostics.js";
import { isObject, type Json, type JsonObject } from "../../core/json.js";
import { lookup } from "../../core/lookup.js";
import type { CloudFacts } from "../../generated/types/cloud-facts.js";
import { compareQuantities } from "../../kubernetes/quantities.js";
import { quote } from "../../text/quote.js";
import type { NormalConfig } from "../config.js";
import { otherSystem } from "../coreos-stream.js";
import { inFacts, missingFact, type Need } from "../needs.js";
import type { FactSources, RuleContext } from "../platform.js";
import {
  failureDomain,
  type NutanixDataDisk,
  type NutanixMachinePool,
  nutanixOf,
  type PlacedPool,
  poolsIn,
  prismElement,
} from "./config.js";
import { type NutanixFacts, nutanixFactsOf, sectionOf } from "./pools.js";

const FIELD = "platform.nutanix";

/** What is asked for: the field, and the name that nothing is known about. */
interface Lack {
  readonly field: string;
  readonly name: string;
}

const need = (fact: string, message: (lack: Lack) => string, instead: string): Need<Lack> => ({
  fact,
  field: ({ field }) => field,
  message,
  hint: () => `${instead}, or give an entry of ${inFacts(fact)}`,
});

export const NEEDS = {
  element: need(
    "nutanix.prismElements",
    ({ name }) => `the name of the Prism Element ${name} is not known`,
    "write its name",
  ),
  project: need(
    "nutanix.projects",
    ({ name }) => `the UUID of the project ${quote(name)} is not known`,
    "write type: uuid and its uuid",
  ),
  image: need(
    "nutanix.images",
    ({ name }) => `the UUID of the image ${quote(name)} is not known`,
    "write its uuid",
  ),
} as const;

const FREE_GPU = "UNUSED";
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

const writtenAt =
  (config: NormalConfig, { pool, path }: PlacedPool): At =>
  (member) => {
    const isOwn = nutanixOf(config).defaultMachinePlatform?.[member] === undefined;
    const own = pool.platform.nutanix?.[member];
    const here = isOwn || (Array.isArray(own) ? own.length > 0 : own !== undefined && own !== "");
    return `${here ? `${path}.${FIELD}` : `${FIELD}.defaultMachinePlatform`}.${member}`;
  };

/** One problem each, also where several pools inherit what is wrong. */
const eachOnce = (problems: readonly Problem[]): Problem[] => [
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

const refused = (kind: Problem["kind"], field: string, message: string, hint: string): Problem => ({
  code: "FACT008",
  kind,
  field,
  message,
  hint,
});

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
                refused(
                  "NotSupported",
                  `${path}.architecture`,
                  `the release has no boot image of nutanix for ${pool.architecture}`,
                  "write amd64, or name an image of your own in platform.nutanix.clusterOSImage",
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
          refused(
            "Forbidden",
            at(member),
            `machines of the control plane have no ${member}`,
            "move them to the compute pools",
          ),
        ];
  return [
    ...(section.bootType === undefined || BOOT_TYPES.includes(section.bootType)
      ? []
      : [
          refused(
            "Invalid",
            at("bootType"),
            `machines cannot boot with ${quote(section.bootType)}`,
            `write ${BOOT_TYPES.join(", ")}`,
          ),
        ]),
    ...projectProblems(section, at("project")),
    ...(section.failureDomains ?? []).flatMap((name, index) =>
      failureDomain(nutanixOf(config), name) === undefined
        ? [
            refused(
              "Invalid",
              `${at("failureDomains")}[${index}]`,
              `there is no failure domain ${quote(name)}`,
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
    return [
      refused("Invalid", `${field}.type`, `a project is not named by ${quote(type)}`, "write uuid or name"),
    ];
  return project[type]
    ? []
    : [refused("Required", `${field}.${type}`, `the project has no ${type}`, `add ${type}`)];
}

const gpuProblems = ({ gpus = [] }: NutanixMachinePool, field: string): Problem[] =>
  gpus.flatMap(({ type = "", deviceID, name }, index) => {
    const at = `${field}[${index}]`;
    if (type === "DeviceID")
      return deviceID === undefined
        ? [refused("Required", `${at}.deviceID`, "the GPU has no deviceID", "add deviceID")]
        : [];
    if (type === "Name")
      return name ? [] : [refused("Required", `${at}.name`, "the GPU has no name", "add name")];
    return [
      refused("Invalid", `${at}.type`, `a GPU is not named by ${quote(type)}`, "write Name or DeviceID"),
    ];
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
          refused(
            "Invalid",
            `${field}.referenceName`,
            `${domains.join(", ")} ${domains.length === 1 ? "has" : "have"} nothing of the referenceName ${quote(reference)}`,
            `add it to ${list} of ${domains.length === 1 ? "the failure domain" : "the failure domains"}`,
          ),
        ];
  };
  const container = storage?.storageContainer;
  return [
    ...((compareQuantities(diskSize, LEAST_DISK) ?? -1) < 0
      ? [refused("Invalid", `${at}.diskSize`, `a data disk has at least ${LEAST_DISK}`, "write such as 20Gi")]
      : []),
    ...(device === undefined ? [] : deviceProblems(device, `${at}.deviceProperties`)),
    ...(storage === undefined || DISK_MODES.includes(storage.diskMode ?? "")
      ? []
      : [
          refused(
            "Invalid",
            `${at}.storageConfig.diskMode`,
            `a disk is not stored in the mode ${quote(storage.diskMode ?? "")}`,
            `write ${DISK_MODES.join(" or ")}`,
          ),
        ]),
    ...(container === undefined
      ? []
      : container.referenceName
        ? unknown(container.referenceName, "storageContainers", `${at}.storageConfig.storageContainer`)
        : container.uuid
          ? []
          : [
              refused(
                "Required",
                `${at}.storageConfig.storageContainer.uuid`,
                "the storage container has neither uuid nor referenceName",
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
              refused(
                "Required",
                `${at}.dataSourceImage`,
                "the image has neither uuid, name nor referenceName",
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
              ...refused(
                "Required",
                `${field}.uuid`,
                "the machine sets will have an empty uuid here, since the installer takes none from the failure domain",
                "write the uuid beside referenceName, or correct the machine sets in openshift/",
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
          refused(
            "Invalid",
            `${at}.deviceType`,
            `there is no device type ${quote(deviceType)}`,
            `write ${Object.keys(ADAPTERS).join(" or ")}`,
          ),
        ]
      : adapters.includes(adapterType)
        ? []
        : [
            refused(
              "Invalid",
              `${at}.adapterType`,
              `a ${deviceType} does not hang on the adapter ${quote(adapterType)}`,
              `write ${adapters.join(", ")}`,
            ),
          ]),
    ...(deviceIndex < 0
      ? [refused("Invalid", `${at}.deviceIndex`, "the number of the device is negative", "write 0 or more")]
      : []),
  ];
}

/** The facts, with the address of the boot image. What is wanting or contradicts goes to the context. */
export function resolveFacts(config: NormalConfig, sources: FactSources, context: RuleContext): CloudFacts {
  const facts = nutanixFactsOf(sources.facts);
  const osImage = nutanixOf(config).clusterOSImage || facts.osImage || streamImage(sources.stream)?.location;
  const problems = [
    ...elementProblems(config, facts),
    ...subnetProblems(config, facts),
    ...poolsIn(config).flatMap((placed) => poolFacts(config, facts, placed)),
    ...preloadedProblems(config, facts, sources.stream),
    ...otherSystem(config, sources.stream, streamImage),
  ];
  eachOnce(problems).forEach(context.report);
  return {
    apiVersion: "slipway.dev/v1alpha1",
    kind: "CloudFacts",
    nutanix: { ...facts, ...(osImage ? { osImage } : {}) },
  };
}

const contradiction = (field: string, message: string, hint: string): Problem => ({
  code: "FACT002",
  kind: "Invalid",
  field,
  message,
  hint,
});

function elementProblems(config: NormalConfig, facts: NutanixFacts): Problem[] {
  const nutanix = nutanixOf(config);
  const { uuid = "", name } = prismElement(nutanix);
  const known = (each: string): boolean => facts.prismElements?.some((fact) => fact.uuid === each) ?? false;
  const elements = [
    { uuid, field: `${FIELD}.prismElements[0].uuid` },
    ...(nutanix.failureDomains ?? []).map((domain, index) => ({
      uuid: domain.prismElement?.uuid ?? "",
      field: `${FIELD}.failureDomains[${index}].prismElement.uuid`,
    })),
  ];
  return [
    ...(name || known(uuid)
      ? []
      : [missingFact(NEEDS.element, { field: `${FIELD}.prismElements[0].name`, name: uuid })]),
    ...elements.flatMap((each) =>
      facts.prismElements === undefined || known(each.uuid)
        ? []
        : [
            contradiction(
              each.field,
              `the facts know no Prism Element ${each.uuid}`,
              "write the UUID of a Prism Element of Prism Central, or complete the facts",
            ),
          ],
    ),
  ];
}

function subnetProblems(config: NormalConfig, { subnets }: NutanixFacts): Problem[] {
  if (subnets === undefined) return [];
  const { subnetUUIDs = [], failureDomains = [] } = nutanixOf(config);
  const lists = [
    { uuids: subnetUUIDs, field: `${FIELD}.subnetUUIDs` },
    ...failureDomains.map((domain, index) => ({
      uuids: domain.subnetUUIDs ?? [],
      field: `${FIELD}.failureDomains[${index}].subnetUUIDs`,
    })),
  ];
  return lists.flatMap(({ uuids, field }) =>
    uuids.flatMap((uuid, index) =>
      subnets.includes(uuid)
        ? []
        : [
            contradiction(
              `${field}[${index}]`,
              `the facts know no subnet ${uuid}`,
              "write the UUID of a subnet of Prism Central, or complete the facts",
            ),
          ],
    ),
  );
}

function poolFacts(config: NormalConfig, facts: NutanixFacts, placed: PlacedPool): Problem[] {
  const section = sectionOf(config, placed);
  const at = writtenAt(config, placed);
  return [
    ...named(facts.projects, section.project?.type === "name" ? section.project.name : "", {
      need: NEEDS.project,
      field: `${at("project")}.name`,
    }),
    ...listed(facts.projects, section.project?.type === "uuid" ? section.project.uuid : "", {
      what: "project",
      field: `${at("project")}.uuid`,
    }),
    ...(section.categories ?? []).flatMap(({ key = "", value = "" }, index) =>
      facts.categories === undefined ||
      facts.categories.some((each) => each.key === key && each.value === value)
        ? []
        : [
            contradiction(
              `${at("categories")}[${index}]`,
              `the facts know no category ${quote(key)} with the value ${quote(value)}`,
              "make the category in Prism Central, or complete the facts",
            ),
          ],
    ),
    ...(placed.role === "master" ? [] : gpuFacts(config, section, facts, at("gpus"))),
    ...(placed.role === "master" ? [] : (section.dataDisks ?? [])).flatMap(
      ({ dataSourceImage: { referenceName, uuid, name } = {} }, index) => {
        const field = `${at("dataDisks")}[${index}].dataSourceImage`;
        if (referenceName) return [];
        return uuid
          ? listed(facts.images, uuid, { what: "image", field: `${field}.uuid` })
          : named(facts.images, name, { need: NEEDS.image, field: `${field}.name` });
      },
    ),
  ];
}

type Listed = readonly { readonly uuid: string; readonly name: string }[];

/** What is named must be known, and be one. */
function named(
  list: Listed | undefined,
  name: string | undefined,
  { need: lacking, field }: { readonly need: Need<Lack>; readonly field: string },
): Problem[] {
  if (!name) return [];
  const found = (list ?? []).filter((each) => each.name === name).length;
  if (found === 0) return [missingFact(lacking, { field, name })];
  return found === 1
    ? []
    : [contradiction(field, `the facts have ${found} of the name ${quote(name)}`, "write the uuid of one")];
}

const listed = (
  list: Listed | undefined,
  uuid: string | undefined,
  { what, field }: { readonly what: string; readonly field: string },
): Problem[] =>
  !uuid || list === undefined || list.some((each) => each.uuid === uuid)
    ? []
    : [contradiction(field, `the facts know no ${what} ${uuid}`, "write its UUID, or complete the facts")];

/** Each GPU is looked for in every Prism Element that the pool has machines in. */
function gpuFacts(
  config: NormalConfig,
  { gpus = [], failureDomains = [] }: NutanixMachinePool,
  facts: NutanixFacts,
  field: string,
): Problem[] {
  if (facts.gpus === undefined) return [];
  const nutanix = nutanixOf(config);
  const domains = failureDomains.flatMap((name) => failureDomain(nutanix, name)?.prismElement?.uuid ?? []);
  const elements = domains.length > 0 ? domains : [prismElement(nutanix).uuid ?? ""];
  return gpus.flatMap((gpu, index) =>
    elements.flatMap((element) =>
      (gpu.type === "DeviceID" ? gpu.deviceID === undefined : gpu.type !== "Name" || !gpu.name) ||
      facts.gpus?.some(
        ({ prismElement: place, status = FREE_GPU, deviceID, name }) =>
          place === element &&
          status === FREE_GPU &&
          (gpu.type === "DeviceID" ? deviceID === gpu.deviceID : name === gpu.name),
      )
        ? []
        : [
            contradiction(
              `${field}[${index}]`,
              `by the facts no host of the Prism Element ${element} has such a GPU free`,
              "name a GPU that is there, or complete the facts",
            ),
          ],
    ),
  );
}

const member = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) ? value[name] : undefined;

/** The boot image of a stream: where it lies, and its version. */
function streamImage(
  stream: JsonObject | undefined,
): { readonly release: string; readonly location: string } | undefined {
  const artifact = ["architectures", "x86_64", "artifacts", "nutanix"].reduce<Json | undefined>(
    member,
    stream,
  );
  const location = ["formats", "qcow2", "disk", "location"].reduce<Json | undefined>(member, artifact);
  const release = member(artifact, "release");
  return typeof location === "string" && typeof release === "string" ? { release, location } : undefined;
}

/** A preloaded image may be one version behind that of the release, and not ahead of it. */
function preloadedProblems(
  config: NormalConfig,
  facts: NutanixFacts,
  stream: JsonObject | undefined,
): Problem[] {
  const name = nutanixOf(config).preloadedOSImageName ?? "";
  const field = `${FIELD}.preloadedOSImageName`;
  if (name === "" || facts.images === undefined) return [];
  const found = facts.images.filter((each) => each.name === name);
  const [image, ...more] = found;
  if (image === undefined || more.length > 0)
    return [
      contradiction(
        field,
        `the facts have ${found.length === 0 ? "no image" : `${found.length} images`} of the name ${quote(name)}`,
        "name one image of Prism Central, or complete the facts",
      ),
    ];
  const wanted = streamImage(stream)?.release;
  if (wanted === undefined || image.sourceURI === undefined) return [];
  const version = /.*\/rhcos-(\d+)\./.exec(image.sourceURI)?.[1];
  if (version === undefined)
    return [
      contradiction(
        field,
        "the sourceURI of the image does not tell its version",
        "take an image that was uploaded from …/rhcos-VERSION-nutanix.x86_64.qcow2",
      ),
    ];
  const behind = Number(wanted.split(".")[0]) - Number(version);
  if (behind === 0) return [];
  const problem = contradiction(
    field,
    `the image is of version ${version}, the boot image of the release of ${wanted.split(".")[0]}`,
    "upload the image of the release",
  );
  return [behind === 1 ? { ...problem, code: "FACT007", severity: "warning" } : problem];
}
