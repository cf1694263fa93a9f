/**
 * Rules of the provider's webhooks, which no definition of a kind holds (cluster-api-provider-vsphere
 * internal/webhooks: ValidateCreate of VSphereMachineTemplate and VSphereFailureDomain).
 */

import { isList, isObject, type JsonObject, textAt } from "../../../core/json.js";
import { type Found, problem } from "../../../core/problem.js";
import { identityOf } from "../../../kubernetes/identity.js";
import { quote } from "../../../text/quote.js";

const GROUP = "infrastructure.cluster.x-k8s.io";
const HARDWARE = /^vmx-[1-9][0-9]?$/;

const finding = (field: string, message: string, hint: string, kind: Found["kind"] = "Forbidden"): Found =>
  problem("CAPI101", kind, field, message, hint);

const mapAt = (object: JsonObject, ...path: readonly string[]): JsonObject =>
  path.reduce<JsonObject>((value, name) => {
    const member = value[name];
    return isObject(member) ? member : {};
  }, object);

export function webhookFindings(object: JsonObject): readonly Found[] {
  const { group, kind } = identityOf(object);
  if (group !== GROUP) return [];
  if (kind === "VSphereMachineTemplate") return templateFindings(mapAt(object, "spec", "template", "spec"));
  return kind === "VSphereFailureDomain" ? domainFindings(mapAt(object, "spec")) : [];
}

function templateFindings(spec: JsonObject): Found[] {
  const field = (name: string): string => `spec.template.spec.${name}`;
  const network = mapAt(spec, "network");
  const devices = isList(network["devices"]) ? network["devices"] : [];
  const hardware = textAt(spec, "hardwareVersion");
  const timeout = spec["guestSoftPowerOffTimeout"] ?? spec["guestSoftPowerOffTimeoutSeconds"];
  return [
    ...(textAt(spec, "providerID") === ""
      ? []
      : [finding(field("providerID"), "forbidden: not supported in a template", "remove it")]),
    ...(textAt(network, "preferredAPIServerCidr") === ""
      ? []
      : [finding(field("network.preferredAPIServerCidr"), "no longer used", "remove it", "Invalid")]),
    ...devices.flatMap((device, index) =>
      isObject(device) && isList(device["ipAddrs"]) && device["ipAddrs"].length > 0
        ? [
            finding(
              field(`network.devices[${index}].ipAddrs`),
              "forbidden: addresses are not supported in a template for several machines",
              "remove them",
            ),
          ]
        : [],
    ),
    ...(hardware === "" || HARDWARE.test(hardware)
      ? []
      : [
          finding(
            field("hardwareVersion"),
            `invalid value ${quote(hardware)}: must be a virtual hardware version`,
            "use a version such as vmx-19",
            "Invalid",
          ),
        ]),
    ...(timeout === undefined || timeout === null || textAt(spec, "powerOffMode") === "trySoft"
      ? []
      : [
          finding(
            field("guestSoftPowerOffTimeout"),
            "requires powerOffMode: trySoft",
            "set powerOffMode, or remove the timeout",
            "Invalid",
          ),
        ]),
  ];
}

function domainFindings(spec: JsonObject): Found[] {
  const region = textAt(mapAt(spec, "region"), "type");
  const zone = textAt(mapAt(spec, "zone"), "type");
  const topology = mapAt(spec, "topology");
  const has = (name: string): boolean => topology[name] !== undefined && topology[name] !== null;
  const filled = (name: string): boolean => {
    const list = topology[name];
    return isList(list) && list.length > 0;
  };
  const needsCluster = has("hosts") || region === "ComputeCluster" || zone === "ComputeCluster";
  return [
    ...(needsCluster && !has("computeCluster")
      ? [
          finding(
            "spec.topology.computeCluster",
            "required value is missing",
            "set the compute cluster",
            "Required",
          ),
        ]
      : []),
    ...(region === "HostGroup"
      ? [
          finding(
            "spec.region.type",
            "must not be HostGroup for a region",
            "use ComputeCluster or Datacenter",
          ),
        ]
      : []),
    ...(zone === "HostGroup" && !has("hosts")
      ? [
          finding(
            "spec.topology.hosts",
            "required value is missing: a zone of type HostGroup requires host groups",
            "set both groups",
            "Required",
          ),
        ]
      : []),
    ...(filled("networks") && filled("networkConfigurations")
      ? [
          finding(
            "spec.topology.networks",
            "forbidden: only one of networks and networkConfigurations can be set",
            "keep one of them",
          ),
        ]
      : []),
  ];
}
