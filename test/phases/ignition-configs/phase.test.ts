import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { formatDiagnostic } from "../../../src/core/diagnostics.js";
import { INTERNAL_RELEASE_IMAGE } from "../../../src/pki/graph.js";
import { publicKeyPem } from "../../../src/pki/public-key.js";
import { certifyLeaf } from "../../../src/pki/sign.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { awsConfig, IDENTITY } from "../../helpers/aws.js";
import {
  clusterPki,
  dataOf,
  errorCodes,
  type IgnitionGiven,
  type IgnitionRun,
  listOf,
  NOW,
  objectOf,
  runIgnition,
  textOnNode as textOf,
} from "../../helpers/ignition.js";
import { ellipticKey, rsaKey } from "../../helpers/inputs.js";
import { baseConfig } from "../../helpers/manifests.js";
import { PLANTED } from "../../helpers/planted.js";
import { tempFolder } from "../../helpers/temp.js";

const test = suite("the ignition-configs phase");

const run = (given: Partial<IgnitionGiven> = {}): Promise<IgnitionRun> =>
  runIgnition({ config: baseConfig(), ...given });

const plantedIn = (text: string): string[] => Object.values(PLANTED).filter((each) => text.includes(each));

const ROOT = "/opt/openshift";
const CVO = "manifests/cvo-overrides.yaml";

test("the files of the phase, and which of them hold secrets", async () => {
  const { files } = await run();
  assert.equal(
    files.map(({ path, secret }) => [path, secret]),
    [
      ["auth/kubeadmin-password", true],
      ["auth/kubeconfig", true],
      ["bootstrap.ign", true],
      ["master.ign", false],
      ["worker.ign", false],
      ["metadata.json", false],
    ],
  );
});

test("an arbiter pool has a config of its own, in releases that know one", async () => {
  const pool = { ...baseConfig().controlPlane, name: "arbiter", replicas: 1 };
  const config = { ...baseConfig(), arbiter: pool };
  const names = async (release: string): Promise<string[]> =>
    (await run({ config, release, manifestFiles: [] })).files.map(({ path }) => path);
  assert.ok((await names("4.22")).includes("arbiter.ign"));
  assert.not((await names("4.18")).includes("arbiter.ign"));
  const none = { ...baseConfig(), arbiter: { ...pool, replicas: 0 } };
  assert.not((await run({ config: none })).files.some(({ path }) => path === "arbiter.ign"));
});

test("the same input gives the same bytes", async () => {
  assert.equal((await run()).files, (await run()).files);
});

test("pointer configs are those of the user-data Secrets, and name the root CA", async () => {
  const done = await run();
  for (const role of ["master", "worker"]) {
    const secret = objectOf(
      parseYaml(textOf(done, `${ROOT}/openshift/99_openshift-cluster-api_${role}-user-data-secret.yaml`)),
    );
    const userData = String(objectOf(secret["data"])["userData"]);
    assert.is(Buffer.from(userData, "base64").toString("utf8"), done.text(`${role}.ign`));
    const tls = objectOf(
      objectOf(objectOf(objectOf(JSON.parse(done.text(`${role}.ign`)))["ignition"])["security"])["tls"],
    );
    const [authority] = listOf(tls["certificateAuthorities"]);
    assert.is(dataOf(String(objectOf(authority)["source"])), done.pki.certified["root-ca"].certificate);
  }
});

test("root/tls holds what the bootstrap node needs and no more", async () => {
  const done = await run();
  const tls = [...done.nodeFiles].filter(([path]) => path.startsWith(`${ROOT}/tls/`));
  assert.is(tls.length, 55);
  for (const [path, { mode }] of tls) assert.is(mode, path.endsWith("/root-ca.crt") ? 0o644 : 0o600, path);
  for (const absent of [
    "root-ca.key",
    "admin-kubeconfig-signer.key",
    "admin-kubeconfig-client.key",
    "kubelet-bootstrap-kubeconfig-signer.key",
    "bootstrap-ssh.key",
  ])
    assert.not(done.nodeFiles.has(`${ROOT}/tls/${absent}`), absent);
  const bootstrap = done.text("bootstrap.ign");
  for (const key of [done.pki.certified["root-ca"].key, done.pki.bootstrapSsh.privateKey])
    assert.not([...done.nodeFiles].some(([path, { text }]) => text.includes(key) && path.includes("/tls/")));
  assert.not(bootstrap.includes(Buffer.from(done.pki.bootstrapSsh.privateKey).toString("base64")));
});

