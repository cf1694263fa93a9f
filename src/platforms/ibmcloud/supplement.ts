/**
 * What is left to do on ibmcloud beside the Cluster API objects: what the installer does by hand against the cloud
 * (openshift/installer pkg/infrastructure/ibmcloud/clusterapi).
 */
import type { JsonObject } from "../../core/json.js";
import { withoutEnd } from "../../core/trim.js";
import { assignment, commandLine } from "../../text/shell.js";
import { clusterDomain } from "../config.js";
import { operatorKeys } from "../ibm-supplement.js";
import type { PlatformInput } from "../platform.js";
import type { SupplementItem } from "../supplement.js";
import { endpointOf, ibmcloudOf, isPrivate } from "./config.js";
import { factsOf } from "./facts.js";
import { machineTemplateName, sharesTemplate, templateZones } from "./infrastructure/machine-templates.js";
import {
  bootstrapSecurityGroup,
  dedicatedHostName,
  ignitionBucket,
  imageBucket,
  privateLoadBalancer,
  publicLoadBalancer,
  resourceGroupName,
  storageInstance,
  vpcName,
} from "./names.js";
import { poolsOf } from "./pools.js";

/** A command from its words and its flags; a flag of one letter has one dash, one without a value is empty. */
const command = (words: readonly string[], flags: Readonly<Record<string, string>> = {}): string =>
  commandLine([
    "ibmcloud",
    ...words,
    ...Object.entries(flags).flatMap(([name, value]) => [
      name.length === 1 ? `-${name}` : `--${name}`,
      ...(value === "" ? [] : [value]),
    ]),
  ]);

export const supplement = (input: PlatformInput): readonly SupplementItem[] => [
  provider(input),
  ...operators(input),
  ...resourceGroup(input),
  image(input),
  ...hosts(input),
  dns(input),
  bootstrapMachine(input),
  ...zones(input),
  cleaning(input),
];

/** Services that the provider takes an endpoint for, by its own names (pkg/types/ibmcloud/metadata.go). */
const PROVIDER_SERVICES = [
  ["COS", "cos"],
  ["GlobalTagging", "globaltagging"],
  ["ResourceController", "rc"],
  ["ResourceManager", "rm"],
  ["VPC", "vpc"],
] as const;

function provider({ config }: PlatformInput): SupplementItem {
  const section = ibmcloudOf(config);
  const endpoints = PROVIDER_SERVICES.flatMap(([service, name]) => {
    const url = endpointOf(section, service);
    return url === undefined ? [] : [`${name}=${url}`];
  });
  const flag =
    endpoints.length === 0
      ? ""
      : `${assignment("SERVICE_ENDPOINT", `${section.region}:${endpoints.join(",")}`)} `;
  const iam = endpointOf(section, "IAM");
  return {
    area: "provider",
    when: "before",
    what: "Run the IBM Cloud provider with an API key that is allowed to create the cluster's resources.",
    why: "IBMVPCCluster has no credentials; the controller uses one API key for all clusters.",
    details: {
      environment: `${iam === undefined ? "" : `${assignment("IBMCLOUD_AUTH_URL", iam)} `}${flag}PROVIDER_ID_FORMAT=v2 IBMCLOUD_API_KEY=… clusterctl init --infrastructure ibmcloud`,
    },
  };
}

/** In manual mode, the only one that the installer takes by name, the operators' keys are made by hand. */
const operators = ({ config, identity }: PlatformInput): SupplementItem[] =>
  config.credentialsMode === "Manual"
    ? [operatorKeys("ibmcloud", identity.infraID, resourceGroupName(config, identity.infraID))]
    : [];

function resourceGroup({ config, identity }: PlatformInput): SupplementItem[] {
  if ((ibmcloudOf(config).resourceGroupName ?? "") !== "") return [];
  return [
    {
      area: "resource-group",
      when: "before",
      what: `Create the resource group ${identity.infraID}.`,
      why: "The provider creates all resources in it but does not create the group.",
      details: { commands: [command(["resource", "group-create", identity.infraID])] },
    },
  ];
}

