/** What the installer looks up in DNS for bare metal. */
import { shellWord } from "../../text/shell.js";
import { clusterDomain } from "../config.js";
import type { AskFacts, FactQuestion } from "../fact-questions.js";
import { baremetalOf } from "./config.js";

export const askFacts: AskFacts = (config) => {
  const { apiVIPs = [], ingressVIPs = [] } = baremetalOf(config);
  const domain = clusterDomain(config);
  const address = (fact: string, host: string, field: string, example: string): FactQuestion => ({
    fact: `baremetal.${fact}`,
    about: `Address of ${host}: ${field} is not set.`,
    commands: [`dig +short ${shellWord(host)}`],
    value: (blank) => blank(`address of ${host}`, example),
    always: true,
  });
  return {
    scope: {},
    questions: [
      ...(apiVIPs.length > 0 ? [] : [address("apiVIP", `api.${domain}`, "apiVIPs", "192.0.2.5")]),
      ...(ingressVIPs.length > 0
        ? []
        : [address("ingressVIP", `test.apps.${domain}`, "ingressVIPs", "192.0.2.7")]),
    ],
  };
};
