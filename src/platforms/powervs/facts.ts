/**
 * Offline facts of powervs: what an installer with a network asks the cloud for. Everything that is missing is reported
 * in one run; what contradicts the install-config is told as the installer would (openshift/installer
 * pkg/asset/installconfig/powervs/validation.go).
 */

import type { Problem } from "../../core/diagnostics.js";
import { isObject, type Json, type JsonObject } from "../../core/json.js";
import { problem } from "../../core/problem.js";
import type { CloudFacts, PowervsFacts } from "../../generated/types/cloud-facts.js";
import { parseCidr } from "../../kubernetes/network.js";
import { rsaKeyBits, sshKeyType } from "../../pki/ssh-public-key.js";
import { quote } from "../../text/quote.js";
import type { NormalConfig } from "../config.js";
import { imagesOf, otherSystem } from "../coreos-stream.js";
import { inFacts, missingFact, type Need, needOf, type UnknownThing } from "../needs.js";
import type { FactSources, RuleContext } from "../platform.js";
import {
  isDisconnected,
  isPrivate,
  type PowervsPlatform,
  poolSection,
  powervsOf,
  regionOf,
  vpcRegionOf,
} from "./config.js";
import { has, storageRegionOf, systemsOf, VPC_REGIONS } from "./tables.js";

const FIELD = "platform.powervs";

export const NEEDS = {
  account: needOf("powervs.accountID", () => "the account ID is not listed in the facts file"),
  dnsZone: needOf("powervs.dnsZone", (name) => `the DNS zone of ${name} is not listed in the facts file`),
  vpc: needOf("powervs.vpc", (name) => `VPC ${quote(name)} is not listed in the facts file`),
  resolver: needOf(
    "powervs.dnsServer",
    (name) => `the custom resolver address of the VPC ${quote(name)} is not listed in the facts file`,
  ),
  image: needOf(
    "powervs.image",
    (name) => `the location of the release's image for ${name} is not listed in the facts file`,
    () => `set --coreos-stream FILE, or add ${inFacts("powervs.image")}`,
  ),
} as const;

export const factsOf = (facts: CloudFacts | undefined): PowervsFacts => facts?.powervs ?? {};

/** The facts, with the image that the stream supplies. What is wanting or contradicts goes to the context. */
export function resolveFacts(config: NormalConfig, sources: FactSources, context: RuleContext): CloudFacts {
  const given = factsOf(sources.facts);
  const image = given.image ?? imageOf(config, sources.stream);
  const facts: PowervsFacts = image === undefined ? given : { ...given, image };
  const problems = [
    ...missing(config, facts),
    ...factProblems(config, facts).map((problem) => ({
      ...sources.positionInFacts?.(problem.field ?? ""),
      ...problem,
    })),
    ...contradictions(config, facts, context),
    ...otherSystem({ config, release: context.release }, sources.stream, (stream, architecture) =>
      regionalFile(stream, architecture, powervsOf(config)),
    ),
  ];
  for (const problem of problems) context.report(problem);
  return { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts", powervs: facts };
}

interface ImageFile {
  readonly bucket: string;
  readonly object: string;
  readonly release: string;
}

const member = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) ? value[name] : undefined;

/** The file of the stream in the region of object storage that goes with the VPC's; undefined when there is none. */
function regionalFile(
  stream: JsonObject,
  architecture: string,
  section: PowervsPlatform,
): ImageFile | undefined {
  const region = storageRegionOf(vpcRegionOf(section)) ?? "";
  const found = member(member(imagesOf(stream, architecture, "powervs"), "regions"), region);
  const [bucket, object, release] = ["bucket", "object", "release"].map((name) => member(found, name));
  if (typeof bucket !== "string" || typeof object !== "string") return undefined;
  return { bucket, object, release: typeof release === "string" ? release : "" };
}

/** The installer's own image wins over that of the release: BUCKET/OBJECT. */
function imageOf(config: NormalConfig, stream: JsonObject | undefined): PowervsFacts["image"] {
  const section = powervsOf(config);
  if (stream === undefined) return undefined;
  const found = regionalFile(stream, config.controlPlane.architecture, section);
  return found === undefined ? undefined : { bucket: found.bucket, object: found.object };
}

function missing(config: NormalConfig, facts: PowervsFacts): Problem[] {
  const { vpcName = "" } = powervsOf(config);
  const lack = (needed: Need<UnknownThing>, path: string, name = ""): Problem =>
    missingFact(needed, { path, name });
  return [
    ...(facts.accountID === undefined ? [lack(NEEDS.account, FIELD)] : []),
    ...(facts.dnsZone === undefined ? [lack(NEEDS.dnsZone, "baseDomain", config.baseDomain)] : []),
    ...(vpcName !== "" && facts.vpc === undefined ? [lack(NEEDS.vpc, `${FIELD}.vpcName`, vpcName)] : []),
  ];
}

