/** Cluster name and base domain (facts/install-config-and-manifests.md §1.7). */

import { subdomainFault } from "../../../kubernetes/names.js";
import { clusterDomain, type NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { inForce } from "../../../platforms/release-changes.js";
import { quote } from "../../../text/quote.js";

/** `*.apps` takes nine characters of a label once the star is written `\052`. */
const NAME_LIMIT = 63 - 9;

/** Platforms whose resources are named after the cluster by rules of their own. */
const LETTER_FIRST = ["gcp", "azure"] as const;
const WITHOUT_DOTS = ["vsphere", "baremetal", "openstack", "nutanix", "powervc"] as const;

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

function clusterNameFault({ metadata: { name }, platform }: NormalConfig): string | undefined {
  if (WITHOUT_DOTS.some((each) => platform[each] !== undefined)) {
    if (name.includes(".")) return "it holds a dot, which this platform does not allow";
  } else if (LETTER_FIRST.some((each) => platform[each] !== undefined) && !/^[a-z]/.test(name))
    return "it does not begin with a lower-case letter, as this platform demands";
  if (Buffer.byteLength(name) > NAME_LIMIT) return `it is longer than ${NAME_LIMIT} characters`;
  return subdomainFault(name);
}

/** https://learn.microsoft.com/en-us/azure/azure-resource-manager/troubleshooting/error-reserved-resource-name */
const RESERVED_ON_AZURE: ReadonlySet<string> = new Set(
  (
    "access app_code app_themes app_data app_globalresources app_localresources app_webreferences app_browsers " +
    "azure bing bizspark biztalk cortana directx dotnet dynamics excel exchange forefront groove hololens hyperv " +
    "kinect lync msdn o365 office office365 onedrive onenote outlook powerpoint sharepoint skype visio " +
    "visualstudio web.config xbox"
  ).split(" "),
);

function validateReservedNames({ metadata, platform }: NormalConfig, { release, report }: RuleContext): void {
  if (platform.azure === undefined || !inForce(release, "reservedNamesOnAzure")) return;
  const name = metadata.name.toLowerCase();
  const word = RESERVED_ON_AZURE.has(name) ? name : /microsoft|windows|^login/.exec(name)?.[0];
  if (word === undefined) return;
  report({
    code: "IC110",
    kind: "Invalid",
    field: "metadata.name",
    message: `the cluster name uses ${quote(word)}, which Azure reserves`,
    hint: "choose another name",
  });
}
