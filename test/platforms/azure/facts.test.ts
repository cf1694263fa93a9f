/** Facts of azure: what is missing, what contradicts, the images of a stream; credentials of a file. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter, type Diagnostic, isError } from "../../../src/core/diagnostics.js";
import type { JsonObject } from "../../../src/core/json.js";
import type { AzureFacts } from "../../../src/generated/types/cloud-facts.js";
import { readCredentials } from "../../../src/platforms/azure/credentials.js";
import { platform } from "../../../src/platforms/azure/index.js";
import {
  CREDENTIALS,
  cloudFacts,
  compile,
  FACTS,
  inputOf,
  installConfig,
  machineType,
} from "../../helpers/azure.js";
import {
  CONFIDENTIAL,
  NETWORK_FACTS,
  OWN,
  SECURED_FACTS,
  SET,
  STACK,
  STACK_FACTS,
} from "../../helpers/azure-variants.js";
import { releaseOf } from "../../helpers/install-configs.js";

const test = suite("azure: facts");

/** What is said of a config with facts. */
function judged(
  config: JsonObject,
  azure: AzureFacts,
  stream?: JsonObject,
  name = "4.22",
): readonly Diagnostic[] {
  const release = releaseOf(name);
  const { asset, diagnostics } = compile(config, name, cloudFacts(azure));
  if (asset === undefined) throw new Error(JSON.stringify(diagnostics));
  const { report, diagnostics: said } = createReporter();
  platform.cloudRules?.(asset.config).forEach(report);
  platform.resolveFacts(asset.config, { facts: cloudFacts(azure), stream }, { release, report });
  return said;
}

const told = (diagnostics: readonly Diagnostic[]): readonly string[] =>
  diagnostics.map(({ code, kind, field }) => `${code} ${kind} ${field}`);

const C = "controlPlane.platform.azure";
const W = "compute[0].platform.azure";
const P = "platform.azure";

const pool = (azure: JsonObject): JsonObject => ({
  compute: [{ name: "worker", replicas: 3, platform: { azure } }],
});
const master = (azure: JsonObject): JsonObject => ({
  controlPlane: { name: "master", replicas: 3, platform: { azure } },
});
/** Every type of {@link FACTS}, with other capabilities. */
const types = (...capabilities: readonly { name: string; value: string }[]): AzureFacts => ({
  ...FACTS,
  instanceTypes: (FACTS.instanceTypes ?? []).map(({ name, zones }) =>
    machineType(name, zones ?? [], capabilities),
  ),
});
const subnet = (change: object): AzureFacts => ({
  ...NETWORK_FACTS,
  virtualNetwork: {
    id: "/id",
    ...NETWORK_FACTS.virtualNetwork,
    subnets: [
      { name: "masters", addressPrefix: "10.0.0.0/24" },
      { name: "nodes", addressPrefix: "10.0.1.0/24", ...change },
    ],
  },
});
const IMAGE = { publisher: "redhat", offer: "rh-ocp", sku: "worker", version: "4.1.2" };
const KNOWN = {
  ...IMAGE,
  hyperVGeneration: "V2",
  plan: { name: "a", product: "b", publisher: "c" },
} as const;
const DIAGNOSTICS = {
  bootDiagnostics: { type: "UserManaged", resourceGroup: "logs-rg", storageAccountName: "birdslogs" },
};
const GATEWAYS = { outboundType: "NATGatewayMultiZone" };

