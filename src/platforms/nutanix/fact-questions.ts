/** What to ask Prism Central for; the login is in ~/.netrc. */
import { singleQuoted } from "../../text/shell.js";
import type { AskFacts, FactQuestion } from "../fact-questions.js";
import { nutanixOf, prismCentral } from "./config.js";

export const askFacts: AskFacts = (config, { names }) => {
  const { address, port } = prismCentral(nutanixOf(config));
  const list = (kind: string, filter: string): string =>
    `curl --netrc --fail --silent --json '{"kind": "${kind}", "length": 500}' ${singleQuoted(`https://${address}:${port}/api/nutanix/v3/${kind}s/list`)} | jq ${singleQuoted(filter)}`;
  const NAMED = "[.entities[] | {uuid: .metadata.uuid, name: .spec.name}]";
  const elements = names("nutanix.prismElements");
  const projects = names("nutanix.projects");
  const images = names("nutanix.images");
  const questions: FactQuestion[] = [
    {
      fact: "nutanix.prismElements",
      about: "Name of the Prism Element.",
      commands: [list("cluster", NAMED)],
      value: (blank) => elements.map((uuid) => ({ uuid, name: blank(`name of ${uuid}`, "pe-1") })),
    },
    {
      fact: "nutanix.projects",
      about: "UUIDs of the projects that pools name.",
      commands: [list("project", NAMED)],
      value: (blank) =>
        projects.map((name) => ({
          uuid: blank(`UUID of the project ${name}`, "00000000-0000-4000-8000-000000000003"),
          name,
        })),
    },
    {
      fact: "nutanix.images",
      about: "UUIDs of the images of data disks.",
      commands: [list("image", NAMED)],
      value: (blank) =>
        images.map((name) => ({
          uuid: blank(`UUID of the image ${name}`, "00000000-0000-4000-8000-000000000004"),
          name,
        })),
    },
  ];
  return { scope: {}, questions };
};
