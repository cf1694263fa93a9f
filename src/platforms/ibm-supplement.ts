/** What is left to do by hand on every platform of IBM Cloud. */
import { shell } from "../text/shell.js";
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
  what: "Create a service ID with an API key for each operator, add the Secrets to manifests/, and rerun create infrastructure-manifests.",
  why: "With credentialsMode: Manual, operators do not get their API keys automatically.",
  details: {
    commands: [
      shell`oc adm release extract --cloud=${cloud} --credentials-requests --included
        --install-config=install-config.yaml --to=${FOLDER} RELEASE-IMAGE`,
      shell`ccoctl ibmcloud create-service-id --credentials-requests-dir=${FOLDER} --name=${infraID}
        --resource-group-name=${resourceGroup} --output-dir=.`,
    ],
  },
});
