/**
 * Rules that the installer checks only once it talks to the cloud, although they need nothing of it (openshift/installer
 * pkg/asset/installconfig/azure/validation.go).
 */

import type { Problem } from "../../../core/diagnostics.js";
import { problem } from "../../../core/problem.js";
import { quote } from "../../../text/quote.js";
import type { NormalConfig } from "../../config.js";
import { azureOf, isStack, poolSection } from "../config.js";
import { mergeSections } from "../install-config/defaults.js";
import { stackSuffix } from "./view.js";

const DISK_TYPES = ["Premium_LRS", "Standard_LRS"];

const refused = (kind: Problem["kind"], field: string, message: string, hint: string): Problem =>
  problem("FACT008", kind, field, message, hint);

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
    refused(
      "Invalid",
      "platform.azure.region",
      `no region of Azure has the name ${quote(region)}`,
      REGION_NAME.test(name)
        ? `write ${name}; the portal shows regions by other names than the API takes`
        : "az account list-locations --query '[].name' lists the names",
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
            refused(
              "Invalid",
              `${path}.platform.azure.osDisk.diskType`,
              `Azure Stack Hub has no disks of the type ${merged.osDisk?.diskType}`,
              `write ${DISK_TYPES.join(" or ")}`,
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
      refused(
        "Required",
        field,
        "machines of Azure Stack Hub boot from an image of yours",
        "upload the release's VHD for Azure Stack Hub to a storage account, and write its address",
      ),
    ];
  const host = /^[^:/?#]+:\/\/([^/?#]*)/.exec(image)?.[1] ?? "";
  return host.replace(/^[^@]*@/, "").endsWith(stackSuffix(armEndpoint))
    ? []
    : [
        refused(
          "Invalid",
          field,
          "the image does not lie on the Azure Stack Hub",
          "upload it to a storage account there, and write its address",
        ),
      ];
}
