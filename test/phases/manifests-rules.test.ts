import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type Json } from "../../src/core/json.js";
import type { NormalConfig } from "../../src/platforms/config.js";
import { platform as none } from "../../src/platforms/none/index.js";
import type { PlatformManifests, PlatformModule } from "../../src/platforms/platform.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { baseConfig, type ManifestsRun, pool, runManifests } from "../helpers/manifests.js";
import { PLANTED } from "../helpers/planted.js";

const test = suite("rules of the manifests");

const base = (changes: Partial<NormalConfig> = {}): NormalConfig => ({ ...baseConfig(), ...changes });
const run = (
  changes: Partial<NormalConfig> = {},
  platform?: PlatformModule,
  release = "4.22",
): Promise<ManifestsRun> =>
  runManifests({ config: base(changes), release, ...(platform === undefined ? {} : { platform }) });
const withHooks = (hooks: Partial<PlatformManifests>): PlatformModule => ({
  ...none,
  manifests: { ...none.manifests, ...hooks },
});
const object = (made: ManifestsRun, path: string): Json => parseYaml(made.text(path));
const has = (made: ManifestsRun, path: string): boolean => made.files.some((file) => file.path === path);
const at = (value: Json | undefined, ...path: string[]): Json | undefined =>
  path.reduce<Json | undefined>((found, step) => (isObject(found) ? found[step] : undefined), value);

const PROXY = "manifests/cluster-proxy-01-config.yaml";
const INSIDE = [
  ".cluster.local",
  ".svc",
  "10.0.0.0/16",
  "10.128.0.0/14",
  "127.0.0.1",
  "172.30.0.0/16",
  "api-int.tern.sea.example.org",
  "localhost",
];

test("noProxy holds what is inside the cluster and the user's entries, as they are, once each, by byte", async () => {
  for (const [given, expected] of [
    [undefined, INSIDE],
    ["", INSIDE],
    ["*", ["*"]],
    ["*,x", ["*", ...INSIDE, "x"]],
    ["localhost,,a.example.org", [...INSIDE, "a.example.org"]],
    [" a.example.org, b", [" a.example.org", " b", ...INSIDE]],
    ["Z,z", [...INSIDE, "Z", "z"]],
    ["\u{1f426},\ufffd", [...INSIDE, "\u{1f426}", "\ufffd"]],
  ] as const) {
    const proxy = {
      httpProxy: "http://proxy.example.org",
      ...(given === undefined ? {} : { noProxy: given }),
    };
    const made = object(await run({ proxy }), PROXY);
    const sorted = [...expected].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.is(at(made, "status", "noProxy"), sorted.join(","));
    assert.is(at(made, "spec", "noProxy"), given === "" ? undefined : given);
  }
});

test("a proxy without an address has no status, and the bundle is trusted with a proxy or always", async () => {
  for (const [changes, trusted, used] of [
    [{}, "", false],
    [{ proxy: {} }, "", false],
    [{ proxy: { noProxy: "a" } }, "", false],
    [{ additionalTrustBundle: BUNDLE }, "", false],
    [{ additionalTrustBundle: BUNDLE, proxy: {} }, "user-ca-bundle", false],
    [{ additionalTrustBundle: BUNDLE, proxy: { httpsProxy: "http://p" } }, "user-ca-bundle", true],
    [{ additionalTrustBundle: BUNDLE, additionalTrustBundlePolicy: "Always" }, "user-ca-bundle", false],
    [{ additionalTrustBundlePolicy: "Always" }, "", false],
  ] as const) {
    const made = await run(changes);
    assert.is(at(object(made, PROXY), "spec", "trustedCA", "name"), trusted);
    assert.is(at(object(made, PROXY), "status") !== undefined, used);
    assert.is(has(made, "manifests/user-ca-bundle-config.yaml"), "additionalTrustBundle" in changes);
  }
});

/** Two blocks with text around them; not certificates, since the phase does not look inside. */
const BODY = "QUJD\n";
const BUNDLE = `# first\n-----BEGIN CERTIFICATE-----\r\nQU\r\nJD\r\n-----END CERTIFICATE-----\n\nsecond\n-----BEGIN CERTIFICATE-----\nB-Header: x\nA-Header:y\n\nQUJD\n-----END CERTIFICATE-----`;

