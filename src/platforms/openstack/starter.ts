import type { PlatformStarter } from "../starter.js";

export const starter: PlatformStarter = {
  about: "OpenStack",
  computeReplicas: 3,
  questions: [
    {
      flag: "cloud",
      value: "NAME",
      about: "name of the cloud in clouds.yaml",
      question: "Cloud in clouds.yaml",
      required: false,
    },
    {
      flag: "external-network",
      value: "NAME",
      about: "name of the network that floating IPs come from",
      question: "External network",
      required: false,
    },
    { flag: "flavor", value: "NAME", about: "flavor of the machines", question: "Flavor", required: true },
  ],
  lines(answers, scalar) {
    const { cloud, flavor = "" } = answers;
    const network = answers["external-network"];
    return [
      "  openstack:",
      ...(cloud === undefined ? ["    # cloud: openstack"] : [`    cloud: ${scalar(cloud)}`]),
      ...(network === undefined
        ? ["    # externalNetwork: public"]
        : [`    externalNetwork: ${scalar(network)}`]),
      "    # Floating IPs that are there, of that network.",
      "    # apiFloatingIP: 198.51.100.5",
      "    # ingressFloatingIP: 198.51.100.7",
      "    # A subnet of your own, which is the machine network too; without it a network is made.",
      "    # controlPlanePort:",
      "    #   fixedIPs:",
      "    #   - subnet:",
      "    #       name: machines",
      "    # What the machines of every pool have, unless their pool says otherwise.",
      "    defaultMachinePlatform:",
      `      type: ${scalar(flavor)}`,
      "      # rootVolume:",
      "      #   size: 100",
      "      #   types:",
      "      #   - performance",
    ];
  },
};
