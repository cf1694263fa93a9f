/**
 * Cluster API objects of nutanix (openshift/installer pkg/asset/manifests/nutanix/cluster.go, pkg/asset/machines/nutanix;
 * cluster-api-provider-nutanix v1.10, api/v1beta1 and controllers). docs/platforms/nutanix.md says what is ours and why.
 */

import type { JsonObject } from "../../core/json.js";
import { problem, warning } from "../../core/problem.js";
import { isDnsLabel } from "../../kubernetes/names.js";
import type { View } from "../../text/render.js";
import { clusterDomain } from "../config.js";
import { osStreamLabel } from "../os-stream.js";
import type {
  ComputeSet,
  InfrastructureInput,
  PlatformCompute,
  PlatformInfrastructure,
  PlatformInput,
  Rendering,
  RuleContext,
} from "../platform.js";
import {
  byUuid,
  clusterCategory,
  imageName,
  type NutanixFailureDomain,
  nutanixOf,
  prismCentral,
} from "./config.js";
import { machineSetsOf, placeOf, sizeOf } from "./machines.js";
import { CREDENTIALS_SECRET } from "./manifests.js";
import { type Pool, poolsOf } from "./pools.js";

const API_VERSION = "infrastructure.cluster.x-k8s.io/v1beta1";

export const machineTemplateName = (infraID: string): string => `${infraID}-master`;

export function infrastructure(input: InfrastructureInput, context: RuleContext): PlatformInfrastructure {
  const { infraID } = input.identity;
  const { controlPlane } = poolsOf(input);
  check(input, controlPlane, context);
  const name = machineTemplateName(infraID);
  return {
    cluster: { apiVersion: API_VERSION, kind: "NutanixCluster", name: infraID, placeholder: false },
    machineTemplate: { apiVersion: API_VERSION, kind: "NutanixMachineTemplate", name, placeholder: false },
    objects: [
      credentials(input),
      ...(nutanixOf(input.config).failureDomains ?? []).map((domain) => failureDomain(input, domain)),
      cluster(input, controlPlane),
      machineTemplate(input, controlPlane, name),
    ],
  };
}

/** The login of the install-config, in the form that the provider reads. */
export function loginText({ config }: Pick<PlatformInput, "config">): string {
  const { username = "", password = "" } = nutanixOf(config).prismCentral ?? {};
  return JSON.stringify([{ type: "basic_auth", data: { prismCentral: { username, password } } }]);
}

function credentials({ config, identity, namespace }: InfrastructureInput): Rendering {
  return {
    template: "infrastructure-manifests/nutanix/10_credentials-secret.yaml",
    path: "10_credentials-secret.yaml",
    secret: true,
    view: {
      clusterName: identity.infraID,
      name: CREDENTIALS_SECRET,
      namespace,
      credentials: Buffer.from(loginText({ config }), "utf8").toString("base64"),
    },
  };
}

function failureDomain(input: InfrastructureInput, domain: NutanixFailureDomain): Rendering {
  const { cluster: prismElementCluster, subnets } = placeOf(input, domain);
  return {
    template: "infrastructure-manifests/nutanix/40_failure-domain.yaml",
    path: `40_failure-domain-${domain.name ?? ""}.yaml`,
    view: {
      clusterName: input.identity.infraID,
      name: domain.name ?? "",
      namespace: input.namespace,
      prismElementCluster,
      subnets,
    },
  };
}

function cluster({ config, identity, namespace }: InfrastructureInput, pool: Pool): Rendering {
  const bundle = config.additionalTrustBundle ?? "";
  return {
    template: "infrastructure-manifests/nutanix/40_infrastructure-cluster.yaml",
    path: "40_infrastructure-cluster.yaml",
    view: {
      name: identity.infraID,
      namespace,
      host: `api.${clusterDomain(config)}`,
      prismCentral: { ...prismCentral(nutanixOf(config)) },
      credentials: CREDENTIALS_SECRET,
      trustBundle: bundle === "" ? undefined : bundle,
      // Those of the control plane alone: the provider offers every one that is listed to its machines.
      failureDomains:
        pool.failureDomains.length > 0
          ? [...new Set(pool.failureDomains.map(({ name = "" }) => name))].map((name) => ({ name }))
          : undefined,
    },
  };
}

/** Firmware by the names of the provider, which knows no Secure Boot. */
const BOOT_TYPES = new Map([
  ["Legacy", "legacy"],
  ["UEFI", "uefi"],
  ["SecureBoot", "uefi"],
]);

/** With failure domains the provider fills in Prism Element and subnets by that of the Machine. */
const machineTemplate = (input: InfrastructureInput, pool: Pool, name: string): Rendering => ({
  template: "infrastructure-manifests/nutanix/50_machine-template.yaml",
  path: "50_machine-template.yaml",
  view: {
    name,
    ...machineView(input, pool, pool.failureDomains.length === 0 ? placeOf(input, undefined) : undefined),
  },
});

