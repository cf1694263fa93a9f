/**
 * The section of nutanix: old spellings, defaults, rules and normal form (openshift/installer pkg/types/nutanix,
 * pkg/types/nutanix/validation/platform.go, pkg/types/conversion). The installer names no index of a list:
 * `prismElements.uuid`, and `failureDomain` for failureDomains. The sections of pools it looks at once machines are made.
 */

import type { Problem } from "../../core/diagnostics.js";
import { problem, warning } from "../../core/problem.js";
import type { Release } from "../../core/release.js";
import type { InstallConfig } from "../../generated/types/install-config.js";
import { subdomainFault } from "../../kubernetes/names.js";
import { parseAddress } from "../../kubernetes/network.js";
import { canonicalQuantity } from "../../kubernetes/quantities.js";
import { quote } from "../../text/quote.js";
import type { NormalConfig } from "../config.js";
import { given, type Member, type Shape, text } from "../normal-shape.js";
import type { PlatformRules, RuleContext } from "../platform.js";
import {
  demands,
  gatedDnsRecords,
  ipv4First,
  upconvertVirtualIps,
  validateVirtualIps,
} from "../virtual-ips.js";
import { has, type NutanixFailureDomain, type NutanixPlatform, poolsIn } from "./config.js";

const FIELD = "platform.nutanix";
const MOST_SUBNETS = 32;
const LARGEST_PORT = 65535;
const API_CALL_TIMEOUT = 10;
/** Sizes of machines are 32 bits wide. */
const LARGEST_SIZE = 2 ** 31 - 1;

function upconvert(config: InstallConfig, context: RuleContext): InstallConfig | undefined {
  const old = config.platform?.nutanix;
  if (old === undefined) return config;
  const nutanix = upconvertVirtualIps(old, FIELD, context);
  return nutanix === undefined ? undefined : { ...config, platform: { ...config.platform, nutanix } };
}

function applyDefaults(config: NormalConfig, release: Release): NormalConfig {
  const old = config.platform.nutanix;
  if (old === undefined) return config;
  const nutanix: NutanixPlatform = { ...old };
  if (has(release, "apiCallTimeout")) nutanix.prismAPICallTimeout ??= API_CALL_TIMEOUT;
  if (has(release, "dnsRecordsType")) nutanix.dnsRecordsType ||= "Internal";
  // Not a default: the installer puts a pair into this order while it validates, and keeps it so.
  if (nutanix.apiVIPs !== undefined) nutanix.apiVIPs = ipv4First(nutanix.apiVIPs);
  if (nutanix.ingressVIPs !== undefined) nutanix.ingressVIPs = ipv4First(nutanix.ingressVIPs);
  return { ...config, platform: { ...config.platform, nutanix } };
}

function validate(config: NormalConfig, context: RuleContext): void {
  const { nutanix } = config.platform;
  if (nutanix === undefined) return;
  const problems = [
    ...centralProblems(nutanix),
    ...elementProblems(nutanix, context.release),
    ...subnetProblems(`${FIELD}.subnetUUIDs`, `${FIELD}.subnetUUIDs`, nutanix.subnetUUIDs),
    ...timeoutProblems(nutanix),
    ...(nutanix.failureDomains ?? []).flatMap(domainProblems),
    ...doubts(config, nutanix),
  ];
  problems.forEach(context.report);
  validateVirtualIps(nutanix, config, { field: FIELD, ...demands(context), ordered: true }, context);
}

const required = (
  code: "IC330" | "IC332" | "IC335" | "IC345",
  field: string,
  message: string,
  hint: string,
  at = field,
): Problem => problem(code, "Required", field, message, { at, below: true, hint });

const invalid = (
  code: "IC332" | "IC335" | "IC345",
  field: string,
  message: string,
  hint: string,
  at = field,
): Problem => problem(code, "Invalid", field, message, { at, hint });

/** Address of a Prism; `at` is where it stands. */
function hostProblems(address: string | undefined, field: string, at: string): Problem[] {
  if (!address)
    return [required("IC345", field, "required value is missing", "set a domain name or an IP address", at)];
  if (parseAddress(address) !== undefined || subdomainFault(address) === undefined) return [];
  return [
    invalid(
      "IC345",
      field,
      `invalid value ${quote(address)}: must be a domain name or an IP address`,
      "use only the address, without scheme and port",
      at,
    ),
  ];
}

const isPort = (port: number | undefined): boolean => port !== undefined && port >= 1 && port <= LARGEST_PORT;

const PORT_HINT = `use a port from 1 to ${LARGEST_PORT}, such as 9440`;

