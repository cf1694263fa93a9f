/** Cluster name and base domain (docs/reference/install-config-and-manifests.md §1.7). */

import { holdsAt } from "../../../core/by-release.js";
import { invalid, problem } from "../../../core/problem.js";
import { subdomainFault } from "../../../kubernetes/names.js";
import { clusterDomain, type NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { namedTraits } from "../../../platforms/registry.js";
import { quote } from "../../../text/quote.js";

/** `*.apps` takes nine characters of a label once the star is written `\052`. */
const NAME_LIMIT = 63 - 9;

export function validateNames(config: NormalConfig, context: RuleContext): void {
  const { name } = config.metadata;
  const nameFault = clusterNameFault(config);
  if (nameFault !== undefined)
    context.report(
      invalid(
        "IC110",
        "metadata.name",
        name,
        nameFault,
        `use at most ${NAME_LIMIT} lowercase letters, digits and hyphens`,
      ),
    );
  validateReservedNames(config, context);
  const domain = config.baseDomain.replace(/\.$/, "");
  const domainFault = subdomainFault(domain);
  if (domainFault !== undefined)
    context.report(invalid("IC111", "baseDomain", domain, domainFault, 'use a domain such as "example.com"'));
  if (nameFault !== undefined || domainFault !== undefined) return;
  const whole = clusterDomain(config).replace(/\.$/, "");
  const joined = subdomainFault(whole);
  if (joined !== undefined)
    context.report(
      problem(
        "IC111",
        "Invalid",
        "baseDomain",
        `invalid cluster domain ${quote(whole)}: ${joined}`,
        "shorten the cluster name or the base domain",
      ),
    );
}

function clusterNameFault(config: NormalConfig): string | undefined {
  const { name } = config.metadata;
  const rules = namedTraits(config).map(({ clusterName }) => clusterName);
  if (rules.includes("without dots")) {
    if (name.includes(".")) return "must not contain dots on this platform";
  } else if (rules.includes("begins with a letter") && !/^[a-z]/.test(name))
    return "must start with a lowercase letter on this platform";
  if (Buffer.byteLength(name) > NAME_LIMIT) return `must have at most ${NAME_LIMIT} characters`;
  return subdomainFault(name);
}

function validateReservedNames(config: NormalConfig, { release, report }: RuleContext): void {
  const name = config.metadata.name.toLowerCase();
  for (const { reservedNames: reserved } of namedTraits(config)) {
    if (reserved === undefined || !holdsAt(reserved, release)) continue;
    const word = reserved.names.has(name) ? name : reserved.parts.exec(name)?.[0];
    if (word === undefined) continue;
    report(
      invalid(
        "IC110",
        "metadata.name",
        name,
        `must not contain ${quote(word)}, which ${reserved.by} reserves`,
      ),
    );
  }
}
