/** Rules of the install-config: each one broken alone, and what is only warned of. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isError } from "../../../src/core/diagnostics.js";
import type { Json, JsonObject } from "../../../src/core/json.js";
import { platform } from "../../../src/platforms/powervs/index.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { namesRemedy } from "../../helpers/applied-hints.js";
import { compile, compiled, configText, factsWith, inputOf, pool, RSA_KEY } from "../../helpers/powervs.js";
import { withShared } from "../../helpers/shared.js";

const test = suite("powervs: rules of the install-config");

const id = (number: number): string => `00000000-0000-4000-8000-00000000000${number}`;
const own = (section: JsonObject): JsonObject => ({ compute: [pool("worker", section)] });

/** Name, what is written, what is said, and a text of the line that it is said of. */
const BROKEN: readonly (readonly [string, string, string, string])[] = [
  ["no key", configText({}, { sshKey: "" }), "Required sshKey", "sshKey"],
  ["no zone", configText({ zone: "" }), "Required platform.powervs.zone", "zone"],
  ["another zone", configText({ zone: "dal99" }), "NotSupported platform.powervs.zone", "zone"],
  ["another region", configText({ region: "x" }), "NotSupported platform.powervs.region", "region"],
  [
    "workspace",
    configText({ serviceInstanceGUID: "x" }),
    "Invalid platform.powervs.ServiceInstanceGUID",
    "serviceInstanceGUID",
  ],
  [
    "endpoint twice",
    configText({
      serviceEndpoints: [
        { url: "https://a.example.org", name: "IAM" },
        { url: "https://b.example.org", name: "IAM" },
      ],
    }),
    "Duplicate platform.powervs.serviceEndpoints[1].name",
    "name: IAM",
  ],
  ...["http://a.example.org", "https://a.example.org/x", "https://", "", "https://a.example.org?x=1"].map(
    (url): readonly [string, string, string, string] => [
      `endpoint ${url}`,
      configText({ serviceEndpoints: [{ name: "IAM", url }] }),
      "Invalid platform.powervs.serviceEndpoints[0].url",
      "url",
    ],
  ),
  [
    "volume",
    configText({}, own({ volumeIDs: ["x"] })),
    "Invalid compute[0].platform.powervs.volumeIDs[0]",
    "- x",
  ],
  [
    "volume twice",
    configText({}, own({ volumeIDs: [id(1), id(1)] })),
    "Duplicate compute[0].platform.powervs.volumeIDs[1]",
    id(1),
  ],
  [
    "type of processors",
    configText({}, own({ procType: "shared" })),
    "NotSupported compute[0].platform.powervs.procType",
    "procType",
  ],
  ...["1", "x", "0.3", "0.25", "1e1", "", "NaN", "1.0.0", "0x1.8p1"].map(
    (processors): readonly [string, string, string, string] => [
      `processors ${JSON.stringify(processors)}`,
      configText({ defaultMachinePlatform: { processors } }),
      "Invalid platform.powervs.defaultMachinePlatform.processors",
      "processors",
    ],
  ),
  [
    "dedicated processors",
    configText({}, own({ procType: "Dedicated", processors: "0.5" })),
    "Invalid compute[0].platform.powervs.processors",
    "processors",
  ],
  [
    "level",
    configText({}, own({ smtLevel: "9" })),
    "Invalid compute[0].platform.powervs.smtLevel",
    "smtLevel",
  ],
  [
    "system",
    configText({}, own({ sysType: "s9" })),
    "Invalid compute[0].platform.powervs.sysType",
    "sysType",
  ],
  [
    "little memory",
    configText({}, { controlPlane: pool("master", { memoryGiB: 3 }) }),
    "Invalid controlPlane.platform.powervs.memory",
    "memoryGiB",
  ],
  ...[
    ["s922", 942, 15],
    ["e980", 15_307, 143],
  ].flatMap(
    ([sysType = "", memoryGiB = 0, processors = 0]): readonly (readonly [
      string,
      string,
      string,
      string,
    ])[] => [
      [
        `memory of ${sysType}`,
        configText({}, own({ sysType, memoryGiB: Number(memoryGiB) + 1 })),
        "Invalid compute[0].platform.powervs.memory",
        "memoryGiB",
      ],
      [
        `cores of ${sysType}`,
        configText({}, own({ sysType, processors: Number(processors) + 1 })),
        "Invalid compute[0].platform.powervs.processors",
        "processors",
      ],
    ],
  ),
  ["mode", configText({}, { credentialsMode: "Mint" }), "NotSupported credentialsMode", "credentialsMode"],
  ["publish", configText({}, { publish: "Mixed" }), "Invalid publish", "publish"],
];

for (const [name, text, expected, line] of BROKEN)
  test(`broken alone: ${name}`, () => {
    const { said } = compile(text);
    const errors = said.filter(isError);
    assert.equal([...new Set(errors.map(({ kind, field }) => `${kind} ${field}`))], [expected]);
    for (const error of errors) {
      assert.ok(namesRemedy(error), error.message);
      assert.ok(text.split("\n")[(error.line ?? 0) - 1]?.includes(line), `${error.line}`);
    }
  });

test("what fits is taken as it is", () => {
  const section = {
    memoryGiB: 942,
    processors: "15.0",
    sysType: "s922",
    procType: "Capped",
    smtLevel: "off",
    volumeIDs: [`{${id(1)}}`, `URN:UUID:${id(2)}`, id(3).replaceAll("-", "").toUpperCase()],
  };
  const { said } = compile(configText({ serviceInstanceGUID: id(4) }, own(section)));
  assert.equal(said.filter(isError), []);
});

