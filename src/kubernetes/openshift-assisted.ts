/**
 * The kinds of the providers of Cluster API that let assisted-service install a cluster, and what the providers and
 * assisted-service refuse of them beyond the definitions
 * (openshift-assisted/cluster-api-provider-openshift-assisted controlplane/internal/controller,
 * bootstrap/internal/controller; openshift/assisted-service internal/installcfg/builder).
 */

import { isJson, isList, isObject, type Json, type JsonObject, textAt } from "../core/json.js";
import { type Found, problem } from "../core/problem.js";
import { TABLE } from "../generated/tables/openshift-assisted-keys.js";
import { parseApiVersion } from "./identity.js";
import { annotationsOf } from "./labels.js";

export const ASSISTED_CONTROL_PLANE_GROUP = "controlplane.cluster.x-k8s.io";
export const ASSISTED_CONTROL_PLANE_KIND = "OpenshiftAssistedControlPlane";
export const ASSISTED_BOOTSTRAP_GROUP = "bootstrap.cluster.x-k8s.io";
export const ASSISTED_BOOTSTRAP_KIND = "OpenshiftAssistedConfigTemplate";

/** JSON of the members of an install-config that the provider has no field for. */
export const INSTALL_CONFIG_OVERRIDE_ANNOTATION = "controlplane.cluster.x-k8s.io/install-config-override";

/** Versions of OpenshiftAssistedControlPlane. */
export const ASSISTED_VERSIONS = ["v1alpha3", "v1alpha2"] as const;
export type AssistedVersion = (typeof ASSISTED_VERSIONS)[number];

/** Where the nodes on machines of a provider get their name and labels from. */
export interface NodeNames {
  /** Variable of the metadata that machines get. */
  readonly name: string;
  readonly labels: readonly string[];
}

/**
 * By the kind of the infrastructure cluster. Metal3 gives machines the name of the host as `local-hostname`, and finds
 * a node by its label (docs/reference/cluster-api.md §8).
 */
export const NODES: ReadonlyMap<string, NodeNames> = new Map([
  ["Metal3Cluster", { name: "$METADATA_LOCAL_HOSTNAME", labels: ["metal3.io/uuid=$METADATA_UUID"] }],
]);

/** The oldest version that the control plane provider installs (openshiftassistedcontrolplane_controller.go). */
const OLDEST_MINOR = 14;

const at = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);

/** What either provider cannot work with, although the definition takes it; nothing for other kinds. */
export function assistedFindings(object: JsonObject): readonly Found[] {
  const { group } = parseApiVersion(textAt(object, "apiVersion"));
  const kind = textAt(object, "kind");
  if (group === ASSISTED_CONTROL_PLANE_GROUP && kind === ASSISTED_CONTROL_PLANE_KIND)
    return [
      ...versionFindings(object),
      ...capabilityFindings(object),
      ...overrideFindings(object),
      ...nodeFindings(object, ["spec", "openshiftAssistedConfigSpec"]),
    ];
  if (group === ASSISTED_BOOTSTRAP_GROUP && kind === ASSISTED_BOOTSTRAP_KIND)
    return nodeFindings(object, ["spec", "template", "spec"]);
  return [];
}

const fault = (field: string, message: string, hint: string): Found =>
  problem("CAPI045", "Invalid", field, message, hint);

function versionFindings(object: JsonObject): Found[] {
  const version = at(object, "spec", "distributionVersion");
  const [, major, minor] = typeof version === "string" ? (/^v?([0-9]+)\.([0-9]+)/.exec(version) ?? []) : [];
  if (major === undefined || Number(major) > 4 || (Number(major) === 4 && Number(minor) >= OLDEST_MINOR))
    return [];
  return [
    fault(
      "spec.distributionVersion",
      `versions before 4.${OLDEST_MINOR}.0 are not supported by the provider`,
      "use a later version",
    ),
  ];
}

/** Not anchored in the provider's own check either. */
const BASELINE = /^(?:None|vCurrent|)$|v4\.[0-9]+/;

function capabilityFindings(object: JsonObject): Found[] {
  const capabilities = at(object, "spec", "config", "capabilities");
  const baseline = at(capabilities, "baselineCapability");
  const wrong =
    typeof baseline === "string" && !BASELINE.test(baseline)
      ? [
          fault(
            "spec.config.capabilities.baselineCapability",
            "invalid set of capabilities",
            "use None, vCurrent or a version such as v4.18",
          ),
        ]
      : [];
  const more = at(capabilities, "additionalEnabledCapabilities");
  const onMetal = [
    at(object, "spec", "config", "apiVIPs"),
    at(object, "spec", "config", "ingressVIPs"),
  ].every((each) => isList(each) && each.length > 0);
  const machines = isList(more) && more.some((each) => String(each).toLowerCase() === "machineapi");
  return [
    ...wrong,
    ...(onMetal && machines
      ? [
          {
            ...fault(
              "spec.config.capabilities.additionalEnabledCapabilities",
              "the provider ignores MachineAPI if the cluster has virtual IPs",
              "remove MachineAPI; machines are created in the management cluster",
            ),
            severity: "warning",
          } as const,
        ]
      : []),
  ];
}

const OVERRIDE_FIELD = `metadata.annotations[${INSTALL_CONFIG_OVERRIDE_ANNOTATION}]`;

function overrideFindings(object: JsonObject): Found[] {
  const text = annotationsOf(object).get(INSTALL_CONFIG_OVERRIDE_ANNOTATION) ?? "";
  if (text === "") return [];
  const override = parsed(text);
  if (!isObject(override))
    return [fault(OVERRIDE_FIELD, "must be a JSON object", "use JSON with fields of an install-config")];
  return Object.keys(override)
    .filter((name) => !TABLE.overridable.includes(name))
    .map((name) =>
      fault(
        OVERRIDE_FIELD,
        `assisted-service does not support overriding ${name}`,
        `use only ${TABLE.overridable.join(", ")}`,
      ),
    );
}

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const VARIABLE = /^\$\{?[A-Za-z_][A-Za-z0-9_]*\}?$/;

/** Values that begin like variables are read as such (agent_controller.go, parseEnvVarRef). */
function nodeFindings(object: JsonObject, path: readonly string[]): Found[] {
  const registration = at(object, ...path, "nodeRegistration");
  const labels = at(registration, "kubeletExtraLabels");
  const values: [string, Json | undefined][] = [
    ["name", at(registration, "name")],
    ["providerID", at(registration, "providerID")],
    ...(isList(labels) ? labels : []).map((label, index): [string, Json] => [
      `kubeletExtraLabels[${index}]`,
      typeof label === "string" ? label.slice(label.indexOf("=") + 1) : label,
    ]),
  ];
  return values
    .filter(([, value]) => typeof value === "string" && value.startsWith("$") && !VARIABLE.test(value))
    .map(([name]) =>
      fault(
        [...path, "nodeRegistration", name].join("."),
        "invalid name of a variable",
        "use letters, digits and '_', such as $METADATA_NAME",
      ),
    );
}
