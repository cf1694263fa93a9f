/**
 * The image-based-config-image phase: what makes a node that was installed from a seed cluster's image a cluster of its own
 * (openshift/installer pkg/asset/imagebased/configimage, pkg/types/imagebased/seedreconfiguration.go).
 */
import type { ArchivedFile } from "../../archive/cpio.js";
import { isoImage } from "../../archive/iso9660.js";
import { encode, textFile } from "../../core/files.js";
import { isJson, type Json, type JsonObject, sortKeys } from "../../core/json.js";
import type { Release } from "../../core/release.js";
import type { ImageBasedConfig } from "../../generated/types/image-based-config.js";
import { readCertificate } from "../../pki/certificate.js";
import { agentFact } from "../../platforms/agent.js";
import { clusterDomain } from "../../platforms/config.js";
import { inForce } from "../../platforms/release-changes.js";
import { writeUpstreamYaml } from "../../text/yaml-upstream.js";
import {
  definePhase,
  type Identity,
  type ImageBasedAccess,
  type InstallConfigAsset,
  type KubeadminPassword,
} from "../assets.js";
import { KUBECONFIGS, kubeconfig } from "../ignition-configs/kubeconfigs.js";
import { goJson } from "../pointer-config.js";

const IMAGE = "imagebasedconfig.iso";
const VOLUME = "cluster-config";
const FOLDER = "cluster-configuration";
const MODE = 0o644;
const ALWAYS = "Always";
const PROXY_ONLY = "Proxyonly";

/** What the node's time service is set to, before the servers of the config. */
const CHRONY = `
pool 0.rhel.pool.ntp.org iburst
driftfile /var/lib/chrony/drift
makestep 1.0 3
rtcsync
logdir /var/log/chrony`;

interface ImageInput {
  readonly installConfig: InstallConfigAsset;
  readonly node: ImageBasedConfig;
  readonly identity: Identity;
  readonly kubeadmin: KubeadminPassword;
  readonly access: ImageBasedAccess;
  readonly release: Release;
}

export const imageBasedConfigImage = definePhase({
  name: "image-based-config-image",
  needs: [
    "install-config",
    "image-based-config",
    "identity",
    "kubeadmin",
    "image-based-access",
    "extra-manifests",
  ],
  summary: "Write the configuration image of an image-based installation",
  run(needs, { release }) {
    const access = needs["image-based-access"];
    const { kubeadmin, identity } = needs;
    const installConfig = needs["install-config"];
    const { config } = installConfig;
    const input: ImageInput = {
      installConfig,
      node: needs["image-based-config"],
      identity,
      kubeadmin,
      access,
      release,
    };
    const file = (path: string, text: string): ArchivedFile => ({ path, data: encode(text), mode: MODE });
    const mirrors = mirrorSet(input);
    const files = [
      file(`${FOLDER}/manifest.json`, goJson(manifestOf(input))),
      ...(mirrors === undefined
        ? []
        : [file(`${FOLDER}/manifests/image-digest-mirror-set.json`, goJson(mirrors))]),
      ...needs["extra-manifests"].map(({ path, data }) => ({ path, data, mode: MODE })),
    ];
    return [
      {
        path: IMAGE,
        data: isoImage({
          volume: VOLUME,
          time: access.signedAt,
          files,
          folders: [`${FOLDER}/manifests`, "extra-manifests"],
        }),
        secret: true,
      },
      textFile("auth/kubeadmin-password", kubeadmin.password, { secret: true }),
      textFile("auth/kubeconfig", kubeconfigOf(config.metadata.name, clusterDomain(config), access), {
        secret: true,
      }),
    ];
  },
});

/** The administrator's kubeconfig, which trusts the router's signer as well. */
function kubeconfigOf(name: string, domain: string, { certified, ingressSigner }: ImageBasedAccess): string {
  const signer = "kube-apiserver-lb-signer";
  const last = certified[signer];
  return kubeconfig(KUBECONFIGS.external, name, domain, {
    certified:
      last === undefined
        ? certified
        : { ...certified, [signer]: { ...last, certificate: last.certificate + ingressSigner.certificate } },
  });
}

const nonEmpty = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).filter(
      (each): each is [string, Json & {}] =>
        each[1] !== undefined &&
        each[1] !== null &&
        each[1] !== "" &&
        !(Array.isArray(each[1]) && each[1].length === 0),
    ),
  );

