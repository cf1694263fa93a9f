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
      empty: "openstack",
    },
    {
      flag: "external-network",
      value: "NAME",
      about: "name of the external network with floating IP addresses",
      question: "External network",
      required: false,
      empty: "no floating IP addresses",
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
      "    # Existing floating IP addresses of that network.",
      "    # apiFloatingIP: 198.51.100.5",
      "    # ingressFloatingIP: 198.51.100.7",
      "    # An existing subnet, which is also the machine network; if unset, a network is created.",
      "    # controlPlanePort:",
      "    #   fixedIPs:",
      "    #   - subnet:",
      "    #       name: machines",
      "    # Defaults for the machines of all pools.",
      "    defaultMachinePlatform:",
      `      type: ${scalar(flavor)}`,
      "      # rootVolume:",
      "      #   size: 100",
      "      #   types:",
      "      #   - performance",
    ];
  },
};
