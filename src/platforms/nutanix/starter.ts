import type { PlatformStarter } from "../starter.js";

/** A UUID that nothing has; the reader of the file replaces it. */
const UUID = "00000000-0000-0000-0000-000000000000";

export const starter: PlatformStarter = {
  about: "Nutanix",
  computeReplicas: 3,
  questions: [
    {
      flag: "prism-central",
      value: "ADDRESS",
      about: "address of Prism Central, without scheme and port",
      question: "Address of Prism Central",
      required: true,
    },
    {
      flag: "prism-element",
      value: "ADDRESS",
      about: "address of the Prism Element of the machines",
      question: "Address of the Prism Element",
      required: true,
    },
  ],
  lines: (answers, scalar) => [
    "  nutanix:",
    "    # Only the installer uses this login; you create the operators' logins (credentialsMode: Manual).",
    "    prismCentral:",
    "      endpoint:",
    `        address: ${scalar(answers["prism-central"] ?? "")}`,
    "        port: 9440",
    "      username: admin",
    "      password: change-me",
    "    # Exactly one. Prism Central shows UUIDs and names; docs/facts.md has the API calls that list them.",
    "    prismElements:",
    `    - uuid: ${UUID}`,
    "      name: replace-me",
    "      endpoint:",
    `        address: ${scalar(answers["prism-element"] ?? "")}`,
    "        port: 9440",
    "    subnetUUIDs:",
    `    - ${UUID}`,
    "    # Unused addresses in the machine network.",
    "    apiVIPs:",
    "    - 10.0.0.5",
    "    ingressVIPs:",
    "    - 10.0.0.7",
    "    # An existing boot image in Prism Central; if unset, an image is uploaded.",
    "    # preloadedOSImageName: rhcos-nutanix",
    "    # Defaults for the machines of all pools.",
    "    # defaultMachinePlatform:",
    "    #   cpus: 8",
    "    #   memoryMiB: 16384",
    "    #   osDisk:",
    "    #     diskSizeGiB: 120",
  ],
};
