/**
 * Cases that the real installer answered for aws: an install-config, the answers of the cloud (`facts.json`), and
 * what it wrote. They lie beside the checkout; `SLIPWAY_UPSTREAM_AWS_CASES` names a folder of further ones.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createReporter, type Diagnostic, isError } from "../../src/core/diagnostics.js";
import { decode } from "../../src/core/files.js";
import { isJson, isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import type { AwsFacts, CloudFacts } from "../../src/generated/types/cloud-facts.js";
import type { Assets, InstallConfigAsset } from "../../src/phases/assets.js";
import { compileInstallConfig } from "../../src/phases/install-config/index.js";
import { readInstallConfig } from "../../src/phases/install-config/read.js";
import { manifests } from "../../src/phases/manifests/phase.js";
import { platform } from "../../src/platforms/aws/index.js";
import type { NormalConfig } from "../../src/platforms/config.js";
import type { Credentials, Identity } from "../../src/platforms/platform.js";
import { createRenderer, platformFolders } from "../../src/text/render.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { normalConfig, releaseNamed } from "./aws.js";
import { comparable, readState, type UpstreamState } from "./upstream.js";

export interface AwsCase {
  readonly name: string;
  readonly folder: string;
  readonly config: NormalConfig;
  readonly normalForm: string;
  readonly state: UpstreamState;
  readonly identity: Identity;
  readonly facts: CloudFacts;
  readonly credentials: Credentials;
  /** True for cases of a mode that the installer's environment switches on, which slipway does not have. */
  readonly ambient: boolean;
}

/** The folder of further cases, or undefined. */
export const casesFolder = (): string | undefined => process.env["SLIPWAY_UPSTREAM_AWS_CASES"];

export function caseNames(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, "state.json")))
    .sort();
}

export function readCase(folder: string, name: string): AwsCase {
  const path = join(folder, name);
  const state = readState(path);
  const facts: Json = JSON.parse(readFileSync(join(path, "facts.json"), "utf8"));
  if (!isObject(facts)) throw new Error("facts.json is not an object");
  const normal = normalConfig(readFileSync(join(path, "normal-form.yaml"), "utf8"));
  const known: CloudFacts = {
    apiVersion: "slipway.dev/v1alpha1",
    kind: "CloudFacts",
    aws: factsOf(facts, path, normal),
  };
  const compiled = compile(path, known);
  return {
    name,
    folder: path,
    config: compiled.config,

    normalForm: compiled.normalForm,
    state,
    identity: { infraID: state.infraID, clusterID: state.clusterID },
    facts: known,
    credentials: keysOf(facts["credentials"]),
    ambient: facts["env"] !== undefined,
  };
}

