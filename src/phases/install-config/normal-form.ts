/**
 * The normal form of an install-config: what the installer re-writes it to, all defaults filled in, so that its file
 * and its state compare equal with ours (docs/reference/install-config-and-manifests.md §1.1, §2.5, §3.12). The tables
 * say which members its types write even when they are empty.
 */
import { isJson, isObject, type Json, type JsonObject } from "../../core/json.js";
import type { Release } from "../../core/release.js";
import { formatCidr, NO_CIDR, parseCidr } from "../../kubernetes/network.js";
import type { NormalConfig, PlatformName } from "../../platforms/config.js";
import { block, given, type Member, printCidr, type Shape, text } from "../../platforms/normal-shape.js";
import type { PlatformRules } from "../../platforms/platform.js";
import { PLATFORM_NAMES, PLATFORMS } from "../../platforms/registry.js";
import { inForce } from "../../platforms/release-changes.js";
import { writeYaml } from "../../text/yaml-write.js";

const printTime = (text: string): Json => {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : time.toISOString().replace(/\.\d{3}Z$/, "Z");
};

const clusterNetwork: Member = { each: { cidr: { zero: null, print: printCidr } } };

/** A section for each platform, in the shape that `shapeOf` knows for it. */
const sections = (shapeOf: (name: PlatformName) => Shape | undefined): Shape =>
  Object.fromEntries(
    PLATFORM_NAMES.map((name): [string, Member] => {
      const shape = shapeOf(name);
      return [name, shape === undefined ? given : { keep: "given", of: shape }];
    }),
  );

/** A pool may have sections of other platforms beside that of the active one; each has its platform's shape. */
function poolSections(release: Release, known: readonly PlatformRules[]): Shape {
  return sections((name) => {
    const pool = known.find((rules) => rules.name === name)?.normalForm?.pool;
    return (typeof pool === "function" ? pool(release) : pool) ?? PLATFORMS[name].traits.poolShape;
  });
}

const poolShape = (release: Release, known: readonly PlatformRules[]): Shape => ({
  name: text,
  replicas: given,
  platform: { zero: {}, of: poolSections(release, known) },
  fencing: {
    keep: "given",
    of: { credentials: { each: { username: text, password: text, address: text } } },
  },
  diskSetup: { each: { userDefined: given, etcd: given, swap: given } },
});

const shapeOf = (release: Release, rules: PlatformRules | undefined, pools: Shape): Shape => ({
  metadata: {
    zero: {},
    of: {
      creationTimestamp: inForce(release, "noNullTimestamp")
        ? { print: printTime }
        : { zero: null, print: printTime },
      deletionTimestamp: { print: printTime },
      deletionGracePeriodSeconds: given,
      ownerReferences: {
        each: {
          apiVersion: text,
          kind: text,
          name: text,
          uid: text,
          controller: given,
          blockOwnerDeletion: given,
        },
      },
      labels: { map: true },
      annotations: { map: true },
      managedFields: { each: { fieldsV1: { keep: "given", map: true } } },
    },
  },
  baseDomain: text,
  networking: {
    keep: "given",
    of: {
      machineNetwork: { each: { cidr: { zero: null, print: printCidr } } },
      clusterNetwork,
      clusterNetworks: clusterNetwork,
      serviceNetwork: { print: printCidr },
      machineCIDR: block,
      serviceCIDR: block,
      ovnKubernetesConfig: {
        keep: "given",
        of: { ipv4: { keep: "given", of: { internalJoinSubnet: block } } },
      },
    },
  },
  controlPlane: { keep: "given", of: pools },
  arbiter: { keep: "given", of: pools },
  compute: { each: pools },
  platform: {
    zero: {},
    of: sections((name) => (name === rules?.name ? rules.normalForm?.section(release) : undefined)),
  },
  pullSecret: text,
  proxy: given,
  imageContentSources: { each: { source: text } },
  imageDigestSources: {
    each: { source: text, ...(inForce(release, "sourcePolicy") ? { sourcePolicy: text } : {}) },
  },
  operatorPublishingStrategy: given,
  bootstrapInPlace: { keep: "given", of: { installationDisk: text } },
  capabilities: given,
  pki: {
    keep: "given",
    of: { signerCertificates: { zero: {}, of: { key: { of: { rsa: given, ecdsa: given } } } } },
  },
});

/**
 * The normal form as a value: `config` of `*installconfig.InstallConfig` in the installer's state.
 * @param others rules of the platforms that are named beside the active one, in pools too
 */
export function normalValue(
  config: NormalConfig,
  release: Release,
  rules: PlatformRules | undefined,
  others: readonly PlatformRules[] = [],
): JsonObject {
  const pools = poolShape(release, rules === undefined ? others : [rules, ...others]);
  return writeObject(rules?.normalForm?.prepare?.(config, release) ?? config, shapeOf(release, rules, pools));
}

/** The normal form in canonical YAML: the text of the installer's `install-config.yaml` asset. */
export const normalForm = (...given: Parameters<typeof normalValue>): string =>
  writeYaml(normalValue(...given));

function writeObject(value: object, shape: Shape): JsonObject {
  const written = new Map<string, Json>();
  for (const [name, member] of Object.entries(value)) {
    const rule = Object.hasOwn(shape, name) ? (shape[name] ?? {}) : {};
    const json = writeMember(member, rule);
    if (json === undefined) continue;
    if (rule.keep === "given" || rule.zero !== undefined || !isEmpty(json)) written.set(name, json);
  }
  for (const [name, { zero, of }] of Object.entries(shape))
    if (zero !== undefined && !written.has(name))
      written.set(name, isObject(zero) && of !== undefined ? writeObject(zero, of) : zero);
  return Object.fromEntries(written);
}

function writeMember(value: unknown, rule: Member): Json | undefined {
  if (value === undefined || value === null) return undefined;
  const { print } = rule;
  if (typeof value === "string") return print === undefined ? value : print(value);
  if (Array.isArray(value))
    return value.map((element: unknown) => {
      if (typeof element === "object" && element !== null && !Array.isArray(element))
        return writeObject(element, rule.each ?? {});
      return writeMember(element, rule) ?? null;
    });
  if (typeof value === "object" && rule.map !== true) return writeObject(value, rule.of ?? {});
  return isJson(value) ? value : undefined;
}

const isEmpty = (value: Json): boolean =>
  value === null ||
  value === "" ||
  value === 0 ||
  value === false ||
  (typeof value === "object" && Object.keys(value).length === 0);

/** The config with its address blocks as Go prints them, which is how they go into every manifest. */
export function withCanonicalBlocks(config: NormalConfig): NormalConfig {
  const print = (text: string): string => formatCidr(parseCidr(text) ?? NO_CIDR);
  const { networking } = config;
  const next = {
    ...networking,
    machineNetwork: networking.machineNetwork.map((entry) => ({ ...entry, cidr: print(entry.cidr) })),
    clusterNetwork: networking.clusterNetwork.map((entry) => ({ ...entry, cidr: print(entry.cidr) })),
    serviceNetwork: networking.serviceNetwork.map(print),
  };
  const ovn = networking.ovnKubernetesConfig;
  const join = ovn?.ipv4?.internalJoinSubnet;
  if (join !== undefined)
    next.ovnKubernetesConfig = { ...ovn, ipv4: { ...ovn?.ipv4, internalJoinSubnet: print(join) } };
  return { ...config, networking: next };
}
