/**
 * Old spellings become new ones (facts/install-config-and-manifests.md §1.3). The old ones stay beside the new, as the
 * installer keeps them. A conflict of both stands alone: nothing else is judged then.
 */
import { formatRelease } from "../../core/release.js";
import type { InstallConfig, Networking } from "../../generated/types/install-config.js";
import { parseCidr } from "../../kubernetes/network.js";
import { activePlatform } from "../../platforms/config.js";
import type { RuleContext } from "../../platforms/platform.js";
import { platformRules } from "../../platforms/registry.js";
import { FIELD_RELEASES, inForce, knowsField } from "../../platforms/release-changes.js";
import { matchingPaths, removeAt } from "./field-path.js";

export interface UpconvertContext extends RuleContext {
  /** Fields that the release does not know are warnings, whatever the release does. */
  readonly lenient: boolean;
}

const VERSION = "v1";
const OLD_VERSIONS: readonly (string | undefined)[] = ["v1beta3", "v1beta4"];

/** A new config in today's spelling, apiVersion v1; undefined when it cannot be converted, which is reported. */
export function upconvert(config: InstallConfig, context: UpconvertContext): InstallConfig | undefined {
  if (!checkVersion(config.apiVersion, context)) return undefined;
  const next = structuredClone(config);
  dropUnknownFields(next, context);
  if (next.networking !== undefined) convertNetworking(next.networking, context);
  if ((next.imageContentSources ?? []).length > 0)
    deprecated(context, "imageContentSources", "imageDigestSources");
  const platform = activePlatform(next);
  const rules = platform === undefined ? undefined : platformRules(platform);
  const converted = rules?.upconvert === undefined ? next : rules.upconvert(next, context);
  return converted === undefined ? undefined : { ...converted, apiVersion: VERSION };
}

function checkVersion(version: string | undefined, { report }: UpconvertContext): boolean {
  if (version === VERSION) return true;
  const hint = `write "apiVersion: ${VERSION}"`;
  if (OLD_VERSIONS.includes(version)) {
    report({
      code: "IC102",
      severity: "warning",
      kind: "Invalid",
      field: "apiVersion",
      message: `the apiVersion ${version} is old; it is read as ${VERSION}`,
      hint,
    });
    return true;
  }
  if (version === undefined || version === "")
    report({ code: "IC101", kind: "Required", field: "apiVersion", message: "there is no apiVersion", hint });
  else
    report({
      code: "IC101",
      kind: "Invalid",
      field: "apiVersion",
      message: `there is no way from the version ${JSON.stringify(version)} to ${VERSION}`,
      hint,
    });
  return false;
}

/**
 * Reports fields that the target release does not know and removes them, as its installer would lose them: an error
 * where that installer refuses unknown fields, else a warning.
 */
function dropUnknownFields(config: InstallConfig, { release, lenient, report }: UpconvertContext): void {
  const severity = inForce(release, "unknownFieldsRefused") && !lenient ? "error" : "warning";
  for (const field of FIELD_RELEASES) {
    if (knowsField(release, field)) continue;
    for (const path of matchingPaths(config, field.path)) {
      const reason =
        field.until !== undefined
          ? `was removed in ${field.until}`
          : field.since !== undefined
            ? `needs ${field.since}`
            : "is in no release up to this one";
      report({
        code: "IC104",
        severity,
        kind: "Forbidden",
        field: path,
        message: `this field ${reason}; ${formatRelease(release)} ${severity === "error" ? "does not know it" : "ignores it"}`,
        hint:
          field.instead !== undefined
            ? `use ${field.instead}`
            : field.since !== undefined
              ? `leave it out, or compile for --release ${field.since} or newer`
              : "leave it out",
      });
      removeAt(config, path);
    }
  }
}

function convertNetworking(networking: Networking, context: UpconvertContext): void {
  const given = (list: readonly unknown[] | undefined) => list !== undefined && list.length > 0;
  const at = (name: string) => `networking.${name}`;
  if (given(networking.clusterNetworks)) {
    deprecated(context, at("clusterNetworks"), at("clusterNetwork"), given(networking.clusterNetwork));
    if (!given(networking.clusterNetwork) && networking.clusterNetworks !== undefined)
      networking.clusterNetwork = networking.clusterNetworks;
  }
  if (networking.machineCIDR !== undefined) {
    deprecated(context, at("machineCIDR"), at("machineNetwork"), given(networking.machineNetwork));
    if (!given(networking.machineNetwork)) networking.machineNetwork = [{ cidr: networking.machineCIDR }];
  }
  if (networking.serviceCIDR !== undefined) {
    deprecated(context, at("serviceCIDR"), at("serviceNetwork"), given(networking.serviceNetwork));
    if (!given(networking.serviceNetwork)) networking.serviceNetwork = [networking.serviceCIDR];
  }
  if (networking.type !== undefined && networking.type !== "") {
    deprecated(context, at("type"), at("networkType"), (networking.networkType ?? "") !== "");
    networking.networkType ||= networking.type;
  }
  const known = ["OpenShiftSDN"];
  if (inForce(context.release, "networkTypeInAnyLetters")) known.push("OVNKubernetes");
  const canonical = known.find((name) => name.toLowerCase() === networking.networkType?.toLowerCase());
  if (canonical !== undefined) networking.networkType = canonical;
  convertHostSubnetLength(networking, context);
}

/** `hostSubnetLength` counts the host bits, `hostPrefix` the others. */
function convertHostSubnetLength(networking: Networking, context: UpconvertContext): void {
  for (const [i, entry] of (networking.clusterNetwork ?? []).entries()) {
    const length = entry.hostSubnetLength ?? 0;
    if (length === 0) continue;
    const field = `networking.clusterNetwork[${i}]`;
    const given = (entry.hostPrefix ?? 0) !== 0;
    deprecated(context, `${field}.hostSubnetLength`, `${field}.hostPrefix`, given);
    // Old and new list share their entries, so the prefix shows in both, as it does with the installer.
    if (!given) entry.hostPrefix = (parseCidr(entry.cidr ?? "")?.bits ?? 0) - length;
  }
}

/** Warns of a deprecated spelling; `ignored` when the new one is there and wins. */
function deprecated({ report }: RuleContext, field: string, instead: string, ignored = false): void {
  report({
    code: "IC102",
    severity: "warning",
    kind: "Invalid",
    field,
    message: ignored
      ? `this spelling is deprecated and without effect, since ${instead} is given`
      : "this spelling is deprecated",
    hint: ignored ? "leave it out" : `write ${instead}`,
  });
}
