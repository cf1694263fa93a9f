/** What differs by release on gcp. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { RELEASES } from "../../../src/core/release.js";
import { FACTS, gcpConfig, NETWORK, SHARED_NETWORK } from "../../helpers/gcp.js";
import { type Edits, judge, releaseOf } from "../../helpers/install-configs.js";
import { runPlatform } from "../../helpers/platform-run.js";

/** In their order. */
const NAMES: readonly string[] = RELEASES;

const test = suite("gcp: releases");

const at = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((found, name) => (isObject(found) ? found[name] : undefined), value);

const run = async (release: string, edits: Edits = {}, privateZone?: string) => {
  const facts = { gcp: { ...FACTS, ...(privateZone === undefined ? {} : { privateZone }) } };
  const made = await runPlatform({ config: gcpConfig(edits), facts, release });
  const object = (path: string): JsonObject => made.objects.get(path) ?? {};
  return {
    ...made,
    dns: at(object("manifests/cluster-dns-02-config.yml"), "spec"),
    cloud: String(at(object("manifests/cloud-provider-config.yaml"), "data", "config")),
    status: at(object("manifests/cluster-infrastructure-02-config.yml"), "status", "platformStatus", "gcp"),
    cluster: at(object("infrastructure-manifests/40_infrastructure-cluster.yaml"), "spec"),
    template: at(object("infrastructure-manifests/50_machine-template.yaml"), "spec", "template", "spec"),
    metadata: (): Json | undefined =>
      made.asset === undefined
        ? undefined
        : at(
            made.platform?.ignition?.metadata?.({
              config: made.asset.config,
              identity: { infraID: "gannet-abcde", clusterID: "" },
              facts: made.facts,
              credentials: undefined,
              release: releaseOf(release),
            }),
            "gcp",
          ),
  };
};
const from =
  (since: string, before = "9.9") =>
  (release: string): boolean => {
    const order = (text: string): number => (text === "9.9" ? RELEASES.length : NAMES.indexOf(text));
    return order(release) >= order(since) && order(release) < order(before);
  };

