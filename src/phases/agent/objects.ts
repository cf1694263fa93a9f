/**
 * What the objects in cluster-manifests/ and the files in mirror/ say, generated, edited or written by hand
 * (openshift/installer pkg/asset/agent/manifests; pkg/asset/agent/mirror/registriesconf.go).
 */
import { byCodeUnit, decode, type OutputFile } from "../../core/files.js";
import { isList, isObject, type Json, type JsonObject, textAt } from "../../core/json.js";
import { readYaml, rootsOf, toJson } from "../../text/yaml-read.js";
import { writeUpstreamYaml } from "../../text/yaml-upstream.js";

/** Where the objects lie. */
export const CLUSTER_MANIFESTS = "cluster-manifests";
export const MIRROR = "mirror";

/** A static network of a host. */
export interface HostNetwork {
  readonly config: Json;
  /** The same as nmstatectl reads it. */
  readonly text: string;
  readonly interfaces: readonly { readonly name: string; readonly macAddress: string }[];
}

/** Where images of a registry or repository come from. */
export interface MirroredLocation {
  readonly location: string;
  readonly mirrors: readonly string[];
}

export interface AgentObjects {
  readonly clusterName: string;
  readonly baseDomain: string;
  readonly nodes: { readonly controlPlane: number; readonly arbiters: number; readonly workers: number };
  /** As the kernel names it; empty where none is named. */
  readonly architecture: string;
  readonly proxy: JsonObject | undefined;
  readonly releaseImage: string;
  /** `.dockerconfigjson` of the Secret. */
  readonly pullSecret: string;
  /** In the order in which the installer numbers them. */
  readonly networks: readonly HostNetwork[];
  readonly mirrors: readonly MirroredLocation[];
}

/** The objects of files that were judged before; what is missing is empty. */
export function agentObjects(files: readonly OutputFile[]): AgentObjects {
  const textOf = (path: string): string => {
    const file = files.find((each) => each.path === path);
    return file === undefined ? "" : (decode(file.data) ?? "");
  };
  const all = (name: string): readonly JsonObject[] => {
    const path = `${CLUSTER_MANIFESTS}/${name}.yaml`;
    return rootsOf(readYaml(textOf(path), path).documents)
      .map(toJson)
      .filter(isObject);
  };
  const spec = (name: string): JsonObject => objectAt(all(name)[0], "spec");
  const requirements = objectAt(spec("agent-cluster-install"), "provisionRequirements");
  const deployment = spec("cluster-deployment");
  const infraEnv = spec("infraenv");
  const proxy = infraEnv["proxy"];
  return {
    clusterName: textAt(deployment, "clusterName"),
    baseDomain: textAt(deployment, "baseDomain"),
    nodes: {
      controlPlane: numberAt(requirements, "controlPlaneAgents"),
      arbiters: numberAt(requirements, "arbiterAgents"),
      workers: numberAt(requirements, "workerAgents"),
    },
    architecture: textAt(infraEnv, "cpuArchitecture"),
    proxy: isObject(proxy) ? proxy : undefined,
    releaseImage: textAt(spec("cluster-image-set"), "releaseImage"),
    pullSecret: textAt(objectAt(all("pull-secret")[0], "stringData"), ".dockerconfigjson"),
    networks: all("nmstateconfig").map(networkOf).sort(byNetwork),
    mirrors: mirroredLocations(textOf(`${MIRROR}/registries.conf`)),
  };
}

const numberAt = (object: JsonObject, name: string): number => {
  const value = object[name];
  return typeof value === "number" ? value : 0;
};

function objectAt(object: Json | undefined, name: string): JsonObject {
  const inner = isObject(object) ? object[name] : undefined;
  return isObject(inner) ? inner : {};
}

function networkOf(object: JsonObject): HostNetwork {
  const { config = null, interfaces } = objectAt(object, "spec");
  return {
    config,
    text: writeUpstreamYaml(config),
    interfaces: (isList(interfaces) ? interfaces : [])
      .filter(isObject)
      .map((each) => ({ name: textAt(each, "name"), macAddress: textAt(each, "macAddress") }))
      .sort((a, b) => byCodeUnit(a.name, b.name) || byCodeUnit(a.macAddress, b.macAddress)),
  };
}

/** By their text; of two that are the same, the one with fewer interfaces first. */
const byNetwork = (a: HostNetwork, b: HostNetwork): number =>
  byCodeUnit(a.text, b.text) ||
  a.interfaces.length - b.interfaces.length ||
  byCodeUnit(JSON.stringify(a.interfaces), JSON.stringify(b.interfaces));

/** The tables `[[registry]]` and `[[registry.mirror]]` of a registries.conf. */
export function mirroredLocations(text: string): readonly MirroredLocation[] {
  const found: { location: string; mirrors: string[] }[] = [];
  let table = "";
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[\[([^\][]+)\]\]/.exec(line)?.[1]?.trim();
    if (header !== undefined) {
      table = header;
      if (table === "registry") found.push({ location: "", mirrors: [] });
      continue;
    }
    if (/^\s*\[/.test(line)) table = "";
    const [, name, double, single] = /^\s*(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/.exec(line) ?? [];
    const value = double === undefined ? single : unescaped(double);
    const last = found.at(-1);
    if (name !== "location" || value === undefined || last === undefined) continue;
    if (table === "registry") last.location = value;
    if (table === "registry.mirror") last.mirrors.push(value);
  }
  return found;
}

/** A basic string of TOML; its escapes are those of JSON, and others that no location has. */
function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}