test("the trust bundle is written anew, block by block", async () => {
  const made = object(await run({ additionalTrustBundle: BUNDLE }), "manifests/user-ca-bundle-config.yaml");
  assert.is(
    at(made, "data", "ca-bundle.crt"),
    `-----BEGIN CERTIFICATE-----\n${BODY}-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\nA-Header: y\nB-Header: x\n\n${BODY}-----END CERTIFICATE-----\n`,
  );
});

const CONTROLLER = "manifests/cluster-ingress-default-ingresscontroller.yaml";

test("an ingress controller is written where ingress is not public or the platform asks for it", async () => {
  for (const [changes, scope] of [
    [{}, undefined],
    [{ publish: "" }, undefined],
    [{ publish: "Internal" }, "Internal"],
    [{ publish: "Mixed" }, "Internal"],
    [{ publish: "Mixed", operatorPublishingStrategy: { ingress: "External" } }, undefined],
    [{ publish: "Mixed", operatorPublishingStrategy: { ingress: "external" } }, undefined],
    [{ publish: "Mixed", operatorPublishingStrategy: { ingress: "Internal" } }, "Internal"],
  ] as const) {
    const made = await run(changes);
    assert.is(has(made, CONTROLLER), scope !== undefined);
    if (scope !== undefined)
      assert.equal(at(object(made, CONTROLLER), "spec", "endpointPublishingStrategy", "loadBalancer"), {
        scope,
      });
  }
  const asked = withHooks({ ingressController: () => ({ scope: "External" }) });
  assert.ok(has(await run({}, asked), CONTROLLER));
});

test("ingress stays on the single control plane machine of platform none only", async () => {
  const placement = async (changes: Partial<NormalConfig>): Promise<Json | undefined> =>
    at(object(await run(changes), "manifests/cluster-ingress-02-config.yml"), "status", "defaultPlacement");
  const single = { controlPlane: pool("master", 1), bootstrapInPlace: { installationDisk: "/dev/sda" } };
  assert.is(await placement({}), "Workers");
  assert.is(await placement(single), "ControlPlane");
  assert.is(await placement({ ...single, platform: { external: {} } }), "Workers");
});

test("settings of the network operator are written where there are any", async () => {
  const file = "manifests/cluster-network-03-config.yml";
  const { networking } = baseConfig();
  const joined = {
    networking: { ...networking, ovnKubernetesConfig: { ipv4: { internalJoinSubnet: "100.70.0.0/16" } } },
  };
  assert.not.ok(has(await run(), file));
  assert.not.ok(has(await run({ networking: { ...networking, ovnKubernetesConfig: {} } }), file));
  const config = (made: ManifestsRun) =>
    at(object(made, file), "spec", "defaultNetwork", "ovnKubernetesConfig");
  assert.equal(config(await run(joined)), {
    egressIPConfig: {},
    ipv4: { internalJoinSubnet: "100.70.0.0/16" },
  });
  const platform = withHooks({ networkMtu: () => 1200, gatewayConfig: () => ({ routingViaHost: true }) });
  assert.equal(config(await run(joined, platform)), {
    egressIPConfig: {},
    mtu: 1200,
    gatewayConfig: { routingViaHost: true },
    ipv4: { internalJoinSubnet: "100.70.0.0/16" },
  });
});

test("virtual IPs stand for the name in pointer configs", async () => {
  for (const [vips, host] of [
    [[], "api-int.tern.sea.example.org"],
    [["192.0.2.7"], "192.0.2.7"],
    [["2001:db8::7", "192.0.2.7"], "[2001:db8::7]"],
  ] as const) {
    const made = await run({}, withHooks({ apiVips: () => vips }));
    const secret = object(made, "openshift/99_openshift-cluster-api_worker-user-data-secret.yaml");
    const pointer = Buffer.from(String(at(secret, "data", "userData")), "base64").toString("utf8");
    assert.ok(
      pointer.startsWith(
        `{"ignition":{"config":{"merge":[{"source":"https://${host}:22623/config/worker"}]}`,
      ),
    );
    assert.ok(pointer.endsWith('"version":"3.2.0"}}'));
  }
});

