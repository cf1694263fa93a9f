import type { PlatformStarter } from "../starter.js";

/** A UUID for the rules, which the user never sees. */
const UUID = "00000000-0000-4000-8000-000000000000";

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
  lines: (answers, scalar, blank) => [
    "  nutanix:",
    "    # Only the installer uses this login; you create the operators' logins (credentialsMode: Manual).",
    "    prismCentral:",
    "      endpoint:",
    `        address: ${scalar(answers["prism-central"] ?? "")}`,
    "        port: 9440",
    "      username: admin",
    `      password: ${blank("password of this user", "example")}`,
    "    # Exactly one. Prism Central shows UUIDs and names; docs/facts.md has the API calls that list them.",
    "    prismElements:",
    `    - uuid: ${blank("UUID of the Prism Element", UUID)}`,
    `      name: ${blank("name of the Prism Element", "example")}`,
    "      endpoint:",
    `        address: ${scalar(answers["prism-element"] ?? "")}`,
    "        port: 9440",
    "    subnetUUIDs:",
    `    - ${blank("UUID of the subnet", UUID)}`,
    "    # Unused addresses in the machine network.",
    "    apiVIPs:",
    `    - ${blank("API address", "10.0.0.5")}`,
    "    ingressVIPs:",
    `    - ${blank("ingress address", "10.0.0.7")}`,
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
