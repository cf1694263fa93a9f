/**
 * Rules that the installer checks only once it talks to the cloud, although they need nothing of it
 * (openshift/installer pkg/asset/installconfig/gcp/validation.go), and what only fails when machines are made.
 */
import type { Problem } from "../../core/diagnostics.js";
import type { NormalConfig } from "../config.js";
import { type GcpMachinePool, gcpOf, poolSection, poolsOfConfig, userProvidesDns } from "./config.js";
import { mergeSections } from "./defaults.js";

const USER_TAG_LIMIT = 50;

export const refused = (kind: Problem["kind"], field: string, message: string, hint: string): Problem => ({
  code: "FACT008",
  kind,
  field,
  message,
  hint,
});

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
        refused(
          "Invalid",
          "metadata.name",
          "Google keeps names that begin with goog or hold google for itself",
          "choose another name",
        ),
      ]
    : [];

function project(config: NormalConfig): Problem[] {
  const { projectID, userTags = [] } = gcpOf(config);
  return [
    ...(projectID === ""
      ? [
          refused(
            "Required",
            "platform.gcp.projectID",
            "the project is missing",
            "gcloud config get project shows the one in use",
          ),
        ]
      : []),
    ...(userTags.length > USER_TAG_LIMIT
      ? [
          refused(
            "Invalid",
            "platform.gcp.userTags",
            `there are ${userTags.length} tags; ${USER_TAG_LIMIT} are allowed`,
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
    refused(
      "Required",
      "platform.gcp.network",
      "firewall rules of your own need a network of your own",
      "name the network and both subnets, or leave firewallRulesManagement out",
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
          refused(
            "Required",
            `${path}.platform.gcp.osDisk.encryptionKey.kmsKey`,
            "an encryptionKey names no key",
            "give kmsKey with name and keyRing, or leave encryptionKey out",
          ),
        ];
  });
}

const SWITCH = ["Enabled", "Disabled"];

/** Values that no rule of the installer looks at, and that nobody is likely to have intended. */
function oddValues(config: NormalConfig): Problem[] {
  const gcp = gcpOf(config);
  const odd = (field: string, value: string, choices: readonly string[]): Problem[] =>
    value === "" || choices.includes(value)
      ? []
      : [
          {
            code: "IC349",
            kind: "NotSupported",
            severity: "warning",
            field,
            message: `${value} is none of ${choices.join(", ")}, and counts as if it were not there or is refused later`,
            hint: `write ${choices.join(" or ")}`,
          },
        ];
  const section = (path: string, given: GcpMachinePool | undefined): Problem[] => [
    ...odd(`${path}.secureBoot`, given?.secureBoot ?? "", SWITCH),
    ...odd(`${path}.onHostMaintenance`, given?.onHostMaintenance ?? "", ["Migrate", "Terminate"]),
  ];
  return [
    ...odd("platform.gcp.userProvisionedDNS", gcp.userProvisionedDNS ?? "", SWITCH),
    ...section("platform.gcp.defaultMachinePlatform", gcp.defaultMachinePlatform),
    ...poolsOfConfig(config).flatMap(({ pool, path }) => section(`${path}.platform.gcp`, poolSection(pool))),
  ];
}
