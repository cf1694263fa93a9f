/** Examples compiled with encrypted inputs in a Git repository, and what commands report about them. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { seal } from "../../src/sops/file.js";
import type { EncryptionRule } from "../../src/sops/metadata.js";
import { type CliResult, slipway } from "./cli.js";
import { seededRandom } from "./inputs.js";
import { tempFolder } from "./temp.js";

const IMAGE = `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`;
export const LATER_PHASES = ["infrastructure-manifests", "ignition-configs"] as const;

/** What a user encrypts where nothing prints it. */
const SECRET_FIELDS = "^(pullSecret|sshKey|user|username|password)$";

export const git = (cwd: string, ...words: readonly string[]): string => {
  const author = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"];
  const { status, stdout, stderr } = spawnSync("git", [...author, ...words], { cwd, encoding: "utf8" });
  assert.is(status, 0, stderr);
  return stdout;
};

interface Reported {
  readonly code: string;
  readonly severity: string;
  readonly file?: string;
  readonly field?: string;
  readonly message: string;
  readonly hint?: string;
}

interface Answer {
  readonly diagnostics: readonly Reported[];
  readonly files?: readonly { readonly path: string; readonly status: string }[];
}

export const answerOf = ({ stdout, stderr }: CliResult): Answer => {
  assert.ok(stdout.startsWith("{"), stderr);
  return JSON.parse(stdout);
};

/** What tells one diagnostic from another: no line, since a file that was opened is in another layout. */
export const nameOf = ({ code, file = "", field = "", message }: Reported): string =>
  [code, file, field, message].join(" | ");

/** Encrypts a file in place, for the recipients of age. */
export async function encrypt(
  file: string,
  rule: EncryptionRule,
  recipients: readonly string[],
): Promise<void> {
  const sealed = await seal({
    path: file,
    data: readFileSync(file),
    previous: undefined,
    recipients,
    rules: [rule],
    now: "2027-01-15T08:00:00Z",
    random: seededRandom("without the key"),
  });
  assert.ok(sealed !== undefined, file);
  writeFileSync(file, sealed);
}

export interface EncryptedCluster {
  /** For whom generated files are encrypted. */
  readonly recipients: readonly string[];
  /** For whom the install-config is encrypted; left out, the same. */
  readonly configFor?: readonly string[] | undefined;
  /** The variables with the keys of all of them. */
  readonly key: Readonly<Record<string, string>>;
  /** Names of more fields of the install-config to encrypt, as alternatives of an expression. */
  readonly fields?: string;
  readonly layout?: "sops" | "separate";
  /** The phases to compile after the manifests. */
  readonly phases?: readonly (typeof LATER_PHASES)[number][];
  /** Called when the manifests are compiled, with the folder. */
  addManifests?(folder: string): Promise<void>;
}

/** An example whose pull secret and logins are encrypted as CAPI008 says, compiled. */
export async function encryptedCluster(
  example: string,
  {
    recipients,
    configFor = recipients,
    key,
    fields = "",
    layout = "sops",
    phases = LATER_PHASES,
    addManifests,
  }: EncryptedCluster,
): Promise<string> {
  const folder = join(tempFolder(), example);
  cpSync(join("examples", example), folder, { recursive: true });
  git(folder, "init", "--quiet");
  const facts = existsSync(join(folder, "facts.yaml")) ? ["--facts", "facts.yaml"] : [];
  const credentials = existsSync(join(folder, "clouds.yaml")) ? ["--credentials", "clouds.yaml"] : [];
  const flags = layout === "separate" ? [] : recipients.flatMap((each) => ["--age-recipient", each]);
  const compile = (phase: string, ...words: readonly string[]): string => {
    const { code, stderr } = slipway(["create", phase, ...words], { cwd: folder, env: key });
    assert.is(code, 0, stderr);
    return stderr;
  };
  const algorithm = ["--key-algorithm", "ecdsa-p256"];
  const first = compile("manifests", ...facts, ...credentials, "--secrets", layout, ...flags, ...algorithm);
  const printed = layout === "sops" ? /--encrypted-regex '([^']*)'/.exec(first)?.[1] : SECRET_FIELDS;
  assert.ok(printed !== undefined, first);
  const rule = { encrypted_regex: fields === "" ? printed : `${printed}|^(${fields})$` };
  await encrypt(join(folder, "install-config.yaml"), rule, configFor);
  await addManifests?.(folder);
  for (const phase of phases) compile(phase, "--release-image", IMAGE);
  if (phases.length === 0) compile("manifests");
  return folder;
}

/** A Secret of the user's in openshift/, whose values are encrypted. */
export async function addEncryptedSecret(folder: string, recipients: readonly string[]): Promise<void> {
  const file = join(folder, "openshift", "99_own.yaml");
  writeFileSync(
    file,
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: own\n  namespace: default\nstringData:\n  a: b\n",
  );
  await encrypt(file, { encrypted_regex: "^(data|stringData)$" }, recipients);
}

export const cloneOf = (folder: string): string => {
  git(folder, "add", ".");
  git(folder, "commit", "--quiet", "--message", "a cluster");
  const clone = join(tempFolder(), "clone");
  git(folder, "clone", "--quiet", folder, clone);
  return clone;
};
