/** Sound install-configs of platform baremetal, and what the platform makes of them. */
import { createReporter, isError } from "../../src/core/diagnostics.js";
import type { JsonObject } from "../../src/core/json.js";
import type { CloudFacts } from "../../src/generated/types/cloud-facts.js";
import type { InfrastructureInput, Rendering } from "../../src/platforms/platform.js";
import { createRenderer, platformFolders } from "../../src/text/render.js";
import { DUAL_STACK, type Edits, edit, judge, NONE, releaseOf } from "./install-configs.js";
import { PLANTED } from "./planted.js";

export const host = (name: string, number: number, more: JsonObject = {}): JsonObject => ({
  name,
  bootMACAddress: `52:54:00:00:00:${String(number).padStart(2, "0")}`,
  bmc: {
    address: `redfish-virtualmedia+https://192.0.2.${number}/redfish/v1/Systems/1`,
    username: "admin",
    password: PLANTED.password,
  },
  ...more,
});

export const MASTERS = [1, 2, 3].map((number) => host(`m-${number}`, number, { role: "master" }));
export const WORKERS = [4, 5].map((number) => host(`w-${number}`, number, { role: "worker" }));

/** A sound config: three control plane hosts, two of compute, a managed provisioning network. */
export const BAREMETAL: JsonObject = {
  ...NONE,
  platform: {
    baremetal: { apiVIPs: ["10.20.0.5"], ingressVIPs: ["10.20.0.7"], hosts: [...MASTERS, ...WORKERS] },
  },
};

/** Edits below platform.baremetal. */
export const at = (edits: Edits): Edits =>
  Object.fromEntries(Object.entries(edits).map(([name, value]) => [`platform.baremetal.${name}`, value]));

/** A network of a host in the form of nmstate. */
export const nmstate = (address: string, more: JsonObject = {}): JsonObject => ({
  interfaces: [
    {
      name: "eno1",
      type: "ethernet",
      state: "up",
      ipv4: { enabled: true, dhcp: false, address: [{ ip: address, "prefix-length": 16 }] },
      ...more,
    },
  ],
});

export const VIRTUAL_MEDIA = at({ provisioningNetwork: "Disabled" });

/** Two control plane machines and an arbiter. */
export const ARBITER: JsonObject = edit(BAREMETAL, {
  "controlPlane.replicas": 2,
  arbiter: { name: "arbiter", replicas: 1 },
  "compute[0].replicas": 0,
  ...at({ hosts: [host("a-9", 9, { role: "arbiter" }), ...MASTERS.slice(0, 2)] }),
});

/** Every shape of config that the objects differ by. */
export const VARIANTS: Readonly<Record<string, JsonObject>> = {
  plain: BAREMETAL,
  "virtual media": edit(BAREMETAL, VIRTUAL_MEDIA),
  arbiter: ARBITER,
  "networks of hosts": edit(
    BAREMETAL,
    at({ "hosts[0].networkConfig": nmstate("10.20.0.11"), "hosts[4].networkConfig": nmstate("10.20.0.15") }),
  ),
  "both families": edit(BAREMETAL, {
    networking: { networkType: "OVNKubernetes", ...DUAL_STACK },
    ...at({ apiVIPs: ["10.20.0.5", "fd00:20::5"], ingressVIPs: ["10.20.0.7", "fd00:20::7"] }),
  }),
  "hints and modes": edit(
    BAREMETAL,
    at({
      "hosts[0].rootDeviceHints": { deviceName: "/dev/sda", minSizeGigabytes: 120, rotational: false },
      "hosts[1].bootMode": "UEFISecureBoot",
      "hosts[2].bmc.disableCertificateVerification": true,
      "hosts[3].bmc": { address: "ipmi://192.0.2.4" },
      bmcVerifyCA: "-----BEGIN CERTIFICATE-----\n",
      provisioningNetworkGateway: "172.22.0.1",
    }),
  ),
  "user-managed load balancer": edit(
    BAREMETAL,
    at({ loadBalancer: { type: "UserManaged" }, ingressVIPs: ["10.20.0.5"] }),
  ),
  "no machines": edit(BAREMETAL, {
    capabilities: {
      baselineCapabilitySet: "None",
      additionalEnabledCapabilities: ["Ingress", "baremetal", "CloudCredential"],
    },
  }),
};

/** The input of the platform's functions for a config; throws what is wrong with it. */
export function inputOf(
  config: JsonObject | string,
  release = "4.22",
  facts: CloudFacts["baremetal"] = undefined,
): InfrastructureInput {
  const { asset, diagnostics } = judge(config, release);
  if (asset === undefined) throw new Error(JSON.stringify(diagnostics.filter(isError)));
  return {
    config: asset.config,
    identity: { infraID: "gannet-abcde", clusterID: "00000000-0000-4000-8000-000000000000" },
    facts: {
      apiVersion: "slipway.dev/v1alpha1",
      kind: "CloudFacts",
      ...(facts === undefined ? {} : { baremetal: facts }),
    },
    credentials: undefined,
    release: releaseOf(release),
    namespace: "gannet-abcde",
    controllerNamespace: "capm3-system",
  };
}

/** The objects of renderings, by path. */
export async function rendered(renderings: readonly Rendering[]): Promise<Map<string, JsonObject>> {
  const reporter = createReporter();
  const folders = platformFolders(["manifests", "openshift", "infrastructure-manifests"], "baremetal");
  const render = await createRenderer(folders, reporter.report);
  return new Map(
    renderings.map(({ path, template, view }) => [path, render.object(template, view)] as const),
  );
}