for (const release of RELEASES) {
  test(`${release}: zones of DNS`, async () => {
    const named = from("4.20")(release);
    const id = (name: string): string => (named ? `projects/bird-project/managedZones/${name}` : name);
    const zones = (dns: Json | undefined): Json[] => [
      at(dns, "publicZone", "id") ?? "",
      at(dns, "privateZone", "id") ?? "",
    ];
    assert.equal(zones((await run(release)).dns), [id("sea"), id("gannet-abcde-private-zone")]);
    // Before 4.19 any zone of the cluster's domain counts, later in a shared network only.
    const found = (await run(release, {}, "theirs")).dns;
    assert.equal(
      at(found, "privateZone", "id"),
      id(release === "4.18" ? "theirs" : "gannet-abcde-private-zone"),
    );
    assert.equal(at((await run(release, SHARED_NETWORK, "theirs")).dns, "privateZone", "id"), id("theirs"));
    const own = await run(release, {
      "platform.gcp.userProvisionedDNS": "Enabled",
      featureSet: "TechPreviewNoUpgrade",
    });
    assert.equal(own.errors, []);
    assert.equal(at(own.dns, "publicZone"), named ? undefined : {});
    assert.equal(at(own.dns, "privateZone"), named ? undefined : {});
  });

  test(`${release}: the cloud provider's config`, async () => {
    const head = "subnetwork-name = gannet-abcde-worker-subnet\n";
    const { cloud } = await run(release);
    assert.is(
      cloud.slice(cloud.indexOf("subnetwork-name")),
      release === "4.18"
        ? `${head}\n\n`
        : from("4.21")(release)
          ? `${head}firewall-rules-management = Enabled\n\n`
          : `${head}\n`,
    );
    const shared = (await run(release, SHARED_NETWORK)).cloud;
    assert.match(shared, "\nsubnetwork-name = workers\nnetwork-project-id = host-project\n");
    assert.match(shared, /[^\n]\n\n$/);
  });

  test(`${release}: rules of the firewall in the GCPCluster, members of metadata`, async () => {
    const made = await run(release, SHARED_NETWORK);
    assert.equal(
      at(made.cluster, "network", "firewall"),
      from("4.21")(release) ? { defaultRulesManagement: "Managed" } : undefined,
    );
    assert.equal(made.metadata(), {
      region: "europe-west1",
      projectID: "bird-project",
      networkProjectID: "host-project",
      privateZoneDomain: "gannet.sea.example.org.",
      ...(from("4.20")(release) ? { privateZoneProjectID: "bird-project" } : {}),
      ...(from("4.21")(release) ? { firewallRulesManagement: "Managed" } : {}),
    });
  });

  test(`${release}: the disk of a machine type, and machine types that are known`, async () => {
    const follows = from("4.19")(release);
    const typed = judge(gcpConfig({ "controlPlane.platform.gcp": { type: "c4-standard-8" } }), release);
    assert.is(
      typed.asset?.config.controlPlane.platform.gcp?.osDisk?.diskType,
      follows ? "hyperdisk-balanced" : undefined,
    );
    const made = await run(release, {
      "controlPlane.platform.gcp": { type: "m4-x-8", osDisk: { diskType: "hyperdisk-balanced" } },
    });
    assert.equal(made.errors, follows ? [] : ["NotFound controlPlane.platform.gcp.type"]);
    const arm = await run(release, {
      "compute[0].architecture": "arm64",
      "compute[0].platform.gcp": { type: "n4a-standard-4", osDisk: { diskType: "hyperdisk-balanced" } },
    });
    assert.equal(arm.errors, follows ? [] : ["NotFound compute[0].platform.gcp.type"]);
  });

  test(`${release}: keys and pools in the normal form`, () => {
    const { asset } = judge(
      gcpConfig({
        "platform.gcp.defaultMachinePlatform": {
          tags: ["birds"],
          osDisk: { encryptionKey: { kmsKey: { name: "k", keyRing: "r" } } },
        },
        "controlPlane.platform.gcp": { osDisk: { encryptionKey: { kmsKey: { name: "k2", keyRing: "r" } } } },
      }),
      release,
    );
    const key = { projectID: "bird-project", location: "europe-west1" };
    const disk = (
      section: { readonly osDisk?: { readonly encryptionKey?: { readonly kmsKey?: object } } } | undefined,
    ) => section?.osDisk?.encryptionKey?.kmsKey;
    assert.equal(disk(asset?.config.controlPlane.platform.gcp), {
      name: "k2",
      keyRing: "r",
      ...(release === "4.18" ? {} : key),
    });
    assert.equal(disk(asset?.config.platform.gcp?.defaultMachinePlatform), {
      name: "k",
      keyRing: "r",
      ...(from("4.20")(release) ? key : {}),
    });
    const merged = release === "4.19" || from("5.0")(release);
    assert.equal(asset?.config.compute[0]?.platform.gcp?.tags, merged ? ["birds"] : undefined);
  });

  test(`${release}: fields that need a gate, or come later`, () => {
    const errors = (edits: Edits): readonly string[] => judge(gcpConfig(edits), release).errors;
    const dns = { "platform.gcp.userProvisionedDNS": "Enabled" };
    assert.equal(errors(dns), from("4.21")(release) ? [] : ["Forbidden platform.gcp.userProvisionedDNS"]);
    assert.equal(errors({ ...dns, featureSet: "TechPreviewNoUpgrade" }), []);
    const endpoints = {
      "platform.gcp.serviceEndpoints": [{ name: "Compute", url: "https://compute.example.com" }],
      publish: "Internal",
    };
    const known = from("4.19", "4.21")(release);
    if (known) assert.equal(errors(endpoints), ["Forbidden platform.gcp.serviceEndpoints"]);
    // An unknown key is an error from 4.22 on.
    assert.equal(
      errors({ ...endpoints, featureSet: "TechPreviewNoUpgrade" }),
      from("4.22")(release) ? ["NotSupported platform.gcp.serviceEndpoints"] : [],
    );
    const confidential = {
      "controlPlane.platform.gcp": { type: "n2d-standard-4", confidentialCompute: "Enabled" },
    };
    assert.equal(
      errors(confidential),
      release === "4.18" ? ["Invalid controlPlane.platform.gcp.OnHostMaintenance"] : [],
    );
  });
}

const ENDPOINTS: Edits = {
  featureSet: "TechPreviewNoUpgrade",
  publish: "Internal",
  "platform.gcp.serviceEndpoints": [
    { name: "Container", url: "container.example.com" },
    { name: "Compute", url: "https://compute.example.com/v9/" },
    { name: "IAM", url: "https://iam.example.com:8443" },
  ],
};

