/** The account of the cluster, which credentials or facts name. */

import type { Problem } from "../../../core/diagnostics.js";
import { problem } from "../../../core/problem.js";
import { missingFact } from "../../needs.js";
import type { PlatformInput, RuleContext } from "../../platform.js";
import { subscriptionOf, tenantOf } from "../credentials.js";
import { NEEDS } from "./needs.js";
import { azureFactsOf } from "./view.js";

export function checkAccount(input: PlatformInput, { report }: Pick<RuleContext, "report">): void {
  const facts = azureFactsOf(input.facts);
  const about = { path: "platform.azure", name: "", streamed: false };
  if (subscriptionOf(input) === "") report(missingFact(NEEDS.subscription, about));
  if (tenantOf(input) === "") report(missingFact(NEEDS.tenant, about));
  const members = [
    { fact: "azure.subscriptionID", known: facts.subscriptionID, name: "subscriptionId" },
    { fact: "azure.tenantID", known: facts.tenantID, name: "tenantId" },
  ];
  for (const { fact, known, name } of members) {
    const given = input.credentials?.[name];
    if (known !== undefined && given !== undefined && known.toLowerCase() !== given.toLowerCase())
      report(contradiction(fact, name));
  }
}

const contradiction = (fact: string, name: string): Problem =>
  problem(
    "FACT002",
    "Invalid",
    "platform.azure",
    `cloud-facts ${fact} differs from the ${name} of the credentials`,
    "remove the fact, or use the credentials of that account",
  );