test("nothing secret leaves the files that are meant for it", async () => {
  const config = {
    ...baseConfig(),
    proxy: { httpProxy: `http://user:${PLANTED.proxyPassword}@proxy.example.org:3128` },
  };
  const done = await run({ config, password: PLANTED.password });
  for (const { path, data, secret } of done.files)
    if (!secret) assert.equal(plantedIn(Buffer.from(data).toString("utf8")), [], path);
  assert.equal(plantedIn(done.diagnostics.map(formatDiagnostic).join("\n")), []);
});

test("the user is core, with the text of the config as it is and the key of the session", async () => {
  for (const sshKey of [undefined, "", "ssh-ed25519 AAAA one\nssh-ed25519 BBBB <two>\n"]) {
    const done = await run({ config: { ...baseConfig(), ...(sshKey === undefined ? {} : { sshKey }) } });
    assert.equal(objectOf(done.bootstrap["passwd"])["users"], [
      { name: "core", sshAuthorizedKeys: [sshKey ?? "", done.pki.bootstrapSsh.publicKey] },
    ]);
  }
});

test("data of the install-config without anything special", async () => {
  const done = await run();
  const paths = [
    "/etc/containers/registries.conf",
    "/etc/systemd/system.conf.d/10-default-env.conf",
    "/etc/profile.d/proxy.sh",
    "/etc/pki/ca-trust/source/anchors/ca.crt",
    "/root/.docker/config.json",
  ];
  assert.equal(
    paths.map((path) => textOf(done, path)),
    ["", "[Manager]\n", "", "", `${baseConfig().pullSecret}\n`],
  );
  assert.equal(
    paths.map((path) => done.nodeFiles.get(path)?.mode),
    [0o644, 0o600, 0o600, 0o600, 0o600],
  );
  assert.equal(JSON.parse(textOf(done, "/etc/ignition-machine-config-encapsulated.json")), {
    metadata: { name: "bootstrap-fips" },
    spec: { config: { ignition: { version: "3.1.0" } }, kernelArguments: [], fips: false },
  });
});

test("trust bundle and FIPS", async () => {
  const config = { ...baseConfig(), fips: true, additionalTrustBundle: "-----BEGIN\n" };
  const done = await run({ config, manifestFiles: [] });
  assert.is(textOf(done, "/etc/pki/ca-trust/source/anchors/ca.crt"), "-----BEGIN\n\n");
  assert.match(textOf(done, "/etc/ignition-machine-config-encapsulated.json"), '"fips": true');
});

test("mirrors are merged by source and policy, those without a mirror left out", async () => {
  const config = {
    ...baseConfig(),
    imageDigestSources: [
      { source: "a.example/b", mirrors: ["x.example/y", "x.example/y", "w.example/v"] },
      { source: "c.example/d" },
      { source: "a.example/b", mirrors: ["z.example/z"], sourcePolicy: "NeverContactSource" },
      { source: "a.example/b", mirrors: ["w.example/v", "u.example/t"] },
    ],
  };
  assert.is(
    textOf(await run({ config }), "/etc/containers/registries.conf"),
    `[[registry]]
location = "a.example/b"
insecure = false
mirror-by-digest-only = true
blocked = false

[[registry.mirror]]
location = "x.example/y"
insecure = false
[[registry.mirror]]
location = "w.example/v"
insecure = false
[[registry.mirror]]
location = "u.example/t"
insecure = false


[[registry]]
location = "a.example/b"
insecure = false
mirror-by-digest-only = true
blocked = true

[[registry.mirror]]
location = "z.example/z"
insecure = false


`,
  );
  // Before 4.21 there are no policies, and nothing is blocked or not.
  const before = textOf(await run({ config, release: "4.20" }), "/etc/containers/registries.conf");
  assert.not.match(before, "blocked");
  assert.equal(before.match(/^location = .*$/gm), [
    'location = "a.example/b"',
    'location = "x.example/y"',
    'location = "w.example/v"',
    'location = "z.example/z"',
    'location = "u.example/t"',
  ]);
  const old = { ...config, imageContentSources: [{ source: "o.example/o", mirrors: ["p.example/p"] }] };
  assert.match(
    textOf(await run({ config: old }), "/etc/containers/registries.conf"),
    /^\[\[registry\]\]\nlocation = "o.example\/o"[\s\S]*location = "p.example\/p"\ninsecure = false\n\n\n$/,
  );
});

