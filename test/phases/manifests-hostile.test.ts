import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decode } from "../../src/core/files.js";
import { isList, isObject, type Json } from "../../src/core/json.js";
import type { NormalConfig } from "../../src/platforms/config.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { baseConfig, runManifests } from "../helpers/manifests.js";
import { runs } from "../helpers/runs.js";

const test = suite("manifests with hostile values");

/** Every field here has its file at 5.0; 4.22 writes 99_osimagestream.yaml with a feature set only. */
const RELEASE = "5.0";

/** A field of free text, and where its value must come back beside the install-config in cluster-config.yaml. */
interface Field {
  readonly name: string;
  set(value: string, config: NormalConfig): Partial<NormalConfig>;
  /** Path in the install-config, or undefined where it is blanked. */
  readonly inConfig?: readonly (string | number)[];
  /** Files and paths that hold the value; base64 where marked. */
  readonly elsewhere?: readonly {
    readonly file: string;
    readonly path: readonly (string | number)[];
    readonly base64?: boolean;
  }[];
}

const sshKeyIn = (role: string) => ({
  file: `openshift/99_openshift-machineconfig_99-${role}-ssh.yaml`,
  path: ["spec", "config", "passwd", "users", 0, "sshAuthorizedKeys", 0],
});
const PROXY = "manifests/cluster-proxy-01-config.yaml";
const FENCING = "openshift/99_openshift-etcd_fencing-credentials-secrets-0.yaml";
const fencing = (member: string): Field => ({
  name: `fencing ${member}`,
  set: (value, { controlPlane }) => {
    const [credential] = controlPlane.fencing?.credentials ?? [];
    return {
      controlPlane: {
        ...controlPlane,
        fencing: { credentials: [{ hostName: "host-0", ...credential, [member]: value }] },
      },
    };
  },
  inConfig: ["controlPlane", "fencing", "credentials", 0, member],
  elsewhere: [{ file: FENCING, path: ["data", member], base64: true }],
});

const FIELDS: readonly Field[] = [
  {
    name: "pullSecret",
    set: (pullSecret) => ({ pullSecret }),
    elsewhere: [
      {
        file: "manifests/openshift-config-secret-pull-secret.yaml",
        path: ["data", ".dockerconfigjson"],
        base64: true,
      },
    ],
  },
  {
    name: "sshKey",
    set: (sshKey) => ({ sshKey }),
    inConfig: ["sshKey"],
    elsewhere: [sshKeyIn("master"), sshKeyIn("worker")],
  },
  {
    name: "proxy.httpProxy",
    set: (httpProxy, { proxy }) => ({ proxy: { ...proxy, httpProxy } }),
    inConfig: ["proxy", "httpProxy"],
    elsewhere: [
      { file: PROXY, path: ["spec", "httpProxy"] },
      { file: PROXY, path: ["status", "httpProxy"] },
    ],
  },
  {
    name: "proxy.noProxy",
    set: (noProxy, { proxy }) => ({ proxy: { ...proxy, httpsProxy: "http://proxy.example.org", noProxy } }),
    inConfig: ["proxy", "noProxy"],
    elsewhere: [{ file: PROXY, path: ["spec", "noProxy"] }],
  },
  {
    name: "imageDigestSources source and mirror",
    set: (value) => ({ imageDigestSources: [{ source: value, mirrors: [value] }] }),
    inConfig: ["imageDigestSources", 0, "mirrors", 0],
    elsewhere: [
      {
        file: "manifests/image-digest-mirror-set.yaml",
        path: ["spec", "imageDigestMirrors", 0, "source"],
      },
      {
        file: "manifests/image-digest-mirror-set.yaml",
        path: ["spec", "imageDigestMirrors", 0, "mirrors", 0],
      },
    ],
  },
  {
    name: "imageContentSources",
    set: (value) => ({ imageContentSources: [{ source: value, mirrors: [value] }] }),
    inConfig: ["imageContentSources", 0, "source"],
    elsewhere: [
      {
        file: "manifests/image-content-source-policy.yaml",
        path: ["spec", "repositoryDigestMirrors", 0, "source"],
      },
    ],
  },
  {
    name: "platform.external.platformName",
    set: (platformName) => ({ platform: { external: { platformName } } }),
    inConfig: ["platform", "external", "platformName"],
    elsewhere: [
      {
        file: "manifests/cluster-infrastructure-02-config.yml",
        path: ["spec", "platformSpec", "external", "platformName"],
      },
    ],
  },
  {
    name: "capabilities",
    set: (value) => ({
      capabilities: { baselineCapabilitySet: value, additionalEnabledCapabilities: [value] },
    }),
    inConfig: ["capabilities", "additionalEnabledCapabilities", 0],
    elsewhere: [
      { file: "manifests/cvo-overrides.yaml", path: ["spec", "capabilities", "baselineCapabilitySet"] },
    ],
  },
  {
    name: "baseDomain",
    set: (value) => ({ baseDomain: `${value}x` }),
    inConfig: ["baseDomain"],
  },
  {
    name: "osImageStream",
    set: (osImageStream) => ({ osImageStream }),
    inConfig: ["osImageStream"],
    elsewhere: [{ file: "openshift/99_osimagestream.yaml", path: ["spec", "defaultStream"] }],
  },
  {
    name: "networking.networkType",
    set: (networkType, { networking }) => ({ networking: { ...networking, networkType } }),
    inConfig: ["networking", "networkType"],
    elsewhere: [{ file: "manifests/cluster-network-02-config.yml", path: ["spec", "networkType"] }],
  },
  {
    name: "bootstrapInPlace.installationDisk",
    set: (installationDisk) => ({ bootstrapInPlace: { installationDisk } }),
    inConfig: ["bootstrapInPlace", "installationDisk"],
  },
  fencing("address"),
  fencing("username"),
  fencing("password"),
];