const ROWS: readonly (readonly [title: string, config: JsonObject, facts: AzureFacts, ...said: string[]])[] =
  [
    ["everything is known", installConfig(), FACTS],
    [
      "nothing is known",
      installConfig(),
      {},
      `FACT001 Required ${C}.type`,
      `FACT001 Required ${C}.osImage`,
      `FACT001 Required ${W}.type`,
    ],
    [
      "zones, networking and images that the config names need no type",
      installConfig(
        { defaultMachinePlatform: { zones: ["1"], vmNetworkingType: "Basic" } },
        { ...master({ osImage: IMAGE }), ...pool({ osImage: IMAGE }) },
      ),
      { marketplaceImages: [{ ...KNOWN, termsAccepted: true }] },
    ],
    [
      "an image of the release is one for a generation",
      installConfig({ defaultMachinePlatform: { zones: ["1"], vmNetworkingType: "Basic" } }),
      { images: FACTS.images ?? {} },
      `FACT001 Required ${C}.type`,
      `FACT001 Required ${W}.type`,
    ],
    ["a network that nobody knows", installConfig(OWN), FACTS, `FACT001 Required ${P}.virtualNetwork`],
    [
      "a subnet that nobody knows",
      installConfig({ ...OWN, subnets: [OWN.subnets[0] ?? {}, { name: "other", role: "node" }] }),
      NETWORK_FACTS,
      `FACT001 Required ${P}.subnets[1]`,
    ],
    ["zones of gateways", installConfig(GATEWAYS), FACTS, `FACT001 Required ${P}.outboundType`],
    [
      "an Azure Stack Hub that nobody knows",
      installConfig(STACK, { credentialsMode: "Manual" }),
      FACTS,
      `FACT001 Required ${P}.armEndpoint`,
    ],
    [
      "an Azure Stack Hub without an image",
      installConfig({ ...STACK, clusterOSImage: "" }, { credentialsMode: "Manual" }),
      STACK_FACTS,
      `FACT008 Required ${P}.clusterOSImage`,
    ],
    [
      "an image that lies elsewhere",
      installConfig({ ...STACK, clusterOSImage: "https://example.net/x.vhd" }, { credentialsMode: "Manual" }),
      STACK_FACTS,
      `FACT008 Invalid ${P}.clusterOSImage`,
    ],
    [
      "a type without generations",
      installConfig({}, master(CONFIDENTIAL)),
      {
        ...SECURED_FACTS,
        instanceTypes: (SECURED_FACTS.instanceTypes ?? []).map((type) => ({
          ...type,
          capabilities: type.capabilities.filter(({ name }) => name !== "HyperVGenerations"),
        })),
      },
      `FACT001 Required ${C}.type`,
      `FACT001 Required ${W}.type`,
    ],
    [
      "facts of another region",
      installConfig(),
      { ...FACTS, region: "westeurope" },
      "FACT002 Invalid azure.region",
    ],
    [
      "too few processors",
      installConfig(),
      types({ name: "vCPUsAvailable", value: "2" }),
      `FACT002 Invalid ${C}.type`,
    ],
    [
      "too little memory",
      installConfig(),
      types({ name: "MemoryGB", value: "4" }),
      `FACT002 Invalid ${C}.type`,
      `FACT002 Invalid ${W}.type`,
    ],
    [
      "another architecture",
      installConfig({}, pool({ type: "Standard_D4ps_v5" })),
      types({ name: "CpuArchitectureType", value: "x64" }),
    ],
    [
      "an architecture that is not the pool's",
      installConfig(),
      types({ name: "CpuArchitectureType", value: "Arm64" }),
      `FACT002 Invalid ${C}.type`,
      `FACT002 Invalid ${W}.type`,
    ],
    [
      "a family that cannot boot",
      installConfig(),
      {
        ...FACTS,
        instanceTypes: (FACTS.instanceTypes ?? []).map((type) => ({
          ...type,
          family: "standardNVSv4Family",
        })),
      },
      `FACT002 Invalid ${C}.type`,
      `FACT002 Invalid ${W}.type`,
    ],
    [
      "no premium disks",
      installConfig({}, pool({ osDisk: { diskType: "StandardSSD_LRS" } })),
      types({ name: "PremiumIO", value: "False" }),
      `FACT002 Invalid ${C}.osDisk.diskType`,
    ],
    [
      "no accelerated networking",
      installConfig({}, pool({ vmNetworkingType: "Accelerated" })),
      types({ name: "AcceleratedNetworkingEnabled", value: "False" }),
      `FACT002 Invalid ${W}.vmNetworkingType`,
    ],
    [
      "no ultra disks",
      installConfig({}, pool({ ultraSSDCapability: "Enabled" })),
      FACTS,
      `FACT002 Invalid ${W}.type`,
    ],
    [
      "no confidential machines",
      installConfig({}, master({ ...CONFIDENTIAL, type: "Standard_D8s_v3" })),
      FACTS,
      `FACT002 Invalid ${C}.settings.securityType`,
    ],
    [
      "terms that nobody accepted",
      installConfig({}, pool({ osImage: IMAGE })),
      { ...FACTS, marketplaceImages: [{ ...KNOWN, termsAccepted: false }] },
      `FACT002 Invalid ${W}.osImage`,
    ],
    [
      "terms where there are none",
      installConfig({}, pool({ osImage: IMAGE })),
      { ...FACTS, marketplaceImages: [{ ...IMAGE, hyperVGeneration: "V2" }] },
      `FACT002 Invalid ${W}.osImage`,
    ],
    [
      "an image that nobody knows",
      installConfig({}, pool({ osImage: IMAGE })),
      FACTS,
      `FACT004 Required ${W}.osImage.publisher`,
    ],
    [
      "an image of another generation",
      installConfig({}, pool({ osImage: IMAGE })),
      {
        ...types({ name: "HyperVGenerations", value: "V1" }),
        marketplaceImages: [{ ...KNOWN, termsAccepted: true }],
      },
      `FACT002 Invalid ${W}.osImage`,
    ],
    [
      "a storage account elsewhere, of another kind",
      installConfig({}, pool(DIAGNOSTICS)),
      {
        ...FACTS,
        storageAccounts: [
          { name: "birdslogs", resourceGroup: "LOGS-RG", location: "West Europe", sku: "Premium_LRS" },
        ],
      },
      `FACT002 Invalid ${W}.bootDiagnostics.storageAccountName`,
      `FACT002 Invalid ${W}.bootDiagnostics.storageAccountName`,
    ],
    [
      "a storage account that is as it should be",
      installConfig({}, pool(DIAGNOSTICS)),
      {
        ...FACTS,
        storageAccounts: [
          { name: "birdslogs", resourceGroup: "logs-rg", location: "North Europe", sku: "Standard_LRS" },
        ],
      },
    ],
    [
      "an encryption set elsewhere",
      installConfig({}, pool({ osDisk: { diskEncryptionSet: SET } })),
      {
        ...FACTS,
        diskEncryptionSets: [{ name: "cluster-des", resourceGroup: "keys-rg", location: "westeurope" }],
      },
      `FACT002 Invalid ${W}.osDisk.diskEncryptionSet`,
    ],
    [
      "a network elsewhere",
      installConfig(OWN),
      {
        ...NETWORK_FACTS,
        virtualNetwork: { id: "/id", ...NETWORK_FACTS.virtualNetwork, location: "westeurope" },
      },
      `FACT002 Invalid ${P}.virtualNetwork`,
    ],
    [
      "a subnet outside of the machine networks",
      installConfig(OWN),
      subnet({ addressPrefix: "10.9.0.0/24" }),
      `FACT002 Invalid ${P}.subnets[1]`,
    ],
    [
      "a subnet of several blocks, the first of them in a machine network",
      installConfig(OWN),
      subnet({ addressPrefix: "", addressPrefixes: ["10.0.32.0/19", "10.9.0.0/24"] }),
    ],
    [
      "a subnet of several blocks, the first of them outside of the machine networks",
      installConfig(OWN),
      subnet({ addressPrefix: "", addressPrefixes: ["10.9.0.0/24", "10.0.32.0/19"] }),
      `FACT002 Invalid ${P}.subnets[1]`,
    ],
    [
      "a subnet that has a gateway",
      installConfig({ ...OWN, outboundType: "NATGatewaySingleZone" }),
      subnet({ natGateway: true }),
      `FACT002 Invalid ${P}.subnets[1]`,
    ],
    [
      "a group of another cluster, elsewhere, that is not empty",
      installConfig({ resourceGroupName: "birds-rg" }),
      {
        ...FACTS,
        resourceGroup: {
          location: "westeurope",
          tags: { "kubernetes.io_cluster.wren-abcde": "owned" },
          resources: ["/x"],
        },
      },
      `FACT002 Invalid ${P}.resourceGroupName`,
      `FACT002 Invalid ${P}.resourceGroupName`,
      `FACT002 Invalid ${P}.resourceGroupName`,
    ],
    [
      "zones without a gateway",
      installConfig(GATEWAYS, pool({ zones: ["3"] })),
      { ...FACTS, natGatewayZones: ["1"] },
      `FACT002 Invalid ${W}.zones`,
    ],
    [
      "zones of the control plane that the compute type does not have",
      installConfig({}, pool({ type: "Standard_DS3_v2" })),
      {
        ...FACTS,
        instanceTypes: (FACTS.instanceTypes ?? []).map((type) =>
          type.name === "Standard_DS3_v2" ? { ...type, zones: ["1"] } : type,
        ),
      },
      `FACT007 Invalid ${W}.zones`,
    ],
  ];