test("a platform may add to the pointer config, and name its Secret as managed", async () => {
  const platform = withHooks({
    pointerAdditions: (_input, role) => (role === "master" ? { storage: { note: "<&>" } } : {}),
    managedUserData: (_input, role) => role === "master",
  });
  const made = await run({}, platform);
  const secret = object(made, "openshift/99_openshift-cluster-api_master-user-data-secret.yaml");
  assert.is(at(secret, "metadata", "name"), "master-user-data-managed");
  const pointer = Buffer.from(String(at(secret, "data", "userData")), "base64").toString("utf8");
  assert.ok(pointer.endsWith('},"storage":{"note":"\\u003c\\u0026\\u003e"}}'));
});

test("capabilities are there as soon as they are given", async () => {
  const spec = async (capabilities: NormalConfig["capabilities"]): Promise<Json | undefined> =>
    at(
      object(await run(capabilities === undefined ? {} : { capabilities }), "manifests/cvo-overrides.yaml"),
      "spec",
      "capabilities",
    );
  assert.is(await spec(undefined), undefined);
  assert.equal(await spec({ baselineCapabilitySet: "None" }), { baselineCapabilitySet: "None" });
  assert.equal(await spec({ baselineCapabilitySet: "None", additionalEnabledCapabilities: ["b", "a"] }), {
    baselineCapabilitySet: "None",
    additionalEnabledCapabilities: ["b", "a"],
  });
});

test("custom gates keep their order, and a set without gates is only a name", async () => {
  const spec = async (changes: Partial<NormalConfig>): Promise<Json | undefined> =>
    at(object(await run(changes), "openshift/99_feature-gate.yaml"), "spec");
  assert.equal(await spec({}), {});
  assert.equal(await spec({ featureSet: "TechPreviewNoUpgrade" }), { featureSet: "TechPreviewNoUpgrade" });
  assert.equal(await spec({ featureSet: "CustomNoUpgrade", featureGates: ["B=true", "A=T", "C=0"] }), {
    featureSet: "CustomNoUpgrade",
    customNoUpgrade: { enabled: ["B", "A"], disabled: ["C"] },
  });
});

test("the MachineConfigs of a role: threads, FIPS, keys; pools of one role give each once", async () => {
  const threads = (name: string) => ({ ...pool(name, 1), hyperthreading: "Disabled" });
  const made = await run({
    fips: true,
    sshKey: `ssh-ed25519 AAAA ${PLANTED.sshKeyComment}`,
    controlPlane: pool("master", 2),
    arbiter: threads("arbiter"),
    compute: [pool("worker", 1), threads("edge")],
  });
  const names = made.files.flatMap(
    ({ path }) => /99_openshift-machineconfig_(.*)\.yaml$/.exec(path)?.[1] ?? [],
  );
  assert.equal(names, [
    "99-arbiter-disable-hyperthreading",
    "99-arbiter-fips",
    "99-arbiter-ssh",
    "99-master-fips",
    "99-master-ssh",
    "99-worker-disable-hyperthreading",
    "99-worker-fips",
    "99-worker-ssh",
  ]);
  const threadsOff = object(
    made,
    "openshift/99_openshift-machineconfig_99-worker-disable-hyperthreading.yaml",
  );
  assert.equal(at(threadsOff, "spec", "kernelArguments"), ["nosmt", "smt-enabled=off"]);
});

const GATE = { featureSet: "TechPreviewNoUpgrade" };
const DISKS = [
  { type: "etcd", etcd: { platformDiskID: "fast" } },
  { type: "swap", swap: { platformDiskID: "swap" } },
  { type: "user-defined", userDefined: { platformDiskID: "My-disk.1", mountPath: "/var/lib/my/disk/" } },
];

test("disks of an arbiter are left alone, with a warning", async () => {
  const arbiter = { ...pool("arbiter", 1), diskSetup: DISKS.slice(1) };
  const made = await run({ ...GATE, controlPlane: pool("master", 2), arbiter });
  assert.equal(
    made.diagnostics.map(({ severity, code, field }) => `${severity} ${code} ${field}`),
    ["warning MAN002 arbiter.diskSetup"],
  );
  assert.not.ok(made.files.some(({ path }) => path.includes("disk-setup")));
});

