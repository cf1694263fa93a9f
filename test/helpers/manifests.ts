/** Runs the manifests phase on a config that is already in its normal form. */
import { createReporter, type Diagnostic, formatDiagnostic } from "../../src/core/diagnostics.js";
import { decode, type OutputFile } from "../../src/core/files.js";
import { isJson } from "../../src/core/json.js";
import { parseRelease, type Release } from "../../src/core/release.js";
import type { Assets, InstallConfigAsset, InternalReleaseImage } from "../../src/phases/assets.js";
import { compileInstallConfig } from "../../src/phases/install-config/index.js";
import { readInstallConfig } from "../../src/phases/install-config/read.js";
import { manifests } from "../../src/phases/manifests/phase.js";
import { type CertifiedKey, certifyManifestsPki } from "../../src/pki/sign.js";
import { clusterDomain, type NormalConfig } from "../../src/platforms/config.js";
import type { PlatformModule } from "../../src/platforms/platform.js";
import { createRenderer, platformFolders } from "../../src/text/render.js";
import { writeYaml } from "../../src/text/yaml-write.js";
import { ellipticKey } from "./inputs.js";
import { PLANTED } from "./planted.js";
import { platformOf } from "./platforms.js";

/** The config of an install-config file, compiled; throws what is wrong with it. */
export function compiled(text: string, release = "4.22"): InstallConfigAsset {
  const reporter = createReporter();
  const target = { release: releaseOf(release), lenient: false };
  const read = readInstallConfig(text, "install-config.yaml", target, reporter.report);
  const made =
    read === undefined
      ? undefined
      : compileInstallConfig(read, { ...target, platform: platformOf(read.config) }, reporter.report);
  if (made === undefined) throw new Error(reporter.diagnostics.map(formatDiagnostic).join("\n"));
  return made;
}

function releaseOf(text: string): Release {
  const release = parseRelease(text);
  if (release === undefined) throw new Error(`unknown release ${text}`);
  return release;
}

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
  /** The config as text; written from the config unless given. */
  readonly normalForm?: string;
  readonly position?: InstallConfigAsset["position"];
  readonly release?: string;
  readonly platform?: PlatformModule;
  readonly facts?: Assets["facts"];
  readonly credentials?: Assets["credentials"];
  readonly infraID?: string;
  readonly clusterID?: string;
  readonly password?: string;
  readonly hash?: string;
  readonly rootCA?: CertifiedKey;
  readonly machineConfigServer?: CertifiedKey;
  readonly internalReleaseImage?: InternalReleaseImage;
}

const KEYS = { "root-ca": ellipticKey(), "machine-config-server": ellipticKey() };

const CERTIFIED = new Map<string, ReturnType<typeof certifyManifestsPki>>();

/** Root CA and server pair for a config; the keys are the same in the whole test process. */
function certify(config: NormalConfig): ReturnType<typeof certifyManifestsPki> {
  const domain = clusterDomain(config);
  const known = CERTIFIED.get(domain);
  if (known !== undefined) return known;
  const names = { domain, apiVips: [], serviceNetwork: "172.30.0.0/16" };
  const made = certifyManifestsPki(KEYS, names, { now: new Date("2026-11-27T00:00:00Z") });
  CERTIFIED.set(domain, made);
  return made;
}

export async function runManifests(given: ManifestsGiven): Promise<ManifestsRun> {
  const reporter = createReporter();
  const release = releaseOf(given.release ?? "4.22");
  const platform = given.platform ?? platformOf(given.config);
  if (platform === undefined) throw new Error("give the platform");
  const normal: unknown = given.config;
  if (!isJson(normal)) throw new Error("the config is not JSON");
  const needs: Pick<Assets, (typeof manifests.needs)[number]> = {
    "install-config": {
      config: given.config,
      written: {},
      normalForm: given.normalForm ?? writeYaml(normal),
      position: given.position ?? (() => ({ file: "install-config.yaml", line: 1, column: 1 })),
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
    facts: given.facts ?? { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts" },
    credentials: given.credentials,
    platform,
  };
  const render = await createRenderer(
    platformFolders(["manifests", "openshift"], platform.name),
    reporter.report,
  );
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