for (const [title, config, facts, ...said] of ROWS)
  test(title, () => {
    assert.equal([...told(judged(config, facts))].sort(), [...said].sort());
  });

const URN = { publisher: "azureopenshift", offer: "aro4", sku: "422-v2", version: "9.8.1" };
const STREAM: JsonObject = {
  architectures: {
    x86_64: {
      "rhel-coreos-extensions": {
        "azure-disk": { release: "9.8.20260428-0", url: "https://rhcos.example.net/azure.vhd" },
        marketplace: {
          azure: { "no-purchase-plan": { hyperVGen1: { ...URN, sku: "aro_422" }, hyperVGen2: URN } },
        },
      },
    },
  },
};

test("a stream supplies the images", () => {
  const { images: _, ...rest } = FACTS;
  assert.equal(told(judged(installConfig(), rest, STREAM)), []);
  const resolved = platform.resolveFacts(
    inputOf(installConfig()).config,
    { facts: cloudFacts(rest), stream: STREAM },
    { release: releaseOf("4.22"), report: () => undefined },
  );
  assert.equal(resolved.azure?.images?.amd64, {
    gen1: "azureopenshift:aro4:aro_422:9.8.1",
    gen2: "azureopenshift:aro4:422-v2:9.8.1",
    url: "https://rhcos.example.net/azure.vhd",
  });
});