test("proxies: a shell and systemd read back what the config says", async () => {
  const proxies = {
    httpProxy: "http://user:p%40ss@proxy.example.org:3128",
    httpsProxy: "https://us$er:$(id)`id`'\"\\@proxy.example.org:3129/%7e",
    noProxy: ".example.org,10.0.0.1",
  };
  const done = await run({ config: { ...baseConfig(), proxy: proxies } });
  const script = join(tempFolder(), "proxy.sh");
  writeFileSync(
    script,
    `${textOf(done, "/etc/profile.d/proxy.sh")}printf '%s\\n' "$HTTP_PROXY" "$HTTPS_PROXY" "$NO_PROXY"\n`,
  );
  const [http, https, none = ""] = execFileSync("sh", [script], { encoding: "utf8" }).split("\n");
  assert.equal([http, https], [proxies.httpProxy, proxies.httpsProxy]);
  for (const entry of [".example.org", "10.0.0.1", "api-int.tern.sea.example.org", "172.30.0.0/16", ".svc"])
    assert.ok(none.split(",").includes(entry), entry);
  const lines = textOf(done, "/etc/systemd/system.conf.d/10-default-env.conf").split("\n");
  assert.is(lines[0], "[Manager]");
  assert.is(lines[1], 'DefaultEnvironment=HTTP_PROXY="http://user:p%%40ss@proxy.example.org:3128"');
  assert.match(lines[2] ?? "", '$(id)`id`\'\\"\\\\@proxy.example.org:3129/%%7e"');
  const only = { httpsProxy: "", httpProxy: "", noProxy: ".example.org" };
  assert.is(textOf(await run({ config: { ...baseConfig(), proxy: only } }), "/etc/profile.d/proxy.sh"), "");
});

test("a registry inside the cluster: its pair, and its login beside those of the pull secret", async () => {
  const key = ellipticKey();
  const pki = clusterPki(baseConfig(), NOW, key);
  const names = { domain: "tern.sea.example.org", apiVips: [], serviceNetwork: "172.30.0.0/16" };
  const pair = certifyLeaf(INTERNAL_RELEASE_IMAGE, key, pki.certified["root-ca"], names, { now: NOW });
  const internalReleaseImage = { pair, password: PLANTED.password, htpasswd: "openshift:$2a$10$x\n" };
  const done = await run({ pki, internalReleaseImage });
  assert.is(textOf(done, `${ROOT}/tls/internal-release-image.crt`), pair.certificate);
  assert.is(textOf(done, `${ROOT}/tls/internal-release-image.key`), key);
  const auth = Buffer.from(`openshift:${PLANTED.password}`).toString("base64");
  assert.is(
    textOf(done, "/root/.docker/config.json"),
    `{"auths":{"api-int.tern.sea.example.org:22625":{"auth":"${auth}"},"registry.example.org":{"auth":"${PLANTED.pullSecretAuth}"}}}\n`,
  );
  // The login came a release after the certificate.
  const before = await run({ pki, internalReleaseImage, release: "4.21" });
  assert.is(textOf(before, "/root/.docker/config.json"), `${baseConfig().pullSecret}\n`);
});

test("a signing key that the user brings", async () => {
  const key = rsaKey();
  const done = await run({ options: { boundServiceAccountKey: key } });
  assert.is(textOf(done, `${ROOT}/tls/bound-service-account-signing-key.key`), key);
  assert.is(textOf(done, `${ROOT}/tls/bound-service-account-signing-key.pub`), publicKeyPem(key));
  const refused = await run({ options: { boundServiceAccountKey: ellipticKey() } });
  assert.equal(errorCodes(refused), ["IGN009 tls/bound-service-account-signing-key.key"]);
});

test("none and external need the release image, and their bootstrap.ign is experimental", async () => {
  const without = await runIgnition({ config: baseConfig(), options: { releaseImage: undefined } });
  assert.equal(errorCodes(without), ["IGN001 --release-image"]);
  assert.equal(errorCodes(await run(), "warning"), ["IGN007 bootstrap.ign"]);
});

