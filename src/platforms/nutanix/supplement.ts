/**
 * What is left to do on nutanix beside the Cluster API objects, for this config: what the installer does by hand
 * against Prism Central (openshift/installer pkg/infrastructure/nutanix/clusterapi, pkg/types/nutanix/helpers.go).
 */
import type { JsonObject } from "../../core/json.js";
import { commandLine, shell, words } from "../../text/shell.js";
import { clusterDomain } from "../config.js";
import type { PlatformInput } from "../platform.js";
import type { SupplementItem } from "../supplement.js";
import { userManagedLoadBalancer } from "../virtual-ips.js";
import { clusterCategory, imageName, nutanixOf, prismCentral } from "./config.js";
import { bootstrapName } from "./ignition.js";
import { machineTemplateName } from "./infrastructure.js";
import { CREDENTIALS_SECRET } from "./manifests.js";
import { nutanixFactsOf, poolsOf } from "./pools.js";

export function supplement(input: PlatformInput): readonly SupplementItem[] {
  return [
    provider(),
    operators(),
    categories(input),
    image(input),
    ...dns(input),
    bootstrap(input),
    hostNames(input),
    ...failureDomains(input),
    ...secureBoot(input),
    cleanUp(input),
  ];
}

/** A call of Prism Central's API v3; curl takes the login from ~/.netrc, so that it stands in no command. */
const call = (
  input: PlatformInput,
  method: "PUT" | "POST" | "DELETE",
  path: string,
  body?: JsonObject,
): string => {
  const { address, port } = prismCentral(nutanixOf(input.config));
  const host = address.includes(":") ? `[${address}]` : address;
  return shell`curl --netrc --fail --request ${method}
    ${body === undefined ? [] : words`--json ${JSON.stringify(body)}`}
    https://${host}:${port}/api/nutanix/v3/${path}`;
};

const provider = (): SupplementItem => ({
  area: "provider",
  when: "before",
  what: "Run the Nutanix provider 1.10 or later.",
  why: "The objects use its API version v1beta1 with fields that earlier releases do not have.",
  details: {
    environment:
      "NUTANIX_ENDPOINT=… NUTANIX_USER=… NUTANIX_PASSWORD=… clusterctl init --infrastructure nutanix",
    identity: "the login of the install-config, in a Secret next to the NutanixCluster",
  },
});

const operators = (): SupplementItem => ({
  area: "operators",
  when: "before",
  what: "Add the Secrets with the operators' Prism Central login to manifests/ and rerun create infrastructure-manifests.",
  why: "The credentials mode is Manual: only the installer uses the login of the install-config.",
  details: {
    secrets: [
      `openshift-machine-api/${CREDENTIALS_SECRET}`,
      `openshift-cloud-controller-manager/${CREDENTIALS_SECRET}`,
    ],
    commands: [
      "oc adm release extract --credentials-requests --cloud nutanix --to credentials-requests RELEASE-IMAGE",
      "ccoctl nutanix create-shared-secrets --credentials-requests-dir credentials-requests --output-dir . --credentials-source-filepath CREDENTIALS-FILE",
    ],
  },
});

function categories(input: PlatformInput): SupplementItem {
  const key = clusterCategory(input.identity.infraID);
  const value = (name: string, about: string): string =>
    call(input, "PUT", `categories/${key}/${name}`, { value: name, description: about });
  return {
    area: "categories",
    when: "before",
    what: `Create the category ${key} with the values owned and shared.`,
    why: "Machines and images are added to it, and destroying the cluster finds them by it. The provider does not create categories.",
    details: {
      commands: [
        call(input, "PUT", `categories/${key}`, { name: key, description: "OpenShift cluster" }),
        value("owned", "what the cluster owns"),
        value("shared", "what the cluster uses and does not own"),
      ],
    },
  };
}

function image(input: PlatformInput): SupplementItem {
  const { config, identity, facts } = input;
  const nutanix = nutanixOf(config);
  const key = clusterCategory(identity.infraID);
  const name = imageName(nutanix, identity.infraID);
  if (nutanix.preloadedOSImageName)
    return {
      area: "image",
      when: "before",
      what: `Add the category ${key}: shared to the image ${name}.`,
      why: "The image was not uploaded for the cluster; the category keeps it when the cluster is destroyed.",
      details: { image: name, category: { [key]: "shared" } },
    };
  const source = nutanixFactsOf(facts).osImage;
  return {
    area: "image",
    when: "before",
    what: `Upload the boot image as ${name}.`,
    why: "The machine template and the Machine API objects refer to it, and the provider does not upload images.",
    details: {
      source:
        source ?? "architectures.x86_64.artifacts.nutanix of openshift-install coreos print-stream-json",
      commands: [
        call(input, "POST", "images", {
          spec: {
            name,
            resources: { image_type: "DISK_IMAGE", source_uri: source ?? "URL-OF-THE-BOOT-IMAGE" },
          },
          metadata: { kind: "image", categories: { [key]: "owned" } },
        }),
      ],
    },
  };
}

