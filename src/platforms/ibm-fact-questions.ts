/** What both platforms of IBM Cloud ask for, with the commands of ibmcloud. */
import { quote } from "../text/quote.js";
import type { NormalConfig } from "./config.js";
import type { FactQuestion } from "./fact-questions.js";

const CRN = (service: string): string =>
  `crn:v1:bluemix:public:${service}:global:a/0123456789abcdef0123456789abcdef:00000000-0000-4000-8000-00000000d000::`;

/** The account and the DNS zone of the base domain: Internet Services for a public cluster, else DNS Services. */
export const accountQuestions = (
  section: "ibmcloud" | "powervs",
  { baseDomain, publish }: Pick<NormalConfig, "baseDomain" | "publish">,
): readonly FactQuestion[] => {
  const [service, plugin, list] =
    publish === "Internal" ? ["dns-svcs", "dns", "zones"] : ["internet-svcs", "cis", "domains"];
  return [
    {
      fact: `${section}.accountID`,
      about: "ID of the account.",
      commands: ["ibmcloud account show --output json | jq -r .account_id"],
      value: (blank) => blank("ID of the account", "0123456789abcdef0123456789abcdef"),
    },
    {
      fact: `${section}.dnsZone`,
      about: `The DNS zone of ${quote(baseDomain)}; replace INSTANCE by the name of the service instance.`,
      commands: [
        `ibmcloud resource service-instances --service-name ${service} --output json | jq '[.[] | {name, instanceCRN: .crn}]'`,
        `ibmcloud ${plugin} ${list} -i INSTANCE --output json | jq '[.[] | {name, id}]'`,
      ],
      value: (blank) => ({
        id: blank("ID of the zone", "0123456789abcdef0123456789abcdef"),
        instanceCRN: blank("CRN of the service instance", CRN(service)),
      }),
    },
  ];
};
