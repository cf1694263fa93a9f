/**
 * Rules that the installer checks only once it talks to the cloud, although they need nothing of it (openshift/installer
 * pkg/asset/installconfig/azure/validation.go).
 */

import type { Problem } from "../../../core/diagnostics.js";
import { quote } from "../../../text/quote.js";
import type { NormalConfig } from "../../config.js";
import { rejected } from "../../fact-problems.js";
import { azureOf, isStack, poolSection } from "../config.js";
import { mergeSections } from "../install-config/defaults.js";
import { stackSuffix } from "./view.js";

const DISK_TYPES = ["Premium_LRS", "Standard_LRS"];

export const cloudRules = (config: NormalConfig): Problem[] => [
  ...regionProblems(azureOf(config).region),
  ...stackProblems(config),
];

/** Names of regions have neither dashes nor capitals; those of Azure Stack Hub are its operator's. */
const REGION_NAME = /^[a-z0-9]{1,63}$/;

/**
 * A region by another name than its own: the list of the account's regions has none (validateRegion), and names of
 * machine sets could not hold it.
 */
function regionProblems(region: string): Problem[] {
  if (region === "" || REGION_NAME.test(region)) return [];
  const name = region.toLowerCase().replaceAll(" ", "");
  return [
    rejected(
      "Invalid",
      "platform.azure.region",
      `invalid region name ${quote(region)}`,
      REGION_NAME.test(name)
        ? `use ${name}; the portal shows display names that the API does not accept`
        : "to list the names, run: az account list-locations --query '[].name'",
    ),
  ];
}

/** What goes on Azure Stack Hub. */
function stackProblems(config: NormalConfig): Problem[] {
  const azure = azureOf(config);
  if (!isStack(azure)) return [];
  const pools = [
    { path: "controlPlane", pool: config.controlPlane },
    ...config.compute.map((pool, index) => ({ path: `compute[${index}]`, pool })),
  ];
  return [
    ...pools.flatMap(({ path, pool }) => {
      const merged = mergeSections(azure.defaultMachinePlatform, poolSection(pool));
      return DISK_TYPES.includes(merged.osDisk?.diskType ?? "Premium_LRS")
        ? []
        : [
            rejected(
              "Invalid",
              `${path}.platform.azure.osDisk.diskType`,
              `the disk type ${merged.osDisk?.diskType} is not supported on Azure Stack Hub`,
              `use ${DISK_TYPES.join(" or ")}`,
            ),
          ];
    }),
    ...bootImage(azure.clusterOSImage ?? "", azure.armEndpoint ?? ""),
  ];
}

function bootImage(image: string, armEndpoint: string): Problem[] {
  const field = "platform.azure.clusterOSImage";
  if (image === "")
    return [
      rejected(
        "Required",
        field,
        "required value is missing: Azure Stack Hub requires your own image",
        "upload the release's VHD for Azure Stack Hub to a storage account, and set its URL",
      ),
    ];
  const host = /^[^:/?#]+:\/\/([^/?#]*)/.exec(image)?.[1] ?? "";
  return host.replace(/^[^@]*@/, "").endsWith(stackSuffix(armEndpoint))
    ? []
    : [
        rejected(
          "Invalid",
          field,
          "the image must be on the Azure Stack Hub",
          "upload it to a storage account there, and set its URL",
        ),
      ];
}
