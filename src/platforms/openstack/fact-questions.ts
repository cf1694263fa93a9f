/** What to ask OpenStack for, with the commands of openstack. */
import { shellWord } from "../../text/shell.js";
import type { AskFacts } from "../fact-questions.js";
import { existingSubnets, openstackOf } from "./config.js";

export const askFacts: AskFacts = (config, { names }) => {
  const networks = names("openstack.networks");
  // The facts have all of them or none.
  const subnets = existingSubnets(openstackOf(config)).map(({ id, name }) => id || name);
  const UUID = "0f9a5e0c-7d6f-4b5e-9a1e-2b8f3f0c1d2e";
  return {
    scope: {},
    questions: [
      {
        fact: "openstack.networks",
        about: "ID of the external network.",
        commands: networks.map(
          (name) => `openstack network show ${shellWord(name)} -f json | jq '{id, name}'`,
        ),
        value: (blank) => networks.map((name) => ({ id: blank(`ID of the network ${name}`, UUID), name })),
      },
      {
        fact: "openstack.subnets",
        about: "The subnets of the machines, with the ID of their network.",
        commands: subnets.map(
          (name) =>
            `openstack subnet show ${shellWord(name)} -f json | jq '{id, name, network: .network_id, cidr}'`,
        ),
        value: (blank) =>
          subnets.map((subnet) => ({
            id: UUID_PATTERN.test(subnet) ? subnet : blank(`ID of the subnet ${subnet}`, UUID),
            ...(UUID_PATTERN.test(subnet) ? {} : { name: subnet }),
            network: blank(`ID of the network of the subnet ${subnet}`, UUID),
            cidr: blank(`CIDR of the subnet ${subnet}`, "10.0.0.0/16"),
          })),
      },
    ],
  };
};

const UUID_PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