test("disks are set up where the platform has devices, else there is a diagnostic for each pool", async () => {
  const changes = {
    ...GATE,
    controlPlane: { ...pool("master", 3), diskSetup: DISKS },
    compute: [{ ...pool("worker", 1), diskSetup: DISKS.slice(1) }],
  };
  const refused = await run(changes);
  assert.equal(
    refused.diagnostics.map(({ code, field }) => `${code} ${field}`),
    ["MAN002 controlPlane.diskSetup", "MAN002 compute[0].diskSetup"],
  );
  const odd = { ...changes, compute: [{ ...pool("worker", 1), diskSetup: [{ type: "x".repeat(300) }] }] };
  const unknown = await run(odd, withHooks({ diskDevice: () => "/dev/sdb" }));
  assert.equal(
    unknown.diagnostics.map(({ code, field }) => `${code} ${field}`),
    ["MAN002 compute[0].diskSetup[0].type"],
  );
  const made = await run(
    changes,
    withHooks({ diskDevice: (_input, _pool, _disk, index) => `/dev/sd${"bcd"[index]}` }),
  );
  assert.equal(made.diagnostics, []);
  const names = made.files.flatMap(({ path }) => /_(01-disk-setup-.*)\.yaml$/.exec(path)?.[1] ?? []);
  assert.equal(names, [
    "01-disk-setup-etcd-master",
    "01-disk-setup-mydisk1-master",
    "01-disk-setup-mydisk1-worker",
    "01-disk-setup-swap-master",
    "01-disk-setup-swap-worker",
  ]);
  const config = at(
    object(made, "openshift/99_openshift-machineconfig_01-disk-setup-mydisk1-master.yaml"),
    "spec",
    "config",
  );
  assert.equal(config, {
    ignition: { version: "3.2.0" },
    storage: {
      disks: [
        { device: "/dev/sdd", partitions: [{ label: "Mydisk1", sizeMiB: 0, startMiB: 0 }], wipeTable: true },
      ],
      filesystems: [
        {
          device: "/dev/disk/by-partlabel/Mydisk1",
          format: "xfs",
          label: "Mydisk1",
          mountOptions: ["defaults", "prjquota"],
          path: "/var/lib/my/disk/",
          wipeFilesystem: true,
        },
      ],
    },
    systemd: {
      units: [
        {
          contents:
            "\n[Unit]\nRequires=systemd-fsck@dev-disk-by\\x2dpartlabel-Mydisk1.service\nAfter=systemd-fsck@dev-disk-by\\x2dpartlabel-Mydisk1.service\n\n[Mount]\nWhere=/var/lib/my/disk/\nWhat=/dev/disk/by-partlabel/Mydisk1\nType=xfs\nOptions=defaults,prjquota\n\n[Install]\nRequiredBy=local-fs.target\n",
          enabled: true,
          name: "var-lib-my-disk.mount",
        },
      ],
    },
  });
  const unasked = await runManifests({ config: base({ ...changes, featureSet: "" }) });
  assert.equal(unasked.diagnostics, []);
});

test("a fencing credential is named after its host, from 5.0 on else after its address", async () => {
  const credentials = [
    { hostName: "host-0", macAddress: "52:54:00:00:00:01" },
    { macAddress: "52:54:00:AA:00:02" },
    { hostName: "Host_2", password: PLANTED.password },
    {},
  ];
  const hash = createHash("sha256").update("525400aa0002").digest("hex");
  const annotated = (name: string, source?: string) => ({
    name: `fencing-credentials-${name}`,
    namespace: "openshift-etcd",
    ...(source === undefined ? {} : { annotations: { "openshift.io/fencing-credentials": source } }),
  });
  for (const [release, expected, unnamed] of [
    ["4.22", [annotated("host-0")], [1, 3]],
    ["5.0", [annotated("host-0", "hostname"), annotated(hash, "mac-address")], [3]],
  ] as const) {
    const fencing = { credentials };
    const made = await run({ controlPlane: { ...pool("master", 2), fencing } }, undefined, release);
    const names = made.files
      .filter(({ path }) => path.includes("fencing-credentials-secrets-"))
      .map(({ path }) => at(object(made, path), "metadata"));
    assert.equal(names, expected, release);
    assert.equal(
      made.diagnostics.map(({ code, kind, field }) => `${code} ${kind} ${field}`),
      [
        "MAN004 Invalid controlPlane.fencing.credentials[2].hostName",
        ...unnamed.map((index) => `MAN004 Required controlPlane.fencing.credentials[${index}].hostName`),
      ].sort((a, b) => a.slice(-12).localeCompare(b.slice(-12))),
      release,
    );
    assert.not.ok(JSON.stringify(made.diagnostics).includes(PLANTED.password));
  }
});

