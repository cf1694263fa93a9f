/** Environment of the programs on the hosts of an agent-based installation (openshift/installer data/data/agent/files). */

import table from "../../../tables/agent-facts.json" with { type: "json" };
import { rowAt } from "../../core/by-release.js";
import { type JsonObject, textAt } from "../../core/json.js";
import type { Release } from "../../core/release.js";
import type { AgentTokens } from "../../pki/agent-tokens.js";
import { agentFact } from "../../platforms/agent.js";
import type { AgentAccess } from "../assets.js";
import { versionOf } from "./image-set.js";
import type { AgentObjects, MirroredLocation } from "./objects.js";

interface ServiceInput {
  readonly objects: AgentObjects;
  readonly access: AgentAccess;
  readonly release: Release;
}

/** assisted-service.env: the service that installs the cluster. */
export function assistedServiceEnv({ objects, access, release }: ServiceInput): readonly string[] {
  const { tokens, infraEnvID } = access;
  const fact = (name: Parameters<typeof agentFact>[1], ...all: readonly string[]): readonly string[] =>
    agentFact(release, name) ? all : [];
  return [
    "AUTH_TYPE=agent-installer-local",
    "DB_HOST=127.0.0.1",
    "DB_NAME=installer",
    "DB_PASS=admin",
    "DB_PORT=5432",
    "DB_USER=admin",
    "DEPLOY_TARGET=onprem",
    "DISK_ENCRYPTION_SUPPORT=true",
    "DUMMY_IGNITION=false",
    "ENABLE_SINGLE_NODE_DNSMASQ=true",
    "EPHEMERAL_INSTALLER_CLUSTER_TLS_CERTS_OVERRIDE_DIR=/opt/agent/tls",
    `HW_VALIDATOR_REQUIREMENTS=${rowAt(table.hardware, release)?.text ?? ""}`,
    "INSTALL_INVOKER=agent-installer",
    "IPV6_SUPPORT=true",
    ...fact("arbiters", "TNA_CLUSTERS_SUPPORT=true"),
    ...fact("twoNodesWithFencing", "TNF_CLUSTERS_SUPPORT=true"),
    "LOG_LEVEL=debug",
    "NTP_DEFAULT_SERVER=",
    `PUBLIC_CONTAINER_REGISTRIES=${publicRegistries(objects.mirrors)}`,
    `RELEASE_IMAGES=${JSON.stringify([releaseOf(objects, release)])}`,
    `OPENSHIFT_INSTALL_RELEASE_IMAGE_MIRROR=${mirrorOf(objects.releaseImage, objects.mirrors)}`,
    "STORAGE=filesystem",
    `INFRA_ENV_ID=${infraEnvID}`,
    `EC_PUBLIC_KEY_PEM=${tokens.publicKey}`,
    `USER_AUTH_TOKEN=${tokens.user}`,
    `WATCHER_AUTH_TOKEN=${tokens.watcher}`,
    ...fact("controlPlaneTimeout", "HOST_STAGE_WAITING_FOR_CONTROL_PLANE_TIMEOUT=90m"),
  ];
}

/** rendezvous-host.env: where that service runs. */
export function rendezvousEnv(address: string, tokens: AgentTokens, release: Release): readonly string[] {
  const host = address.includes(":") ? `[${address}]` : address;
  const url = (port: number): string => `http://${host}:${port}/`;
  const hasConsole = agentFact(release, "uiAddresses");
  return [
    ...(hasConsole ? ["#"] : []),
    `NODE_ZERO_IP=${address}`,
    `SERVICE_BASE_URL=${url(8090)}`,
    `IMAGE_SERVICE_BASE_URL=${url(8888)}`,
    `PULL_SECRET_TOKEN=${tokens.agent}`,
    `USER_AUTH_TOKEN=${tokens.user}`,
    "WORKFLOW_TYPE=install",
    ...(hasConsole ? [`AIUI_APP_API_URL=${url(8090)}`, `AIUI_URL=${url(3001)}`] : []),
  ];
}

/** 10-default-env.conf: the proxy of every service; empty without one. */
export function defaultEnvironment(proxy: JsonObject | undefined): string {
  if (proxy === undefined) return "";
  const lines = (
    [
      ["HTTP_PROXY", textAt(proxy, "httpProxy").replaceAll("%", "%%")],
      ["HTTPS_PROXY", textAt(proxy, "httpsProxy").replaceAll("%", "%%")],
      ["NO_PROXY", textAt(proxy, "noProxy")],
    ] as const
  ).flatMap(([name, value]) => (value === "" ? [] : [`DefaultEnvironment=${name}="${value}"\n`]));
  return ["[Manager]\n", ...lines].join("");
}

/** Registries that images are pulled from without a login; those of mirrored sources, in place of the default. */
function publicRegistries(mirrors: readonly MirroredLocation[]): string {
  if (mirrors.length === 0) return "quay.io";
  const found: string[] = [];
  for (const { location } of mirrors) {
    const [host = ""] = location.split("/");
    // The installer looks for the host in the text of all of them.
    if (!`[${found.join(" ")}]`.includes(host)) found.push(host);
  }
  return found.join(",");
}

/** The release image at its mirror; empty where its repository has none. */
function mirrorOf(image: string, mirrors: readonly MirroredLocation[]): string {
  const [, repository = "", kind = "", rest = ""] = /^(.+?)(@sha256)?:(.+)/.exec(image) ?? [];
  const [mirror] = mirrors.find(({ location }) => location === repository)?.mirrors ?? [];
  return mirror === undefined ? "" : `${mirror}${kind}:${rest}`;
}

const MULTI = ["aarch64", "x86_64", "ppc64le", "s390x"];

/** The release as assisted-service lists it. Which architectures an image has, its tag says at best. */
function releaseOf({ releaseImage, architecture }: AgentObjects, release: Release): object {
  const name = releaseImage.slice(releaseImage.lastIndexOf("/") + 1);
  const isMulti = name.split("@")[0]?.split(":")[1]?.endsWith("-multi") === true;
  const arch = isMulti ? "multi" : architecture || "x86_64";
  const isDigest = /sha256:[a-fA-F0-9]{64}$/.test(releaseImage);
  const known = versionOf(releaseImage, release);
  const tag = releaseImage.slice(releaseImage.lastIndexOf(":") + 1).replace(new RegExp(`-${arch}$`), "");
  return {
    openshift_version: isDigest ? known : tag.split(".").slice(0, 2).join("."),
    cpu_architecture: arch,
    cpu_architectures: isMulti ? MULTI : [arch],
    url: releaseImage,
    version: isDigest ? known : tag,
  };
}
