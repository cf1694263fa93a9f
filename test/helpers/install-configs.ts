/**
 * Small install-configs for tests of the install-config phase: a sound one for each platform, changes by field path,
 * and what the phase says of the result. Every diagnostic is recorded for the scan for planted secrets.
 */
import * as assert from "uvu/assert";
import { createReporter, type Diagnostic, formatDiagnostic } from "../../src/core/diagnostics.js";
import { isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { parseRelease, type Release } from "../../src/core/release.js";
import type { InstallConfigAsset } from "../../src/phases/assets.js";
import { compileInstallConfig } from "../../src/phases/install-config/index.js";
import { readInstallConfig } from "../../src/phases/install-config/read.js";
import { editsOf } from "./applied-hints.js";
import { record } from "./cli.js";
import { PLANTED } from "./planted.js";
import { otherPlatformsOf, platformOf } from "./platforms.js";

/** Made for the tests; nobody has the private halves. */
export const SSH_KEYS = {
  ed25519: `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILJDT1Hvgn4eNTfxPn3DCz8Dbu3GqtXHe4to32hGxBIo ${PLANTED.sshKeyComment}`,
  rsa:
    "ssh-rsa " +
    "AAAAB3NzaC1yc2EAAAADAQABAAAAgQDfbburIaS4XnzmPgF4xRg4DMIzZExA71z915p9KvX2e7AvJxbTRodwwutNhI" +
    "BY1xUrQ/HfBm9ZR/2e8faq5iXrLm018fYcxAKVMLIVgdZrUIupxqIcvYDqBqy2O+larJzGhwexJzBkAWJKYzlfYXwz" +
    "yZVKBjbkQLPrKm+bMHCdxw==",
  ecdsa:
    "ecdsa-sha2-nistp256 " +
    "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBCPsptiqETvkthTSei3VVicHdXjDZ6sAWKLSpz" +
    "FrZSNujjFiS+Hywlfqo9tCPwSnli1b5dc3yjzGMouBNiDh+iA=",
  certificate:
    "ecdsa-sha2-nistp256-cert-v01@openssh.com " +
    "AAAAKGVjZHNhLXNoYTItbmlzdHAyNTYtY2VydC12MDFAb3BlbnNzaC5jb20AAAAg2cBy4PZlCEc0z1DSXbxZG4WhL5" +
    "1kEcxEtxO3kcjybaYAAAAIbmlzdHAyNTYAAABBBCPsptiqETvkthTSei3VVicHdXjDZ6sAWKLSpzFrZSNujjFiS+Hy" +
    "wlfqo9tCPwSnli1b5dc3yjzGMouBNiDh+iAAAAAAAAAAAAAAAAEAAAACaWQAAAAFAAAAAXUAAAAAAAAAAP////////" +
    "//AAAAAAAAAIIAAAAVcGVybWl0LVgxMS1mb3J3YXJkaW5nAAAAAAAAABdwZXJtaXQtYWdlbnQtZm9yd2FyZGluZwAA" +
    "AAAAAAAWcGVybWl0LXBvcnQtZm9yd2FyZGluZwAAAAAAAAAKcGVybWl0LXB0eQAAAAAAAAAOcGVybWl0LXVzZXItcm" +
    "MAAAAAAAAAAAAAADMAAAALc3NoLWVkMjU1MTkAAAAghROIJa/i5NNHyetarLu+zNaGOlFgrNrxI0XhLtXY8VMAAABT" +
    "AAAAC3NzaC1lZDI1NTE5AAAAQBFQ2mi54p1XNtuzENGo31roVDrd8GyrsRX3V2CXEWpv9CnX8BC26+x90ERbZV76GP" +
    "7z5DweGTQvbneQYuMVbwc=",
};

/** A certificate of its own, valid until 2126. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBdjCCARugAwIBAgIUMTCnGXD10tH+R/96Gu7C6FQVhyIwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjgwMTAyMjBaGA8yMTI2MTEwNDAxMDIy
MFowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABE36
4aiMISVnM4RsDJZCJtVxBoOvNQPF1MnLz73X3FvQ4GaZkwGyHnlCidbyZhgrJp2I
pD4VF9qzovgBruheetKjUzBRMB0GA1UdDgQWBBQHZEwWSYktyAHCm/YpaR8IHOio
1zAfBgNVHSMEGDAWgBQHZEwWSYktyAHCm/YpaR8IHOio1zAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0kAMEYCIQCb+TcqqbcHmweWRRakBvETYhtMGa5Mhq5Y
/7YhMGDENQIhAM6WelSgReMeAq2HUs+sjE4o4FFwMg9SlUghhQbgco+K
-----END CERTIFICATE-----
`;

const auth = Buffer.from(`planted:${PLANTED.pullSecretAuth}`).toString("base64");
export const PULL_SECRET = JSON.stringify({ auths: { "registry.example.org": { auth } } });

const general = {
  apiVersion: "v1",
  baseDomain: "sea.example.org",
  metadata: { name: "gannet" },
  controlPlane: { name: "master", replicas: 3 },
  compute: [{ name: "worker", replicas: 2 }],
  networking: {
    networkType: "OVNKubernetes",
    machineNetwork: [{ cidr: "10.20.0.0/16" }],
    clusterNetwork: [{ cidr: "10.132.0.0/14", hostPrefix: 23 }],
    serviceNetwork: ["172.31.0.0/16"],
  },
  pullSecret: PULL_SECRET,
  sshKey: SSH_KEYS.ed25519,
};

export const NONE: JsonObject = { ...general, platform: { none: {} } };
export const EXTERNAL: JsonObject = { ...general, platform: { external: { platformName: "birdcloud" } } };
export const AWS: JsonObject = { ...general, platform: { aws: { region: "eu-west-1" } } };
export const DUAL_STACK: JsonObject = {
  machineNetwork: [{ cidr: "10.20.0.0/16" }, { cidr: "fd00:20::/64" }],
  clusterNetwork: [
    { cidr: "10.132.0.0/14", hostPrefix: 23 },
    { cidr: "fd01::/48", hostPrefix: 64 },
  ],
  serviceNetwork: ["172.31.0.0/16", "fd02::/112"],
};

/** New values by field path; undefined removes the field. */
export type Edits = Readonly<Record<string, Json | undefined>>;

export function edit(config: JsonObject, edits: Edits): JsonObject {
  let edited: Json = config;
  for (const [path, value] of Object.entries(edits)) {
    const steps = [...path.matchAll(/[^.[\]]+/g)].map(([step]) => step);
    edited = set(edited, steps, value) ?? {};
  }
  return isObject(edited) ? edited : {};
}

function set(target: Json | undefined, steps: readonly string[], value: Json | undefined): Json | undefined {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (/^\d+$/.test(step)) {
    const list = isList(target) ? [...target] : [];
    list[Number(step)] = set(list[Number(step)], rest, value) ?? null;
    return list;
  }
  const entries = Object.entries(isObject(target) ? target : {}).filter(([name]) => name !== step);
  const member = set(isObject(target) ? target[step] : undefined, rest, value);
  return Object.fromEntries(member === undefined ? entries : [...entries, [step, member]]);
}

export interface Judged {
  /** The install-config as it was judged. */
  readonly text: string;
  readonly asset: InstallConfigAsset | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Kind and field of every error, sorted, each once. */
  readonly errors: readonly string[];
  /** Code and field of everything else. */
  readonly remarks: readonly string[];
}

export function releaseOf(text: string): Release {
  const release = parseRelease(text);
  if (release === undefined) throw new Error(`no release ${text}`);
  return release;
}

/** Reads and compiles an install-config; an object is written as JSON, which is YAML. Hints that a machine can follow are. */
export function judge(config: JsonObject | string, release = "4.22", lenient = false): Judged {
  const judged = judgeAlone(config, release, lenient);
  if (typeof config !== "string" && follows())
    for (const each of judged.diagnostics)
      followHint(each, judged, (edits) => judgeAlone(edit(config, edits), release, lenient));
  return judged;
}

/** In the tests of the phase; hints that the tests of platforms bring up are not followed yet. */
const follows = (): boolean => (process.argv[2] ?? "").includes("phases/install-config");

/** Hints that were followed in this process, by the test file and what they are of. */
const followed = new Set<string>();

/** What the hint is of has to be gone when it is followed, and nothing else may be wrong with the field. */
function followHint(given: Diagnostic, before: Judged, judgeWith: (edits: Edits) => Judged): void {
  const { code, kind, field, hint } = given;
  const name = `${process.argv[2]} ${code} ${field.replace(/\[\d+\]/g, "[]")}: ${hint}`;
  if (followed.has(name)) return;
  followed.add(name);
  for (const edits of editsOf(given, before.text)) {
    const left = judgeWith(edits).diagnostics.filter(
      (each) =>
        each.field === field &&
        (each.code === code
          ? each.hint === hint && (hint !== "" || each.kind === kind)
          : each.severity === "error" &&
            !before.diagnostics.some((old) => old.code === each.code && old.field === field)),
    );
    assert.equal(
      left.map((each) => `${each.code} ${each.message}`),
      [],
      `${name}: followed by ${JSON.stringify(edits)}`,
    );
  }
}

function judgeAlone(config: JsonObject | string, release: string, lenient: boolean): Judged {
  const reporter = createReporter();
  const options = { release: releaseOf(release), lenient };
  const text = typeof config === "string" ? config : JSON.stringify(config, undefined, 1);
  const read = readInstallConfig(text, "install-config.yaml", options, reporter.report);
  const asset =
    read === undefined
      ? undefined
      : compileInstallConfig(
          read,
          { ...options, platform: platformOf(read.config), others: otherPlatformsOf(read.config) },
          reporter.report,
        );
  const { diagnostics } = reporter;
  for (const each of diagnostics) record(`${formatDiagnostic(each)}\n`);
  const list = (severe: boolean, print: (each: Diagnostic) => string) =>
    [...new Set(diagnostics.filter(({ severity }) => (severity === "error") === severe).map(print))].sort();
  return {
    text,
    asset,
    diagnostics,
    errors: list(true, ({ kind, field }) => `${kind} ${field}`),
    remarks: list(false, ({ code, field }) => `${code} ${field}`),
  };
}

/** What is changed in a sound config, and the errors that must follow; none for what is legal. */
export type Row = readonly [title: string, edits: Edits, ...errors: string[]];

/** Checks every row of a table against one config. */
export function expectErrors(config: JsonObject, rows: readonly Row[], release = "4.22"): void {
  for (const [title, edits, ...errors] of rows)
    assert.equal(judge(edit(config, edits), release).errors, [...errors].sort(), `${release}: ${title}`);
}
