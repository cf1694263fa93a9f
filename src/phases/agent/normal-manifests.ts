/** Manifests as the installer writes them again after it has read them, with what it fills in. */
import { decode, encode, type OutputFile } from "../../core/files.js";
import { isObject, type Json, type JsonObject, sortKeys, textAt } from "../../core/json.js";
import type { Release } from "../../core/release.js";
import { agentFact } from "../../platforms/agent.js";
import { kernelName } from "../../platforms/coreos-stream.js";
import { inForce } from "../../platforms/release-changes.js";
import { readYaml, rootsOf, toJson } from "../../text/yaml-read.js";
import { writeUpstreamYaml } from "../../text/yaml-upstream.js";
import { goJson } from "../pointer-config.js";
import { isUserManaged, platformTypeOf } from "./manifests.js";
import { CLUSTER_MANIFESTS } from "./objects.js";

type Fill = (object: JsonObject, release: Release) => JsonObject;

const inner = (object: JsonObject, name: string): JsonObject => {
  const found = object[name];
  return isObject(found) ? found : {};
};

/** Files that the installer reads into its types and writes again; the others it takes as they are. */
const FILLED: Readonly<Record<string, Fill>> = {
  "agent-cluster-install.yaml": (object) => {
    const spec = inner(object, "spec");
    const networking = inner(spec, "networking");
    const platformType = platformTypeOf(textAt(spec, "platformType"));
    return {
      ...object,
      spec: {
        clusterDeploymentRef: {},
        provisionRequirements: {},
        ...spec,
        networking: {
          ...networking,
          networkType: textAt(networking, "networkType") || "OVNKubernetes",
          userManagedNetworking: networking["userManagedNetworking"] ?? isUserManaged(platformType),
        },
        ...(platformType === "" ? {} : { platformType }),
      },
      status: {
        ...inner(object, "status"),
        debugInfo: { eventsURL: "", logsURL: "", ...inner(inner(object, "status"), "debugInfo") },
        progress: { totalPercentage: 0, ...inner(inner(object, "status"), "progress") },
      },
    };
  },
  "infraenv.yaml": (object, release) => {
    const spec = inner(object, "spec");
    const status = inner(object, "status");
    const architecture = textAt(spec, "cpuArchitecture");
    return {
      ...object,
      spec: {
        ipxeScriptType: "",
        nmStateConfigLabelSelector: {},
        pullSecretRef: null,
        ...spec,
        ...(architecture === "" ? {} : { cpuArchitecture: kernelName(architecture) }),
      },
      status: {
        agentLabelSelector: {},
        ...status,
        bootArtifacts: {
          ...(agentFact(release, "discoveryIgnition") ? { discoveryIgnitionURL: "" } : {}),
          initrd: "",
          ipxeScript: "",
          kernel: "",
          rootfs: "",
          ...inner(status, "bootArtifacts"),
        },
        debugInfo: { eventsURL: "", ...inner(status, "debugInfo") },
      },
    };
  },
  "pull-secret.yaml": (object) => {
    const data = inner(object, "stringData");
    const text = data[".dockerconfigjson"];
    return typeof text !== "string"
      ? object
      : { ...object, stringData: { ...data, ".dockerconfigjson": indented(text) } };
  },
};

/** JSON as Go indents it, its keys in order; as it is where it is none. */
function indented(text: string): string {
  try {
    const value: Json = JSON.parse(text);
    return goJson(sortKeys(value), 2);
  } catch {
    return text;
  }
}

/** The files of cluster-manifests/ as they go into an image. */
export const normalManifests = (files: readonly OutputFile[], release: Release): readonly OutputFile[] =>
  files.map((file) => {
    const fill = FILLED[file.path.slice(CLUSTER_MANIFESTS.length + 1)];
    const [root] = fill === undefined ? [] : rootsOf(readYaml(decode(file.data) ?? "", file.path).documents);
    const object = root === undefined ? undefined : toJson(root);
    if (fill === undefined || !isObject(object)) return file;
    const metadata = inner(object, "metadata");
    const dated: JsonObject = inForce(release, "noNullTimestamp") ? {} : { creationTimestamp: null };
    const filled = fill({ ...object, metadata: { ...dated, ...metadata } }, release);
    return { ...file, data: encode(writeUpstreamYaml(sortKeys(filled))) };
  });
