/** Facts, what is refused once machines are made, and the objects with their definitions. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Problem } from "../../../src/core/diagnostics.js";
import { isList, isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { checkCustomResource, loadCel, readCrd } from "../../../src/crd/schema.js";
import type { CloudFacts } from "../../../src/generated/types/cloud-facts.js";
import { platform } from "../../../src/platforms/nutanix/index.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { releaseNamed, rendered } from "../../helpers/aws.js";
import { compiled, configText, domain, inputOf, NO_FACTS, uuid, worker } from "../../helpers/nutanix.js";
import { withShared } from "../../helpers/shared.js";

const test = suite("nutanix: facts and objects");

const FACTS: NonNullable<CloudFacts["nutanix"]> = {
  prismElements: [
    { uuid: uuid(1), name: "pe-1" },
    { uuid: uuid(11), name: "pe-11" },
    { uuid: uuid(12), name: "pe-12" },
  ],
  subnets: [uuid(2), uuid(21), uuid(22)],
  projects: [{ uuid: uuid(31), name: "birds" }],
  images: [
    { uuid: uuid(41), name: "tools" },
    { uuid: uuid(42), name: "pre", sourceURI: "https://example.org/rhcos-417.94-nutanix.x86_64.qcow2" },
  ],
  categories: [{ key: "Env", value: "Prod" }],
  gpus: [{ prismElement: uuid(1), name: "Tesla T4", deviceID: 7 }],
};
const factsWith = (more: NonNullable<CloudFacts["nutanix"]> = {}): CloudFacts => ({
  ...NO_FACTS,
  nutanix: { ...FACTS, ...more },
});

function said(text: string, facts: CloudFacts, stream?: JsonObject): readonly Problem[] {
  const { config } = compiled(text);
  const problems: Problem[] = [...(platform.cloudRules?.(config) ?? [])];
  platform.resolveFacts(
    config,
    { facts, stream },
    { release: releaseNamed("4.22"), report: (problem) => problems.push(problem) },
  );
  return problems;
}
const summary = (text: string, facts: CloudFacts = factsWith(), stream?: JsonObject): string =>
  said(text, facts, stream)
    .map(({ code, kind, field }) => `${code} ${kind} ${field}`)
    .join(", ");

const own = (section: JsonObject): string => configText({}, { compute: worker(section) });
const disk = (more: JsonObject): string => own({ dataDisks: [{ diskSize: "2Gi", ...more }] });
const POOL = "compute[0].platform.nutanix";
const DISK = `${POOL}.dataDisks[0]`;

test("what lacks nothing is taken", () => {
  assert.is(summary(configText()), "");
  assert.is(summary(configText(), NO_FACTS), "");
});

/** Name, what is written, what is said. */
const REFUSED: readonly (readonly [string, string, string])[] = [
  ["boot", own({ bootType: "BIOS" }), `FACT008 Invalid ${POOL}.bootType`],
  ["project type", own({ project: { type: "x" } }), `FACT008 Invalid ${POOL}.project.type`],
  ["project name", own({ project: { type: "name" } }), `FACT008 Required ${POOL}.project.name`],
  ["project UUID", own({ project: { type: "uuid" } }), `FACT008 Required ${POOL}.project.uuid`],
  ["domain", own({ failureDomains: ["x"] }), `FACT008 Invalid ${POOL}.failureDomains[0]`],
  ["GPU type", own({ gpus: [{ type: "x" }] }), `FACT008 Invalid ${POOL}.gpus[0].type`],
  ["GPU name", own({ gpus: [{ type: "Name" }] }), `FACT008 Required ${POOL}.gpus[0].name`],
  ["GPU number", own({ gpus: [{ type: "DeviceID" }] }), `FACT008 Required ${POOL}.gpus[0].deviceID`],
  ["small disk", disk({ diskSize: "1023Mi" }), `FACT008 Invalid ${DISK}.diskSize`],
  [
    "device",
    disk({ deviceProperties: { deviceType: "Tape", adapterType: "SCSI" } }),
    `FACT008 Invalid ${DISK}.deviceProperties.deviceType`,
  ],
  [
    "adapter",
    disk({ deviceProperties: { deviceType: "CDRom", adapterType: "SCSI" } }),
    `FACT008 Invalid ${DISK}.deviceProperties.adapterType`,
  ],
  [
    "index",
    disk({ deviceProperties: { deviceType: "Disk", adapterType: "SCSI", deviceIndex: -1 } }),
    `FACT008 Invalid ${DISK}.deviceProperties.deviceIndex`,
  ],
  ["mode", disk({ storageConfig: { diskMode: "x" } }), `FACT008 Invalid ${DISK}.storageConfig.diskMode`],
  [
    "container",
    disk({ storageConfig: { diskMode: "Flash", storageContainer: {} } }),
    `FACT008 Required ${DISK}.storageConfig.storageContainer.uuid`,
  ],
  ["image", disk({ dataSourceImage: {} }), `FACT008 Required ${DISK}.dataSourceImage`],
  [
    "GPUs of the control plane",
    configText(
      {},
      {
        controlPlane: {
          name: "master",
          platform: { nutanix: { gpus: [{ type: "Name", name: "Tesla T4" }] } },
        },
      },
    ),
    "FACT008 Forbidden controlPlane.platform.nutanix.gpus",
  ],
  [
    "disks of the control plane, from all pools",
    configText({ defaultMachinePlatform: { dataDisks: [{ diskSize: "2Gi" }] } }),
    "FACT008 Forbidden platform.nutanix.defaultMachinePlatform.dataDisks",
  ],
  [
    "architecture",
    configText(
      {},
      {
        controlPlane: { name: "master", architecture: "arm64" },
        compute: [{ name: "worker", architecture: "arm64" }],
      },
    ),
    "FACT008 NotSupported controlPlane.architecture, FACT008 NotSupported compute[0].architecture",
  ],
  [
    "element",
    configText({ prismElements: [{ uuid: uuid(9), name: "x", endpoint: { address: "pe", port: 1 } }] }),
    "FACT002 Invalid platform.nutanix.prismElements[0].uuid",
  ],
  ["subnet", configText({ subnetUUIDs: [uuid(9)] }), "FACT002 Invalid platform.nutanix.subnetUUIDs[0]"],
  ["unknown project", own({ project: { type: "name", name: "x" } }), `FACT001 Required ${POOL}.project.name`],
  [
    "project that is not there",
    own({ project: { type: "uuid", uuid: uuid(9) } }),
    `FACT002 Invalid ${POOL}.project.uuid`,
  ],
  ["category", own({ categories: [{ key: "Env", value: "x" }] }), `FACT002 Invalid ${POOL}.categories[0]`],
  ["no such GPU", own({ gpus: [{ type: "Name", name: "x" }] }), `FACT002 Invalid ${POOL}.gpus[0]`],
  [
    "unknown image",
    disk({ dataSourceImage: { name: "x" } }),
    `FACT001 Required ${DISK}.dataSourceImage.name`,
  ],
  [
    "image that is not there",
    disk({ dataSourceImage: { uuid: uuid(9) } }),
    `FACT002 Invalid ${DISK}.dataSourceImage.uuid`,
  ],
  [
    "preloaded image",
    configText({ preloadedOSImageName: "x" }),
    "FACT002 Invalid platform.nutanix.preloadedOSImageName",
  ],
];