/** The provider makes the image from a file that lies in a bucket; it makes neither the bucket nor the file. */
function image({ config, identity, facts }: PlatformInput): SupplementItem {
  const { infraID } = identity;
  const { region } = ibmcloudOf(config);
  const group = resourceGroupName(config, infraID);
  const instance = storageInstance(infraID);
  const bucket = imageBucket(infraID);
  const file = factsOf(facts).image ?? "IMAGE-FILE";
  return {
    area: "image",
    when: "before",
    what: `Upload the decompressed IBM Cloud image of the release as ${file} to the bucket ${bucket}, and allow the image service to read it.`,
    why: "The provider creates the image from the bucket but does not upload it.",
    details: {
      commands: [
        command(["target"], { r: region, g: group }),
        command(
          ["resource", "service-instance-create", instance, "cloud-object-storage", "standard", "global"],
          { g: group },
        ),
        command(["cos", "config", "crn"], { crn: `CRN-OF-${instance}` }),
        command(["cos", "bucket-create"], { bucket, class: "smart", region }),
        command(["cos", "upload"], { bucket, key: file, file, region }),
        command(["iam", "authorization-policy-create", "is", "cloud-object-storage", "Reader"], {
          "source-resource-type": "image",
          "target-service-instance-id": `GUID-OF-${instance}`,
        }),
      ],
    },
  };
}

/** Dedicated hosts that pools name by a profile. */
function hosts(input: PlatformInput): SupplementItem[] {
  const { config, identity } = input;
  const { infraID } = identity;
  const group = resourceGroupName(config, infraID);
  const { controlPlane, compute } = poolsOf(input);
  const commands = [controlPlane, ...compute].flatMap(({ role, zones: places }) =>
    places.flatMap(({ name: zone, host }) => {
      if (host === undefined || (host.name ?? "") !== "") return [];
      const [family = ""] = (host.profile ?? "").split("-");
      const name = dedicatedHostName(infraID, role, zone);
      return [
        command(["is", "dedicated-host-group-create"], {
          name,
          zone,
          family: FAMILIES.get(family[0] ?? "") ?? "balanced",
          class: family,
          "resource-group-name": group,
        }),
        command(["is", "dedicated-host-create"], {
          profile: host.profile ?? "",
          name,
          dhg: name,
          "resource-group-name": group,
        }),
      ];
    }),
  );
  if (commands.length === 0) return [];
  return [
    {
      area: "dedicated-hosts",
      when: "before",
      what: "Create the dedicated hosts that pools specify by profile.",
      why: "Machines refer to them, and neither the provider nor the Machine API creates them.",
      details: { commands: [...new Set(commands)] },
    },
  ];
}

/** Families of profiles by their first letter (https://cloud.ibm.com/docs/vpc?topic=vpc-dh-profiles). */
const FAMILIES: ReadonlyMap<string, string> = new Map([
  ["b", "balanced"],
  ["c", "compute"],
  ["m", "memory"],
  ["v", "memory"],
  ["u", "memory"],
]);

/** Records of the API. Those of applications are the ingress operator's work. */
function dns(input: PlatformInput): SupplementItem {
  const { config, identity, facts } = input;
  const { infraID } = identity;
  const closed = isPrivate(config);
  const domain = clusterDomain(config);
  const zone = factsOf(facts).dnsZone;
  const inner = privateLoadBalancer(infraID);
  const outer = closed ? inner : publicLoadBalancer(infraID);
  const id = zone?.id ?? "";
  const i = "NAME-OF-THE-INSTANCE";
  const create = (name: string, balancer: string): string => {
    const flags = { type: "CNAME", name: `${name}.${domain}` };
    const target = `HOSTNAME-OF-${balancer}`;
    return closed
      ? command(["dns", "resource-record-create", id], { ...flags, cname: target, ttl: "60", i })
      : command(["cis", "dns-record-create", id], { ...flags, content: target, i });
  };
  const own = ibmcloudOf(config).vpcName ?? "";
  const vpc = `CRN-OF-${vpcName(config, infraID)}`;
  return {
    area: "dns",
    when: "during",
    what: closed
      ? "Create the API records after the load balancer is created, and allow the VPC to use their zone."
      : "Create the API records after the load balancers are created.",
    why: "Cluster API does not manage DNS. The names are in certificates and in the config of every machine.",
    details: {
      instance: zone?.instanceCRN ?? "",
      hostnames: command(["is", "load-balancers"], { output: "json" }),
      commands: [
        create("api", outer),
        create("api-int", inner),
        ...(closed
          ? [command(["dns", "permitted-network-add", id], { type: "vpc", "vpc-crn": vpc, i })]
          : []),
      ],
      ...(closed && own !== "" ? { permitted: `${own} may already be a permitted network of the zone` } : {}),
      applications: `the ingress operator creates *.apps.${domain} in the zone of the DNS object`,
    },
  };
}

