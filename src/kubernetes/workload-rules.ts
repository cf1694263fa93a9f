/**
 * Rules of the API server for pods and for what makes them (k8s.io/kubernetes pkg/apis/core/validation/validation.go,
 * pkg/apis/apps/validation, pkg/apis/batch/validation). Types, missing members and fixed values are judged by the tables of
 * the API types; here is what depends on other members.
 */
import { isList, isObject, type Json, type JsonObject, textAt } from "../core/json.js";
import { duplicate, forbidden, invalid, required, unsupported } from "../core/problem.js";
import type { Refuse } from "./finding.js";
import { labelsOf } from "./labels.js";
import { DNS_LABEL_HINT, isDnsLabel } from "./names.js";
import { compareQuantities } from "./quantities.js";
import { matchesSelector, readSelector } from "./selectors.js";

/** Where each kind has its pod, and the restart policies that its pods may have. */
const TEMPLATES: Readonly<
  Record<string, { readonly path: readonly string[]; readonly restart?: readonly string[] }>
> = {
  Pod: { path: [] },
  PodTemplate: { path: ["template"] },
  ReplicationController: { path: ["spec", "template"], restart: ["Always"] },
  ReplicaSet: { path: ["spec", "template"], restart: ["Always"] },
  Deployment: { path: ["spec", "template"], restart: ["Always"] },
  DaemonSet: { path: ["spec", "template"], restart: ["Always"] },
  StatefulSet: { path: ["spec", "template"], restart: ["Always"] },
  Job: { path: ["spec", "template"], restart: ["OnFailure", "Never"] },
  CronJob: { path: ["spec", "jobTemplate", "spec", "template"], restart: ["OnFailure", "Never"] },
};
/** Kinds whose selector must match the labels of their template. */
const SELECTING = ["ReplicationController", "ReplicaSet", "Deployment", "DaemonSet", "StatefulSet"];
const ALWAYS = "Always";

/** Calls back with every broken rule of a pod, or of the template of a pod; other kinds have none. */
export function workloadFindings(kind: string, object: JsonObject, refuse: Refuse): void {
  const place = TEMPLATES[kind];
  if (place === undefined) return;
  const template = dig(object, place.path);
  if (!isObject(template)) return;
  const spec = template["spec"];
  const at = [...place.path, "spec"].join(".");
  if (SELECTING.includes(kind)) selectorFindings(kind, object, template, refuse);
  if (!isObject(spec)) return;
  restartFindings(spec, place.restart, at, refuse);
  podFindings(spec, at, claimTemplatesOf(object), refuse);
}

function dig(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((each, name) => (isObject(each) ? each[name] : undefined), value);
}

/** A ReplicationController selects by a plain map of labels, and takes those of its template where it has none. */
function selectorFindings(kind: string, object: JsonObject, template: JsonObject, refuse: Refuse): void {
  const given = dig(object, ["spec", "selector"]);
  if (!isObject(given)) return;
  const selector = readSelector(kind === "ReplicationController" ? { matchLabels: given } : given);
  if (selector.problems.length > 0) return;
  if (selector.requirements.length === 0)
    refuse(invalid("KUB005", "spec.selector", undefined, "must not be empty"));
  else if (!matchesSelector(selector, labelsOf(template)))
    refuse(
      invalid(
        "KUB005",
        "spec.template.metadata.labels",
        undefined,
        "must match spec.selector",
        "add the labels of the selector to the template",
      ),
    );
}

function restartFindings(
  spec: JsonObject,
  allowed: readonly string[] | undefined,
  at: string,
  refuse: Refuse,
): void {
  const policy = spec["restartPolicy"] ?? "";
  if (allowed === undefined || typeof policy !== "string") return;
  const field = `${at}.restartPolicy`;
  if (policy === "" && !allowed.includes(ALWAYS))
    refuse(required("KUB005", field, "", `set it to ${allowed.join(" or ")}`));
  else if (policy !== "" && !allowed.includes(policy)) refuse(unsupported("KUB005", field, policy, allowed));
}

/** The objects of a list with their places; what is something else is judged by its type. */
function objectsAt(list: Json | undefined, at: string): readonly (readonly [JsonObject, string])[] {
  return isList(list)
    ? list.flatMap((each, i) => (isObject(each) ? [[each, `${at}[${i}]`] as const] : []))
    : [];
}

const CONTAINERS = ["initContainers", "containers"] as const;
/** A volume has its name and one source. */
const VOLUME_NAME = "name";

function podFindings(spec: JsonObject, at: string, claimTemplates: readonly string[], refuse: Refuse): void {
  const volumes = objectsAt(spec["volumes"], `${at}.volumes`);
  nameFindings(volumes, refuse);
  for (const [volume, place] of volumes) {
    const sources = Object.keys(volume).filter((key) => key !== VOLUME_NAME && volume[key] !== null);
    for (const source of sources.slice(1))
      refuse(forbidden("KUB005", `${place}.${source}`, "a volume has only one source"));
  }
  const known = [...volumes.map(([volume]) => textAt(volume, VOLUME_NAME)), ...claimTemplates];
  const containers = CONTAINERS.flatMap((list) => objectsAt(spec[list], `${at}.${list}`));
  nameFindings(containers, refuse);
  for (const [container, place] of containers) containerFindings(container, place, known, refuse);
  for (const [toleration, place] of objectsAt(spec["tolerations"], `${at}.tolerations`))
    if (textAt(toleration, "key") === "" && textAt(toleration, "operator") !== "Exists")
      refuse(
        invalid(
          "KUB005",
          `${place}.operator`,
          textAt(toleration, "operator"),
          "must be Exists where key is empty",
        ),
      );
}

