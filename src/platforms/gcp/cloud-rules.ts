/**
 * Rules that the installer checks only once it talks to the cloud, although they need nothing of it
 * (openshift/installer pkg/asset/installconfig/gcp/validation.go), and what only fails when machines are made.
 */

import type { Problem } from "../../core/diagnostics.js";
import { warning } from "../../core/problem.js";
import { quote } from "../../text/quote.js";
import type { NormalConfig } from "../config.js";
import { rejected } from "../fact-problems.js";
import {
  type GcpMachinePool,
  type GcpPlatform,
  gcpOf,
  poolSection,
  poolsOfConfig,
  userProvidesDns,
} from "./config.js";
import { mergeSections } from "./defaults.js";

const USER_TAG_LIMIT = 50;

export const cloudRules = (config: NormalConfig): Problem[] => [
  ...clusterName(config),
  ...project(config),
  ...firewall(config),
  ...keys(config),
  ...oddValues(config),
];

const clusterName = ({ metadata: { name } }: NormalConfig): Problem[] =>
  /^goog/.test(name) || /g[o0]{2}gle/.test(name)
    ? [
        rejected(
          "Invalid",
          "metadata.name",
          "must not start with goog or contain google: such names are reserved",
          "use another name",
        ),
      ]
    : [];

function project(config: NormalConfig): Problem[] {
  const { projectID, userTags = [] } = gcpOf(config);
  return [
    ...(projectID === ""
      ? [
          rejected(
            "Required",
            "platform.gcp.projectID",
            "required value is missing",
            "to show the current project, run: gcloud config get project",
          ),
        ]
      : []),
    ...(userTags.length > USER_TAG_LIMIT
      ? [
          rejected(
            "Invalid",
            "platform.gcp.userTags",
            `must have at most ${USER_TAG_LIMIT} items, has ${userTags.length}`,
            "remove some",
          ),
        ]
      : []),
  ];
}

/** Rules of one's own are made in a network before there is a cluster. */
function firewall(config: NormalConfig): Problem[] {
  const gcp = gcpOf(config);
  if (gcp.firewallRulesManagement !== "Unmanaged" || gcp.network || userProvidesDns(gcp)) return [];
  return [
    rejected(
      "Required",
      "platform.gcp.network",
      "user-managed firewall rules require an existing network",
      "set network and both subnets, or remove firewallRulesManagement",
    ),
  ];
}

/** A key that encrypts nothing stops the installer with a crash. */
function keys(config: NormalConfig): Problem[] {
  const fallback = gcpOf(config).defaultMachinePlatform ?? {};
  return poolsOfConfig(config).flatMap(({ pool, path }) => {
    const { encryptionKey } = mergeSections(fallback, poolSection(pool) ?? {}).osDisk ?? {};
    return encryptionKey === undefined || encryptionKey.kmsKey !== undefined
      ? []
      : [
          rejected(
            "Required",
            `${path}.platform.gcp.osDisk.encryptionKey.kmsKey`,
            "required value is missing: kmsKey",
            "set kmsKey with name and keyRing, or remove encryptionKey",
          ),
        ];
  });
}

/** A project, in a domain of its own or not: 6 to 30 characters. */
const PROJECT = /^(?:[a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/;
/** What a network, a subnet or any other resource of Compute Engine can be called (RFC 1035). */
const RESOURCE = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const NAMES = [
  { members: ["projectID", "networkProjectID"], form: PROJECT, what: "project", of: "6 to 30" },
  {
    members: ["network", "controlPlaneSubnet", "computeSubnet"],
    form: RESOURCE,
    what: "resource",
    of: "1 to 63",
  },
] as const;

/**
 * Names that nothing of Google's has: no rule of the installer reads them, and it asks the cloud for what they name
 * (openshift/installer pkg/asset/installconfig/gcp/validation.go, validateProject and validateNetworks).
 */
const oddNames = (gcp: GcpPlatform): Problem[] =>
  NAMES.flatMap(({ members, form, what, of }) =>
    members.flatMap((member): Problem[] => {
      const name = gcp[member] ?? "";
      return name === "" || form.test(name)
        ? []
        : [
            warning(
              "IC349",
              "Invalid",
              `platform.gcp.${member}`,
              `invalid ${what} name ${quote(name)}`,
              `use ${of} lowercase letters, digits and hyphens, starting with a letter`,
            ),
          ];
    }),
  );

const SWITCH = ["Enabled", "Disabled"];

/** Values that no rule of the installer looks at, and that nobody is likely to have intended. */
function oddValues(config: NormalConfig): Problem[] {
  const gcp = gcpOf(config);
  const odd = (field: string, value: string, choices: readonly string[]): Problem[] =>
    value === "" || choices.includes(value)
      ? []
      : [
          warning(
            "IC349",
            "NotSupported",
            field,
            `unsupported value ${quote(value)}: it is ignored or rejected later`,
            `use ${choices.join(" or ")}`,
          ),
        ];
  const section = (path: string, given: GcpMachinePool | undefined): Problem[] => [
    ...odd(`${path}.secureBoot`, given?.secureBoot ?? "", SWITCH),
    ...odd(`${path}.onHostMaintenance`, given?.onHostMaintenance ?? "", ["Migrate", "Terminate"]),
  ];
  return [
    ...oddNames(gcp),
    ...odd("platform.gcp.userProvisionedDNS", gcp.userProvisionedDNS ?? "", SWITCH),
    ...section("platform.gcp.defaultMachinePlatform", gcp.defaultMachinePlatform),
    ...poolsOfConfig(config).flatMap(({ pool, path }) => section(`${path}.platform.gcp`, poolSection(pool))),
  ];
}
