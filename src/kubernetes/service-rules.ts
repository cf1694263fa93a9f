/**
 * Rules of the API server for Services and Ingresses, for volumes and their claims, and for budgets of pods
 * (k8s.io/kubernetes pkg/apis/core/validation/validation.go, pkg/apis/networking/validation, pkg/apis/policy/validation), as
 * far as they depend on more than one member.
 */
import { isList, isObject, type Json, type JsonObject, textAt } from "../core/json.js";
import { duplicate, forbidden, invalid, required } from "../core/problem.js";
import type { Refuse } from "./finding.js";
import { DNS_LABEL_HINT, isDnsLabel } from "./names.js";
import { parseQuantity } from "./quantities.js";
import { isPortName, PORT_NAME } from "./workload-rules.js";

/** Calls back with every broken rule of an object; kinds without such rules have none. */
export function serviceFindings(kind: string, object: JsonObject, refuse: Refuse): void {
  const { spec } = object;
  if (isObject(spec)) RULES[kind]?.(spec, refuse);
}

const RULES: Readonly<Record<string, (spec: JsonObject, refuse: Refuse) => void>> = {
  Service: portsOfService,
  Ingress: ingress,
  PersistentVolumeClaim: claim,
  PersistentVolume: volume,
  PodDisruptionBudget: budget,
  NetworkPolicy: policy,
};

const isAbsent = (value: Json | undefined): value is undefined | null =>
  value === undefined || value === null;

/** A headless Service and a name of another host need no ports. */
function portsOfService(spec: JsonObject, refuse: Refuse): void {
  const type = textAt(spec, "type");
  const ports = listAt(spec, "ports");
  if (type === "ExternalName" && textAt(spec, "externalName") === "")
    refuse(required("KUB005", "spec.externalName"));
  if (ports.length === 0 && type !== "ExternalName" && textAt(spec, "clusterIP") !== "None")
    refuse(required("KUB005", "spec.ports"));
  const [names, numbers] = [new Set<string>(), new Set<string>()];
  for (const [i, port] of ports.entries()) {
    if (!isObject(port)) continue;
    const at = `spec.ports[${i}]`;
    const name = textAt(port, "name");
    if (name === "" && ports.length > 1)
      refuse(required("KUB005", `${at}.name`, "", "name each port of a Service with several"));
    else if (name !== "" && !isDnsLabel(name))
      refuse(invalid("KUB005", `${at}.name`, name, "must be a DNS label", DNS_LABEL_HINT));
    else if (name !== "" && names.has(name)) refuse(duplicate("KUB005", `${at}.name`, name));
    names.add(name);
    portNumber(port["port"], `${at}.port`, refuse);
    target(port["targetPort"], `${at}.targetPort`, refuse);
    const number = `${textAt(port, "protocol") || "TCP"} ${port["port"]}`;
    if (numbers.has(number)) refuse(duplicate("KUB005", at, number));
    numbers.add(number);
  }
}

function portNumber(value: Json | undefined, at: string, refuse: Refuse): void {
  if (typeof value === "number" && Number.isInteger(value) && (value < 1 || value > 65_535))
    refuse(invalid("KUB005", at, value, "must be between 1 and 65535"));
}

function target(value: Json | undefined, at: string, refuse: Refuse): void {
  // Zero counts as left out.
  if (value !== 0) portNumber(value, at, refuse);
  if (typeof value === "string" && value !== "" && !isPortName(value))
    refuse(invalid("KUB005", at, value, PORT_NAME));
}

function ingress(spec: JsonObject, refuse: Refuse): void {
  const { defaultBackend, rules } = spec;
  if (isAbsent(defaultBackend) && (!isList(rules) || rules.length === 0))
    refuse(invalid("KUB005", "spec", undefined, "must have defaultBackend or rules"));
  backend(defaultBackend, "spec.defaultBackend", refuse);
  for (const [i, rule] of listAt(spec, "rules").entries()) {
    const http = isObject(rule) ? rule["http"] : undefined;
    for (const [j, path] of isObject(http) ? listAt(http, "paths").entries() : []) {
      if (!isObject(path)) continue;
      const at = `spec.rules[${i}].http.paths[${j}]`;
      const text = textAt(path, "path");
      if (textAt(path, "pathType") !== "ImplementationSpecific" && !text.startsWith("/"))
        refuse(invalid("KUB005", `${at}.path`, text, "must be an absolute path"));
      backend(path["backend"], `${at}.backend`, refuse);
    }
  }
}