function centralProblems({ prismCentral: central = {} }: NutanixPlatform): Problem[] {
  const field = `${FIELD}.prismCentral`;
  const { endpoint = {}, username, password } = central;
  return [
    ...hostProblems(endpoint.address, `${field}.endpoint.address`, `${field}.endpoint.address`),
    ...(isPort(endpoint.port)
      ? []
      : [
          invalid(
            "IC345",
            `${field}.endpoint.port`,
            `invalid port: must be from 1 to ${LARGEST_PORT}`,
            PORT_HINT,
          ),
        ]),
    ...(username
      ? []
      : [required("IC345", `${field}.username`, "required value is missing", "add username")]),
    ...(password
      ? []
      : [required("IC345", `${field}.password`, "required value is missing", "add password")]),
  ];
}

function elementProblems({ prismElements = [] }: NutanixPlatform, release: Release): Problem[] {
  const field = `${FIELD}.prismElements`;
  return [
    ...(prismElements.length === 1
      ? []
      : [
          required(
            "IC330",
            field,
            prismElements.length === 0
              ? "required value is missing"
              : `only one Prism Element is supported, found ${prismElements.length}`,
            prismElements.length === 0
              ? "add one, with uuid and endpoint"
              : "move the others to failureDomains",
          ),
        ]),
    ...prismElements.flatMap(({ uuid, endpoint = {} }, index) => {
      const at = `${field}[${index}]`;
      const port = invalid(
        "IC345",
        `${field}.endpoint.port`,
        `invalid port: must be from 1 to ${LARGEST_PORT}`,
        PORT_HINT,
        `${at}.endpoint.port`,
      );
      return [
        ...(uuid
          ? []
          : [
              required(
                "IC330",
                `${field}.uuid`,
                "required value is missing",
                "add uuid, as Prism Central shows it",
                `${at}.uuid`,
              ),
            ]),
        ...hostProblems(endpoint.address, `${field}.endpoint.address`, `${at}.endpoint.address`),
        ...(isPort(endpoint.port)
          ? []
          : [has(release, "elementPortInvalid") ? port : { ...port, kind: "Required" as const }]),
      ];
    }),
  ];
}

function subnetProblems(field: string, at: string, uuids: readonly string[] = []): Problem[] {
  if (!uuids[0])
    return [required("IC332", field, "required value is missing", "add the UUID of at least one subnet", at)];
  if (uuids.length > MOST_SUBNETS)
    return [
      problem("IC332", "TooMany", field, `must have at most ${MOST_SUBNETS} items, has ${uuids.length}`, {
        at,
        hint: "remove some",
      }),
    ];
  return uuids.flatMap((uuid, index) =>
    uuids.indexOf(uuid) < index
      ? [invalid("IC332", field, `duplicate value ${quote(uuid)}`, "keep one of them", `${at}[${index}]`)]
      : [],
  );
}

const timeoutProblems = ({ prismAPICallTimeout: minutes }: NutanixPlatform): Problem[] =>
  minutes === undefined || minutes > 0
    ? []
    : [
        invalid(
          "IC345",
          `${FIELD}.prismAPICallTimeout`,
          `invalid value ${minutes}: must be greater than 0`,
          "use a positive number of minutes, or remove it",
        ),
      ];

function domainProblems(domain: NutanixFailureDomain, index: number): Problem[] {
  const field = `${FIELD}.failureDomain`;
  const at = `${FIELD}.failureDomains[${index}]`;
  const { name = "", prismElement = {}, subnetUUIDs, storageContainers = [], dataSourceImages = [] } = domain;
  const lacks = (member: string, place: string, message: string, hint: string): Problem =>
    required("IC335", `${field}.${member}`, message, hint, `${at}.${place}`);
  const unreferenced = (list: string, place: number): Problem =>
    lacks(
      `${list}.referenceName`,
      `${list}[${place}].referenceName`,
      "required value is missing: pools refer to it by referenceName",
      "add referenceName",
    );
  return [
    // The installer looks for such characters anywhere in the name.
    ...(/[a-z0-9]/.test(name)
      ? []
      : [
          invalid(
            "IC335",
            `${field}.name`,
            name === "" ? "required value is missing" : `invalid value ${quote(name)}`,
            "use lowercase letters, digits and hyphens",
            `${at}.name`,
          ),
        ]),
    ...(prismElement.uuid
      ? []
      : [
          lacks(
            "prismElement.uuid",
            "prismElement.uuid",
            "required value is missing",
            "add prismElement.uuid",
          ),
        ]),
    ...subnetProblems(`${field}.subnetUUIDs`, `${at}.subnetUUIDs`, subnetUUIDs),
    ...storageContainers.flatMap(({ referenceName, uuid }, place) => [
      ...(referenceName ? [] : [unreferenced("storageContainers", place)]),
      ...(uuid
        ? []
        : [
            lacks(
              "storageContainers.uuid",
              `storageContainers[${place}].uuid`,
              "required value is missing",
              "add uuid",
            ),
          ]),
    ]),
    ...dataSourceImages.flatMap(({ referenceName, uuid, name: image }, place) => [
      ...(referenceName ? [] : [unreferenced("dataSourceImages", place)]),
      ...(uuid || image
        ? []
        : [
            lacks(
              "dataSourceImages",
              `dataSourceImages[${place}]`,
              "required value is missing: uuid or name",
              "add uuid or name",
            ),
          ]),
    ]),
  ];
}

