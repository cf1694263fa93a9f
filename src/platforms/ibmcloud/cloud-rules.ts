/**
 * Rules that the installer checks only once it talks to the cloud, although they need nothing of it
 * (openshift/installer pkg/asset/installconfig/ibmcloud/validation.go).
 */

import type { Problem } from "../../core/diagnostics.js";
import { problem } from "../../core/problem.js";
import { quote } from "../../text/quote.js";
import type { NormalConfig } from "../config.js";
import { existingSubnets, type IbmcloudConfig, ibmcloudOf, SUBNET_LISTS } from "./config.js";
import { IMAGE_ARCHITECTURES } from "./tables.js";

const FIELD = "platform.ibmcloud";

export const cloudRules = (config: NormalConfig): Problem[] => [
  ...imageProblems(config),
  ...sectionProblems(ibmcloudOf(config)),
];

/** It finds no image for the machines of the control plane, or of the first compute pool. */
const imageProblems = ({ controlPlane, compute }: NormalConfig): Problem[] =>
  [
    { field: "controlPlane", pool: controlPlane },
    { field: "compute[0]", pool: compute[0] ?? controlPlane },
  ].flatMap(({ field, pool }) =>
    IMAGE_ARCHITECTURES.includes(pool.architecture)
      ? []
      : [
          problem(
            "FACT008",
            "NotSupported",
            `${field}.architecture`,
            `no release has an IBM Cloud image for ${pool.architecture}`,
            `use ${IMAGE_ARCHITECTURES.join(" or ")}`,
          ),
        ],
  );

function sectionProblems(section: IbmcloudConfig): Problem[] {
  const refused = (member: string, message: string, hint: string): Problem =>
    problem("FACT008", "Invalid", `${FIELD}.${member}`, message, hint);
  const { vpcName = "", networkResourceGroupName = "" } = section;
  const endpoints = (section.serviceEndpoints ?? []).flatMap(({ name = "", url = "" }, i) => [
    ...(SERVICES.has(name)
      ? []
      : [
          refused(
            `serviceEndpoints[${i}].name`,
            `unsupported service ${quote(name)}`,
            `use one of ${[...SERVICES].join(", ")}`,
          ),
        ]),
    ...(/^https:\/\//i.test(url)
      ? []
      : [
          refused(
            `serviceEndpoints[${i}].url`,
            "must have the scheme https: the installer uses the URL unchanged",
            `use https://${url}`,
          ),
        ]),
  ]);
  if (vpcName === "" && networkResourceGroupName === "") return endpoints;
  if (vpcName === "")
    return [
      ...endpoints,
      refused("vpcName", "requires an existing VPC", "set vpcName, or remove networkResourceGroupName"),
    ];
  if (networkResourceGroupName === "")
    return [
      ...endpoints,
      refused(
        "networkResourceGroupName",
        "required value is missing: an existing VPC requires it",
        "to show it, run: ibmcloud is vpcs --output json",
      ),
    ];
  return [
    ...endpoints,
    ...SUBNET_LISTS.filter(({ role }) => existingSubnets(section, role).length === 0).map(({ list }) =>
      refused(
        list,
        "required value is missing: an existing VPC requires existing subnets",
        "set one subnet in each zone",
      ),
    ),
  ];
}

/** Services whose endpoints may be set (openshift/installer pkg/types/ibmcloud/platform.go, IBMCloudServiceOverrides). */
export const SERVICES: ReadonlySet<string> = new Set([
  "CIS",
  "COS",
  "COSConfig",
  "DNSServices",
  "GlobalCatalog",
  "GlobalSearch",
  "GlobalTagging",
  "HyperProtect",
  "IAM",
  "KeyProtect",
  "ResourceController",
  "ResourceManager",
  "VPC",
]);
