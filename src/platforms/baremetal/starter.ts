import { type Answers, type Blank, LATER, type PlatformStarter, virtualIPs } from "../starter.js";

/** What the answers say of a host: MAC address and BMC address, in the order of the list. */
const hostsOf = (answers: Answers): readonly (readonly [mac: string, bmc: string])[] =>
  (answers["hosts"] ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "")
    .map((each) => {
      const at = each.indexOf("=");
      return at < 0 ? [each, ""] : [each.slice(0, at), each.slice(at + 1)];
    });

const CONTROL_PLANE = 3;
const COMPUTE = 2;

/** Name and role of the host at a place of the list. */
const named = (index: number): { readonly name: string; readonly role: string } =>
  index < CONTROL_PLANE
    ? { name: `master-${index}`, role: "master" }
    : { name: `worker-${index - CONTROL_PLANE}`, role: "worker" };

function host(answers: Answers, index: number, scalar: (text: string) => string, blank: Blank): string[] {
  const { name, role } = named(index);
  const [mac, bmc = ""] = hostsOf(answers)[index] ?? [];
  const whole = bmc.includes("://") ? bmc : `redfish-virtualmedia+https://${bmc}/redfish/v1/Systems/1`;
  const given = (flag: string): string | undefined => {
    const answer = answers[flag];
    return answer === undefined ? undefined : scalar(answer);
  };
  return [
    `    - name: ${name}`,
    `      role: ${role}`,
    `      bootMACAddress: ${mac === undefined ? `"${blank(`MAC address of ${name}`, `52:54:00:00:00:0${index}`)}"` : JSON.stringify(mac)}`,
    "      bmc:",
    `        address: ${mac === undefined ? `redfish-virtualmedia+https://${blank(`BMC address of ${name}`, `192.0.2.1${index}`)}/redfish/v1/Systems/1` : scalar(whole)}`,
    `        username: ${given("bmc-user") ?? blank(`BMC user of ${name}`, "admin")}`,
    `        password: ${given("bmc-password") ?? blank(`BMC password of ${name}`, "example")}`,
  ];
}

export const starter: PlatformStarter = {
  about: "bare metal servers with BMCs",
  computeReplicas: (answers) =>
    answers["hosts"] === undefined ? COMPUTE : Math.max(0, hostsOf(answers).length - CONTROL_PLANE),
  questions: [
    ...virtualIPs(LATER),
    {
      flag: "hosts",
      value: "MAC=BMC,…",
      about: "boot MAC address and BMC address of each host, three of the control plane first",
      question: "Hosts as MAC=BMC-ADDRESS with commas between them, three of the control plane first",
      required: false,
      empty: LATER,
      example:
        "52:54:00:00:00:00=192.0.2.10,52:54:00:00:00:01=192.0.2.11,52:54:00:00:00:02=192.0.2.12,52:54:00:00:00:03=192.0.2.13",
    },
    {
      flag: "bmc-user",
      value: "USER",
      about: "user of the BMCs",
      question: "User of the BMCs",
      required: false,
      empty: LATER,
      example: "admin",
    },
    {
      flag: "bmc-password",
      value: "PASSWORD",
      about: "password of the user; other users can read it on the command line, so the prompt is safer",
      question: "Password of this user",
      required: false,
      empty: LATER,
      example: "example",
    },
  ],
  lines: (answers, scalar, blank) => [
    "  baremetal:",
    "    # Two unused addresses in the machine network, for the API and the ingress.",
    "    apiVIPs:",
    `    - ${answers["api-vip"] === undefined ? blank("API address", "10.0.0.5") : scalar(answers["api-vip"])}`,
    "    ingressVIPs:",
    `    - ${answers["ingress-vip"] === undefined ? blank("ingress address", "10.0.0.7") : scalar(answers["ingress-vip"])}`,
    "    # Disabled: hosts boot from virtual media. With Managed, they boot from a separate network:",
    "    # provisioningNetwork: Managed",
    "    # provisioningNetworkCIDR: 172.22.0.0/24",
    "    # provisioningNetworkInterface: eno1",
    "    provisioningNetwork: Disabled",
    "    # At least as many hosts as replicas in all pools.",
    "    hosts:",
    ...host(answers, 0, scalar, blank),
    "      # The operating system disk, and the network of a host without DHCP (NMState):",
    "      # rootDeviceHints:",
    "      #   deviceName: /dev/sda",
    "      # networkConfig:",
    "      #   interfaces: []",
    ...Array.from(
      {
        length:
          Math.max(
            CONTROL_PLANE,
            answers["hosts"] === undefined ? CONTROL_PLANE + COMPUTE : hostsOf(answers).length,
          ) - 1,
      },
      (_, index) => host(answers, index + 1, scalar, blank),
    ).flat(),
  ],
};