/** Compute machines: a template for each failure domain, since the cluster lists those of the control plane alone. */
export function compute(input: InfrastructureInput): PlatformCompute {
  const sets = machineSetsOf(input, poolsOf(input).compute).map(
    ({ pool, name, replicas, domain }): ComputeSet => ({
      pool: pool.name,
      name,
      replicas,
      byHand: [
        ...(pool.dataDisks.length === 0 ? [] : ["add the data disks of the pool"]),
        ...(pool.gpus.length === 0 ? [] : ["add the GPUs of the pool"]),
      ],
      template: {
        template: "infrastructure-manifests/nutanix/50_machine-template.yaml",
        path: `55_machine-template-${name}.yaml`,
        view: { name, compute: true, ...machineView(input, pool, placeOf(input, domain)) },
      },
    }),
  );
  return { apiVersion: API_VERSION, kind: "NutanixMachineTemplate", sets, objects: [] };
}

/** The provider's type leaves out an empty key or value (`omitempty`); the one of the Machine API writes it. */
const withoutEmpty = (category: object): JsonObject =>
  Object.fromEntries(Object.entries(category).filter(([, text]) => text !== ""));

/** @param place undefined where the failure domain of the Machine says it */
const machineView = (
  input: InfrastructureInput,
  pool: Pool,
  place: Pick<ReturnType<typeof placeOf>, "cluster" | "subnets"> | undefined,
): View => ({
  ...machineSpec(input, pool, place),
  infraID: input.identity.infraID,
  namespace: input.namespace,
  osStream: osStreamLabel(input),
});

/** What a machine of a pool is like. */
export function machineSpec(
  { config, identity }: PlatformInput,
  pool: Pool,
  place: Pick<ReturnType<typeof placeOf>, "cluster" | "subnets"> | undefined,
): View {
  const { infraID } = identity;
  const categories: JsonObject[] = [{ key: clusterCategory(infraID), value: "owned" }];
  return {
    categories: [...categories, ...pool.categories.map(withoutEmpty)],
    bootType: BOOT_TYPES.get(pool.bootType ?? ""),
    cluster: place?.cluster,
    subnets: place?.subnets,
    image: imageName(nutanixOf(config), infraID),
    memorySize: sizeOf(pool.memoryMiB, "Mi"),
    project: pool.project === undefined ? undefined : byUuid(pool.project),
    systemDiskSize: sizeOf(pool.diskSizeGiB, "Gi"),
    vcpuSockets: pool.cpus,
    vcpusPerSocket: pool.coresPerSocket,
  };
}

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const LONGEST_ADDRESS = 256;
/** Least sizes of a machine that the provider's controller takes. */
const LEAST_MEMORY_MIB = 2048;
const LEAST_DISK_GIB = 20;

/** Rules of the provider that an install-config can break although it is valid. */
function check({ config }: InfrastructureInput, pool: Pool, { report }: RuleContext): void {
  const nutanix = nutanixOf(config);
  const broken = (field: string, message: string, hint: string): void =>
    report(problem("CAPI101", "Invalid", field, message, hint));
  const field = "platform.nutanix";
  const uuid = (at: string, value: string): void => {
    if (!UUID.test(value))
      broken(
        at,
        `invalid value ${JSON.stringify(value)}: must be a UUID`,
        "use the value as Prism Central shows it",
      );
  };
  const uuids = (at: string, values: readonly string[] = []): void =>
    values.forEach((value, index) => {
      uuid(`${at}[${index}]`, value);
    });
  if (prismCentral(nutanix).address.length > LONGEST_ADDRESS)
    broken(
      `${field}.prismCentral.endpoint.address`,
      `must have at most ${LONGEST_ADDRESS} characters`,
      "use a shorter name",
    );
  if (pool.failureDomains.length === 0) {
    uuid(`${field}.prismElements[0].uuid`, nutanix.prismElements?.[0]?.uuid ?? "");
    uuids(`${field}.subnetUUIDs`, nutanix.subnetUUIDs);
  }
  for (const [index, domain] of (nutanix.failureDomains ?? []).entries()) {
    const at = `${field}.failureDomains[${index}]`;
    const { name = "" } = domain;
    if (!isDnsLabel(name))
      broken(
        `${at}.name`,
        `invalid NutanixFailureDomain name ${JSON.stringify(name)}`,
        "use at most 63 lowercase letters, digits and inner hyphens",
      );
    else if (nutanix.failureDomains?.findIndex((each) => each.name === name) !== index)
      broken(`${at}.name`, `duplicate object name ${name}`, "use a different name for each failure domain");
    uuid(`${at}.prismElement.uuid`, domain.prismElement?.uuid ?? "");
    uuids(`${at}.subnetUUIDs`, domain.subnetUUIDs);
  }
  const own = "controlPlane.platform.nutanix";
  if (pool.project !== undefined) uuid(`${own}.project.uuid`, pool.project);
  const sizes = [
    { name: "cpus", value: pool.cpus, least: 1 },
    { name: "coresPerSocket", value: pool.coresPerSocket, least: 1 },
    { name: "memoryMiB", value: pool.memoryMiB, least: LEAST_MEMORY_MIB },
    { name: "osDisk.diskSizeGiB", value: pool.diskSizeGiB, least: LEAST_DISK_GIB },
  ];
  for (const { name, value, least } of sizes)
    if (value < least)
      broken(`${own}.${name}`, `invalid value ${value}: the provider requires more`, `use ${least} or more`);
  if (pool.bootType === "SecureBoot")
    report(
      warning(
        "CAPI102",
        "Invalid",
        `${own}.bootType`,
        "the provider does not support Secure Boot, so the first machines boot with UEFI only",
        "enable Secure Boot in Prism, or use UEFI",
      ),
    );
}
