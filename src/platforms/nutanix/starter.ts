import { LATER, type PlatformStarter, type StarterQuestion, virtualIPs } from "../starter.js";

/** A UUID for the rules, which the user never sees. */
const UUID = "00000000-0000-4000-8000-000000000000";

const later = (
  flag: string,
  value: string,
  about: string,
  text: string,
  example: string,
): StarterQuestion => ({
  flag,
  value,
  about,
  question: text,
  required: false,
  empty: LATER,
  example,
});

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
    later("prism-user", "USER", "user of Prism Central", "User of Prism Central", "admin"),
    later(
      "prism-password",
      "PASSWORD",
      "password of the user; other users can read it on the command line, so the prompt is safer",
      "Password of this user",
      "example",
    ),
    later("prism-element-uuid", "UUID", "UUID of the Prism Element", "UUID of the Prism Element", UUID),
    later("prism-element-name", "NAME", "name of the Prism Element", "Name of the Prism Element", "example"),
    later("subnet", "UUID", "UUID of the subnet of the machines", "UUID of the subnet", UUID),
    ...virtualIPs(LATER),
  ],
  lines: (answers, scalar, blank) => {
    const given = (flag: string): string | undefined => {
      const answer = answers[flag];
      return answer === undefined ? undefined : scalar(answer);
    };
    return [
      "  nutanix:",
      "    # Only the installer uses this login; you create the operators' logins (credentialsMode: Manual).",
      "    prismCentral:",
      "      endpoint:",
      `        address: ${scalar(answers["prism-central"] ?? "")}`,
      "        port: 9440",
      `      username: ${scalar(answers["prism-user"] ?? "admin")}`,
      `      password: ${given("prism-password") ?? blank("password of this user", "example")}`,
      "    # Exactly one. Prism Central shows UUIDs and names; docs/facts.md has the API calls that list them.",
      "    prismElements:",
      `    - uuid: ${given("prism-element-uuid") ?? blank("UUID of the Prism Element", UUID)}`,
      `      name: ${given("prism-element-name") ?? blank("name of the Prism Element", "example")}`,
      "      endpoint:",
      `        address: ${scalar(answers["prism-element"] ?? "")}`,
      "        port: 9440",
      "    subnetUUIDs:",
      `    - ${given("subnet") ?? blank("UUID of the subnet", UUID)}`,
      "    # Unused addresses in the machine network.",
      "    apiVIPs:",
      `    - ${given("api-vip") ?? blank("API address", "10.0.0.5")}`,
      "    ingressVIPs:",
      `    - ${given("ingress-vip") ?? blank("ingress address", "10.0.0.7")}`,
      "    # An existing boot image in Prism Central; if unset, an image is uploaded.",
      "    # preloadedOSImageName: rhcos-nutanix",
      "    # Defaults for the machines of all pools.",
      "    # defaultMachinePlatform:",
      "    #   cpus: 8",
      "    #   memoryMiB: 16384",
      "    #   osDisk:",
      "    #     diskSizeGiB: 120",
    ];
  },
};
