/**
 * The manifests of the agent-based installer as its input: generated and edited, or written by hand, as for zero touch
 * provisioning. Read and judged as the installer does (openshift/installer pkg/asset/agent/manifests), all at once.
 */
import table from "../../../tables/definitions/agent-manifests.json" with { type: "json" };
import { type Problem, placed, type Report } from "../../core/diagnostics.js";
import type { OutputFile } from "../../core/files.js";
import { equalJson, isList, isObject, type Json, type JsonObject, textAt } from "../../core/json.js";
import {
  type Found,
  forbidden,
  HIDDEN,
  invalid,
  problem,
  required,
  unsupported,
  warning,
} from "../../core/problem.js";
import type { Release } from "../../core/release.js";
import { releaseImageProblem } from "../../kubernetes/images.js";
import { isV4, parseCidr } from "../../kubernetes/network.js";
import { agentFact } from "../../platforms/agent.js";
import { kernelName } from "../../platforms/coreos-stream.js";
import { PLATFORMS } from "../../platforms/registry.js";
import { decodeText } from "../../text/decode-text.js";
import type { Form } from "../../text/form.js";
import { quote } from "../../text/quote.js";
import { redactorFor } from "../../text/redactor.js";
import { readYaml } from "../../text/yaml-read.js";
import { decode } from "../install-config/decode.js";
import { createPositions } from "../install-config/read-positions.js";
import { CLUSTER_MANIFESTS } from "./objects.js";

const KINDS: Readonly<Record<keyof typeof table.kinds, Form>> = table.kinds;
type Kind = keyof typeof KINDS;
const DEFINITIONS: Readonly<Record<string, Form>> = table.$defs;

interface Expected {
  readonly kind: Kind;
  readonly apiVersion: string;
  /** Without it the installer makes do. */
  readonly optional?: true;
  /** Several documents; fields that are not known are ignored. */
  readonly many?: true;
}

/** The files by their names in cluster-manifests/. */
const EXPECTED: Readonly<Record<string, Expected>> = {
  "agent-cluster-install.yaml": {
    kind: "AgentClusterInstall",
    apiVersion: "extensions.hive.openshift.io/v1beta1",
  },
  "cluster-deployment.yaml": { kind: "ClusterDeployment", apiVersion: "hive.openshift.io/v1" },
  "cluster-image-set.yaml": { kind: "ClusterImageSet", apiVersion: "hive.openshift.io/v1" },
  "infraenv.yaml": { kind: "InfraEnv", apiVersion: "agent-install.openshift.io/v1beta1" },
  "nmstateconfig.yaml": {
    kind: "NMStateConfig",
    apiVersion: "agent-install.openshift.io/v1beta1",
    optional: true,
    many: true,
  },
  "pull-secret.yaml": { kind: "Secret", apiVersion: "v1" },
};

interface ReadObject {
  readonly value: JsonObject;
  /** Reports a fault at the place of its field. */
  report(found: Found & { readonly at?: string }): void;
}

interface Context {
  readonly release: Release;
  /** That of the flag or of an earlier run; the installer knows no other than its own. */
  readonly releaseImage: string | undefined;
  readonly report: Report;
}

/** Reports everything that is wrong with the files; those that are absent too. */
export function judgeAgentManifests(files: readonly OutputFile[], context: Context): void {
  const { report } = context;
  const all = new Map<Kind, readonly ReadObject[]>();
  for (const [name, expected] of Object.entries(EXPECTED)) {
    const path = `${CLUSTER_MANIFESTS}/${name}`;
    const file = files.find((each) => each.path === path);
    if (file !== undefined) all.set(expected.kind, readObjects(file, expected, context));
    else if (expected.optional !== true)
      report(
        problem("AGT026", "NotFound", "", `the manifest of the ${expected.kind} is missing`, {
          file: path,
          hint: "add the file, or an install-config.yaml to generate it from",
        }),
      );
  }
  const [install] = all.get("AgentClusterInstall") ?? [];
  const [infraEnv] = all.get("InfraEnv") ?? [];
  if (install !== undefined) judgeInstall(install, context);
  if (infraEnv !== undefined) judgeInfraEnv(infraEnv);
  for (const imageSet of all.get("ClusterImageSet") ?? []) judgeImageSet(imageSet, context);
  for (const secret of all.get("Secret") ?? []) judgePullSecret(secret);
  for (const network of all.get("NMStateConfig") ?? []) judgeNetwork(network, infraEnv);
}

