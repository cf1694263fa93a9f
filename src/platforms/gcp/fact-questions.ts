/** What to ask Google Cloud for, with the commands of gcloud. */
import { shellWord } from "../../text/shell.js";
import {
  type AskFacts,
  type FactQuestion,
  fromStream,
  quotedWord,
  streamArchitecture,
} from "../fact-questions.js";
import { gcpOf, networkProject } from "./config.js";

export const askFacts: AskFacts = (config, { names }) => {
  const gcp = gcpOf(config);
  const { projectID, region } = gcp;
  const subnets = names("gcp.subnets");
  const domain = `${config.baseDomain.replace(/\.$/, "")}.`;
  const architectures = [...new Set(names("gcp.images"))];
  const questions: FactQuestion[] = [
    {
      fact: "gcp.zones",
      about: "Zones of the region: a pool sets no zones. One entry for each zone.",
      commands: [
        `gcloud compute zones list --project ${shellWord(projectID)} --filter ${quotedWord(`name~^${region}-`)} --format 'json(name,status)'`,
      ],
      value: (blank) => [{ name: blank("name of a zone", `${region}-b`) }],
    },
    {
      fact: "gcp.images",
      about: "The release's boot image. --coreos-stream FILE also supplies it.",
      commands: architectures.map((architecture) =>
        fromStream(`.architectures.${streamArchitecture(architecture)}.images.gcp`),
      ),
      value: (blank) =>
        Object.fromEntries(
          architectures.map((architecture) => [
            architecture,
            {
              project: blank("project of the image", "rhcos-cloud"),
              name: blank(
                "name of the image",
                `rhcos-9-8-20260428-0-gcp-${streamArchitecture(architecture).replace("_", "-")}`,
              ),
            },
          ]),
        ),
    },
    {
      fact: "gcp.subnets",
      about: "CIDRs of the existing subnets.",
      commands: [
        `gcloud compute networks subnets list --project ${shellWord(networkProject(gcp))} --regions ${shellWord(region)} --filter ${quotedWord(`name=(${subnets.join(" ")})`)} --format 'json(name,ipCidrRange,network)'`,
      ],
      value: (blank) =>
        subnets.map((name) => ({ name, ipCidrRange: blank(`CIDR of the subnet ${name}`, "10.0.0.0/17") })),
    },
    {
      fact: "gcp.publicZone",
      about: `Name of the public DNS zone of ${config.baseDomain}.`,
      commands: [
        `gcloud dns managed-zones list --project ${shellWord(projectID)} --filter ${quotedWord(`dnsName=${domain} AND visibility=public`)} --format 'value(name)'`,
      ],
      value: (blank) => blank("name of the DNS zone", "example-net"),
    },
  ];
  return { scope: { project: projectID, region }, questions };
};
