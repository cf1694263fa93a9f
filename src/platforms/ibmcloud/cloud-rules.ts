/**
 * Rules that the installer checks only once it talks to the cloud, although they need nothing of it
 * (openshift/installer pkg/asset/installconfig/ibmcloud/validation.go).
 */

import type { Problem } from "../../core/diagnostics.js";
import { problem } from "../../core/problem.js";
import { quote } from "../../text/quote.js";
import type { NormalConfig } from "../config.js";
import { broughtSubnets, type IbmcloudConfig, ibmcloudOf, SUBNET_LISTS } from "./config.js";
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
            `no release has an image of IBM Cloud for ${pool.architecture}`,
            `write ${IMAGE_ARCHITECTURES.join(" or ")}`,
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
            `there is no service ${quote(name)} whose endpoint can be set`,
            `the services are ${[...SERVICES].join(", ")}`,
          ),
        ]),
    ...(/^https:\/\//i.test(url)
      ? []
      : [
          refused(
            `serviceEndpoints[${i}].url`,
            "the endpoint has no scheme, and the installer tries to reach it as it is written",
            `write https://${url}`,
          ),
        ]),
  ]);
  if (vpcName === "" && networkResourceGroupName === "") return endpoints;
  if (vpcName === "")
    return [
      ...endpoints,
      refused(
        "vpcName",
        "a resource group of a network is named, and no VPC of your own",
        "name the VPC, or leave networkResourceGroupName out",
      ),
    ];
  if (networkResourceGroupName === "")
    return [
      ...endpoints,
      refused(
        "networkResourceGroupName",
        "the resource group of your own VPC is missing",
        "ibmcloud is vpcs --output json shows it",
      ),
    ];
  return [
    ...endpoints,
    ...SUBNET_LISTS.filter(({ role }) => broughtSubnets(section, role).length === 0).map(({ list }) =>
      refused(list, "a VPC of your own comes with subnets of your own", "name one in each zone"),
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