test("cloud credentials: the Secret unless the mode is Manual, the Role in either", async () => {
  const data = { key_id: "id", secret: PLANTED.cloudSecretKey };
  const platform = withHooks({ credentialsSecret: () => ({ name: "azure-credentials", data }) });
  const secret = "openshift/99_cloud-creds-secret.yaml";
  const role = "openshift/99_role-cloud-creds-secret-reader.yaml";
  const made = await run({}, platform);
  assert.equal(at(object(made, secret), "data"), {
    key_id: Buffer.from("id").toString("base64"),
    secret: Buffer.from(PLANTED.cloudSecretKey).toString("base64"),
  });
  assert.is(at(object(made, role), "metadata", "name"), "azure-creds-secret-reader");
  assert.equal(at(object(made, role), "rules"), [
    { apiGroups: [""], resources: ["secrets"], resourceNames: ["azure-credentials"], verbs: ["get"] },
  ]);
  const manual = await run({ credentialsMode: "Manual" }, platform);
  assert.not.ok(has(manual, secret));
  assert.ok(has(manual, role));
  assert.not.ok(has(await run(), role));
});

test("a boot image of the user's own is left alone by the cluster", async () => {
  const file = "manifests/90_cluster-mco-02-config.yaml";
  const platform = withHooks({ customBootImage: () => true });
  assert.ok(has(await run({}, platform), file));
  assert.not.ok(has(await run(), file));
  assert.not.ok(
    (await runManifests({ config: base(), platform, release: "4.18" })).files.some(
      ({ path }) => path === file,
    ),
  );
});

test("a cloud provider's config is named in Infrastructure", async () => {
  const cloudConfig = async (data: { [key: string]: string } | undefined): Promise<Json | undefined> =>
    at(
      object(
        await run({}, withHooks({ cloudProviderConfig: () => data })),
        "manifests/cluster-infrastructure-02-config.yml",
      ),
      "spec",
      "cloudConfig",
    );
  assert.equal(await cloudConfig(undefined), { name: "" });
  assert.equal(await cloudConfig({ config: "[Global]\n" }), { name: "cloud-provider-config", key: "config" });
});

test("files that hold a secret are marked", async () => {
  const made = await run({
    sshKey: "ssh-ed25519 AAAA",
    proxy: { httpProxy: `http://user:${PLANTED.proxyPassword}@proxy.example.org` },
    controlPlane: {
      ...pool("master", 2),
      fencing: { credentials: [{ hostName: "host-0", password: PLANTED.password }] },
    },
  });
  const secret = made.files.filter((file) => file.secret).map(({ path }) => path);
  assert.equal(secret, [
    "manifests/cluster-config.yaml",
    "manifests/cluster-proxy-01-config.yaml",
    "manifests/machine-config-server-ca-secret.yaml",
    "manifests/machine-config-server-tls-secret.yaml",
    "manifests/openshift-config-secret-pull-secret.yaml",
    "openshift/99_kubeadmin-password-secret.yaml",
    "openshift/99_openshift-cluster-api_master-user-data-secret.yaml",
    "openshift/99_openshift-cluster-api_worker-user-data-secret.yaml",
    "openshift/99_openshift-etcd_fencing-credentials-secrets-0.yaml",
    "openshift/99_openshift-machineconfig_99-master-ssh.yaml",
    "openshift/99_openshift-machineconfig_99-worker-ssh.yaml",
  ]);
  const plain = await run({ proxy: { httpProxy: "http://proxy.example.org" } });
  assert.not.ok(plain.files.find(({ path }) => path === PROXY)?.secret);
});

test("the same inputs give the same bytes, in the order of the names", async () => {
  const [first, second] = [await run({ sshKey: "a" }), await run({ sshKey: "a" })];
  assert.equal(first.files, second.files);
  const paths = first.files.map(({ path }) => path);
  assert.equal(paths, [...paths].sort());
});

test.run();