/** Names are DNS labels, each once. */
function nameFindings(named: readonly (readonly [JsonObject, string])[], refuse: Refuse): void {
  const seen = new Set<string>();
  for (const [each, place] of named) {
    const name = textAt(each, "name");
    if (name === "") continue;
    if (!isDnsLabel(name))
      refuse(invalid("KUB005", `${place}.name`, name, "must be a DNS label", DNS_LABEL_HINT));
    else if (seen.has(name)) refuse(duplicate("KUB005", `${place}.name`, name));
    seen.add(name);
  }
}

function containerFindings(
  container: JsonObject,
  at: string,
  volumes: readonly string[],
  refuse: Refuse,
): void {
  const paths = new Set<string>();
  for (const [mount, place] of objectsAt(container["volumeMounts"], `${at}.volumeMounts`)) {
    const [name, path] = [textAt(mount, "name"), textAt(mount, "mountPath")];
    if (name !== "" && !volumes.includes(name))
      refuse(invalid("KUB005", `${place}.name`, name, "must be the name of a volume of the pod"));
    if (path !== "" && paths.has(path))
      refuse(invalid("KUB005", `${place}.mountPath`, path, "must be unique in the container"));
    paths.add(path);
  }
  portFindings(objectsAt(container["ports"], `${at}.ports`), refuse);
  for (const [variable, place] of objectsAt(container["env"], `${at}.env`))
    variableFindings(variable, place, refuse);
  resourceFindings(container["resources"], `${at}.resources`, refuse);
  for (const name of PROBES) probeFindings(container[name], `${at}.${name}`, refuse);
}

const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"] as const;
const HANDLERS = ["exec", "httpGet", "tcpSocket", "grpc"] as const;

function probeFindings(probe: Json | undefined, at: string, refuse: Refuse): void {
  if (!isObject(probe)) return;
  const given = HANDLERS.filter((name) => isObject(probe[name]));
  if (given.length === 0) refuse(required("KUB005", at, `one of ${HANDLERS.join(", ")}`));
  for (const name of given.slice(1))
    refuse(forbidden("KUB005", `${at}.${name}`, "a probe has only one handler"));
  for (const name of ["httpGet", "tcpSocket"]) {
    const port = dig(probe, [name, "port"]);
    if (typeof port === "number" && !isPort(port))
      refuse(invalid("KUB005", `${at}.${name}.port`, port, PORT));
    if (typeof port === "string" && !isPortName(port))
      refuse(invalid("KUB005", `${at}.${name}.port`, port, PORT_NAME));
  }
}

const isPort = (value: Json | undefined): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 65_535;
const PORT = "must be between 1 and 65535";

/** RFC 6335: what a port may be called. */
export const isPortName = (text: string): boolean =>
  text.length <= 15 && /^[a-z0-9-]+$/.test(text) && /[a-z]/.test(text) && !/^-|--|-$/.test(text);
export const PORT_NAME =
  "must be a port name: at most 15 lower-case letters, digits and '-', with at least one letter";

function portFindings(ports: readonly (readonly [JsonObject, string])[], refuse: Refuse): void {
  const names = new Set<string>();
  for (const [port, place] of ports) {
    for (const member of ["containerPort", "hostPort"]) {
      const value = port[member];
      const isUnset = member === "hostPort" && value === 0;
      if (typeof value === "number" && !isUnset && !isPort(value))
        refuse(invalid("KUB005", `${place}.${member}`, value, PORT));
    }
    const name = textAt(port, "name");
    if (name === "") continue;
    if (!isPortName(name)) refuse(invalid("KUB005", `${place}.name`, name, PORT_NAME));
    else if (names.has(name)) refuse(duplicate("KUB005", `${place}.name`, name));
    names.add(name);
  }
}

function variableFindings(variable: JsonObject, at: string, refuse: Refuse): void {
  const from = variable["valueFrom"];
  if (!isObject(from)) return;
  const sources = Object.keys(from).filter((key) => from[key] !== null);
  if (sources.length !== 1)
    refuse(invalid("KUB005", `${at}.valueFrom`, undefined, "must have exactly one source"));
  else if (textAt(variable, "value") !== "")
    refuse(invalid("KUB005", `${at}.valueFrom`, undefined, "must not be set together with value"));
}

function resourceFindings(resources: Json | undefined, at: string, refuse: Refuse): void {
  if (!isObject(resources)) return;
  const { requests, limits } = resources;
  if (!isObject(requests) || !isObject(limits)) return;
  for (const [name, amount] of Object.entries(requests)) {
    const limit = limits[name];
    if (limit === undefined || limit === null || amount === null) continue;
    if ((compareQuantities(String(amount), String(limit)) ?? 0) > 0)
      refuse(
        invalid("KUB005", `${at}.requests`, String(amount), `must be at most the limit of ${name}, ${limit}`),
      );
  }
}

/** Volumes that a StatefulSet makes for its pods. */
const claimTemplatesOf = (object: JsonObject): readonly string[] => {
  const templates = dig(object, ["spec", "volumeClaimTemplates"]);
  return objectsAt(templates, "").map(([each]) => {
    const { metadata } = each;
    return isObject(metadata) ? textAt(metadata, "name") : "";
  });
};