test("service endpoints as they are written (4.19), and with the path of the service (4.20)", async () => {
  const older = await run("4.19", ENDPOINTS);
  assert.equal(older.errors, []);
  assert.equal(at(older.status, "serviceEndpoints"), [
    { name: "Compute", url: "https://compute.example.com/v9/" },
    { name: "Container", url: "container.example.com" },
    { name: "IAM", url: "https://iam.example.com:8443" },
  ]);
  assert.match(
    older.cloud,
    "\napi-endpoint = https://compute.example.com/v9/\ncontainer-api-endpoint = container.example.com\n",
  );
  const newer = await run("4.20", ENDPOINTS);
  assert.equal(newer.errors, []);
  assert.equal(at(newer.status, "serviceEndpoints"), [
    { name: "Container", url: "https://container.example.com" },
    { name: "Compute", url: "https://compute.example.com/v9" },
    { name: "IAM", url: "https://iam.example.com:8443" },
  ]);
  assert.match(
    newer.cloud,
    "\napi-endpoint = https://compute.example.com/compute/v1/\ncontainer-api-endpoint = https://container.example.com/container/v1/\n",
  );
  assert.equal(at(newer.cluster, "serviceEndpoints"), {
    compute: "https://compute.example.com/compute/v1/",
    container: "https://container.example.com/container/v1/",
    iam: "https://iam.example.com:8443/",
  });
  assert.equal(at((await run("4.20")).cluster, "serviceEndpoints"), {});
});

test("service endpoints that cannot be used", () => {
  const errors = (list: Json, release = "4.20", more: Edits = {}): readonly string[] =>
    judge(gcpConfig({ ...ENDPOINTS, "platform.gcp.serviceEndpoints": list, ...more }), release).errors;
  const field = "platform.gcp.serviceEndpoints";
  assert.equal(errors([{ name: "Mail", url: "https://a.example.com" }]), [`NotSupported ${field}[0].name`]);
  assert.equal(errors([{ name: "TagManager", url: "https://a.example.com" }]), [
    `NotSupported ${field}[0].name`,
  ]);
  assert.equal(errors([{ name: "TagManager", url: "https://a.example.com" }], "4.19"), []);
  assert.equal(
    errors([
      { name: "IAM", url: "https://a.example.com" },
      { name: "IAM", url: "https://b.example.com" },
    ]),
    [`Duplicate ${field}[1].name`],
  );
  assert.equal(errors([{ name: "IAM", url: "http://a.example.com" }]), [`Invalid ${field}[0].url`]);
  assert.equal(errors([{ name: "IAM", url: "" }]), [`Invalid ${field}[0].url`]);
  assert.equal(errors([{ name: "IAM", url: "" }], "4.20", { publish: "External" }), []);
});

test("a size that cannot be stays where pools are merged (4.19)", () => {
  const edits = {
    "platform.gcp.defaultMachinePlatform": { osDisk: { diskType: "pd-balanced" } },
    "controlPlane.platform.gcp.osDisk.DiskSizeGB": -1,
  };
  for (const release of RELEASES)
    assert.equal(
      judge(gcpConfig(edits), release).errors,
      ["Invalid controlPlane.platform.gcp.diskSizeGB"],
      release,
    );
});

test("projects of a sovereign cloud have machines and addresses of their own from 5.0 on", async () => {
  const machine = async (release: string) => {
    const { template } = await run(release, { "platform.gcp.projectID": "eu0:birds" });
    return [
      at(template, "instanceType"),
      at(template, "rootDeviceType"),
      at(template, "serviceAccounts", "email"),
    ];
  };
  assert.equal(await machine("4.22"), [
    "n2-standard-4",
    "pd-ssd",
    "gannet-abcde-m@eu0:birds.iam.gserviceaccount.com",
  ]);
  assert.equal(await machine("5.0"), [
    "c3-standard-4",
    "hyperdisk-balanced",
    "gannet-abcde-m@birds.eu0.iam.gserviceaccount.com",
  ]);
});

test("pools are merged with defaultMachinePlatform in 4.19 and from 5.0 on", async () => {
  for (const release of RELEASES) {
    const edits = { "platform.gcp.defaultMachinePlatform": { type: "e2-standard-8" } };
    const pool = (await run(release, edits)).asset?.config.controlPlane.platform.gcp;
    assert.is(pool?.type, release === "4.19" || from("5.0")(release) ? "e2-standard-8" : undefined, release);
  }
});

test("the endpoint of whoever installs", async () => {
  const endpoint = (clusterUseOnly: boolean): Edits => ({
    ...NETWORK,
    "platform.gcp.endpoint": { name: "birds", clusterUseOnly },
  });
  assert.equal(at((await run("4.22", endpoint(true))).cluster, "serviceEndpoints"), undefined);
  assert.equal(at((await run("4.22", endpoint(false))).cluster, "serviceEndpoints"), {
    compute: "https://compute-birds.p.googleapis.com/compute/v1/",
    container: "https://container-birds.p.googleapis.com/container/v1/",
    iam: "https://iam-birds.p.googleapis.com/",
    resourceManager: "https://cloudresourcemanager-birds.p.googleapis.com/",
  });
});

test.run();
