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
      about: "address of the Prism Element that the machines run in",
      question: "Address of the Prism Element",
      required: true,
    },
  ],
  lines: (answers, scalar) => [
    "  nutanix:",
    "    # The login is used to install; operators get one by hand (credentialsMode: Manual).",
    "    prismCentral:",
    "      endpoint:",
    `        address: ${scalar(answers["prism-central"] ?? "")}`,
    "        port: 9440",
    "      username: admin",
    "      password: change-me",
    "    # Exactly one. Prism Central shows UUIDs and names; docs/facts.md has the calls that print them.",
    "    prismElements:",
    `    - uuid: ${UUID}`,
    "      name: replace-me",
    "      endpoint:",
    `        address: ${scalar(answers["prism-element"] ?? "")}`,
    "        port: 9440",
    "    subnetUUIDs:",
    `    - ${UUID}`,
    "    # Unused addresses of the machine network.",
    "    apiVIPs:",
    "    - 10.0.0.5",
    "    ingressVIPs:",
    "    - 10.0.0.7",
    "    # A boot image that is in Prism Central already; without it one is uploaded.",
    "    # preloadedOSImageName: rhcos-nutanix",
    "    # What the machines of every pool have, unless their pool says otherwise.",
    "    # defaultMachinePlatform:",
    "    #   cpus: 8",
    "    #   memoryMiB: 16384",
    "    #   osDisk:",
    "    #     diskSizeGiB: 120",
  ],
};
