/** What to ask IBM Cloud for, with the commands of ibmcloud. */
import { type AskFacts, fromStream, streamArchitecture } from "../fact-questions.js";
import { accountQuestions } from "../ibm-fact-questions.js";
import { ibmcloudOf } from "./config.js";

export const askFacts: AskFacts = (config, { names }) => {
  const { region } = ibmcloudOf(config);
  const subnets = [...new Set(names("ibmcloud.subnets"))];
  const { architecture } = config.controlPlane;
  return {
    scope: { region },
    questions: [
      ...accountQuestions("ibmcloud", config),
      {
        fact: "ibmcloud.zones",
        about: "Zones of the region.",
        commands: ["ibmcloud is zones --output json | jq '[.[].name]'"],
        value: (blank) => [blank("name of a zone", `${region}-1`)],
      },
      {
        fact: "ibmcloud.subnets",
        about: "The existing subnets.",
        commands: [
          "ibmcloud is subnets --output json | jq '[.[] | {name, id, zone: .zone.name, vpc: .vpc.name}]'",
        ],
        value: (blank) =>
          subnets.map((name) => ({
            name,
            id: blank(`ID of the subnet ${name}`, "0797-00000000-0000-4000-8000-00000000e001"),
            zone: blank(`zone of the subnet ${name}`, `${region}-1`),
          })),
      },
      {
        fact: "ibmcloud.image",
        about:
          "File name of the release's boot image, without .gz; create infrastructure-manifests requires it. --coreos-stream FILE also supplies it.",
        commands: [
          fromStream(
            `.architectures.${streamArchitecture(architecture)}.artifacts.ibmcloud.formats["qcow2.gz"].disk.location`,
          ),
        ],
        value: (blank) =>
          blank(
            "file name of the image",
            `rhcos-9.8.20260428-0-ibmcloud.${streamArchitecture(architecture)}.qcow2`,
          ),
        always: true,
      },
    ],
  };
};