test("aws: metadata by tags, data only, to be completed by the installer; no release image needed", async () => {
  const config = awsConfig(
    {
      hostedZoneRole: "arn:aws:iam::000000000000:role/zone",
      serviceEndpoints: [{ name: "ec2", url: "https://ec2.example.org" }],
    },
    { pullSecret: baseConfig().pullSecret },
  );
  const done = await runIgnition({
    config,
    identity: IDENTITY,
    manifestFiles: [],
    options: { releaseImage: undefined },
  });
  assert.equal(errorCodes(done), [`IGN004 ${CVO}`]);
  assert.equal(errorCodes(done, "warning"), ["IGN006 bootstrap.ign"]);
  assert.equal(JSON.parse(done.text("metadata.json")), {
    clusterName: "heron",
    clusterID: IDENTITY.clusterID,
    infraID: IDENTITY.infraID,
    aws: {
      region: "eu-west-1",
      serviceEndpoints: [{ name: "ec2", url: "https://ec2.example.org" }],
      identifier: [
        { "kubernetes.io/cluster/heron-x2x2x": "owned" },
        { openshiftClusterID: IDENTITY.clusterID },
        { "sigs.k8s.io/cluster-api-provider-aws/cluster/heron-x2x2x": "owned" },
      ],
      clusterDomain: "heron.example.net",
      hostedZoneRole: "arn:aws:iam::000000000000:role/zone",
    },
    featureSet: "",
    customFeatureSet: null,
  });
  assert.match(textOf(done, "/etc/motd"), "aws");
  assert.ok(done.nodeFiles.get("/etc/motd")?.append);
});

test("aws: a secret region's bundle is a file of its own", async () => {
  const bundle = "-----BEGIN CERTIFICATE-----\n";
  const config = awsConfig({ region: "us-iso-east-1" }, { additionalTrustBundle: bundle });
  const path = `${ROOT}/tls/cloud-ca-cert.pem`;
  assert.is(textOf(await runIgnition({ config, manifestFiles: [] }), path), bundle);
  const open = awsConfig({}, { additionalTrustBundle: bundle });
  assert.not((await runIgnition({ config: open, manifestFiles: [] })).nodeFiles.has(path));
});

test("metadata.json: feature sets, custom gates", async () => {
  const metadata = async (more: object): Promise<string> =>
    (await run({ config: { ...baseConfig(), ...more }, manifestFiles: [] })).text("metadata.json");
  assert.match(await metadata({}), '"infraID":"tern-abcde","featureSet":"","customFeatureSet":null}');
  assert.match(
    await metadata({ featureSet: "TechPreviewNoUpgrade" }),
    '"featureSet":"TechPreviewNoUpgrade","customFeatureSet":null}',
  );
  assert.match(
    await metadata({ featureSet: "CustomNoUpgrade", featureGates: ["B=true", "A=true", "C=false"] }),
    '"customFeatureSet":{"enabled":["B","A"],"disabled":["C"]}}',
  );
  assert.match(await metadata({ featureSet: "CustomNoUpgrade" }), '"customFeatureSet":{}}');
});

test("an installation in place is told that this is none", async () => {
  const config = {
    ...baseConfig(),
    controlPlane: { ...baseConfig().controlPlane, replicas: 1 },
    bootstrapInPlace: { installationDisk: "/dev/vda" },
  };
  assert.ok(errorCodes(await run({ config }), "warning").includes("IGN008 install-config.yaml"));
});

test("what boots is told what the node gets; its files and units come before the data", async () => {
  let told: readonly string[] = [];
  const done = await run({
    config: { ...baseConfig(), networking: { ...baseConfig().networking, serviceNetwork: ["fd02::/112"] } },
    options: { bootstrapNodeIP: "fd00::5" },
    boot: (input) => {
      told = input.files;
      assert.equal(
        [input.ipv6First, input.nodeAddress, input.clusterDomain, input.controlPlaneTopology],
        [true, "fd00::5", "tern.sea.example.org", "HighlyAvailable"],
      );
      return {
        files: [
          { path: "/usr/local/bin/x", mode: 0o555, data: "#!/bin/sh\n" },
          { path: "/etc/profile.d/proxy.sh", mode: 0o644, data: "replaced" },
        ],
        units: [{ name: "x.service", enabled: true, contents: "[Unit]\n" }, { name: "y.socket" }],
      };
    },
  });
  for (const path of ["tls/root-ca.crt", "auth/kubeconfig", CVO, "original_cvo_overrides.patch"])
    assert.ok(told.includes(path), path);
  assert.is(textOf(done, "/etc/profile.d/proxy.sh"), "replaced");
  assert.equal(objectOf(done.bootstrap["systemd"])["units"], [
    { contents: "[Unit]\n", enabled: true, name: "x.service" },
    { name: "y.socket" },
  ]);
});

test.run();