for (const [name, text, expected] of REFUSED)
  test(`refused when machines are made: ${name}`, () => {
    assert.is(summary(text), expected);
    for (const { hint = "" } of said(text, factsWith())) assert.not.equal(hint, "");
  });

test("references that the failure domains of the pool do not have, or have without a UUID", () => {
  const text = (referenceName: string) =>
    configText(
      { failureDomains: [domain(1, { dataSourceImages: [{ referenceName: "a", name: "tools" }] })] },
      {
        compute: worker({
          failureDomains: ["fd-1"],
          dataDisks: [{ diskSize: "2Gi", dataSourceImage: { referenceName } }],
        }),
      },
    );
  assert.is(summary(text("a")), `FACT007 Required ${DISK}.dataSourceImage.uuid`);
  assert.match(summary(text("b")), `FACT008 Invalid ${DISK}.dataSourceImage.referenceName`);
});

test("images of failure domains are looked for, each once", () => {
  const text = (image: JsonObject) =>
    configText({ failureDomains: [domain(1, { dataSourceImages: [{ referenceName: "a", ...image }] })] });
  const field = "platform.nutanix.failureDomains[0].dataSourceImages[0]";
  assert.is(summary(text({ uuid: uuid(41) })), "");
  assert.is(summary(text({ name: "tools" })), "");
  assert.is(summary(text({ uuid: uuid(9), name: "tools" })), `FACT002 Invalid ${field}.uuid`);
  assert.is(summary(text({ name: "x" })), `FACT002 Invalid ${field}.name`);
  const twice = [41, 42].map((last) => ({ uuid: uuid(last), name: "tools" }));
  assert.is(summary(text({ name: "tools" }), factsWith({ images: twice })), `FACT002 Invalid ${field}.name`);
  assert.is(summary(text({ name: "x" }), NO_FACTS), "");
});

