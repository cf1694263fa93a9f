/** Runs the manifests phase on a config that is already in its normal form. */
import { load } from "js-yaml";
import { createReporter, type Diagnostic } from "../../src/core/diagnostics.js";
import { decode, type OutputFile } from "../../src/core/files.js";
import { isJson } from "../../src/core/json.js";
import { parseRelease } from "../../src/core/release.js";
import type { Assets, InternalReleaseImage } from "../../src/phases/assets.js";
import { manifests } from "../../src/phases/manifests/phase.js";
import { type CertifiedKey, certifyManifestsPki } from "../../src/pki/sign.js";
import { activePlatform, clusterDomain, type NormalConfig } from "../../src/platforms/config.js";
import { platform as external } from "../../src/platforms/external/index.js";
import { platform as none } from "../../src/platforms/none/index.js";
import type { PlatformModule } from "../../src/platforms/platform.js";
import { createRenderer } from "../../src/text/render.js";
import { writeYaml } from "../../src/text/yaml-write.js";
import { ellipticKey } from "./inputs.js";
import { PLANTED } from "./planted.js";

/** A config that is known to be normal: the members that every config has are there. */
export function normalConfig(text: string): NormalConfig {
  const value = load(text);
  if (!isNormal(value)) throw new Error("not a config in its normal form");
  return value;
}

const MEMBERS = ["metadata", "baseDomain", "networking", "controlPlane", "compute", "platform", "pullSecret"];

const isNormal = (value: unknown): value is NormalConfig =>
  typeof value === "object" && value !== null && MEMBERS.every((member) => Object.hasOwn(value, member));

/** A small cluster on platform none. */
export const baseConfig = (): NormalConfig => ({
  apiVersion: "v1",
  additionalTrustBundlePolicy: "Proxyonly",
  baseDomain: "sea.example.org",
  compute: [pool("worker", 2)],
  controlPlane: pool("master", 3),
  metadata: { name: "tern" },
  networking: {
    clusterNetwork: [{ cidr: "10.128.0.0/14", hostPrefix: 23 }],
    machineNetwork: [{ cidr: "10.0.0.0/16" }],
    networkType: "OVNKubernetes",
    serviceNetwork: ["172.30.0.0/16"],
  },
  osImageStream: "rhel-9",
  platform: { none: {} },
  publish: "External",
  pullSecret: `{"auths":{"registry.example.org":{"auth":"${PLANTED.pullSecretAuth}"}}}`,
});

export const pool = (name: string, replicas: number): NormalConfig["controlPlane"] => ({
  name,
  replicas,
  architecture: "amd64",
  hyperthreading: "Enabled",
  platform: {},
});

export interface ManifestsRun {
  readonly files: readonly OutputFile[];
  readonly diagnostics: readonly Diagnostic[];
  /** Text of a file; throws when it was not written. */
  text(path: string): string;
}

export interface ManifestsGiven {
  readonly config: NormalConfig;
  readonly release?: string;
  readonly platform?: PlatformModule;
  readonly infraID?: string;
  readonly clusterID?: string;
  readonly password?: string;
  readonly hash?: string;
  readonly rootCA?: CertifiedKey;
  readonly machineConfigServer?: CertifiedKey;
  readonly internalReleaseImage?: InternalReleaseImage;
}

const PLATFORMS = { none, external };

function platformOf(config: NormalConfig): PlatformModule {
  const name = activePlatform(config);
  if (name === "none" || name === "external") return PLATFORMS[name];
  throw new Error(`give the platform ${name}`);
}

const KEYS = { "root-ca": ellipticKey(), "machine-config-server": ellipticKey() };

/** Root CA and server pair for a config; the keys are the same in the whole test process. */
const certify = (config: NormalConfig) =>
  certifyManifestsPki(
    KEYS,
    { domain: clusterDomain(config), apiVips: [], serviceNetwork: "172.30.0.0/16" },
    { now: new Date("2026-11-27T00:00:00Z") },
  );

export async function runManifests(given: ManifestsGiven): Promise<ManifestsRun> {
  const reporter = createReporter();
  const release = parseRelease(given.release ?? "4.22");
  if (release === undefined) throw new Error("unknown release");
  const normal: unknown = given.config;
  if (!isJson(normal)) throw new Error("the config is not JSON");
  const needs: Pick<Assets, (typeof manifests.needs)[number]> = {
    "install-config": {
      config: given.config,
      normalForm: writeYaml(normal),
      position: () => ({ file: "install-config.yaml", line: 1, column: 1 }),
    },
    identity: {
      infraID: given.infraID ?? "tern-abcde",
      clusterID: given.clusterID ?? "00000000-0000-4000-8000-000000000000",
    },
    pki: {
      rootCA: given.rootCA ?? certify(given.config).rootCA,
      machineConfigServer: given.machineConfigServer ?? certify(given.config).machineConfigServer,
      ...(given.internalReleaseImage === undefined
        ? {}
        : { internalReleaseImage: given.internalReleaseImage }),
    },
    kubeadmin: { password: given.password ?? "", hash: given.hash ?? "$2a$10$" },
    facts: { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts" },
    credentials: undefined,
    platform: given.platform ?? platformOf(given.config),
  };
  const render = await createRenderer(["manifests", "openshift"], reporter.report);
  const files = manifests.run(needs, { release, render, tool: "slipway 0.0.0", report: reporter.report });
  return {
    files,
    diagnostics: reporter.diagnostics,
    text(path) {
      const file = files.find((each) => each.path === path);
      const text = file === undefined ? undefined : decode(file.data);
      if (text === undefined) throw new Error(`${path} was not written`);
      return text;
    },
  };
}
