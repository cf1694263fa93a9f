/** A real openshift-install: its release, and what it answers to an install-config. */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isObject, type Json, textAt } from "../../src/core/json.js";
import type { FileTexts } from "./compare.js";
import { filesBelow } from "./recorded.js";
import type { Identity } from "./slipway.js";

export interface Installer {
  readonly path: string;
  /** Its data folder (`data/data` of its sources), for one that was built without it. */
  readonly data: string | undefined;
}

export interface InstallerAnswer {
  /** The files of manifests/ and openshift/; undefined where the config is refused. */
  readonly files: FileTexts | undefined;
  readonly identity: Identity | undefined;
  /** What it printed as errors. */
  readonly refusal: string;
  readonly crashed: boolean;
}

const RELEASE_IMAGE = `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`;

/** The release in what `openshift-install version` prints, such as 4.22; undefined where it prints none. */
export function releaseIn(output: string): string | undefined {
  const [, major, minor] = /^\S*openshift-install\S* v?(?:1\.(?=[5-9]\.))?(\d+)\.(\d+)/m.exec(output) ?? [];
  return major === undefined ? undefined : `${major}.${minor}`;
}

/** Nothing of this process's environment decides what the installer answers. */
const environment = ({ data }: Installer, home: string): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: home,
  OPENSHIFT_INSTALL_RELEASE_IMAGE_OVERRIDE: RELEASE_IMAGE,
  // That the host has no FIPS module is not the subject.
  OPENSHIFT_INSTALL_SKIP_HOSTCRYPT_VALIDATION: "1",
  ...(data === undefined ? {} : { OPENSHIFT_INSTALL_DATA: resolve(data) }),
});

/** What `openshift-install version` prints; undefined for what cannot be run. */
export function versionOf(installer: Installer): string | undefined {
  const { stdout, error } = spawnSync(resolve(installer.path), ["version"], {
    encoding: "utf8",
    env: environment(installer, "/"),
  });
  return error === undefined ? stdout : undefined;
}

/** The errors in the log of a run, without what the log adds to each. */
export const errorsIn = (log: string): string =>
  log
    .split("\n")
    .flatMap((line) => {
      const [, text] = /^level=(?:error|fatal) msg=(.*)$/.exec(line) ?? [];
      return text === undefined ? [] : [text.replace(/^"|"$/g, "").replaceAll('\\"', '"')];
    })
    .join("\n");

/** Asks in a folder of its own, which is made anew. */
export async function askInstaller(
  installer: Installer,
  text: string,
  folder: string,
): Promise<InstallerAnswer> {
  rmSync(folder, { recursive: true, force: true });
  const [directory, home] = [join(folder, "cluster"), join(folder, "home")];
  for (const each of [directory, home]) mkdirSync(each, { recursive: true });
  writeFileSync(join(directory, "install-config.yaml"), text);
  const { code, log } = await runInstaller(installer, ["create", "manifests", "--dir", directory], home);
  if (code !== 0)
    return {
      files: undefined,
      identity: undefined,
      refusal: errorsIn(log),
      crashed: /^(panic:|fatal error:|goroutine \d)/m.test(log),
    };
  return { files: filesBelow(directory), identity: identityIn(directory), refusal: "", crashed: false };
}

function identityIn(directory: string): Identity {
  const state: Json = JSON.parse(readFileSync(join(directory, ".openshift_install_state.json"), "utf8"));
  const member = isObject(state) ? state["*installconfig.ClusterID"] : undefined;
  if (!isObject(member)) throw new Error("the state has no *installconfig.ClusterID");
  return { infraID: textAt(member, "InfraID"), clusterID: textAt(member, "UUID") };
}

export function runInstaller(
  installer: Installer,
  args: readonly string[],
  home: string,
  more: NodeJS.ProcessEnv = {},
): Promise<{ readonly code: number | null; readonly log: string }> {
  const { data } = installer;
  const child = spawn(resolve(installer.path), args, {
    env: { ...environment(installer, home), ...more },
    // It looks for stream metadata beside its data folder.
    cwd: data === undefined ? home : dirname(resolve(data)),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      log += chunk;
    });
  return new Promise((done, failed) => {
    child.on("error", failed);
    child.on("close", (code) => done({ code, log }));
  });
}
