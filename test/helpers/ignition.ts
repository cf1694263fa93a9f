/** Runs the ignition-configs phase, with certificates of its own, over what the manifests phase wrote. */
import { createReporter, type Diagnostic } from "../../src/core/diagnostics.js";
import { decode, type OutputFile, textFile } from "../../src/core/files.js";
import { isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { parseRelease } from "../../src/core/release.js";
import type { Assets, IgnitionOptions, InternalReleaseImage } from "../../src/phases/assets.js";
import type { Boot } from "../../src/phases/ignition-configs/bootstrap.js";
import { ignitionConfigs, ignitionConfigsWith } from "../../src/phases/ignition-configs/index.js";
import { type ClusterPki, certifyCluster } from "../../src/pki/cluster.js";
import { KEY_NAMES, type KeyName, pkiEntry } from "../../src/pki/graph.js";
import { clusterDomain, type NormalConfig } from "../../src/platforms/config.js";
import { activeTraits } from "../../src/platforms/registry.js";
import { ellipticKey, rsaKey } from "./inputs.js";
import { runManifests } from "./manifests.js";

import { platformOf } from "./platforms.js";

export const NOW = new Date("2026-11-28T04:00:00Z");
export const RELEASE_IMAGE = `quay.io/openshift-release-dev/ocp-release@sha256:${"0".repeat(64)}`;

/** As long as a password of the installer. */
const PLANTED_MEDIA = "Planted0Media0Pw";

const made = new Map<KeyName, string>();

/** A key for every name, elliptic where it may be; the same in the whole test process. */
export function clusterKeys(): ReadonlyMap<KeyName, string> {
  if (made.size === 0)
    for (const name of KEY_NAMES) made.set(name, pkiEntry(name).kind === "plain" ? rsaKey() : ellipticKey());
  return made;
}

export const clusterPki = (config: NormalConfig, now = NOW, iriKey?: string): ClusterPki =>
  certifyCluster({
    keys: clusterKeys(),
    known: new Map(),
    names: {
      domain: clusterDomain(config),
      apiVips: [],
      serviceNetwork: config.networking.serviceNetwork[0] ?? "",
    },
    period: { now },
    ...(activeTraits(config)?.mediaServer === undefined
      ? {}
      : { mediaServer: { key: ellipticKey(), user: "bootstrap-user", password: PLANTED_MEDIA } }),
    ...(iriKey === undefined ? {} : { internalReleaseImageKey: iriKey }),
  }).pki;

export interface IgnitionGiven {
  readonly config: NormalConfig;
  readonly release?: string;
  readonly now?: Date;
  /** Files over those of the manifests phase; an undefined text takes the file away. */
  readonly files?: { readonly [path: string]: string | undefined };
  /** Instead of what the manifests phase writes. */
  readonly manifestFiles?: readonly OutputFile[];
  readonly options?: Partial<IgnitionOptions>;
  readonly internalReleaseImage?: InternalReleaseImage;
  readonly pki?: ClusterPki;
  readonly identity?: Assets["identity"];
  readonly password?: string;
  readonly boot?: Boot;
}

/** A file of bootstrap.ign, its content decoded. */
export interface NodeFile {
  readonly mode: number;
  readonly append: boolean;
  readonly text: string;
}

export interface IgnitionRun {
  readonly files: readonly OutputFile[];
  readonly diagnostics: readonly Diagnostic[];
  readonly pki: ClusterPki;
  /** Text of an output file; throws when it was not written. */
  text(path: string): string;
  /** bootstrap.ign, parsed. */
  readonly bootstrap: JsonObject;
  readonly nodeFiles: ReadonlyMap<string, NodeFile>;
}

export async function runIgnition(given: IgnitionGiven): Promise<IgnitionRun> {
  const { config } = given;
  const release = parseRelease(given.release ?? "4.22");
  const platform = platformOf(config);
  if (release === undefined || platform === undefined) throw new Error("no release or no platform");
  const pki = given.pki ?? clusterPki(config, given.now);
  const identity = given.identity ?? {
    infraID: "tern-abcde",
    clusterID: "00000000-0000-4000-8000-000000000000",
  };
  const { "root-ca": rootCA, "machine-config-server": machineConfigServer } = pki.certified;
  const iri = given.internalReleaseImage;
  const manifests =
    given.manifestFiles ??
    (await runManifests({ config, platform, rootCA, machineConfigServer, ...identity })).files;
  const reporter = createReporter();
  const phase = given.boot === undefined ? ignitionConfigs : ignitionConfigsWith(given.boot);
  const files = phase.run(
    {
      "install-config": {
        config,
        written: {},
        normalForm: "",
        position: () => ({ file: "install-config.yaml", line: 1, column: 1 }),
      },
      identity,
      platform,
      pki: { rootCA, machineConfigServer, ...(iri === undefined ? {} : { internalReleaseImage: iri }) },
      kubeadmin: { password: given.password ?? "aaaaa-bbbbb-ccccc-ddddd", hash: "" },
      facts: { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts" },
      credentials: undefined,
      "manifest-files": laidOver(manifests, given.files ?? {}),
      "cluster-pki": pki,
      "ignition-options": { forms: ["machines"], releaseImage: RELEASE_IMAGE, ...given.options },
    },
    {
      release,
      report: reporter.report,
      tool: "slipway 0.0.0",
      render: {
        object: () => {
          throw new Error("the phase renders no template");
        },
        fault: () => {
          throw new Error("the phase renders no template");
        },
        file: () => {
          throw new Error("the phase renders no template");
        },
      },
    },
  );
  const text = (path: string): string => {
    const file = files.find((each) => each.path === path);
    const found = file === undefined ? undefined : decode(file.data);
    if (found === undefined) throw new Error(`${path} was not written`);
    return found;
  };
  const bootstrap = files.some(({ path }) => path === "bootstrap.ign")
    ? objectOf(JSON.parse(text("bootstrap.ign")))
    : {};
  return {
    files,
    diagnostics: reporter.diagnostics,
    pki,
    text,
    bootstrap,
    nodeFiles: nodeFilesOf(bootstrap),
  };
}

function laidOver(
  files: readonly OutputFile[],
  over: { readonly [path: string]: string | undefined },
): OutputFile[] {
  const all = new Map(files.map((file) => [file.path, file]));
  for (const [path, text] of Object.entries(over))
    if (text === undefined) all.delete(path);
    else all.set(path, textFile(path, text));
  return [...all.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

export function objectOf(value: Json | undefined): JsonObject {
  if (!isObject(value)) throw new Error("not an object");
  return value;
}

export function listOf(value: Json | undefined): readonly Json[] {
  if (!isList(value)) throw new Error("not a list");
  return value;
}

/** The files of an Ignition config by path. */
export function nodeFilesOf(config: JsonObject): ReadonlyMap<string, NodeFile> {
  const storage = isObject(config["storage"]) ? config["storage"] : {};
  const files = isList(storage["files"]) ? storage["files"] : [];
  return new Map(
    files.map((each): [string, NodeFile] => {
      const { path, mode, contents, append } = objectOf(each);
      const resource = objectOf(append === undefined ? contents : listOf(append)[0]);
      return [
        String(path),
        { mode: Number(mode), append: append !== undefined, text: dataOf(String(resource["source"])) },
      ];
    }),
  );
}

/** What a base64 data URL holds. */
export const dataOf = (url: string): string =>
  Buffer.from(url.replace(/^data:[^,]*;base64,/, ""), "base64").toString("utf8");

/** Text of a file of bootstrap.ign; throws when it is not there. */
export function textOnNode({ nodeFiles }: IgnitionRun, path: string): string {
  const file = nodeFiles.get(path);
  if (file === undefined) throw new Error(`${path} is not in bootstrap.ign`);
  return file.text;
}

/** Code and file of every problem of a severity. */
export const errorCodes = ({ diagnostics }: IgnitionRun, severity = "error"): string[] =>
  diagnostics.filter((each) => each.severity === severity).map(({ code, file }) => `${code} ${file}`);