/** What is wrong within the facts file, or with what it is of. */
function factProblems(config: NormalConfig, facts: PowervsFacts): Problem[] {
  const { zone = "" } = powervsOf(config);
  const wrong = (field: string, message: string, hint: string): Problem =>
    problem("FACT002", "Invalid", `powervs.${field}`, message, hint);
  const service = isPrivate(config) ? "dns-svcs" : "internet-svcs";
  const crn = facts.dnsZone?.instanceCRN.split(":") ?? [];
  return [
    ...(facts.zone !== undefined && facts.zone !== zone
      ? [
          wrong(
            "zone",
            `the facts are for ${facts.zone}, but the install-config is for ${zone}`,
            "use the facts for that zone",
          ),
        ]
      : []),
    ...(facts.dnsZone === undefined || (crn.length === 10 && crn[4] === service)
      ? []
      : [
          wrong(
            "dnsZone.instanceCRN",
            `must be the CRN of a ${service} instance, as publish: ${config.publish} requires`,
            `to list the CRNs, run: ibmcloud resource service-instances --service-name ${service} --output json`,
          ),
        ]),
  ];
}

/** Where the cloud, as the facts have it, does not agree with the install-config; lists that are not given are not asked. */
function contradictions(config: NormalConfig, facts: PowervsFacts, { release }: RuleContext): Problem[] {
  const section = powervsOf(config);
  const {
    vpcName = "",
    tgName = "",
    serviceInstanceGUID = "",
    powervsResourceGroup = "",
    zone = "",
  } = section;
  const wrong = (kind: Problem["kind"], path: string, message: string, hint: string): Problem =>
    problem("FACT002", kind, path, message, hint);
  const system = poolSection(config.controlPlane).sysType ?? "";
  const listed = has(release, "asksForSystems") ? facts.systemTypes : undefined;
  const offered = listed ?? systemsOf(regionOf(section), zone, release);
  return [
    ...(facts.powerEdgeRouter === false
      ? [
          wrong(
            "Invalid",
            `${FIELD}.zone`,
            `the zone ${zone} has no Power Edge Router`,
            "use a zone with a Power Edge Router",
          ),
        ]
      : []),
    ...(vpcName !== "" && facts.vpc !== undefined && !isNamed(facts.vpc, vpcName, release)
      ? [
          wrong(
            "NotFound",
            `${FIELD}.vpcName`,
            `the facts are for the VPC ${facts.vpc.name}, not ${quote(vpcName)}`,
            "use that VPC, or the facts of the other one",
          ),
        ]
      : []),
    ...subnetProblems(section, facts).map((message) =>
      wrong("Invalid", `${FIELD}.vpcSubnets`, message, "use only subnets of the VPC"),
    ),
    ...(powervsResourceGroup !== "" &&
    powervsResourceGroup !== "Default" &&
    facts.resourceGroups?.includes(powervsResourceGroup) === false
      ? [
          wrong(
            "NotFound",
            `${FIELD}.powervsResourceGroup`,
            `resource group ${quote(powervsResourceGroup)} is not listed in the facts file`,
            "use a resource group of the account",
          ),
        ]
      : []),
    ...(serviceInstanceGUID !== "" && facts.workspaces?.includes(serviceInstanceGUID) === false
      ? [
          wrong(
            "NotFound",
            `${FIELD}.serviceInstanceGUID`,
            `workspace ${quote(serviceInstanceGUID)} is not listed in the facts file`,
            "use one of the account, or remove it to create one",
          ),
        ]
      : []),
    ...(tgName !== "" && facts.transitGateways?.some((gateway) => isNamed(gateway, tgName, release)) === false
      ? [
          wrong(
            "NotFound",
            `${FIELD}.tgName`,
            `transit gateway ${quote(tgName)} is not listed in the facts file`,
            "use one of the account, or remove it to create one",
          ),
        ]
      : []),
    ...(system !== "" && offered !== undefined && !offered.includes(system)
      ? [
          {
            ...wrong(
              "Invalid",
              `controlPlane.${FIELD}.sysType`,
              `${system} is not available in the zone ${zone}`,
              `use one of ${offered.join(", ")}`,
            ),
            code: listed === undefined ? ("FACT008" as const) : ("FACT002" as const),
          },
        ]
      : []),
    ...keyProblems(config, release),
    ...(!has(release, "disconnected") && isDisconnected(config)
      ? [
          {
            ...wrong(
              "NotSupported",
              "publish",
              "the installer of this release does not support private clusters with image mirrors",
              "remove imageDigestSources, or install 4.19 or newer",
            ),
            code: "FACT008" as const,
          },
        ]
      : []),
  ];
}

