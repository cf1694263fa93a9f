import type { Blank, PlatformStarter } from "../starter.js";

const host = (name: string, role: string, number: number, blank: Blank): string[] => [
  `    - name: ${name}`,
  `      role: ${role}`,
  `      bootMACAddress: "${blank(`MAC address of ${name}`, `52:54:00:00:00:0${number}`)}"`,
  "      bmc:",
  `        address: redfish-virtualmedia+https://${blank(`BMC address of ${name}`, `192.0.2.1${number}`)}/redfish/v1/Systems/1`,
  `        username: ${blank(`BMC user of ${name}`, "admin")}`,
  `        password: ${blank(`BMC password of ${name}`, "example")}`,
];

export const starter: PlatformStarter = {
  about: "bare metal servers with BMCs",
  computeReplicas: 2,
  questions: [],
  lines: (_answers, _scalar, blank) => [
    "  baremetal:",
    "    # Two unused addresses in the machine network, for the API and the ingress.",
    "    apiVIPs:",
    `    - ${blank("API address", "10.0.0.5")}`,
    "    ingressVIPs:",
    `    - ${blank("ingress address", "10.0.0.7")}`,
    "    # Disabled: hosts boot from virtual media. With Managed, they boot from a separate network:",
    "    # provisioningNetwork: Managed",
    "    # provisioningNetworkCIDR: 172.22.0.0/24",
    "    # provisioningNetworkInterface: eno1",
    "    provisioningNetwork: Disabled",
    "    # At least as many hosts as replicas in all pools.",
    "    hosts:",
    ...host("master-0", "master", 0, blank),
    "      # The operating system disk, and the network of a host without DHCP (NMState):",
    "      # rootDeviceHints:",
    "      #   deviceName: /dev/sda",
    "      # networkConfig:",
    "      #   interfaces: []",
    ...host("master-1", "master", 1, blank),
    ...host("master-2", "master", 2, blank),
    ...host("worker-0", "worker", 3, blank),
    ...host("worker-1", "worker", 4, blank),
  ],
};