function readObjects(
  { path, data }: OutputFile,
  { kind, apiVersion, many }: Expected,
  { release, report }: Context,
): readonly ReadObject[] {
  const { text, problem: fault } = decodeText(data, path);
  if (fault !== undefined) report(fault);
  if (text === undefined) return [];
  const redactor = redactorFor(text, () => false);
  const tell = (found: Problem): void => report(redactor.problem({ file: path, ...found }));
  const form: Form = { ...KINDS[kind], $defs: DEFINITIONS };
  const { documents } = readYaml(text, path, { firstOnly: many !== true, merge: "refuse" });
  return documents.flatMap(({ root, problems }) => {
    problems.forEach(tell);
    if (problems.length > 0 || (root === undefined && many)) return [];
    if (root?.type !== "mapping") {
      tell(
        problem("AGT027", "Invalid", "", `expected an object of kind ${kind}`, {
          line: root?.line ?? 0,
          column: root?.column ?? 0,
          hint: `write apiVersion: ${apiVersion} and kind: ${kind} with their fields`,
        }),
      );
      return [];
    }
    const { value, written, unreadable } = decode(root, {
      form,
      file: path,
      release,
      unknown: many ? "warning" : "error",
      document: kind,
      report: tell,
    });
    if (!isObject(value)) return [];
    const { position } = createPositions(written, path);
    const say: ReadObject["report"] = ({ at, ...found }) => {
      const field = at ?? found.field;
      if (!unreadable.some((each) => field === each || field.startsWith(`${each}.`)))
        tell(placed(found, position(field)));
    };
    for (const [field, expected] of Object.entries({ apiVersion, kind }))
      if (textAt(value, field) !== expected)
        say(
          warning(
            "AGT027",
            "Invalid",
            field,
            `must be ${quote(expected)}: the installer takes the file for one of this kind, other programs do not`,
            `set ${field}: ${expected}`,
          ),
        );
    return [{ value, report: say }];
  });
}