/** A VPC and a transit gateway are named by their names, and from some release on by their identifiers. */
const isNamed = (
  found: { readonly id: string; readonly name: string },
  name: string,
  release: RuleContext["release"],
): boolean => found.name === name || (found.id === name && has(release, "vpcByIdentifier"));

/** The installer looks at the first subnet alone. */
function subnetProblems(
  { vpcName = "", vpcSubnets = [] }: PowervsPlatform,
  { vpc }: PowervsFacts,
): readonly string[] {
  const [first] = vpcSubnets;
  return vpcName === "" || vpc === undefined || first === undefined
    ? []
    : vpc.subnets.some(({ name }) => name === first)
      ? []
      : [`subnet ${quote(first)} is not in the VPC ${vpc.name}`];
}

const LEAST_BITS = 2048;

/** The workspace keeps RSA keys alone. */
function keyProblems({ sshKey = "" }: NormalConfig, release: RuleContext["release"]): Problem[] {
  const type = sshKeyType(sshKey);
  if (!has(release, "rsaKey") || type === undefined) return [];
  const bits = type === "ssh-rsa" ? rsaKeyBits(sshKey) : 0;
  if (bits >= LEAST_BITS) return [];
  return [
    problem(
      "FACT008",
      "Invalid",
      "sshKey",
      type === "ssh-rsa"
        ? `the SSH key must have at least ${LEAST_BITS} bits, has ${bits}`
        : `the SSH key must be an RSA key, found ${type}`,
      "create one with ssh-keygen -t rsa -b 4096, and use its public key",
    ),
  ];
}

/** What the installer refuses once it talks to the cloud, although it needs nothing of it. */
export function cloudRules(config: NormalConfig): Problem[] {
  const section = powervsOf(config);
  const { powervsResourceGroup = "", vpcName = "", vpcRegion = "", vpcSubnets = [] } = section;
  const refused = (
    kind: Problem["kind"],
    field: string,
    message: string,
    hint: string,
    at: string = field,
  ): Problem => problem("FACT008", kind, field, message, { at, hint });
  const pools = [
    { pool: config.controlPlane, field: "controlPlane" },
    ...config.compute.map((pool, i) => ({ pool, field: `compute[${i}]` })),
  ];
  return [
    ...pools.flatMap(({ pool, field }) =>
      pool.architecture === "ppc64le"
        ? []
        : [
            refused(
              "NotSupported",
              `${field}.architecture`,
              `must be ppc64le on powervs, found ${pool.architecture}`,
              "use architecture: ppc64le in every pool",
            ),
          ],
    ),
    ...config.networking.machineNetwork.flatMap(({ cidr }, i) =>
      parseCidr(cidr)?.prefix === 24
        ? []
        : [
            refused(
              "Invalid",
              `networking.machineNetwork[${i}].cidr`,
              "the machine network must have a prefix length of /24 on powervs",
              "use a CIDR such as 192.168.0.0/24",
            ),
          ],
    ),
    ...(vpcRegion === "" || VPC_REGIONS.includes(vpcRegion)
      ? []
      : [
          refused(
            "NotFound",
            "VPC.vpcRegion",
            `unsupported value ${quote(vpcRegion)}`,
            `remove it, or use one of ${VPC_REGIONS.join(", ")}`,
            `${FIELD}.vpcRegion`,
          ),
        ]),
    ...(vpcName === "" && vpcSubnets.length > 0
      ? [
          refused(
            "Invalid",
            "VPC.vpcSubnets",
            "existing subnets require an existing VPC",
            "set vpcName, or remove vpcSubnets",
            `${FIELD}.vpcSubnets`,
          ),
        ]
      : []),
    ...(vpcName === "" && isPrivate(config)
      ? [
          refused(
            "Required",
            `${FIELD}.vpcName`,
            "required value is missing: a private cluster requires an existing VPC",
            "set vpcName, or remove publish",
          ),
        ]
      : []),
    ...(powervsResourceGroup === ""
      ? [
          refused(
            "Required",
            `${FIELD}.powervsResourceGroup`,
            "required value is missing",
            "set one; to list them, run: ibmcloud resource groups",
          ),
        ]
      : []),
  ];
}