/** The install-config of a case, compiled with what the facts add to it. */
function compile(path: string, facts: CloudFacts): InstallConfigAsset {
  const file = join(path, "install-config.yaml");
  const reporter = createReporter();
  const release = releaseNamed("5.0");
  const read = readInstallConfig(
    readFileSync(file, "utf8"),
    file,
    { release, lenient: false },
    reporter.report,
  );
  const compiled =
    read === undefined
      ? undefined
      : compileInstallConfig(read, { release, platform, facts }, reporter.report);
  if (compiled === undefined) throw new Error(JSON.stringify(reporter.diagnostics.filter(isError)));
  return compiled;
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

function keysOf(given: Json | undefined): Credentials {
  const own = isObject(given) ? given : {};
  return {
    aws_access_key_id: text(own["accessKeyID"]) || "AKIDEXAMPLEEXAMPLE",
    aws_secret_access_key: text(own["secretAccessKey"]) || "planted/secret+0123456789abcdefghijklmn",
  };
}

const objects = (value: Json | undefined): readonly JsonObject[] =>
  isList(value) ? value.filter(isObject) : [];

/** The answers in the form of CloudFacts. */
function factsOf(given: JsonObject, path: string, config: NormalConfig): AwsFacts {
  const region = text(given["region"]);
  const zones = objects(given["zones"]).map((zone) => zoneOf(zone, region));
  const names = zones.map(({ name }) => name);
  const vpc = isObject(given["vpc"]) ? text(given["vpc"]["id"]) : "";
  const hosts = isObject(given["hosts"]) ? given["hosts"] : {};
  return {
    region,
    availabilityZones: zones,
    instanceTypeOfferings: offeringsOf(given["offerings"], names),
    images: imagesOf(given, path, config),
    ...(vpc === "" ? {} : { vpc: { id: vpc } }),
    subnets: objects(given["subnets"]).map((subnet) => ({
      id: text(subnet["id"]),
      cidr: text(subnet["cidr"]),
      zone: text(subnet["zone"]),
      public: subnet["public"] === true,
      ...(text(subnet["ipv6cidr"]) === "" ? {} : { ipv6Cidr: text(subnet["ipv6cidr"]) }),
    })),
    ...(text(given["publicZoneID"]) === "" ? {} : { publicHostedZone: text(given["publicZoneID"]) }),
    dedicatedHosts: Object.entries(hosts).map(([id, zone]) => ({ id, zone: text(zone) })),
  };
}

type Zone = NonNullable<AwsFacts["availabilityZones"]>[number];

function zoneOf(zone: JsonObject, region: string): Zone {
  const name = text(zone["name"]);
  const kind = text(zone["type"]);
  const type = kind === "local-zone" || kind === "wavelength-zone" ? kind : "availability-zone";
  const group = text(zone["group"]) || (type === "availability-zone" ? region : name.slice(0, -1));
  const parentZone = text(zone["parent"]);
  return { name, type, group, ...(parentZone === "" ? {} : { parentZone }) };
}

/** Types that any list of preference names; without answers every zone offers all of them. */
const TYPES = ["m6i", "m5", "r5", "c5", "c5d", "m6g"].flatMap((family) => [
  `${family}.xlarge`,
  `${family}.2xlarge`,
]);

function offeringsOf(given: Json | undefined, zones: readonly string[]) {
  const table = isObject(given) ? given : undefined;
  const inZones = (type: string): readonly string[] => {
    const listed = table === undefined ? zones : (table[type] ?? table["*"]);
    return isList(listed) ? listed.map(text) : [];
  };
  const types = [...new Set([...TYPES, ...Object.keys(table ?? {})])].filter((type) => type !== "*");
  return types.flatMap((type) => inZones(type).map((zone) => ({ type, zone })));
}

/** The image that was answered, else what the case's own machines name: the stream data is not part of a case. */
function imagesOf(given: JsonObject, path: string, config: NormalConfig): NonNullable<AwsFacts["images"]> {
  const fixed = text(given["ami"]);
  if (fixed !== "") return { amd64: { id: fixed }, arm64: { id: fixed } };
  const imageIn = (files: RegExp) => {
    const found = readdirSync(join(path, "openshift"))
      .filter((file) => files.test(file))
      .flatMap(
        (file) =>
          /\bid: (ami-[0-9a-z]+)/.exec(readFileSync(join(path, "openshift", file), "utf8"))?.[1] ?? [],
      );
    const [first] = found;
    return first === undefined ? { id: "ami-0", region: "us-east-1" } : { id: first };
  };
  const { architecture } = config.controlPlane;
  const compute = config.compute[0]?.architecture ?? architecture;
  // A pool with an image of its own says nothing about the release's.
  const ownImage = config.controlPlane.platform.aws?.amiID !== undefined;
  const images = {
    [compute]: imageIn(/worker-(machineset|machinetemplate)-/),
    ...(ownImage && compute === architecture ? {} : { [architecture]: imageIn(/master-machines-/) }),
  };
  const { amd64, arm64 } = images;
  return { ...(amd64 === undefined ? {} : { amd64 }), ...(arm64 === undefined ? {} : { arm64 }) };
}

/** Every file of the manifests phase, comparable, and what was reported. */
export async function runAwsManifests(
  given: AwsCase,
  facts: CloudFacts,
): Promise<{ readonly files: ReadonlyMap<string, Json>; readonly diagnostics: readonly Diagnostic[] }> {
  const reporter = createReporter();
  const normal: unknown = given.config;
  if (!isJson(normal)) throw new Error("the config is not JSON");
  const needs: Pick<Assets, (typeof manifests.needs)[number]> = {
    "install-config": {
      config: given.config,
      written: {},
      normalForm: given.normalForm,
      position: () => ({ file: "install-config.yaml", line: 1, column: 1 }),
    },
    identity: given.identity,
    pki: { rootCA: given.state.rootCA, machineConfigServer: given.state.machineConfigServer },
    kubeadmin: { password: given.state.password, hash: given.state.hash },
    facts,
    credentials: given.credentials,
    platform,
  };
  const render = await createRenderer(
    platformFolders(["manifests", "openshift"], platform.name),
    reporter.report,
  );
  const context = { release: releaseNamed("5.0"), render, tool: "slipway 0.0.0", report: reporter.report };
  const files = manifests.run(needs, context);
  return {
    files: new Map(files.map(({ path, data }) => [path, comparable(path, decode(data) ?? "")])),
    diagnostics: reporter.diagnostics,
  };
}

/** An object of a case's cluster-api/ folder. */
export function clusterApiObject({ folder }: AwsCase, file: string): JsonObject {
  const value = parseYaml(readFileSync(join(folder, "cluster-api", file), "utf8"));
  if (!isObject(value)) throw new Error(`${file} is not an object`);
  return value;
}