function at(value: Json | undefined, path: readonly (string | number)[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (found, step) =>
      typeof step === "number"
        ? isList(found)
          ? found[step]
          : undefined
        : isObject(found)
          ? found[step]
          : undefined,
    value,
  );
}

const decoded = (value: Json | undefined): string => Buffer.from(String(value), "base64").toString("utf8");

/** Every file parses to one object; each value is where it belongs, or a diagnostic says why not. */
async function hold(values: ReadonlyMap<Field, string>): Promise<void> {
  let config = baseConfig();
  for (const [field, value] of values) config = { ...config, ...field.set(value, config) };
  const run = await runManifests({ config, release: RELEASE });
  const objects = new Map(run.files.map(({ path, data }) => [path, parseYaml(decode(data) ?? "")]));
  for (const [path, object] of objects) assert.ok(isObject(object), path);
  assert.equal(run.diagnostics, []);
  const given: Json = JSON.parse(JSON.stringify(config));
  const inside = parseYaml(
    String(at(objects.get("manifests/cluster-config.yaml"), ["data", "install-config"])),
  );
  for (const [field, value] of values) {
    if (field.inConfig !== undefined)
      assert.is(at(inside, field.inConfig), at(given, field.inConfig), field.name);
    // An empty text is as good as absent, and then there is no file or member.
    if (value === "") continue;
    for (const { file, path, base64 = false } of field.elsewhere ?? []) {
      const found = at(objects.get(file), path);
      assert.is(base64 ? decoded(found) : found, value, `${field.name} in ${file}`);
    }
  }
}

const NASTY = [
  "",
  " ",
  '"',
  "'",
  '\\"',
  "\n",
  "\r\n",
  "a\n  b\n",
  "{{value x}}",
  "{{{x}}}",
  "{{#each this}}{{/each}}",
  "---",
  "\n---\n",
  "...",
  ": ",
  "a: b",
  "# no comment",
  "- item",
  "&anchor *alias",
  "!!binary aGVsbG8=",
  "<<",
  "%YAML 1.1",
  "\u0000",
  "a\u0000b",
  "\u0085\u2028\u2029\ufeff",
  "\u{1f426}",
  "null",
  "true",
  "0644",
  "1e3",
  "2026-11-27",
  "[1, 2]",
  "{a: b}",
  "`@|>%",
  "\t",
  "*",
];

const LARGE = ["x".repeat(1_000_000), "line\n".repeat(200_000)];

for (const value of NASTY)
  test(`${JSON.stringify(value)} in every field`, () => hold(new Map(FIELDS.map((field) => [field, value]))));

for (const field of FIELDS.filter(({ name }) => ["pullSecret", "sshKey", "proxy.noProxy"].includes(name)))
  test(`${field.name} holds a megabyte`, async () => {
    for (const value of LARGE) await hold(new Map([[field, value]]));
  });

test("any text comes back from any field", async () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.array(fc.constantFrom(...NASTY), { maxLength: 4 }).map((parts) => parts.join("")),
  );
  const values = fc
    .tuple(...FIELDS.map((field) => fc.tuple(fc.constant(field), text)))
    .map((pairs) => new Map(pairs));
  await fc.assert(fc.asyncProperty(values, hold), { numRuns: runs(60) });
});

const CUSTOM: Field = {
  name: "featureGates",
  set: (value) => ({ featureSet: "CustomNoUpgrade", featureGates: [`${value.replaceAll("=", "")}=true`] }),
  inConfig: ["featureGates", 0],
};

test("the name of a custom gate holds anything", async () => {
  for (const value of NASTY) await hold(new Map([[CUSTOM, value]]));
});

test.run();