test("the version of a preloaded image may be one behind", () => {
  const text = configText({ preloadedOSImageName: "pre" });
  const stream = (release: string): JsonObject => ({
    architectures: {
      x86_64: {
        artifacts: { nutanix: { release, formats: { qcow2: { disk: { location: "https://x/y" } } } } },
      },
    },
  });
  assert.is(summary(text, factsWith(), stream("417.94.1")), "");
  assert.is(
    summary(text, factsWith(), stream("418.94.1")),
    "FACT007 Invalid platform.nutanix.preloadedOSImageName",
  );
  assert.is(
    summary(text, factsWith(), stream("419.94.1")),
    "FACT002 Invalid platform.nutanix.preloadedOSImageName",
  );
});

const at = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((found, name) => (isObject(found) ? found[name] : undefined), value);

test("machines take turns in the failure domains, machine sets share them", async () => {
  const text = configText(
    { failureDomains: [domain(1), domain(2)] },
    {
      controlPlane: {
        name: "master",
        replicas: 3,
        platform: { nutanix: { failureDomains: ["fd-2", "fd-1"] } },
      },
      compute: worker({ failureDomains: ["fd-1", "fd-2"] }, 3),
    },
  );
  const files = await rendered(platform.machines(inputOf(text, factsWith())));
  const domains = [...files]
    .filter(([path]) => path.includes("master-machines"))
    .map(([, machine]) => at(machine, "spec", "providerSpec", "value", "failureDomain", "name"));
  assert.equal(domains, ["fd-2", "fd-1", "fd-2"]);
  const sets = [...files]
    .filter(([path]) => path.includes("machineset"))
    .map(([, set]) => [
      at(set, "spec", "replicas"),
      at(set, "spec", "template", "spec", "providerSpec", "value", "failureDomain", "name"),
    ]);
  assert.equal(sets, [
    [2, "fd-1"],
    [1, "fd-2"],
  ]);
  const keeper = [...files].find(([path]) => path.includes("control-plane-machine-set"))?.[1];
  assert.match(JSON.stringify(keeper), '"failureDomains":{"nutanix":[{"name":"fd-2"},{"name":"fd-1"}]');
});

const CONTROL_PLANE = (section: JsonObject) => ({
  controlPlane: { name: "master", replicas: 3, platform: { nutanix: section } },
});

/** What the provider refuses, each alone. */
const PROVIDER: readonly (readonly [string, string, string])[] = [
  [
    "element",
    configText({ prismElements: [{ uuid: "x", name: "x", endpoint: { address: "pe", port: 1 } }] }),
    "CAPI101 platform.nutanix.prismElements[0].uuid",
  ],
  ["subnet", configText({ subnetUUIDs: ["x"] }), "CAPI101 platform.nutanix.subnetUUIDs[0]"],
  [
    "project",
    configText({}, CONTROL_PLANE({ project: { type: "uuid", uuid: "x" } })),
    "CAPI101 controlPlane.platform.nutanix.project.uuid",
  ],
  [
    "name of a domain",
    configText({ failureDomains: [domain(1, { name: "aB" })] }),
    "CAPI101 platform.nutanix.failureDomains[0].name",
  ],
  [
    "two of a name",
    configText({ failureDomains: [domain(1), domain(1)] }),
    "CAPI101 platform.nutanix.failureDomains[1].name",
  ],
  [
    "memory",
    configText({}, CONTROL_PLANE({ memoryMiB: 1024 })),
    "CAPI101 controlPlane.platform.nutanix.memoryMiB",
  ],
  [
    "disk",
    configText({}, CONTROL_PLANE({ osDisk: { diskSizeGiB: 10 } })),
    "CAPI101 controlPlane.platform.nutanix.osDisk.diskSizeGiB",
  ],
  [
    "Secure Boot",
    configText({}, CONTROL_PLANE({ bootType: "SecureBoot" })),
    "CAPI102 controlPlane.platform.nutanix.bootType",
  ],
];

for (const [name, text, expected] of PROVIDER)
  test(`the provider has a word: ${name}`, () => {
    const input = inputOf(text);
    const found: string[] = [];
    platform.infrastructure(input, {
      release: input.release,
      report: ({ code, field }) => found.push(`${code} ${field}`),
    });
    assert.equal(found, [expected]);
  });

test("a category without a value has none in the machine template, as the provider's own type writes it", async () => {
  const text = configText({}, CONTROL_PLANE({ categories: [{ key: "Env", value: "" }] }));
  const input = inputOf(text, factsWith());
  const { objects } = platform.infrastructure(input, { release: input.release, report: () => undefined });
  const templates = [...(await rendered(objects)).values()].filter(
    ({ kind }) => kind === "NutanixMachineTemplate",
  );
  assert.ok(templates.length > 0);
  for (const template of templates) {
    const spec = JSON.stringify(template);
    assert.match(spec, /\{"key":"Env"\}/);
    assert.not.match(spec, /"value":""/);
  }
});