test("what is beyond the field is not read", () => {
  for (const processors of [0.5, 3_000_000_000, true, [1]]) {
    const [first, ...more] = compile(configText({}, own({ processors }))).said.filter(isError);
    assert.equal(more, []);
    assert.equal(first?.code, "IC013", String(processors));
  }
  assert.equal(compile(configText({}, own({ processors: 0.5 }))).said.find(isError)?.hint, "quote the value");
});

test("warnings: volumes, a level that does not reach compute pools, a zone elsewhere", () => {
  const warned = (text: string) =>
    compile(text)
      .said.filter(({ severity }) => severity === "warning")
      .map(({ code, field }) => `${code} ${field}`);
  assert.equal(warned(configText({}, own({ volumeIDs: [id(1)] }))), [
    "IC348 compute[0].platform.powervs.volumeIDs",
  ]);
  assert.equal(warned(configText({ defaultMachinePlatform: { smtLevel: "4" } })), [
    "IC348 compute[0].platform.powervs.smtLevel",
  ]);
  assert.equal(warned(configText({ defaultMachinePlatform: { smtLevel: "4" } }, own({ smtLevel: "2" }))), []);
  assert.equal(warned(configText({ region: "lon" })), ["IC349 platform.powervs.region"]);
});

test("zones and systems are those of the release", () => {
  const errors = (text: string, release: string) =>
    compile(text, release)
      .said.filter(isError)
      .map(({ field }) => field);
  assert.equal(errors(configText({ zone: "dal14" }), "4.21"), ["platform.powervs.zone"]);
  assert.equal(errors(configText({ zone: "dal14" }), "4.22"), []);
  assert.equal(errors(configText({ zone: "lon04" }), "4.19"), ["platform.powervs.zone"]);
  assert.equal(errors(configText({ zone: "lon04" }), "4.20"), []);
  assert.equal(errors(configText({}, own({ sysType: "s1122" })), "4.21"), [
    "compute[0].platform.powervs.sysType",
  ]);
});

test("the normal form has the region, the mode and processors of every section", () => {
  const { config, normalForm } = compiled(configText({}, own({ memoryGiB: 8 })));
  assert.equal(config.platform.powervs?.region, "dal");
  const form = JSON.stringify(parseYaml(normalForm));
  assert.match(form, '"credentialsMode":"Manual"');
  assert.match(form, '"powervs":{"memoryGiB":8,"processors":0}');
  assert.match(form, '"machineNetwork":[{"cidr":"192.168.0.0/24"}]');
});

test("an arbiter's pool is judged as the others are, although the platform has none", () => {
  const arbiter = { name: "arbiter", replicas: 1, architecture: "ppc64le", platform: { powervs: {} } };
  const errorsOf = (powervs: JsonObject, release: string): readonly string[] =>
    compile(configText({}, { arbiter: { ...arbiter, platform: { powervs } } }), release)
      .said.filter(isError)
      .map(({ kind, field }) => `${kind} ${field}`)
      .filter((each) => each.includes("arbiter.platform.powervs"));
  assert.equal(errorsOf({ procType: "shared", memoryGiB: 1 }, "4.22"), [
    "Invalid arbiter.platform.powervs.memory",
    "NotSupported arbiter.platform.powervs.procType",
  ]);
  assert.equal(errorsOf({ procType: "Shared", memoryGiB: 8 }, "4.22"), []);
});

const VARIANTS: Readonly<Record<string, string>> = {
  plain: configText(),
  "every key": configText(
    {
      region: "dal",
      vpcRegion: "eu-gb",
      vpcName: "birds-vpc",
      vpcSubnets: ["birds-1"],
      tgName: "birds-tg",
      serviceInstanceGUID: id(1),
      clusterOSImage: "birds/rhcos.ova.gz",
      serviceEndpoints: [{ name: "IAM", url: "https://iam.example.org" }],
      defaultMachinePlatform: { processors: "1.5", procType: "Capped" },
    },
    { ...own({ sysType: "e980", processors: 2 }), publish: "Internal" },
  ),
  "empty sections": configText({ vpcSubnets: [], serviceEndpoints: [] }, own({})),
};

/** What every phase puts into objects. */
function objectsOf(text: string, release: string): Json {
  const input = inputOf(text, factsWith(), release);
  const context = { release: input.release, report: () => undefined };
  return JSON.parse(
    JSON.stringify([
      platform.machines(input),
      platform.infrastructure(input, context).objects,
      platform.manifests.infrastructure(input),
      platform.manifests.cloudProviderConfig(input),
      platform.supplement(input),
    ]),
  );
}

for (const [name, text] of Object.entries(VARIANTS))
  for (const release of ["4.18", "4.20", "4.22"])
    test(`the normal form is its own normal form: ${name}, ${release}`, () => {
      const once = compiled(text, release);
      const twice = compiled(once.normalForm, release);
      assert.is(twice.normalForm, once.normalForm);
      assert.equal(objectsOf(twice.normalForm, release), objectsOf(text, release));
    });

withShared(
  test,
  "data/validation/handed-platforms.jsonl",
  "what the real validator answered",
  async (file) => {
    const { readFileSync } = await import("node:fs");
    const lines = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line.startsWith('{"id": "powervs-'));
    assert.ok(lines.length >= 3);
    for (const line of lines) {
      const given: {
        readonly id: string;
        readonly config: string;
        readonly errors: readonly { readonly type: string; readonly field: string }[];
      } = JSON.parse(line);
      const { said } = compile(given.config);
      assert.equal(
        said.filter(isError).map(({ kind, field }) => `${kind} ${field}`),
        given.errors.map(({ type, field }) => `${type} ${field}`),
        given.id,
      );
    }
  },
);

test("an RSA key of the helper is one", () => {
  assert.match(RSA_KEY, /^ssh-rsa /);
});

test.run();