/** What the bootstrap machine needs beside the template that it shares with the control plane. */
function bootstrapMachine({ config, identity }: PlatformInput): SupplementItem {
  const { infraID } = identity;
  const { region } = ibmcloudOf(config);
  const bucket = ignitionBucket(infraID);
  return {
    area: "bootstrap",
    when: "during",
    what: "Change the bootstrap machine as listed; it differs from the template.",
    why: `The bootstrap machine and the control plane share one template (${machineTemplateName(infraID)} with a digest of its spec as suffix). The bootstrap config is too large for user data, and the provider does not upload it.`,
    details: {
      securityGroup: bootstrapSecurityGroup(infraID),
      ignition: {
        bucket: `${bucket} in ${storageInstance(infraID)}, object bootstrap.ign`,
        commands: [
          command(["cos", "bucket-create"], { bucket, class: "smart", region }),
          command(["cos", "upload"], { bucket, key: "bootstrap.ign", file: "bootstrap.ign", region }),
        ],
        url: ignitionUrl(config, region, bucket),
        header: "Authorization: Bearer TOKEN (ibmcloud iam oauth-tokens)",
      },
      ...(isPrivate(config)
        ? {}
        : {
            floatingIP: command(["is", "floating-ip-reserve", `${infraID}-bootstrap`], {
              nic: "INTERFACE-OF-THE-MACHINE",
              in: `${infraID}-bootstrap`,
            }),
          }),
      vpc: vpcName(config, infraID),
    },
  };
}

function ignitionUrl(config: PlatformInput["config"], region: string, bucket: string): string {
  const given = endpointOf(ibmcloudOf(config), "COS");
  const host = given ?? `s3.direct.${region}.cloud-object-storage.appdomain.cloud`;
  const base = /^[^:]+:\/\//.test(host) ? host : `https://${host}`;
  return `${withoutEnd(base, "/")}/${bucket}/bootstrap.ign`;
}

/** Machines of the control plane take turns in the zones of its pool. */
function zones(input: PlatformInput): SupplementItem[] {
  const { controlPlane } = poolsOf(input);
  const { infraID } = input.identity;
  const templates = templateZones(controlPlane);
  if (templates.length < 2) return [];
  const files = controlPlane.zones.map((zone) => {
    const found = templates.find((template) => sharesTemplate(template.zone, zone));
    return `50_machine-template${found?.suffix ?? ""}.yaml`;
  });
  const machines: JsonObject[] = Array.from({ length: controlPlane.replicas }, (_, i) => ({
    machine: `${infraID}-${controlPlane.name}-${i}`,
    zone: controlPlane.zones[i % controlPlane.zones.length]?.name ?? "",
    template: files[i % files.length] ?? "",
  }));
  return [
    {
      area: "zones",
      when: "during",
      what: "Create the control plane machines from the template of their zone.",
      why: "A machine template has one zone, one subnet and one dedicated host, and OpenShiftControlPlane refers to only one template.",
      details: { machines },
    },
  ];
}

function cleaning({ config, identity }: PlatformInput): SupplementItem {
  const { infraID } = identity;
  const { region } = ibmcloudOf(config);
  const bucket = ignitionBucket(infraID);
  return {
    area: "bootstrap",
    when: "after",
    what: `Delete the bucket ${bucket}, the security group ${bootstrapSecurityGroup(infraID)}${isPrivate(config) ? "" : " and the floating IP of the bootstrap machine"}.`,
    why: "The bucket contains keys and the pull secret, and nothing else deletes these resources. Remove the group from the IBMVPCCluster first.",
    details: {
      commands: [
        command(["cos", "object-delete"], { bucket, key: "bootstrap.ign", region, force: "" }),
        command(["cos", "bucket-delete"], { bucket, region, force: "" }),
        command(["is", "security-group-delete", bootstrapSecurityGroup(infraID)], {
          vpc: vpcName(config, infraID),
          force: "",
        }),
        ...(isPrivate(config)
          ? []
          : [command(["is", "floating-ip-release", `${infraID}-bootstrap`], { force: "" })]),
      ],
      object: `IBMVPCCluster ${infraID}, spec.network.securityGroups`,
    },
  };
}