const FITTING: Readonly<Record<string, string>> = {
  plain: configText(),
  "failure domains": configText(
    { failureDomains: [domain(1), domain(2)] },
    CONTROL_PLANE({ failureDomains: ["fd-1", "fd-2"], bootType: "UEFI" }),
  ),
  "project, categories, certificates": configText(
    {},
    {
      ...CONTROL_PLANE({
        project: { type: "name", name: "birds" },
        categories: [{ key: "Env", value: "Prod" }],
        bootType: "Legacy",
      }),
    },
  ),
};

for (const [name, text] of Object.entries(FITTING))
  withShared(test, "data/crds", `the objects fit the definitions: ${name}`, async (folder) => {
    const cel = await loadCel();
    const input = inputOf(text, factsWith());
    const context = { release: input.release, report: () => undefined };
    const objects = [...(await rendered(platform.infrastructure(input, context).objects)).values()].filter(
      ({ kind }) => kind !== "Secret",
    );
    assert.ok(objects.length >= 2);
    for (const object of objects) {
      const kind = String(object["kind"]);
      const value = parseYaml(readFileSync(join(folder, `${kind}.yaml`), "utf8"));
      const crd = isObject(value) ? readCrd(value) : undefined;
      if (crd === undefined) throw new Error(`${kind}.yaml is not a definition`);
      assert.equal(checkCustomResource(crd, object, cel), [], kind);
    }
  });

test("cluster-config has the UUIDs of projects and images that pools name", () => {
  const named = { project: { type: "name", name: "birds" } };
  const image = (more: JsonObject): JsonObject => ({
    diskSize: "2Gi",
    dataSourceImage: { name: "tools", ...more },
  });
  const sections = (common: JsonObject, ...pools: readonly JsonObject[]): Json => {
    const compute = pools.map((nutanix) => ({ name: "worker", replicas: 3, platform: { nutanix } }));
    const input = inputOf(configText({ defaultMachinePlatform: common }, { compute }), factsWith());
    const whole: JsonObject = JSON.parse(JSON.stringify(input.config));
    const seen = platform.manifests.redact?.(whole, input) ?? whole;
    const [pool] = isList(seen["compute"] ?? null) ? JSON.parse(JSON.stringify(seen["compute"])) : [];
    const fallback = JSON.parse(JSON.stringify(seen["platform"])).nutanix.defaultMachinePlatform;
    return { fallback, pool: pool.platform.nutanix };
  };
  const known = { project: { type: "uuid", name: "birds", uuid: uuid(31) } };
  assert.equal(sections({}, named), { fallback: {}, pool: known });
  assert.equal(sections(named, {}), { fallback: known, pool: {} });
  // The control plane, which has no section, takes the default.
  assert.equal(sections(named, { project: { type: "uuid", uuid: uuid(31) } }), {
    fallback: known,
    pool: { project: { type: "uuid", uuid: uuid(31) } },
  });
  const disks = (...list: readonly JsonObject[]): JsonObject => ({ dataDisks: [...list] });
  assert.equal(sections({}, disks(image({}), image({ uuid: uuid(42) }), image({ referenceName: "a" }))), {
    fallback: {},
    pool: disks(image({ uuid: uuid(41) }), image({ uuid: uuid(42) }), image({ referenceName: "a" })),
  });
});

test("up to 4.19 a data disk says that it has no storage container", async () => {
  const section = { dataDisks: [{ diskSize: "2Gi", storageConfig: { diskMode: "Flash" } }] };
  const stored = async (release: string): Promise<boolean> => {
    const input = inputOf(configText({}, { compute: worker(section) }), NO_FACTS, release);
    const set = (await rendered(platform.machines(input))).get(
      "openshift/99_openshift-cluster-api_worker-machineset-0.yaml",
    );
    return JSON.stringify(set).includes('"storageConfig":{"diskMode":"Flash","storageContainer":null}');
  };
  assert.is(await stored("4.18"), true);
  assert.is(await stored("4.19"), true);
  assert.is(await stored("4.20"), false);
});

test("cluster-config has the login until 4.20, metadata.json always, the supplement never", () => {
  const password = "planted-prism-password";
  const redacted = (release: string): string => {
    const input = inputOf(configText(), factsWith(), release);
    const whole: JsonObject = JSON.parse(JSON.stringify(input.config));
    return JSON.stringify(platform.manifests.redact?.(whole, input) ?? whole);
  };
  assert.match(redacted("4.20"), password);
  assert.not.match(redacted("4.21"), password);
  assert.not.match(redacted("4.21"), "dnsRecordsType");
  assert.not.match(redacted("4.22"), password);
  assert.match(redacted("4.22"), "dnsRecordsType");
  const input = inputOf(configText(), factsWith());
  assert.match(JSON.stringify(platform.ignition?.metadata?.(input)), password);
  assert.is(platform.ignition?.secretMetadata, true);
  assert.not.match(JSON.stringify(platform.supplement(input)), password);
});

test.run();
