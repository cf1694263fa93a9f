/**
 * Old spellings become new ones (docs/reference/install-config-and-manifests.md §1.3). The old ones stay next to the
 * new, as the installer keeps them. A conflict of both ends the checks.
 */

import { deprecated, ignored, invalid, required } from "../../core/problem.js";
import type { InstallConfig, Networking } from "../../generated/types/install-config.js";
import { parseCidr } from "../../kubernetes/network.js";
import type { PlatformRules, RuleContext } from "../../platforms/platform.js";
import { inForce } from "../../platforms/release-changes.js";

const VERSION = "v1";
const OLD_VERSIONS: readonly (string | undefined)[] = ["v1beta3", "v1beta4"];

/** A new config in today's spelling, apiVersion v1; undefined when it cannot be converted, which is reported. */
export function upconvert(
  config: InstallConfig,
  context: RuleContext,
  rules: PlatformRules | undefined,
): InstallConfig | undefined {
  if (!checkVersion(config.apiVersion, context)) return undefined;
  const next = structuredClone(config);
  if (next.networking !== undefined) convertNetworking(next.networking, context);
  if ((next.imageContentSources ?? []).length > 0)
    context.report(deprecated("IC102", "imageContentSources", "imageDigestSources"));
  const converted = rules?.upconvert === undefined ? next : rules.upconvert(next, context);
  return converted === undefined ? undefined : { ...converted, apiVersion: VERSION };
}

function checkVersion(version: string | undefined, { report }: RuleContext): boolean {
  if (version === VERSION) return true;
  const hint = `set apiVersion: ${VERSION}`;
  if (OLD_VERSIONS.includes(version)) {
    report(deprecated("IC102", "apiVersion", `apiVersion: ${VERSION}`));
    return true;
  }
  report(
    version === undefined || version === ""
      ? required("IC101", "apiVersion", "", hint)
      : invalid("IC101", "apiVersion", version, `must be ${VERSION}`, hint),
  );
  return false;
}

function convertNetworking(networking: Networking, context: RuleContext): void {
  const given = (list: readonly unknown[] | undefined) => list !== undefined && list.length > 0;
  const at = (name: string) => `networking.${name}`;
  if (given(networking.clusterNetworks)) {
    oldSpelling(context, at("clusterNetworks"), at("clusterNetwork"), given(networking.clusterNetwork));
    if (!given(networking.clusterNetwork) && networking.clusterNetworks !== undefined)
      networking.clusterNetwork = networking.clusterNetworks;
  }
  if (networking.machineCIDR !== undefined) {
    oldSpelling(context, at("machineCIDR"), at("machineNetwork"), given(networking.machineNetwork));
    if (!given(networking.machineNetwork)) networking.machineNetwork = [{ cidr: networking.machineCIDR }];
  }
  if (networking.serviceCIDR !== undefined) {
    oldSpelling(context, at("serviceCIDR"), at("serviceNetwork"), given(networking.serviceNetwork));
    if (!given(networking.serviceNetwork)) networking.serviceNetwork = [networking.serviceCIDR];
  }
  if (networking.type !== undefined && networking.type !== "") {
    oldSpelling(context, at("type"), at("networkType"), (networking.networkType ?? "") !== "");
    networking.networkType ||= networking.type;
  }
  const known = ["OpenShiftSDN"];
  if (inForce(context.release, "networkTypeInAnyLetters")) known.push("OVNKubernetes");
  const canonical = known.find((name) => name.toLowerCase() === networking.networkType?.toLowerCase());
  if (canonical !== undefined) networking.networkType = canonical;
  convertHostSubnetLength(networking, context);
}

/** `hostSubnetLength` counts the host bits, `hostPrefix` the others. */
function convertHostSubnetLength(networking: Networking, context: RuleContext): void {
  for (const [i, entry] of (networking.clusterNetwork ?? []).entries()) {
    const length = entry.hostSubnetLength ?? 0;
    if (length === 0) continue;
    const field = `networking.clusterNetwork[${i}]`;
    const given = (entry.hostPrefix ?? 0) !== 0;
    oldSpelling(context, `${field}.hostSubnetLength`, `${field}.hostPrefix`, given);
    // Old and new list share their entries, so the prefix shows in both, as it does with the installer. It counts in 32
    // bits (openshift/installer pkg/types/conversion/installconfig.go), where the least length gives a negative prefix.
    if (!given) entry.hostPrefix = ((parseCidr(entry.cidr ?? "")?.bits ?? 0) - length) | 0;
  }
}

/** Warns of a deprecated spelling; the new one takes precedence where it is set. */
function oldSpelling({ report }: RuleContext, field: string, instead: string, isSet: boolean): void {
  report(
    isSet
      ? ignored("IC102", field, `${instead} is also set`, "remove this deprecated field")
      : deprecated("IC102", field, instead),
  );
}
