/** Cluster name and base domain (docs/reference/install-config-and-manifests.md §1.7). */

import { holdsAt } from "../../../core/by-release.js";
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
    context.report({
      code: "IC110",
      kind: "Invalid",
      field: "metadata.name",
      message: `the cluster name ${quote(name)} cannot be used: ${nameFault}`,
      hint: `use at most ${NAME_LIMIT} lower-case letters, digits and dashes`,
    });
  validateReservedNames(config, context);
  const domain = config.baseDomain.replace(/\.$/, "");
  const domainFault = subdomainFault(domain);
  if (domainFault !== undefined)
    context.report({
      code: "IC111",
      kind: "Invalid",
      field: "baseDomain",
      message: `the base domain ${quote(domain)} cannot be used: ${domainFault}`,
      hint: 'write a domain such as "example.com"',
    });
  if (nameFault !== undefined || domainFault !== undefined) return;
  const joined = subdomainFault(clusterDomain(config).replace(/\.$/, ""));
  if (joined !== undefined)
    context.report({
      code: "IC111",
      kind: "Invalid",
      field: "baseDomain",
      message: `the cluster domain, made of cluster name and base domain, cannot be used: ${joined}`,
      hint: "shorten the cluster name or the base domain",
    });
}

function clusterNameFault(config: NormalConfig): string | undefined {
  const { name } = config.metadata;
  const rules = namedTraits(config).map(({ clusterName }) => clusterName);
  if (rules.includes("without dots")) {
    if (name.includes(".")) return "it holds a dot, which this platform does not allow";
  } else if (rules.includes("begins with a letter") && !/^[a-z]/.test(name))
    return "it does not begin with a lower-case letter, as this platform demands";
  if (Buffer.byteLength(name) > NAME_LIMIT) return `it is longer than ${NAME_LIMIT} characters`;
  return subdomainFault(name);
}

function validateReservedNames(config: NormalConfig, { release, report }: RuleContext): void {
  const name = config.metadata.name.toLowerCase();
  for (const { reservedNames: reserved } of namedTraits(config)) {
    if (reserved === undefined || !holdsAt(reserved, release)) continue;
    const word = reserved.names.has(name) ? name : reserved.parts.exec(name)?.[0];
    if (word === undefined) continue;
    report({
      code: "IC110",
      kind: "Invalid",
      field: "metadata.name",
      message: `the cluster name uses ${quote(word)}, which ${reserved.by} reserves`,
      hint: "choose another name",
    });
  }
}