const at = (object: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((inner, name) => (isObject(inner) ? inner[name] : undefined), object);
const objectIn = (object: Json | undefined, ...path: readonly string[]): JsonObject => {
  const found = at(object, ...path);
  return isObject(found) ? found : {};
};
const listIn = (object: Json | undefined, ...path: readonly string[]): readonly Json[] => {
  const found = at(object, ...path);
  return isList(found) ? found : [];
};
const numberIn = (object: Json | undefined, ...path: readonly string[]): number => {
  const found = at(object, ...path);
  return typeof found === "number" ? found : 0;
};

const OVN = "OVNKubernetes";
const SDN = "OpenShiftSDN";

/** Names of platforms as AgentClusterInstall has them; those of the install-config are taken for them. */
const PLATFORM_TYPES = Object.entries(PLATFORMS).flatMap(([name, { traits }]) =>
  traits.agent === undefined ? [] : [[name, traits.agent] as const],
);

/** The platform with its name in AgentClusterInstall; one that is not supported as it is written. */
export const platformTypeOf = (written: string): string =>
  PLATFORM_TYPES.find(([name]) => name === written)?.[1].platformType ?? written;

/** True where load balancing is the user's by the platform alone. */
export const isUserManaged = (platformType: string): boolean =>
  PLATFORM_TYPES.some(([, traits]) => traits.platformType === platformType && traits.userManaged === true);

function judgeInstall({ value, report }: ReadObject, { release }: Context): void {
  const networking = objectIn(value, "spec", "networking");
  const type = textAt(networking, "networkType") || OVN;
  if (type === SDN) judgeSdn(networking, report);
  if (type === OVN && agentFact(release, "podNetworkRoom")) judgePodNetworks(value, report);
  const platform = platformTypeOf(textAt(objectIn(value, "spec"), "platformType"));
  const types = PLATFORM_TYPES.map(([, { platformType }]) => platformType);
  if (platform !== "" && !types.includes(platform))
    report(unsupported("AGT027", "spec.platformType", platform, types, "use a supported platform"));
  if (isUserManaged(platform) && networking["userManagedNetworking"] === false)
    report(
      forbidden(
        "AGT027",
        "spec.networking.userManagedNetworking",
        `the platform ${platform} requires user-managed networking`,
        "set userManagedNetworking: true, or remove it",
      ),
    );
  const encryption = at(value, "spec", "diskEncryption");
  if (isObject(encryption) && agentFact(release, "diskEncryption"))
    for (const [field, supported] of ENCRYPTION) {
      const found = textAt(encryption, field);
      if (!supported.includes(found))
        report(
          unsupported(
            "AGT027",
            `spec.diskEncryption.${field}`,
            found,
            supported,
            `set ${field}: ${supported[0]}`,
          ),
        );
    }
}

const ENCRYPTION: readonly (readonly [field: string, values: readonly string[]])[] = [
  ["enableOn", ["none", "all", "masters", "workers"]],
  ["mode", ["tpmv2", "tang"]],
];

/** OpenShift SDN has no IPv6; addresses that cannot be read are missing values to the installer. */
function judgeSdn(networking: JsonObject, report: ReadObject["report"]): void {
  const lists = [
    ["clusterNetwork", (entry: Json) => textAt(objectIn(entry), "cidr")],
    ["serviceNetwork", (entry: Json) => (typeof entry === "string" ? entry : "")],
  ] as const;
  for (const [name, cidrOf] of lists) {
    const cidrs = listIn(networking, name).map((entry) => parseCidr(cidrOf(entry)));
    if (cidrs.includes(undefined))
      report(
        required(
          "AGT027",
          `spec.networking.${name}`,
          "an entry is not an address block",
          "use a block such as 10.128.0.0/14",
        ),
      );
    if (cidrs.some((block) => block !== undefined && !isV4(block)))
      report(
        required("AGT027", "spec.networking.networkType", `${SDN} does not support IPv6, which ${name} has`, {
          at: `spec.networking.${name}`,
          hint: `set networkType: ${OVN}`,
        }),
      );
  }
}

/** Room for pods and hosts. */
function judgePodNetworks(value: JsonObject, report: ReadObject["report"]): void {
  const nodes = objectIn(value, "spec", "provisionRequirements");
  const hosts = numberIn(nodes, "controlPlaneAgents") + numberIn(nodes, "workerAgents");
  const needed = hosts <= 1 ? 0 : Math.ceil(Math.log2(hosts));
  for (const [index, entry] of listIn(value, "spec", "networking", "clusterNetwork").entries()) {
    const field = `spec.networking.clusterNetwork[${index}]`;
    const cidr = textAt(objectIn(entry), "cidr");
    const hostPrefix = numberIn(entry, "hostPrefix");
    const block = parseCidr(cidr);
    if (block === undefined) {
      report(
        required(
          "AGT013",
          `${field}.cidr`,
          `${quote(cidr)} is not an address block`,
          "use a block such as 10.128.0.0/14",
        ),
      );
      continue;
    }
    const most = (isV4(block) ? 32 : 128) - 7;
    if (hostPrefix > most)
      report(
        invalid(
          "AGT013",
          `${field}.hostPrefix`,
          hostPrefix,
          `must be at most ${most}`,
          "use a shorter prefix, such as 23 for IPv4 or 64 for IPv6",
        ),
      );
    if (hostPrefix - block.prefix < needed)
      report(
        invalid(
          "AGT013",
          field,
          cidr,
          `must have room for ${hosts} hosts with the hostPrefix ${hostPrefix}`,
          {
            at: `${field}.cidr`,
            hint: "use a larger network or a longer hostPrefix",
          },
        ),
      );
  }
}

const ARCHITECTURES = ["x86_64", "aarch64", "ppc64le", "s390x"];

function judgeInfraEnv({ value, report }: ReadObject): void {
  const architecture = kernelName(textAt(objectIn(value, "spec"), "cpuArchitecture"));
  if (architecture !== "" && !ARCHITECTURES.includes(architecture))
    report(
      unsupported(
        "AGT027",
        "spec.cpuArchitecture",
        architecture,
        ARCHITECTURES,
        "use a supported architecture",
      ),
    );
}

function judgeImageSet({ value, report }: ReadObject, { releaseImage }: Context): void {
  const image = textAt(objectIn(value, "spec"), "releaseImage");
  const fault = releaseImageProblem(image);
  if (releaseImage !== undefined && image !== releaseImage)
    report(
      invalid(
        "AGT027",
        "spec.releaseImage",
        image,
        `must be the release image ${quote(releaseImage)}`,
        "use one release image in both, or set --release-image to this one",
      ),
    );
  else if (fault !== undefined) report({ ...fault, field: "spec.releaseImage" });
}

const DOCKER_CONFIG = ".dockerconfigjson";

function judgePullSecret({ value, report }: ReadObject): void {
  const data = objectIn(value, "stringData");
  const text = textAt(data, DOCKER_CONFIG);
  const hint = `set ${DOCKER_CONFIG} to the pull secret`;
  if (text === "")
    report(
      required(
        "AGT027",
        "stringData",
        Object.keys(data).length === 0 ? "the pull secret is empty" : `${DOCKER_CONFIG} is not set or empty`,
        hint,
      ),
    );
  const fault = text === "" ? undefined : pullSecretFault(text);
  if (fault !== undefined) report(invalid("AGT027", "stringData", HIDDEN, fault, hint));
}

function pullSecretFault(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return `${DOCKER_CONFIG} must be JSON`;
  }
  const auths = typeof value === "object" && value !== null && "auths" in value ? value.auths : undefined;
  const entries: [string, unknown][] =
    typeof auths === "object" && auths !== null ? Object.entries(auths) : [];
  if (entries.length === 0) return `${DOCKER_CONFIG} must have auths`;
  const bare = entries.find(
    ([, login]) => typeof login !== "object" || login === null || !("auth" in login || "credsStore" in login),
  );
  return bare === undefined ? undefined : `the registry ${quote(bare[0])} must have auth or credsStore`;
}

