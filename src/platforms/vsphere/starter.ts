import { type PlatformStarter, type StarterQuestion, virtualIPs } from "../starter.js";

const question = (flag: string, about: string, text: string): StarterQuestion => ({
  flag,
  value: flag.replace(/^vcenter-/, "").toUpperCase(),
  about,
  question: text,
  required: true,
});

export const starter: PlatformStarter = {
  about: "VMware vSphere",
  computeReplicas: 3,
  questions: [
    question("vcenter", "host name of the vCenter", "Host name of the vCenter"),
    question("vcenter-user", "user that creates the machines in the vCenter", "User of the vCenter"),
    question(
      "vcenter-password",
      "password of the user; other users can read it on the command line, so the prompt is safer",
      "Password of the user",
    ),
    question("datacenter", "datacenter of the machines", "Datacenter"),
    question("compute-cluster", "name of the compute cluster of the machines", "Compute cluster"),
    question("datastore", "name of the datastore of the machines", "Datastore"),
    question("network", "name of the network of the machines", "Network"),
    ...virtualIPs("your own load balancers and DNS records"),
  ],
  lines: (answers, scalar) => {
    const answer = (flag: string): string => answers[flag] ?? "";
    const path = (folder: string, name: string): string =>
      scalar(`/${answer("datacenter")}/${folder}/${name}`);
    return [
      "  vsphere:",
      "    # Unused addresses in the machine network, for the API and the ingress. If unset, the API and the",
      "    # ingress use your own load balancers and DNS records.",
      ...(["api", "ingress"] as const).flatMap((name) => {
        const address = answers[`${name}-vip`];
        return address === undefined
          ? [`    # ${name}VIPs:`, `    # - ${name === "api" ? "10.0.0.5" : "10.0.0.7"}`]
          : [`    ${name}VIPs:`, `    - ${scalar(address)}`];
      }),
      "    vcenters:",
      `    - server: ${scalar(answer("vcenter"))}`,
      `      user: ${scalar(answer("vcenter-user"))}`,
      `      password: ${scalar(answer("vcenter-password"))}`,
      "      port: 443",
      "      datacenters:",
      `      - ${scalar(answer("datacenter"))}`,
      "    # Machines are distributed across failure domains. With more than one, their inventory objects have tags",
      "    # of the categories openshift-region and openshift-zone with these names.",
      "    failureDomains:",
      "    - name: failure-domain-1",
      "      region: region-1",
      "      zone: zone-1",
      `      server: ${scalar(answer("vcenter"))}`,
      "      topology:",
      `        datacenter: ${scalar(answer("datacenter"))}`,
      `        computeCluster: ${path("host", answer("compute-cluster"))}`,
      "        networks:",
      `        - ${scalar(answer("network"))}`,
      `        datastore: ${path("datastore", answer("datastore"))}`,
      `        # folder: ${path("vm", "openshift")}`,
      `        # template: ${path("vm", "rhcos")}`,
      "    # Defaults for the machines of all pools.",
      "    # defaultMachinePlatform:",
      "    #   cpus: 4",
      "    #   coresPerSocket: 4",
      "    #   memoryMB: 16384",
      "    #   osDisk:",
      "    #     diskSizeGB: 120",
    ];
  },
};
