/** The commented agent-config.yaml that `create agent-config` writes to start from. */
import type { InstallConfig } from "../../platforms/config.js";
import { unfilled } from "../../platforms/starter.js";

/** Hosts of a role beyond so many are left to the reader. */
const MOST = 5;

/** Hosts by role, as many as the install-config has replicas; without one a compact cluster. */
function rolesOf(config: InstallConfig | undefined): readonly (readonly [role: string, count: number])[] {
  const replicas = (count: number | undefined, otherwise: number): number =>
    Math.min(MOST, Math.max(0, count ?? otherwise));
  const workers = (config?.compute ?? []).reduce((sum, pool) => sum + (pool.replicas ?? 0), 0);
  return [
    ["master", replicas(config?.controlPlane?.replicas, 3)],
    ["arbiter", replicas(config?.arbiter?.replicas, 0)],
    ["worker", Math.min(MOST, workers)],
  ];
}

export function agentStarter(config: InstallConfig | undefined, rendezvousIP: string | undefined): string {
  const hosts = rolesOf(config).flatMap(([role, count]) =>
    Array.from({ length: count }, (_, index) => ({ role, name: `${role}-${index}` })),
  );
  const lines = [
    "# Hosts of an agent-based installation.",
    "# To see every field, run: slipway explain agent-config",
    "apiVersion: v1beta1",
    "kind: AgentConfig",
    "",
    "# Address of the control plane host that installs the others.",
    `rendezvousIP: ${JSON.stringify(rendezvousIP ?? unfilled("IP address of a control plane host", "192.0.2.20"))}`,
    "",
    "# Time servers, in addition to those from DHCP.",
    "# additionalNTPSources:",
    "# - ntp.example.com",
    "",
    "# Hosts with a role, a name, a disk or a network of their own. A host is found by a MAC address.",
    "hosts:",
    ...hosts.flatMap(({ role, name }, index) => [
      `- hostname: ${name}`,
      `  role: ${role}`,
      "  interfaces:",
      "  - name: eno1",
      `    macAddress: ${JSON.stringify(unfilled("MAC address", "52:54:00:aa:bb:01"))}`,
      ...(index === 0
        ? [
            "  # The disk to install to; by default the first one that is large enough.",
            "  # rootDeviceHints:",
            "  #   deviceName: /dev/sda",
            "  # A static network, as nmstate writes it; left out, the host uses DHCP.",
            "  # networkConfig:",
            "  #   interfaces:",
            "  #   - name: eno1",
            "  #     type: ethernet",
            "  #     state: up",
            "  #     ipv4:",
            "  #       enabled: true",
            "  #       dhcp: false",
            "  #       address:",
            "  #       - ip: 192.0.2.20",
            "  #         prefix-length: 24",
          ]
        : []),
    ]),
  ];
  return `${lines.join("\n")}\n`;
}