/** Names that somebody must resolve: those of the API before the machines come up. */
function dns({ config }: PlatformInput): SupplementItem[] {
  const nutanix = nutanixOf(config);
  const domain = clusterDomain(config);
  const managed = userManagedLoadBalancer(nutanix);
  const { apiVIPs = [], ingressVIPs = [] } = nutanix;
  const ownDns = apiVIPs.length === 0 || managed || nutanix.dnsRecordsType === "External";
  const target = (vips: readonly string[]) => (vips.length > 0 ? [...vips] : "your load balancer");
  return [
    {
      area: "dns",
      when: "before",
      what: "Create the records of the API and of the applications.",
      why: ownDns
        ? "The cluster does not serve them. The names are in certificates and in the config of every machine."
        : "The cluster's own DNS resolves them inside the cluster; all clients outside need the records.",
      details: {
        records: [
          { name: `api.${domain}`, target: target(apiVIPs) },
          ...(ownDns ? [{ name: `api-int.${domain}`, target: target(apiVIPs) }] : []),
          { name: `*.apps.${domain}`, target: target(ingressVIPs) },
        ],
      },
    },
    ...(managed || apiVIPs.length === 0
      ? [
          {
            area: "load-balancer",
            when: "before" as const,
            what: "Configure your load balancer for the API and the ingress.",
            why: "The cluster's machines have no virtual IPs.",
            details: {
              api: { ports: [6443, 22623], members: "bootstrap machine and control plane" },
              ingress: {
                ports: [80, 443],
                members: "compute machines, or the control plane if there are none",
              },
            },
          },
        ]
      : []),
  ];
}

const isoName = (infraID: string): string => `${infraID}-bootstrap-ign.iso`;

function bootstrap(input: PlatformInput): SupplementItem {
  const { infraID } = input.identity;
  const iso = isoName(infraID);
  return {
    area: "bootstrap",
    when: "during",
    what: "Change the bootstrap machine as listed, so that it boots with its Ignition config from an image.",
    why: `The bootstrap machine and the control plane share one template (${machineTemplateName(infraID)} with a digest of its spec as suffix). The bootstrap config is too large for a Secret of the provider.`,
    details: {
      vcpuSockets: 1,
      vcpusPerSocket: 4,
      bootstrapRef: { kind: "Image", name: iso },
      labels: { "install.openshift.io/bootstrap": "" },
      image: {
        label: "config-2",
        files: {
          "openstack/latest/user_data": "bootstrap.ign",
          "openstack/latest/meta_data.json": '{"uuid": "A-NEW-UUID"}',
        },
      },
      commands: [
        shell`xorriso -as mkisofs -R -V config-2 -o ${iso} FOLDER-WITH-openstack`,
        call(input, "POST", "images", {
          spec: { name: iso, resources: { image_type: "ISO_IMAGE" } },
          metadata: { kind: "image", categories: { [clusterCategory(infraID)]: "owned" } },
        }),
        `${call(input, "PUT", "images/UUID-OF-THE-IMAGE/file")} --upload-file ${commandLine([iso])}`,
      ],
    },
  };
}

function hostNames(input: PlatformInput): SupplementItem {
  const { infraID } = input.identity;
  const { name, replicas } = poolsOf(input).controlPlane;
  return {
    area: "host-names",
    when: "during",
    what: "Set the host name of each machine: add the file /etc/hostname (mode 0644) to its own copy of master.ign.",
    why: "Prism does not set host names, and one Secret for all machines cannot contain several.",
    details: {
      machines: Array.from({ length: replicas }, (_, index) => `${infraID}-${name}-${index}`),
      bootstrap: `${bootstrapName(infraID)} is already in bootstrap.ign`,
    },
  };
}

function failureDomains(input: PlatformInput): SupplementItem[] {
  const { failureDomains: domains, name, replicas } = poolsOf(input).controlPlane;
  if (domains.length === 0) return [];
  return [
    {
      area: "failure-domains",
      when: "during",
      what: "Distribute the control plane machines across the failure domains as listed.",
      why: "The provider uses the Prism Element and the subnets of the machine's failure domain, which the control plane controller selects.",
      details: {
        machines: Array.from({ length: replicas }, (_, index) => ({
          machine: `${input.identity.infraID}-${name}-${index}`,
          failureDomain: domains[index % domains.length]?.name ?? "",
        })),
      },
    },
  ];
}

function secureBoot(input: PlatformInput): SupplementItem[] {
  if (poolsOf(input).controlPlane.bootType !== "SecureBoot") return [];
  return [
    {
      area: "secure-boot",
      when: "during",
      what: "Enable Secure Boot for the control plane machines.",
      why: "The provider supports only legacy and uefi; Machine API machines have Secure Boot.",
      details: { template: machineTemplateName(input.identity.infraID), bootType: "SecureBoot" },
    },
  ];
}

const cleanUp = (input: PlatformInput): SupplementItem => ({
  area: "image",
  when: "after",
  what: `Delete the image ${isoName(input.identity.infraID)}.`,
  why: "It contains the bootstrap machine's Ignition config with keys and the pull secret.",
  details: { command: call(input, "DELETE", "images/UUID-OF-THE-IMAGE") },
});
