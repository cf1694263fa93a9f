/**
 * The agent-config-image phase: what configures hosts that boot an image without configuration, in an image of its own
 * (openshift/installer pkg/asset/agent/configimage, pkg/asset/agent/image/ignition.go, data/data/agent/files).
 */
import { type ArchivedFile, cpioArchive } from "../../archive/cpio.js";
import { storedGzip } from "../../archive/gzip.js";
import { isoImage } from "../../archive/iso9660.js";
import { decode, encode, type OutputFile, textFile } from "../../core/files.js";
import { isJson, isObject, type Json, sortKeys } from "../../core/json.js";
import type { Release } from "../../core/release.js";
import { formatAddress, parseAddress } from "../../kubernetes/network.js";
import { agentFact } from "../../platforms/agent.js";
import { readYaml, rootsOf, toJson } from "../../text/yaml-read.js";
import { writeUpstreamYaml } from "../../text/yaml-upstream.js";
import { type AgentAccess, type AgentAsset, definePhase, type KubeadminPassword } from "../assets.js";
import { KUBECONFIGS, kubeconfig } from "../ignition-configs/kubeconfigs.js";
import { assistedServiceEnv, defaultEnvironment, rendezvousEnv } from "./environment.js";
import { staticAddresses } from "./hosts.js";
import type { Keyfile } from "./keyfiles.js";
import type { AgentObjects } from "./objects.js";

const IMAGE = "agentconfig.noarch.iso";
const VOLUME = "agent_configimage";
const ARCHIVE = "config.gz";
/** For the owner alone, and for all. */
const [PRIVATE, PUBLIC] = [0o600, 0o644];
const MANIFESTS = "/etc/assisted/manifests";
/** Signers that the cluster's own keys replace (`EPHEMERAL_INSTALLER_CLUSTER_TLS_CERTS_OVERRIDE_DIR`). */
const SIGNERS = [
  "kube-apiserver-lb-signer",
  "kube-apiserver-localhost-signer",
  "kube-apiserver-service-network-signer",
  "admin-kubeconfig-signer",
] as const;

interface ImageInput {
  readonly objects: AgentObjects;
  readonly files: readonly OutputFile[];
  readonly agent: AgentAsset;
  readonly access: AgentAccess;
  readonly kubeadmin: KubeadminPassword;
  readonly keyfiles: readonly (readonly Keyfile[])[];
  readonly extra: readonly OutputFile[];
  readonly rendezvous: string;
  readonly release: Release;
}

export const agentConfigImage = definePhase({
  name: "agent-config-image",
  needs: [
    "agent-objects",
    "agent-files",
    "agent-config",
    "agent-access",
    "kubeadmin",
    "network-keyfiles",
    "manifest-files",
  ],
  summary: "Write the configuration image of an agent-based installation",
  run(needs, { release }) {
    const objects = needs["agent-objects"];
    const access = needs["agent-access"];
    const { kubeadmin } = needs;
    const agent = needs["agent-config"];
    const input: ImageInput = {
      objects,
      files: needs["agent-files"],
      agent,
      access,
      kubeadmin,
      keyfiles: needs["network-keyfiles"],
      extra: needs["manifest-files"],
      rendezvous: rendezvousAddress(agent, objects) ?? "",
      release,
    };
    const archive = storedGzip(cpioArchive(dataFiles(input)));
    const domain = `${objects.clusterName}.${objects.baseDomain.replace(/\.$/, "")}`;
    return [
      {
        path: IMAGE,
        data: isoImage({
          volume: VOLUME,
          time: access.signedAt,
          files: [{ path: ARCHIVE, data: archive, mode: PRIVATE }],
        }),
        secret: true,
      },
      textFile("auth/kubeadmin-password", kubeadmin.password, { secret: true }),
      textFile("auth/kubeconfig", kubeconfig(KUBECONFIGS.external, objects.clusterName, domain, access), {
        secret: true,
      }),
    ];
  },
});

/**
 * Address of the host that installs the others: as it is set, else the first static one of a control plane host, of a host
 * without a role, of any network. Undefined where there is none, or the first is no address.
 */
export function rendezvousAddress({ config, hosts }: AgentAsset, objects: AgentObjects): string | undefined {
  const networks = (roles: readonly string[]): readonly (Json | undefined)[] =>
    hosts.filter(({ host }) => roles.includes(host.role)).map(({ host }) => host.networkConfig);
  const [first = ""] = [
    ...networks(["master", "arbiter"]),
    ...networks([""]),
    ...objects.networks.map((each) => each.config),
  ].flatMap(staticAddresses);
  const address = parseAddress(config?.rendezvousIP || first);
  return address === undefined ? undefined : formatAddress(address);
}

