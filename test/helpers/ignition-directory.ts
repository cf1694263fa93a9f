/** Asset directories for tests of `create ignition-configs`: their keys are made once in a test process. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { type CliResult, slipway } from "./cli.js";
import { type NodeFile, nodeFilesOf, objectOf, RELEASE_IMAGE } from "./ignition.js";
import { PLANTED } from "./planted.js";
import { readTree, tempFolder } from "./temp.js";

export const STATE = ".openshift_install_state.json";
/** Seconds since 1970. */
export const START = 1_800_000_000;
export const HOUR = 3600;

const pullSecret = JSON.stringify({
  auths: {
    "registry.example.org": { auth: Buffer.from(`user:${PLANTED.pullSecretAuth}`).toString("base64") },
  },
});

export const CONFIG = `apiVersion: v1
baseDomain: lab.example.org
metadata: {name: heron}
compute: [{name: worker, replicas: 2}]
networking: {machineNetwork: [{cidr: 192.0.2.0/24}]}
platform: {none: {}}
proxy: {httpProxy: "http://user:${PLANTED.proxyPassword}@proxy.example.org:3128"}
pullSecret: '${pullSecret}'
`;

/** A folder with an install-config alone. */
export function configured(config: string = CONFIG): string {
  const dir = join(tempFolder(), "cluster");
  mkdirSync(dir);
  writeFileSync(join(dir, "install-config.yaml"), config);
  return dir;
}

export const slipwayAt = (seconds: number, ...args: readonly string[]): CliResult =>
  slipway(args, { env: { SOURCE_DATE_EPOCH: String(seconds) } });

export const createAt = (
  seconds: number,
  phase: string,
  dir: string,
  ...more: readonly string[]
): CliResult => slipwayAt(seconds, "create", phase, "--dir", dir, ...more);

export function ok(result: CliResult): CliResult {
  assert.is(result.code, 0, result.stderr + result.stdout);
  return result;
}

export const IMAGE = ["--release-image", RELEASE_IMAGE];

let made: { readonly manifests: string; readonly ignition: string } | undefined;

function originals() {
  if (made !== undefined) return made;
  const manifests = configured();
  ok(createAt(START, "manifests", manifests, "--infra-id", "heron-abcde", "--key-algorithm", "ecdsa-p256"));
  // All keys of the cluster, so that what is made from them can be compared between directories.
  const wrapping = copyOf(manifests);
  ok(createAt(START, "infrastructure-manifests", wrapping));
  cpSync(join(wrapping, STATE), join(manifests, STATE));
  const ignition = copyOf(manifests);
  ok(createAt(START, "ignition-configs", ignition, ...IMAGE));
  made = { manifests, ignition };
  return made;
}

export function copyOf(dir: string): string {
  const copy = join(tempFolder(), "cluster");
  cpSync(dir, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

/** A directory after `create manifests`. */
export const withManifests = (): string => copyOf(originals().manifests);
/** The same with RSA keys, from which the release's own installer goes on; they cost more. */
export function withRsaManifests(): string {
  const dir = configured();
  ok(createAt(START, "manifests", dir, "--infra-id", "heron-abcde"));
  return dir;
}
/** A directory after `create ignition-configs`, which followed `create manifests`. */
export const withIgnition = (): string => copyOf(originals().ignition);
/** An install-config and the keys of the same cluster. */
export function withKeys(config: string = CONFIG): string {
  const dir = configured(config);
  cpSync(join(originals().manifests, STATE), join(dir, STATE));
  return dir;
}

export const read = (dir: string, path: string): string => readFileSync(join(dir, path), "utf8");

/** The files of bootstrap.ign. */
export const bootstrapFiles = (dir: string): ReadonlyMap<string, NodeFile> =>
  nodeFilesOf(objectOf(JSON.parse(read(dir, "bootstrap.ign"))));

/** Content of all files below, as text that compares by bytes. */
export const snapshot = (dir: string): Map<string, string> =>
  new Map([...readTree(dir)].map(([path, data]) => [path, data.toString("latin1")]));

/** Paths whose content is not the same. */
export const changed = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): string[] =>
  [...new Set([...a.keys(), ...b.keys()])].filter((path) => a.get(path) !== b.get(path)).sort();
