/** What is left to do by hand on every platform of IBM Cloud. */
import { commandLine } from "../text/shell.js";
import type { PlatformName } from "./config.js";
import type { SupplementItem } from "./supplement.js";

const FOLDER = "credentials-requests";

/** In manual mode the operators' keys are made by hand. */
export const operatorKeys = (
  cloud: PlatformName,
  infraID: string,
  resourceGroup: string,
): SupplementItem => ({
  area: "credentials",
  when: "before",
  what: "Make a service ID with an API key for each operator, and put the Secrets into manifests/, and run create infrastructure-manifests again.",
  why: "With credentialsMode: Manual nobody else gives the operators their keys.",
  details: {
    commands: [
      commandLine([
        "oc",
        "adm",
        "release",
        "extract",
        `--cloud=${cloud}`,
        "--credentials-requests",
        "--included",
        "--install-config=install-config.yaml",
        `--to=${FOLDER}`,
        "RELEASE-IMAGE",
      ]),
      commandLine([
        "ccoctl",
        "ibmcloud",
        "create-service-id",
        `--credentials-requests-dir=${FOLDER}`,
        `--name=${infraID}`,
        `--resource-group-name=${resourceGroup}`,
        "--output-dir=.",
      ]),
    ],
  },
});