/** The network as text, keys in order, as the installer keeps it. */
export const networkText = ({ networkConfig }: ImageBasedConfig): string | undefined =>
  isJson(networkConfig) && networkConfig !== null ? writeUpstreamYaml(sortKeys(networkConfig)) : undefined;

/** manifest.json, in the order of the installer's members: only what the install-config says counts, no default. */
function manifestOf({ installConfig, node, identity, kubeadmin, access, release }: ImageInput): JsonObject {
  const { config, written } = installConfig;
  const networks =
    (written.networking?.machineNetwork ?? []).length === 0
      ? []
      : config.networking.machineNetwork.map(({ cidr }) => cidr);
  const two = agentFact(release, "imageBasedTwoNetworks");
  const labels = node.nodeLabels ?? {};
  const servers = node.additionalNTPSources ?? [];
  const { proxy } = written;
  return {
    additionalTrustBundle: trustBundle(installConfig),
    api_version: 1,
    ...nonEmpty({
      base_domain: written.baseDomain,
      cluster_id: node.cluster_id || identity.clusterID,
      cluster_name: config.metadata.name,
      chrony_config:
        servers.length === 0
          ? undefined
          : `${CHRONY}${servers.map((server) => `\nserver ${server} iburst`).join("")}`,
      hostname: node.hostname,
      infra_id: node.infra_id || identity.infraID,
      kubeadmin_password_hash: kubeadmin.hash,
    }),
    KubeconfigCryptoRetention: cryptoOf(access),
    ...nonEmpty({
      machine_network: two ? undefined : networks[0],
      machine_networks: two ? networks : undefined,
      raw_nm_state_config: networkText(node),
      release_registry: node.releaseRegistry,
      ssh_key: written.sshKey,
      proxy:
        proxy === undefined
          ? undefined
          : nonEmpty({ httpProxy: proxy.httpProxy, httpsProxy: proxy.httpsProxy, noProxy: proxy.noProxy }),
      pull_secret: written.pullSecret,
      node_labels:
        Object.keys(labels).length === 0 ? undefined : sortKeys(Object.fromEntries(Object.entries(labels))),
    }),
  };
}

function trustBundle({ written }: InstallConfigAsset): JsonObject {
  const bundle = written.additionalTrustBundle ?? "";
  const policy = written.additionalTrustBundlePolicy;
  const forProxy =
    bundle !== "" && (policy === ALWAYS || (policy === PROXY_ONLY && written.proxy !== undefined));
  return {
    userCaBundle: bundle,
    proxyConfigmapName: forProxy ? "user-ca-bundle" : "",
    proxyConfigmapBundle: forProxy ? bundle : "",
  };
}

const cryptoOf = ({ certified, ingressSigner }: ImageBasedAccess): JsonObject => ({
  KubeAPICrypto: {
    ServingCrypto: {
      localhost_signer_private_key: certified["kube-apiserver-localhost-signer"]?.key ?? "",
      service_network_signer_private_key: certified["kube-apiserver-service-network-signer"]?.key ?? "",
      loadbalancer_external_signer_private_key: certified["kube-apiserver-lb-signer"]?.key ?? "",
    },
    ClientAuthCrypto: { admin_ca_certificate: certified["admin-kubeconfig-signer"]?.certificate ?? "" },
  },
  IngresssCrypto: {
    ingress_ca: ingressSigner.key,
    ingress_certificate_cn: readCertificate(ingressSigner.certificate).subjectCommonName,
  },
});

/** Mirrors of images, an object of the cluster; undefined without any. */
function mirrorSet({ installConfig: { written }, release }: ImageInput): JsonObject | undefined {
  const { imageDigestSources } = written;
  if (imageDigestSources === undefined) return undefined;
  return {
    kind: "ImageDigestMirrorSet",
    apiVersion: "config.openshift.io/v1",
    metadata: {
      name: "image-digest-mirror",
      ...(inForce(release, "noNullTimestamp") ? {} : { creationTimestamp: null }),
    },
    spec: {
      ...(imageDigestSources.length === 0
        ? {}
        : {
            imageDigestMirrors: imageDigestSources.map(
              ({ source = "", mirrors = [], sourcePolicy = "" }) => ({
                source,
                ...(mirrors.length === 0 ? {} : { mirrors }),
                ...(sourcePolicy === "" || !inForce(release, "sourcePolicy")
                  ? {}
                  : { mirrorSourcePolicy: sourcePolicy }),
              }),
            ),
          }),
    },
    status: {},
  };
}