/** What the installer takes and the cluster does not. */
function doubts(config: NormalConfig, { failureDomains = [], defaultMachinePlatform }: NutanixPlatform) {
  const doubtful = (field: string, message: string, hint: string): Problem =>
    warning("IC349", "Invalid", field, message, hint);
  const sections = [
    { section: defaultMachinePlatform, at: `${FIELD}.defaultMachinePlatform` },
    ...poolsIn(config).map(({ pool, path }) => ({
      section: pool.platform.nutanix,
      at: `${path}.${FIELD}`,
    })),
  ];
  return [
    ...failureDomains.flatMap(({ name = "" }, index) =>
      failureDomains.findIndex((each) => each.name === name) < index
        ? [
            doubtful(
              `${FIELD}.failureDomains[${index}].name`,
              `duplicate value ${quote(name)}: the API server will reject the Infrastructure config`,
              "use different names",
            ),
          ]
        : [],
    ),
    ...sections.flatMap(({ section, at }) =>
      Object.entries({
        cpus: section?.cpus,
        coresPerSocket: section?.coresPerSocket,
        memoryMiB: section?.memoryMiB,
        "osDisk.diskSizeGiB": section?.osDisk?.diskSizeGiB,
      }).flatMap(([name, value]) =>
        value === undefined || (value >= 0 && value <= LARGEST_SIZE)
          ? []
          : [
              doubtful(
                `${at}.${name}`,
                `invalid value ${value}: must be greater than 0`,
                "use a positive number",
              ),
            ],
      ),
    ),
  ];
}

const resource: Shape = { type: text, uuid: given, name: given };
const reference: Shape = { uuid: text };
const endpoint: Member = { zero: {}, of: { address: text, port: { zero: 0 } } };
const element: Shape = { uuid: text, endpoint };
const quantity: Member = { zero: "0", print: (written) => canonicalQuantity(written) ?? written };

const DATA_DISK: Shape = {
  diskSize: quantity,
  deviceProperties: { keep: "given", of: { deviceType: text, adapterType: text } },
  storageConfig: {
    keep: "given",
    of: { diskMode: text, storageContainer: { keep: "given", of: reference } },
  },
  dataSourceImage: { keep: "given", of: reference },
};

/** Members of a pool's section. */
export const pool = (release: Release): Shape => ({
  osDisk: { zero: {} },
  project: { keep: "given", of: resource },
  categories: { each: { key: text, value: text } },
  gpus: { each: { type: text, deviceID: given, name: given }, ...listBefore(release) },
  dataDisks: { each: DATA_DISK, ...listBefore(release) },
});

/** Go writes an empty list that nobody gave as null. */
const listBefore = (release: Release): Member => (has(release, "emptyDeviceLists") ? { zero: null } : {});

const section = (release: Release): Shape => ({
  prismCentral: { zero: {}, of: { endpoint, username: text, password: text } },
  prismElements: { each: element, zero: null },
  subnetUUIDs: { zero: null },
  defaultMachinePlatform: { keep: "given", of: pool(release) },
  loadBalancer: given,
  failureDomains: {
    each: {
      name: text,
      prismElement: { zero: {}, of: element },
      subnetUUIDs: { zero: null },
      storageContainers: { each: reference },
      dataSourceImages: { each: reference },
    },
  },
  prismAPICallTimeout: given,
});

export const rules: PlatformRules = {
  name: "nutanix",
  upconvert,
  applyDefaults,
  validate,
  gatedFields: {
    rank: 6,
    since: "4.21",
    used: ({ platform: { nutanix } }) => gatedDnsRecords(nutanix ?? {}, FIELD),
  },
  normalForm: { section, pool },
};