/** The files in the order of the installer. */
function dataFiles(input: ImageInput): readonly ArchivedFile[] {
  const { objects, files, agent, access, kubeadmin, keyfiles, rendezvous, release } = input;
  const file = (path: string, text: string, mode = PRIVATE): ArchivedFile => ({
    path,
    data: encode(text),
    mode,
  });
  const { controlPlane, arbiters, workers } = objects.nodes;
  const nodes = [
    `REQUIRED_MASTER_NODES=${controlPlane}`,
    ...(agentFact(release, "arbiters") ? [`REQUIRED_ARBITER_NODES=${arbiters}`] : []),
    `REQUIRED_WORKER_NODES=${workers}`,
  ];
  return [
    file("/etc/NetworkManager/conf.d/clientid.conf", "[connection]\nipv6.dhcp-duid=ll\nipv6.dhcp-iaid=mac\n"),
    file("/etc/systemd/system.conf.d/10-default-env.conf", defaultEnvironment(objects.proxy)),
    file(
      "/etc/issue",
      `\\S\nOpenShift Agent Installer image for ${objects.clusterName}.${objects.baseDomain}\n`,
    ),
    file("/root/.docker/config.json", objects.pullSecret),
    file("/usr/local/share/start-cluster/start-cluster.env", lines(nodes)),
    file(
      "/usr/local/share/assisted-service/assisted-service.env",
      lines(assistedServiceEnv({ objects, access, release })),
    ),
    file(
      "/etc/assisted/rendezvous-host.env",
      lines(rendezvousEnv(rendezvous, access.tokens, release)),
      agentFact(release, "privateRendezvous") ? PRIVATE : PUBLIC,
    ),
    ...files.map(({ path, data }) => ({ path: `${MANIFESTS}/${baseName(path)}`, data, mode: PRIVATE })),
    ...(agent.file === undefined
      ? []
      : [{ path: `${MANIFESTS}/agent-config.yaml`, data: agent.file, mode: PRIVATE }]),
    ...agent.hosts.flatMap(({ host: { hostname, interfaces } }) =>
      hostname === ""
        ? []
        : [file(`/etc/assisted/hostnames/${(interfaces[0]?.macAddress ?? "").toLowerCase()}`, hostname)],
    ),
    ...objects.networks.flatMap(({ interfaces }, index) => [
      ...(keyfiles[index] ?? []).map(({ name, text }) =>
        file(`/etc/assisted/network/host${index}/${name}`, text),
      ),
      file(
        `/etc/assisted/network/host${index}/mac_interface.ini`,
        interfaces
          .map(({ name, macAddress }) => `${macAddress}=${name}`)
          .sort()
          .join("\n"),
      ),
    ]),
    ...SIGNERS.flatMap((name) => [
      file(`/opt/agent/tls/${name}.key`, access.certified[name]?.key ?? ""),
      file(`/opt/agent/tls/${name}.crt`, access.certified[name]?.certificate ?? ""),
    ]),
    file("/opt/agent/tls/kubeadmin-password.hash", kubeadmin.hash),
    ...hostFiles(agent).map(({ path, text }) => file(`/etc/assisted/hostconfig/${path}`, text, PUBLIC)),
    ...(agent.fencing.length > 0 && agentFact(release, "twoNodesWithFencing")
      ? [
          file(
            "/etc/assisted/hostconfig/fencing-credentials.yaml",
            writeUpstreamYaml({ credentials: agent.fencing }),
            PUBLIC,
          ),
        ]
      : []),
    ...input.extra.flatMap((each) => extraManifests(each).map(([path, text]) => file(path, text, PUBLIC))),
  ];
}

const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join("");

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** What is set for single hosts, in a folder for each. */
const hostFiles = ({ hosts }: AgentAsset): readonly { readonly path: string; readonly text: string }[] =>
  hosts.flatMap(({ host: { hostname, interfaces, rootDeviceHints, role } }, index) => {
    const folder = hostname === "" ? `host-${index}` : hostname;
    return [
      ...(interfaces.length === 0
        ? []
        : [
            {
              path: `${folder}/mac_addresses`,
              text: lines(interfaces.map(({ macAddress }) => macAddress.toLowerCase())),
            },
          ]),
      ...(Object.keys(rootDeviceHints).length === 0
        ? []
        : [
            {
              path: `${folder}/root-device-hints.yaml`,
              text: writeUpstreamYaml(sortKeys(rootDeviceHints)),
            },
          ]),
      ...(role === "" ? [] : [{ path: `${folder}/role`, text: role }]),
    ];
  });

/** Manifests of the user's for the cluster, a file for each document. */
function extraManifests({ path, data }: OutputFile): readonly (readonly [path: string, text: string])[] {
  const name = baseName(path);
  const dot = name.lastIndexOf(".");
  const [start, end] = [name.slice(0, dot), name.slice(dot)];
  return rootsOf(readYaml(decode(data) ?? "", path).documents)
    .map(toJson)
    .filter((value) => isJson(value) && isObject(value))
    .map((object, index) => [
      `/etc/assisted/extra-manifests/${start}-${index}${end}`,
      writeUpstreamYaml(sortKeys(object)),
    ]);
}
