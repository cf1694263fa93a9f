/** Objects of gcp: the provider's definitions and webhooks, credentials, the supplement. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter } from "../../../src/core/diagnostics.js";
import { isObject, type JsonObject } from "../../../src/core/json.js";
import { checkCustomResource, loadCel, readCrd } from "../../../src/crd/schema.js";
import { readCredentials } from "../../../src/platforms/gcp/credentials.js";
import { webhookFindings } from "../../../src/platforms/provider-webhooks.js";
import { formatSupplement } from "../../../src/platforms/supplement.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { FACTS, gcpConfig, NETWORK, SHARED_NETWORK, VARIANTS } from "../../helpers/gcp.js";
import { type Edits, judge } from "../../helpers/install-configs.js";
import { PLANTED } from "../../helpers/planted.js";
import { runPlatform } from "../../helpers/platform-run.js";
import { withShared } from "../../helpers/shared.js";

const test = suite("gcp: objects");

const KEY_FILE = JSON.stringify({
  type: "service_account",
  client_email: "installer@bird-project.iam.gserviceaccount.com",
  private_key: PLANTED.cloudSecretKey,
});
const CLUSTER = "infrastructure-manifests/40_infrastructure-cluster.yaml";
const TEMPLATE = "infrastructure-manifests/50_machine-template.yaml";
const run = (edits: Edits, more: { readonly credentials?: string; readonly release?: string } = {}) =>
  runPlatform({ config: gcpConfig(edits), facts: { gcp: FACTS }, ...more });

function crdIn(folder: string, kind: string) {
  const value = parseYaml(readFileSync(join(folder, `${kind}.yaml`), "utf8"));
  const crd = isObject(value) ? readCrd(value) : undefined;
  if (crd === undefined) throw new Error(`${kind}.yaml is not a definition`);
  return crd;
}

for (const [name, edits] of Object.entries(VARIANTS))
  withShared(test, "data/crds", `fits the definitions: ${name}`, async (folder) => {
    const cel = await loadCel();
    const { objects, errors } = await run(edits, { credentials: KEY_FILE });
    assert.equal(errors, []);
    for (const [path, kind] of [
      [CLUSTER, "GCPCluster"],
      [TEMPLATE, "GCPMachineTemplate"],
    ] as const) {
      const object = objects.get(path);
      assert.is(object?.["kind"], kind);
      assert.equal(checkCustomResource(crdIn(folder, kind), object ?? {}, cel), [], kind);
      assert.equal(webhookFindings(object ?? {}), []);
    }
  });

withShared(test, "data/crds", "the check itself finds what is wrong", async (folder) => {
  const { objects } = await run({});
  const cluster = objects.get(CLUSTER);
  const bad = { ...cluster, spec: { ...(isObject(cluster?.["spec"]) ? cluster["spec"] : {}), nonsense: 1 } };
  assert.equal(
    checkCustomResource(crdIn(folder, "GCPCluster"), bad).map(({ field }) => field),
    ["spec.nonsense"],
  );
});

const RULES: Readonly<Record<string, readonly [Edits, string]>> = {
  "a machine network that cannot be halved": [
    { "networking.machineNetwork": [{ cidr: "10.20.0.0/32" }] },
    "networking.machineNetwork",
  ],
  "a tag's parent": [
    { "platform.gcp.userTags": [{ parentID: "0", key: "k", value: "v" }] },
    "platform.gcp.userTags[0].parentID",
  ],
  "a tag's key": [
    { "platform.gcp.userTags": [{ parentID: "123", key: "-k", value: "v" }] },
    "platform.gcp.userTags[0].key",
  ],
  "a tag's value": [
    { "platform.gcp.userTags": [{ parentID: "123", key: "k", value: "" }] },
    "platform.gcp.userTags[0].value",
  ],
  "a key that is too long": [
    { "controlPlane.platform.gcp.osDisk.encryptionKey.kmsKey": { name: "k".repeat(150), keyRing: "r" } },
    "controlPlane.platform.gcp.osDisk.encryptionKey.kmsKey",
  ],
  "a key's account": [
    {
      "controlPlane.platform.gcp.osDisk.encryptionKey": {
        kmsKey: { name: "k", keyRing: "r" },
        kmsKeyServiceAccount: "me@example.com",
      },
    },
    "controlPlane.platform.gcp.osDisk.encryptionKey.kmsKeyServiceAccount",
  ],
  "what becomes of machines": [
    { "controlPlane.platform.gcp.onHostMaintenance": "Stop" },
    "controlPlane.platform.gcp.onHostMaintenance",
  ],
};

for (const [name, [edits, field]] of Object.entries(RULES))
  test(`the provider refuses ${name}`, async () => {
    const { diagnostics } = await run(edits);
    assert.equal(
      diagnostics.filter(({ code }) => code === "CAPI101").map((each) => each.field),
      [field],
    );
  });

test("an infrastructure ID that no service account can be named after", async () => {
  const { diagnostics } = await runPlatform({ config: gcpConfig(), facts: { gcp: FACTS }, infraID: "9ab" });
  assert.equal(
    diagnostics.filter(({ code }) => code === "CAPI101").map(({ field }) => field),
    ["metadata.name"],
  );
});

test("secure boot that is Disabled is on for the control plane, and that is told", async () => {
  const { objects, remarks } = await run({ "controlPlane.platform.gcp.secureBoot": "Disabled" });
  assert.ok(remarks.includes("CAPI102 controlPlane.platform.gcp.secureBoot"));
  assert.match(JSON.stringify(objects.get(TEMPLATE)), '"secureBoot":"Enabled"');
  assert.not.match(
    JSON.stringify(objects.get("openshift/99_openshift-cluster-api_master-machines-0.yaml")),
    "secureBoot",
  );
});

const template = (spec: JsonObject): JsonObject => ({
  apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
  kind: "GCPMachineTemplate",
  spec: { template: { spec } },
});
const CONFIDENTIAL = {
  confidentialCompute: "Enabled",
  onHostMaintenance: "Terminate",
  instanceType: "n2d-a",
};

test("webhooks", () => {
  const fields = (spec: JsonObject): string[] => webhookFindings(template(spec)).map(({ field }) => field);
  assert.equal(fields(CONFIDENTIAL), []);
  assert.equal(fields({ instanceType: "e2-a" }), []);
  assert.equal(
    fields({ ...CONFIDENTIAL, confidentialCompute: "Disabled", onHostMaintenance: "Migrate" }),
    [],
  );
  assert.equal(fields({ ...CONFIDENTIAL, onHostMaintenance: "Migrate" }), [
    "spec.template.spec.onHostMaintenance",
  ]);
  assert.equal(fields({ confidentialCompute: "Enabled", instanceType: "n2d-a" }), [
    "spec.template.spec.onHostMaintenance",
  ]);
  assert.equal(fields({ ...CONFIDENTIAL, instanceType: "e2-a" }), ["spec.template.spec.instanceType"]);
  assert.equal(fields({ ...CONFIDENTIAL, confidentialCompute: "Magic" }), [
    "spec.template.spec.confidentialCompute",
  ]);
});

test("credentials go byte for byte to the operators and to the provider, and nowhere with mode Manual", async () => {
  const made = await run({ credentialsMode: "Mint" }, { credentials: `${KEY_FILE}\n` });
  const secret = made.objects.get("openshift/99_cloud-creds-secret.yaml");
  const encoded = Buffer.from(`${KEY_FILE}\n`).toString("base64");
  assert.equal(secret?.["metadata"], { name: "gcp-credentials", namespace: "kube-system" });
  assert.equal(secret?.["data"], { "service_account.json": encoded });
  const provider = made.objects.get("infrastructure-manifests/10_credentials-secret.yaml");
  assert.equal(provider?.["data"], { credentials: encoded });
  const cluster = made.objects.get(CLUSTER)?.["spec"];
  assert.equal(isObject(cluster) ? cluster["credentialsRef"] : undefined, {
    name: "gannet-abcde-gcp-credentials",
    namespace: "gannet-abcde",
  });
  const manual = await run({}, { credentials: KEY_FILE });
  assert.not.ok(manual.objects.has("openshift/99_cloud-creds-secret.yaml"));
});

test("credentials that cannot be used", () => {
  const config = judge(gcpConfig({ credentialsMode: "Mint" })).asset?.config;
  const manual = judge(gcpConfig()).asset?.config;
  assert.ok(config !== undefined && manual !== undefined);
  const said = (text: string, given = config): string => {
    const reporter = createReporter();
    readCredentials(text, "key.json", reporter, given);
    return reporter.diagnostics.map(({ code, kind, message }) => `${code} ${kind} ${message}`).join();
  };
  assert.is(said(KEY_FILE), "");
  assert.match(said("nonsense"), /^CRED001 Parse/);
  assert.match(said("[]"), /^CRED001 Parse/);
  assert.match(said("{}"), /^CRED002 Required/);
  assert.match(said('{"type": "service_account", "client_email": "a"}'), /private_key/);
  assert.match(said('{"type": "authorized_user"}'), /^CRED003 Forbidden/);
  assert.is(said('{"type": "authorized_user"}', manual), "");
  assert.match(said('{"type": "external_account_authorized_user"}'), /^CRED003 Forbidden/);
  assert.is(said('{"type": "external_account"}'), "");
  assert.is(said('{"type": "impersonated_service_account"}'), "");
  assert.match(said('{"type": "constructor"}'), /^CRED001 NotSupported/);
  assert.match(said('{"type": "Service_Account", "client_email": "a", "private_key": "b"}'), /NotSupported/);
  assert.not.match(said(KEY_FILE.replace("private_key", "other")), PLANTED.cloudSecretKey);
});

const supplementOf = async (edits: Edits): Promise<string> => formatSupplement((await run(edits)).supplement);

test("the supplement: accounts, rules, records and what goes", async () => {
  const text = await supplementOf({});
  for (const part of [
    "gcloud iam service-accounts create gannet-abcde-m --project bird-project",
    "--role roles/artifactregistry.reader --condition None",
    "gcloud compute firewall-rules create gannet-abcde-api --project bird-project --network gannet-abcde-network",
    "--source-ranges 35.191.0.0/16,130.211.0.0/22,209.85.152.0/22,209.85.204.0/22",
    "gcloud dns managed-zones create gannet-abcde-private-zone",
    "record-sets create api.gannet.sea.example.org. --project bird-project --zone sea --type A",
    "publicIP: true",
    "the provider offers every zone of the region",
    "gcloud compute firewall-rules delete allow-gannet-abcde-cluster",
    "gcloud storage rm gs://gannet-abcde-bootstrap-ignition --recursive",
  ])
    assert.match(text, part);
});

test("the supplement of a shared network", async () => {
  const text = await supplementOf({
    ...SHARED_NETWORK,
    publish: "Internal",
    "platform.gcp.dns.privateZone": { projectID: "dns-project", name: "birds-zone" },
    "platform.gcp.firewallRulesManagement": "Unmanaged",
    "platform.gcp.defaultMachinePlatform": { serviceAccount: "own@bird-project.iam.gserviceaccount.com" },
  });
  assert.not.match(text, "service-accounts create");
  assert.not.match(text, "firewall-rules delete");
  assert.match(text, /^Before.*so no rules are created.*While/s);
  assert.match(text, "managed-zones create birds-zone --project dns-project");
  assert.match(text, "projects/host-project/global/networks/birds");
  assert.not.match(text, "PUBLIC-ADDRESS");
  assert.match(await supplementOf(SHARED_NETWORK), "add-iam-policy-binding host-project");
});

test("the supplement: a zone that is there, an endpoint, DNS of one's own, zones of compute machines", async () => {
  const { supplement } = await runPlatform({
    config: gcpConfig({ ...SHARED_NETWORK, "platform.gcp.endpoint": { name: "birdsendpoint" } }),
    facts: { gcp: { ...FACTS, privateZone: "theirs" } },
  });
  const text = formatSupplement(supplement);
  assert.match(
    text,
    "managed-zones update theirs --project bird-project --update-labels kubernetes-io-cluster-gannet-abcde=shared",
  );
  assert.match(text, "managed-zones create gannet-abcde-psc-zone");
  assert.match(text, "record-sets create '*.googleapis.com.'");
  const own = await supplementOf({ ...NETWORK, "platform.gcp.userProvisionedDNS": "Enabled" });
  assert.not.match(own, "record-sets");
  assert.match(own, "Configure your DNS to resolve the API names");
  const zones = await supplementOf({
    "controlPlane.platform.gcp.zones": ["europe-west1-b"],
    "compute[0].platform.gcp.zones": ["europe-west1-c"],
  });
  assert.match(zones, "Do not place control plane machines in europe-west1-c");
});

test.run();