const MAC = /^(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$/;

function judgeNetwork({ value, report }: ReadObject, infraEnv: ReadObject | undefined): void {
  const interfaces = listIn(value, "spec", "interfaces").filter(isObject);
  if (interfaces.length === 0)
    report(
      required(
        "AGT027",
        "spec.interfaces",
        "",
        "add an interface with name and macAddress, by which the host is found",
      ),
    );
  const seen = { name: new Set<string>(), macAddress: new Set<string>() };
  for (const [index, each] of interfaces.entries()) {
    const macAddress = textAt(each, "macAddress");
    if (!MAC.test(macAddress))
      report(
        invalid(
          "AGT027",
          `spec.interfaces[${index}].macAddress`,
          macAddress,
          "must be a MAC address of 6 bytes with colons",
          'use an address such as "52:54:00:aa:bb:01"',
        ),
      );
    for (const member of ["name", "macAddress"] as const) {
      const found = textAt(each, member);
      if (seen[member].has(found))
        report(
          invalid(
            "AGT027",
            `spec.interfaces[${index}].${member}`,
            found,
            "must be unique among the interfaces of a host",
            "use the host's own interfaces",
          ),
        );
      seen[member].add(found);
    }
  }
  const labels = objectIn(value, "metadata", "labels");
  if (Object.keys(labels).length === 0)
    report(
      required("AGT027", "labels", "", {
        at: "metadata.labels",
        hint: "set the labels in nmStateConfigLabelSelector.matchLabels of the InfraEnv",
      }),
    );
  const wanted = objectIn(infraEnv?.value, "spec", "nmStateConfigLabelSelector", "matchLabels");
  if (infraEnv !== undefined && !equalJson(labels, wanted))
    report(
      required(
        "AGT027",
        "spec.nmStateConfigLabelSelector.matchLabels",
        `the labels ${JSON.stringify(labels)} are not those that the InfraEnv selects, ${JSON.stringify(wanted)}`,
        { at: "metadata.labels", hint: "use the same labels in both" },
      ),
    );
}
