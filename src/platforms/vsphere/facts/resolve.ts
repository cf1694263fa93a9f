/**
 * Offline facts of vsphere. None is needed: what they say of the vCenters is held against the install-config, as the
 * installer does once it has logged in (openshift/installer pkg/asset/installconfig/vsphere/validation.go), and the
 * appliance is for the supplement.
 */

import type { Problem } from "../../../core/diagnostics.js";
import { isObject, type Json, type JsonObject } from "../../../core/json.js";
import type { CloudFacts, VsphereFacts, VsphereVcenterFacts } from "../../../generated/types/cloud-facts.js";
import type { NormalConfig } from "../../config.js";
import { otherSystem } from "../../coreos-stream.js";
import { mismatch } from "../../fact-problems.js";
import type { FactSources, RuleContext } from "../../platform.js";
import { joinPath, topologyOf, type VsphereFailureDomain, vsphereOf } from "../config.js";
import { networkPath } from "../names.js";
import { vsphereFactsOf } from "./inventory.js";

/** The facts with the appliance that the stream supplies. What contradicts goes to the context. */
export function resolveFacts(config: NormalConfig, sources: FactSources, context: RuleContext): CloudFacts {
  const given = vsphereFactsOf(sources.facts);
  const ova = given.ova ?? (sources.stream === undefined ? undefined : applianceOf(sources.stream));
  const facts: VsphereFacts = { ...given, ...(ova === undefined ? {} : { ova }) };
  const release = ova?.release ?? "";
  const problems = [
    ...(given.vcenters ?? []).flatMap((vcenter, index) =>
      vcenterProblems(config, vcenter, `vsphere.vcenters[${index}]`, sources),
    ),
    ...otherSystem({ config, release: context.release }, sources.stream, () => ({ release })),
  ];
  for (const problem of problems) context.report(problem);
  return {
    apiVersion: "slipway.dev/v1alpha1",
    kind: "CloudFacts",
    ...(Object.keys(facts).length === 0 ? {} : { vsphere: facts }),
  };
}

/** The appliance of a stream: `architectures.x86_64.artifacts.vmware`, which has machines of one architecture. */
function applianceOf(stream: JsonObject): VsphereFacts["ova"] {
  const member = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
    path.reduce<Json | undefined>((each, name) => (isObject(each) ? each[name] : undefined), value);
  const artifact = member(stream, "architectures", "x86_64", "artifacts", "vmware");
  const location = member(artifact, "formats", "ova", "disk", "location");
  const sha256 = member(artifact, "formats", "ova", "disk", "sha256");
  const release = member(artifact, "release");
  if (typeof location !== "string" || location === "") return undefined;
  return {
    location,
    ...(typeof sha256 === "string" ? { sha256 } : {}),
    ...(typeof release === "string" ? { release } : {}),
  };
}

function vcenterProblems(
  config: NormalConfig,
  facts: VsphereVcenterFacts,
  field: string,
  { positionInFacts }: FactSources,
): Problem[] {
  const { vcenters = [], failureDomains = [] } = vsphereOf(config);
  const inFile = (name: string, message: string, hint: string): Problem => ({
    ...positionInFacts?.(`${field}.${name}`),
    ...mismatch(`${field}.${name}`, message, hint),
  });
  if (!vcenters.some(({ server }) => server === facts.server))
    return [
      inFile(
        "server",
        `the vCenter ${facts.server} is not in the install-config`,
        "use the server name of the install-config",
      ),
    ];
  const software = [
    { name: "", what: `the vCenter ${facts.server}`, ...facts, least: LEAST.vcenter },
    ...(facts.hosts ?? []).map((host, index) => ({
      ...host,
      name: `hosts[${index}].`,
      what: `the ESXi host ${host.name}`,
      least: LEAST.host,
    })),
  ];
  return [
    ...software.flatMap(({ name, what, version, build, least }) => {
      const fault = version === undefined ? undefined : versionFault(version, build, least);
      return fault === undefined
        ? []
        : [inFile(`${name}version`, `${what} ${fault}`, "upgrade it to vSphere 8")];
    }),
    ...(facts.inventory === undefined
      ? []
      : failureDomains.flatMap((domain, index) =>
          domain.server === facts.server
            ? missingObjects(domain, `platform.vsphere.failureDomains[${index}]`, new Set(facts.inventory))
            : [],
        )),
  ];
}

/** Build numbers of 7.0 Update 2, which the storage driver needs, and of 8.0. */
const LEAST = {
  vcenter: { seven: 17694817, eight: 20519528 },
  host: { seven: 17630552, eight: 20513097 },
} as const;

function versionFault(
  version: string,
  build: string | undefined,
  least: { readonly seven: number; readonly eight: number },
): string | undefined {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const number = build === undefined ? undefined : Number(build);
  if (major < 7) return `has the unsupported version ${version}`;
  if (major === 7 && minor === 0 && patch < 2)
    return `has version ${version}, but the storage driver requires 7.0.2 or newer`;
  const needed = major === 7 ? least.seven : least.eight;
  return number !== undefined && number < needed
    ? `has build ${build}, but the storage driver requires ${needed} or newer`
    : undefined;
}

/** Objects of a failure domain that the vCenter does not hold; a folder that is missing is made. */
function missingObjects(
  domain: VsphereFailureDomain,
  field: string,
  inventory: ReadonlySet<string>,
): Problem[] {
  const {
    datacenter = "",
    computeCluster = "",
    datastore = "",
    resourcePool = "",
    template = "",
    networks = [],
  } = topologyOf(domain);
  const last = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
  const names = new Set([...inventory].filter((path) => path.includes("/network/")).map(last));
  const wanted = [
    { member: "datacenter", path: joinPath("/", datacenter), value: datacenter },
    { member: "computeCluster", path: computeCluster, value: computeCluster },
    { member: "datastore", path: datastore, value: datastore },
    { member: "resourcePool", path: resourcePool, value: resourcePool },
    { member: "template", path: template, value: template },
  ];
  const missing = (member: string, value: string): Problem =>
    mismatch(
      `${field}.topology.${member}`,
      `${JSON.stringify(value)} is not listed in the facts file`,
      "use an inventory path, or complete the facts",
      "NotFound",
    );
  return [
    ...wanted.flatMap(({ member, path, value }) =>
      value === "" || inventory.has(path) ? [] : [missing(member, value)],
    ),
    ...networks.flatMap((network, index) =>
      inventory.has(networkPath(domain, network)) || inventory.has(network) || names.has(network)
        ? []
        : [missing(`networks[${index}]`, network)],
    ),
  ];
}