test("no images are needed before 4.21", () => {
  const { images: _, ...rest } = FACTS;
  assert.equal(told(judged(installConfig(), rest, undefined, "4.20")), []);
  assert.equal(told(judged(installConfig(), rest, undefined, "4.21")), [`FACT001 Required ${C}.osImage`]);
});

test("the account is that of the credentials, or of the facts", () => {
  const said = (azure: AzureFacts, credentials: typeof CREDENTIALS | undefined) => {
    const { report, diagnostics } = createReporter();
    platform.checkAccount?.(inputOf(installConfig(), azure, { credentials }), {
      report,
      release: releaseOf("4.22"),
    });
    return told(diagnostics);
  };
  assert.equal(said(FACTS, CREDENTIALS), []);
  assert.equal(said(FACTS, undefined), [`FACT001 Required ${P}`, `FACT001 Required ${P}`]);
  assert.equal(said({ ...FACTS, subscriptionID: "a", tenantID: "b" }, undefined), []);
  assert.equal(said({ ...FACTS, subscriptionID: "a" }, CREDENTIALS), [`FACT002 Invalid ${P}`]);
});

const SECRET = "planted-secret-1234";
const ROW = { subscriptionId: "s", tenantId: "t", clientId: "c" };
const FILES: readonly (readonly [title: string, text: string, mode: string, ...said: string[]])[] = [
  ["a service principal", JSON.stringify({ ...ROW, clientSecret: SECRET }), "Passthrough"],
  [
    "other letters",
    JSON.stringify({ SUBSCRIPTIONID: "s", tenantid: "t", ClientID: "c", clientsecret: SECRET }),
    "",
  ],
  ["no JSON", `{"clientSecret": "${SECRET}"`, "", "CRED001 Parse"],
  ["no object", `["${SECRET}"]`, "", "CRED001 Parse"],
  [
    "no tenant",
    JSON.stringify({ subscriptionId: "s", clientId: "c", clientSecret: SECRET }),
    "",
    "CRED002 Required",
  ],
  [
    "no client",
    JSON.stringify({ subscriptionId: "s", tenantId: "t", clientSecret: SECRET }),
    "",
    "CRED002 Required",
  ],
  ["a certificate by hand", JSON.stringify({ ...ROW, clientCertificate: "/x.pem" }), "Manual"],
  [
    "a certificate for the operators",
    JSON.stringify({ ...ROW, clientCertificate: "/x.pem" }),
    "",
    "CRED003 Invalid",
  ],
  ["a managed identity for the operators", JSON.stringify(ROW), "Passthrough", "CRED003 Invalid"],
  ["a managed identity by hand", JSON.stringify(ROW), "Manual"],
];

for (const [title, text, credentialsMode, ...said] of FILES)
  test(`credentials: ${title}`, () => {
    const { report, diagnostics } = createReporter();
    const { config } = inputOf(installConfig({}, credentialsMode === "" ? {} : { credentialsMode }));
    const read = readCredentials(text, "sp.json", { report }, config);
    assert.equal(
      diagnostics.map(({ code, kind }) => `${code} ${kind}`),
      said,
    );
    assert.is(read === undefined, diagnostics.some(isError));
    assert.not.match(JSON.stringify(diagnostics), SECRET);
  });

test.run();