function backend(value: Json | undefined, at: string, refuse: Refuse): void {
  if (!isObject(value)) return;
  const { service, resource } = value;
  if (isAbsent(service) === isAbsent(resource))
    refuse(invalid("KUB005", at, undefined, "must have either service or resource"));
  if (!isObject(service)) return;
  const port = isObject(service["port"]) ? service["port"] : {};
  const hasNumber = !isAbsent(port["number"]) && port["number"] !== 0;
  target(port["name"], `${at}.service.port.name`, refuse);
  if (textAt(port, "name") === "" && !hasNumber)
    refuse(required("KUB005", at, "service.port needs a name or a number"));
}

function amountOf(amounts: Json | undefined, at: string, refuse: Refuse): void {
  const amount = isObject(amounts) ? amounts["storage"] : undefined;
  if (isAbsent(amount)) refuse(required("KUB005", at));
  else if ((parseQuantity(String(amount)) ?? 1n) <= 0n)
    refuse(invalid("KUB005", at, String(amount), "must be greater than zero"));
}

function claim({ resources }: JsonObject, refuse: Refuse): void {
  amountOf(
    isObject(resources) ? resources["requests"] : undefined,
    "spec.resources.requests.storage",
    refuse,
  );
}

/** Members of a PersistentVolume's specification that are no source of it. */
const OF_VOLUME = [
  ...["accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity", "persistentVolumeReclaimPolicy"],
  ...["storageClassName", "volumeAttributesClassName", "volumeMode"],
];

function volume(spec: JsonObject, refuse: Refuse): void {
  if (isObject(spec["capacity"])) amountOf(spec["capacity"], "spec.capacity.storage", refuse);
  const sources = Object.keys(spec).filter((key) => !OF_VOLUME.includes(key) && !isAbsent(spec[key]));
  if (sources.length === 0) refuse(required("KUB005", "spec", "one source, such as csi or nfs"));
  for (const source of sources.slice(1))
    refuse(forbidden("KUB005", `spec.${source}`, "a volume has only one source"));
}

/** A peer says whom it means, and a port of a policy is one that a container may have. */
function policy(spec: JsonObject, refuse: Refuse): void {
  for (const [direction, side] of Object.entries({ ingress: "from", egress: "to" }))
    for (const [i, rule] of listAt(spec, direction).entries()) {
      if (!isObject(rule)) continue;
      const at = `spec.${direction}[${i}]`;
      for (const [j, peer] of listAt(rule, side).entries())
        if (peer === null || (isObject(peer) && Object.values(peer).every(isAbsent)))
          refuse(required("KUB005", `${at}.${side}[${j}]`, "podSelector, namespaceSelector or ipBlock"));
      for (const [j, port] of listAt(rule, "ports").entries())
        if (isObject(port)) target(port["port"], `${at}.ports[${j}].port`, refuse);
    }
}

const listAt = (object: JsonObject, key: string): readonly Json[] => {
  const list = object[key];
  return isList(list) ? list : [];
};

function budget(spec: JsonObject, refuse: Refuse): void {
  const members = ["minAvailable", "maxUnavailable"];
  if (members.every((name) => !isAbsent(spec[name])))
    refuse(invalid("KUB005", "spec", undefined, "must not have both minAvailable and maxUnavailable"));
  for (const name of members) {
    const value = spec[name];
    if (typeof value === "string" && !/^\d+%$/.test(value))
      refuse(invalid("KUB005", `spec.${name}`, value, 'must be a number or a percentage, such as "50%"'));
    if (typeof value === "number" && value < 0)
      refuse(invalid("KUB005", `spec.${name}`, value, "must not be negative"));
  }
}
