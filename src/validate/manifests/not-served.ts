/** Why a cluster does not serve the version of an object, or one of its fields or values, and what would. */

import { equalJson, isJson, type JsonObject } from "../../core/json.js";
import { type Found, problem } from "../../core/problem.js";
import { formatRelease } from "../../core/release.js";
import { checkCustomResource } from "../../crd/schema.js";
import type { ObjectIdentity } from "../../kubernetes/identity.js";
import { quote } from "../../text/quote.js";
import { dig } from "../context.js";
import { definitionOf, leastSetFor, releasesFor, servedVersions } from "./definitions.js";
import type { ServedBy } from "./served.js";

/** True for a field that is dropped without harm: the installer writes it in every feature set, with a value that changes nothing. */
export async function isDroppedWithoutHarm(
  { code, field }: Found,
  { object, identity }: Described,
): Promise<boolean> {
  if (code !== "KUB004" || identity.group !== "config.openshift.io") return false;
  const { fields } = (await import("../../../tables/definitions/dropped.json")).default;
  const row = fields.find(({ kind, path }) => kind === identity.kind && path === field);
  const value = dig(object, field.split("."));
  return row !== undefined && isJson(row.value) && equalJson(value, row.value);
}

interface Described {
  readonly object: JsonObject;
  readonly identity: ObjectIdentity;
}

/** Reports a version of one of OpenShift's kinds that the release does not serve with the feature set of the cluster. */
export async function versionNotServed(identity: ObjectIdentity, by: ServedBy): Promise<Found | undefined> {
  const { kind, version } = identity;
  const served = await servedVersions(identity, by);
  if (served === undefined || served.includes(version)) return undefined;
  const cluster = `OpenShift ${formatRelease(by.release)} with the feature set ${by.featureSet}`;
  return problem(
    "KUB003",
    "NotSupported",
    "apiVersion",
    served.length === 0
      ? `${kind} is not served by ${cluster}; the bootstrap would wait for it and time out`
      : `version ${quote(version)} of ${kind} is not served by ${cluster}`,
    served.length > 0
      ? `use ${served.join(" or ")}`
      : ((await servedElsewhere(
          by,
          async (other) => (await servedVersions(identity, other))?.includes(version) === true,
        )) ?? "remove the object"),
  );
}

/** The findings about fields and values; those that another feature set or release would not have say so. */
export async function withWhereServed(
  findings: readonly Found[],
  { object, identity }: Described,
  by: ServedBy,
): Promise<readonly Found[]> {
  const asked = findings.filter(({ hint, code }) => hint === undefined && code !== "KUB006");
  if (asked.length === 0) return findings;
  const isFound = async (finding: Found, other: ServedBy): Promise<boolean> => {
    const crd = await definitionOf(identity, other);
    return (
      crd === undefined ||
      checkCustomResource(crd, object).some(
        ({ code, field }) => field === "apiVersion" || (code === finding.code && field === finding.field),
      )
    );
  };
  return await Promise.all(
    findings.map(async (finding) => {
      if (!asked.includes(finding)) return finding;
      const hint = await servedElsewhere(by, async (other) => !(await isFound(finding, other)));
      return hint === undefined ? finding : { ...finding, hint };
    }),
  );
}

async function servedElsewhere(
  by: ServedBy,
  holds: (other: ServedBy) => Promise<boolean>,
): Promise<string | undefined> {
  const set = await leastSetFor(by, holds);
  if (set !== undefined)
    return `remove it, or set featureSet to ${set} in install-config.yaml (OpenShift ${formatRelease(by.release)}; after that, the cluster cannot be upgraded)`;
  const releases = await releasesFor(by, holds);
  return releases.length === 0
    ? undefined
    : `remove it, or set --release to a release that has it with this feature set: OpenShift ${releases.join(", ")}`;
}
