/**
 * Rules of the provider's webhooks for kinds of IBM Power Virtual Server, which no definition holds
 * (cluster-api-provider-ibmcloud v0.14.0, internal/webhooks/powervs). Pure over objects as they would be applied.
 */
import { isList, isObject, type Json, type JsonObject, textAt } from "../../../core/json.js";
import type { Found } from "../../../core/problem.js";
import { broken } from "../../provider-problems.js";

const CREATE_INFRASTRUCTURE = "powervs.cluster.x-k8s.io/create-infra";
const LEAST_CORES = 0.25;
const LEAST_MEMORY = 2;

/** What the webhooks would refuse of an object; nothing for other kinds. */
export function webhookFindings(object: JsonObject): Found[] {
  if (!/^infrastructure\.cluster\.x-k8s\.io\//.test(textAt(object, "apiVersion"))) return [];
  const spec = mapAt(object, "spec");
  switch (textAt(object, "kind")) {
    case "IBMPowerVSCluster":
      return clusterFindings(spec, mapAt(mapAt(object, "metadata"), "annotations")[CREATE_INFRASTRUCTURE]);
    case "IBMPowerVSMachineTemplate":
      return machineFindings(mapAt(mapAt(spec, "template"), "spec"), "spec.template.spec");
    case "IBMPowerVSMachine":
      return machineFindings(spec, "spec");
    default:
      return [];
  }
}

const mapAt = (object: JsonObject, key: string): JsonObject => {
  const value = object[key];
  return isObject(value) ? value : {};
};

const mapsAt = (object: JsonObject, key: string): readonly JsonObject[] => {
  const value = object[key];
  return isList(value) ? value.filter(isObject) : [];
};

const TRUE = ["1", "t", "T", "TRUE", "true", "True"];
const FALSE = ["0", "f", "F", "FALSE", "false", "False"];

function clusterFindings(spec: JsonObject, creates: Json | undefined): Found[] {
  const network = networkFindings(spec, "spec.network");
  const own = mapAt(spec, "network");
  const server = mapAt(spec, "dhcpServer");
  const both = (["name", "id"] as const).flatMap((key) =>
    network.length === 0 && (own["name"] ?? own["id"]) !== undefined && server[key] !== undefined
      ? [
          broken(
            `spec.dhcpServer.${key}`,
            "forbidden: only one of a network and a DHCP server can be set",
            "remove one of them",
          ),
        ]
      : [],
  );
  if (creates === undefined) return [...network, ...both];
  if (typeof creates !== "string" || ![...TRUE, ...FALSE].includes(creates))
    return [
      ...network,
      ...both,
      broken(`metadata.annotations[${CREATE_INFRASTRUCTURE}]`, 'must be "true" or "false"', 'use "true"'),
    ];
  return FALSE.includes(creates) ? [...network, ...both] : [...network, ...both, ...creationFindings(spec)];
}

/** What the provider needs where it makes what the cluster runs in. */
function creationFindings(spec: JsonObject): Found[] {
  const needed = (field: string, what: string): Found =>
    broken(
      field,
      `required value is missing: ${what}, because the provider creates the infrastructure`,
      "set it",
    );
  const balancers = mapsAt(spec, "loadBalancers");
  return [
    ...(spec["zone"] === undefined ? [needed("spec.zone", "the zone")] : []),
    ...(spec["vpc"] === undefined ? [needed("spec.vpc", "the VPC")] : []),
    ...(spec["vpc"] !== undefined && mapAt(spec, "vpc")["region"] === undefined
      ? [needed("spec.vpc.region", "the region of the VPC")]
      : []),
    ...(spec["resourceGroup"] === undefined ? [needed("spec.resourceGroup", "the resource group")] : []),
    ...repeated(mapsAt(spec, "vpcSubnets"), "spec.vpcSubnets"),
    ...repeated(balancers, "spec.loadBalancers"),
    ...(balancers.length > 0 && balancers.every((balancer) => balancer["public"] === false)
      ? [broken("spec.loadBalancers", "at least one load balancer must be public", "make one of them public")]
      : []),
  ];
}

const repeated = (items: readonly JsonObject[], field: string): Found[] =>
  items.flatMap((item, i) => {
    const name = textAt(item, "name");
    return name !== "" && items.findIndex((other) => textAt(other, "name") === name) < i
      ? [broken(`${field}[${i}].name`, `duplicate value ${name}`, "keep one of them")]
      : [];
  });

const networkFindings = (spec: JsonObject, field: string): Found[] => {
  const network = mapAt(spec, "network");
  return ["id", "name", "regex"].filter((key) => network[key] !== undefined).length > 1
    ? [broken(field, "exactly one of id, name and regex must be set", "keep one of them")]
    : [];
};

function machineFindings(spec: JsonObject, field: string): Found[] {
  const { image, memoryGiB, processors } = spec;
  const reference = textAt(mapAt(spec, "imageRef"), "name");
  // What is missing or empty is filled in before it is looked at.
  const memory = memoryGiB === undefined || memoryGiB === 0 ? LEAST_MEMORY : memoryGiB;
  const cores =
    processors === undefined || processors === "" || processors === 0 ? LEAST_CORES : Number(processors);
  return [
    ...networkFindings(spec, `${field}.network`),
    ...((image === undefined) === (reference === "")
      ? [
          broken(
            `${field}.imageRef`,
            "exactly one of image and imageRef must be set",
            "set imageRef to the IBMPowerVSImage",
          ),
        ]
      : []),
    ...(typeof memory === "number" && memory >= LEAST_MEMORY
      ? []
      : [broken(`${field}.memoryGiB`, `must be at least ${LEAST_MEMORY} GiB`, "use 32")]),
    ...(cores >= LEAST_CORES
      ? []
      : [broken(`${field}.processors`, `must be at least ${LEAST_CORES} cores`, 'use "0.5"')]),
  ];
}
