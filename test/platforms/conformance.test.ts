/**
 * What belongs to a platform that slipway handles, asked of each: a closed section in the schema, rules and objects
 * that work on its example, facts that are explained, a starter, docs and a golden case. A platform in the making is
 * told what it lacks; CONTRIBUTING.md has the list.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter, type Diagnostic, isError } from "../../src/core/diagnostics.js";
import type { Json } from "../../src/core/json.js";
import schema from "../../src/generated/schemas/inputs/cloud-facts.js";
import { EMITTED_VALIDATORS } from "../../src/generated/validators/emitted/index.js";
import { compileInstallConfig } from "../../src/phases/install-config/index.js";
import { readInstallConfig } from "../../src/phases/install-config/read.js";
import { blanksOf, filledStarter, starterText } from "../../src/phases/install-config/starter.js";
import { readCloudFacts } from "../../src/platforms/cloud-facts.js";
import type { NormalConfig, PlatformName } from "../../src/platforms/config.js";
import type { PlatformDescriptor, PlatformModule, Rendering } from "../../src/platforms/platform.js";
import { activePlatform, PLATFORM_NAMES, PLATFORMS } from "../../src/platforms/registry.js";
import { unfilled } from "../../src/platforms/starter.js";
import { createRenderer, platformFolders } from "../../src/text/render.js";
import { PULL_SECRET, releaseOf, SSH_KEYS } from "../helpers/install-configs.js";

const RELEASE = releaseOf("4.22");
const IDENTITY = { infraID: "gannet-abcde", clusterID: "00000000-0000-4000-8000-000000000000" };

interface Platform {
  readonly name: string;
  readonly descriptor: PlatformDescriptor;
}

/** Compiles a text by the rules of a platform. */
function compile(text: string, module: PlatformModule, facts?: ReturnType<typeof factsOf>) {
  const reporter = createReporter();
  const read = readInstallConfig(
    text,
    "install-config.yaml",
    { release: RELEASE, lenient: false },
    reporter.report,
  );
  const asset =
    read === undefined
      ? undefined
      : compileInstallConfig(read, { release: RELEASE, platform: module, facts }, reporter.report);
  return {
    named: read === undefined ? undefined : activePlatform(read.config),
    asset,
    said: reporter.diagnostics,
  };
}

/** Addresses, domains and words of documentation: nothing that a starter may leave to be compiled. */
const MADE_UP =
  /192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|2001:db8:|52:54:00|(?:change|replace)-me|\bexample\b|0{8}-0{4}/i;

const errors = (said: readonly Diagnostic[]): string =>
  said
    .filter(isError)
    .map(({ code, field, message }) => `${code} ${field}: ${message}`)
    .join("; ");

function factsOf(name: string) {
  const file = join("examples", name, "facts.yaml");
  return existsSync(file)
    ? readCloudFacts(readFileSync(file, "utf8"), file, () => undefined)?.facts
    : undefined;
}

/** What a platform lacks, a line each. */
async function faultsOf({ name, descriptor }: Platform, others: readonly Platform[]): Promise<string[]> {
  const { handling } = descriptor;
  if (typeof handling === "string") return [];
  const module = await handling.load();
  const faults: string[] = [];
  const claim = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault);
  };
  claim(module.name === name, `src/platforms/${name}/index.ts: it is the code of ${module.name}`);

  // The form: what was made up is refused, in the section and in that of a pool.
  const withSection = (section: Json, pool: Json): string =>
    JSON.stringify({
      apiVersion: "v1",
      metadata: { name: "gannet" },
      platform: { [name]: section },
      compute: [{ name: "worker", platform: { [name]: pool } }],
    });
  const refused = (text: string, field: string): boolean =>
    compile(text, module).said.some((each) => isError(each) && each.field === field);
  claim(
    refused(withSection({ madeUp: 1 }, {}), `platform.${name}.madeUp`),
    `src/platforms/${name}/schemas/install-config.schema.json: no closed section platform.${name}`,
  );
  claim(
    descriptor.traits.poolSection === "none" ||
      refused(withSection({}, { madeUp: 1 }), `compute[0].platform.${name}.madeUp`),
    `src/platforms/${name}/schemas/install-config.schema.json: no closed section ${name} of a pool`,
  );

  // The starter.
  const { starter } = handling;
  const answers = Object.fromEntries(
    starter.questions.map(({ flag, example }) => [flag, example ?? `some-${flag}`]),
  );
  const { publish } = descriptor.traits;
  const about = { platform: name, publish, starter, name: "gannet", baseDomain: "sea.example.org", answers };
  const filled = { ...about, pullSecret: PULL_SECRET, sshKey: SSH_KEYS.ed25519 };
  const started = compile(filledStarter(filled), module);
  claim(
    started.named === name && started.asset !== undefined,
    `src/platforms/${name}/descriptor.ts: the starter does not give a config of ${name} ${errors(started.said)}`.trimEnd(),
  );
  claim(
    compile(starterText(filled), module).said.filter((each) => isError(each) && each.code === "IC002")
      .length === blanksOf(filled).length,
    `src/platforms/${name}/starter.ts: a value to be filled in is accepted as it is`,
  );
  const required = Object.fromEntries(
    starter.questions.flatMap((each) => (each.required ? [[each.flag, `some-${each.flag}`]] : [])),
  );
  const lines = starter.lines(required, (text) => text, unfilled).filter((line) => !/^\s*#/.test(line));
  const madeUp = MADE_UP.exec(lines.join("\n"))?.[0];
  claim(madeUp === undefined, `src/platforms/${name}/starter.ts: ${madeUp} is made up; use a blank`);

  // Facts: each need is a field of the facts with an explanation.
  for (const { fact } of module.needs)
    claim(
      fact.startsWith(`${name}.`) && factIsExplained(fact),
      `src/platforms/${name}/schemas/cloud-facts.schema.json: nothing explains ${fact}`,
    );

  // Words for people.
  claim(
    readFileSync("README.md", "utf8").includes(`\`${name}\``),
    `README.md: ${name} is not among the platforms`,
  );
  const table = module.needs.length === 0 ? "" : factsTable(name);
  claim(table !== undefined, `docs/facts.md: no table of required facts (${name})`);
  for (const { fact } of table === undefined ? [] : module.needs)
    claim(
      new RegExp(`^\\|[^|]*\`${fact.slice(name.length + 1)}\``, "m").test(table ?? ""),
      `docs/facts.md: no row of ${fact} in the required facts (${name})`,
    );
  claim(existsSync(join("golden", name, "case.yaml")), `golden/${name}: no case`);

  const example = join("examples", name, "install-config.yaml");
  if (!existsSync(example)) return [...faults, `${example}: no example`];
  const compiled = compile(readFileSync(example, "utf8"), module, factsOf(name));
  if (compiled.named !== name || compiled.asset === undefined)
    return [...faults, `${example}: it is no config of ${name} ${errors(compiled.said)}`.trimEnd()];
  return [...faults, ...(await faultsOfObjects(name, descriptor, module, compiled.asset.config, others))];
}

/** The part of the page of facts that says when a platform needs which; undefined where there is none. */
function factsTable(platform: string): string | undefined {
  const [, part] = readFileSync("docs/facts.md", "utf8").split(`\n## Required facts (${platform})\n`);
  return part?.split("\n## ")[0];
}

function factIsExplained(path: string): boolean {
  let node: unknown = schema;
  const root: unknown = schema;
  const member = (value: unknown, key: string): unknown =>
    typeof value === "object" && value !== null
      ? new Map<string, unknown>(Object.entries(value)).get(key)
      : undefined;
  for (const step of path.split(".")) {
    const target = member(node, "$ref");
    if (typeof target === "string") node = member(member(root, "$defs"), target.replace("#/$defs/", ""));
    node = member(member(node, "properties"), step);
  }
  return typeof member(node, "description") === "string";
}

/** What is wrong with the objects that a platform makes for its example. */
async function faultsOfObjects(
  name: string,
  { traits }: PlatformDescriptor,
  module: PlatformModule,
  config: NormalConfig,
  others: readonly Platform[],
): Promise<string[]> {
  const faults: string[] = [];
  const reporter = createReporter();
  const rules = { release: RELEASE, report: reporter.report };
  const facts = module.resolveFacts(config, { facts: factsOf(name), stream: undefined }, rules);
  const credentials = Object.fromEntries((module.credentialNames ?? []).map((each) => [each, "madeup"]));
  const input = { config, identity: IDENTITY, facts, credentials, release: RELEASE };
  const infrastructure = module.infrastructure(
    { ...input, namespace: "slipway", controllerNamespace: module.controllerNamespace ?? "capi" },
    rules,
  );
  if (reporter.failed) faults.push(`examples/${name}: ${errors(reporter.diagnostics)}`);

  const { type } = module.manifests.infrastructure(input);
  for (const other of others)
    if (other.name !== name && (await typeOf(other)) === type)
      faults.push(`Infrastructure: the type ${type} is that of ${other.name}`);
  const machines = module.machines(input);
  const placeholders = infrastructure.cluster.placeholder || infrastructure.machineTemplate.placeholder;
  if ((traits.infrastructure === "made") !== (machines.length > 0 && !placeholders))
    faults.push(
      `infrastructure is ${traits.infrastructure}, and there are ${machines.length} objects of machines${placeholders ? " and placeholders" : ""}`,
    );

  const clusterApi = module.clusterApi?.(input);
  const made: readonly Rendering[] = [
    ...machines,
    ...module.manifests.extra(input),
    ...(clusterApi === undefined ? [] : [...clusterApi.objects, ...clusterApi.machines]),
    ...infrastructure.objects.map((each) => ({ ...each, path: `infrastructure-manifests/${each.path}` })),
  ];
  const folders = ["manifests", "openshift", "cluster-api", "infrastructure-manifests"];
  const render = await createRenderer(platformFolders(folders, module.name), reporter.report);
  for (const { template, view, path } of made) {
    const { apiVersion, kind } = render.object(template, view);
    const validators = await EMITTED_VALIDATORS[template.slice(0, template.lastIndexOf("/"))]?.();
    if (validators?.[`${apiVersion} ${kind}`] === undefined)
      faults.push(`no emitted schema for ${kind} of ${apiVersion} (${path})`);
  }
  return faults;
}

/** The type that a platform calls itself in Infrastructure/cluster, for its own example. */
async function typeOf({ descriptor: { handling } }: Platform): Promise<string | undefined> {
  if (typeof handling === "string") return undefined;
  const module = await handling.load();
  const text = readFileSync(join("examples", module.name, "install-config.yaml"), "utf8");
  const config = compile(text, module).asset?.config;
  if (config === undefined) return undefined;
  const facts = factsOf(module.name) ?? { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts" };
  return module.manifests.infrastructure({
    config,
    facts,
    identity: IDENTITY,
    credentials: undefined,
    release: RELEASE,
  }).type;
}

const ALL: readonly Platform[] = PLATFORM_NAMES.map((name) => ({ name, descriptor: PLATFORMS[name] }));

const test = suite("platforms");

for (const platform of ALL)
  test(`${platform.name} has everything that belongs to a platform`, async () => {
    assert.equal(await faultsOf(platform, ALL), []);
  });

test("a folder copied from another platform is told everything that it lacks", async () => {
  const moon: Platform = { name: "moon", descriptor: { ...PLATFORMS.none } };
  assert.equal(await faultsOf(moon, ALL), [
    "src/platforms/moon/index.ts: it is the code of none",
    "src/platforms/moon/schemas/install-config.schema.json: no closed section platform.moon",
    "src/platforms/moon/descriptor.ts: the starter does not give a config of moon",
    "README.md: moon is not among the platforms",
    "golden/moon: no case",
    "examples/moon/install-config.yaml: no example",
  ]);
});

test("objects that a platform does not make, of a type that is another's, with facts that nobody explains", async () => {
  const { handling, traits } = PLATFORMS.none;
  assert.ok(typeof handling === "object");
  const module = await handling.load();
  const made: PlatformDescriptor = {
    handling: { ...handling, load: async () => ({ ...module, needs: [{ fact: "none.zones" }] }) },
    traits: { ...traits, infrastructure: "made", poolSection: "refused" },
  };
  const other = { name: "azure", descriptor: PLATFORMS.none };
  assert.equal(await faultsOf({ name: "none", descriptor: made }, [...ALL, other]), [
    "src/platforms/none/schemas/install-config.schema.json: no closed section none of a pool",
    "src/platforms/none/schemas/cloud-facts.schema.json: nothing explains none.zones",
    "docs/facts.md: no table of required facts (none)",
    "Infrastructure: the type None is that of azure",
    "infrastructure is made, and there are 0 objects of machines and placeholders",
  ]);
});

test("what is forgotten in the code itself, the compiler names", () => {
  type Row = Readonly<Record<PlatformName, PlatformDescriptor>>;
  // @ts-expect-error a platform of the schema without a row
  const without: Readonly<Record<PlatformName | "moon", PlatformDescriptor>> = PLATFORMS;
  // @ts-expect-error a row for a platform that the schema does not know
  const beside: Row = { ...PLATFORMS, moon: PLATFORMS.none };
  // @ts-expect-error a row without traits
  const bare: PlatformDescriptor = { handling: "not yet" };
  const { publish: _, ...rest } = PLATFORMS.none.traits;
  // @ts-expect-error a trait that every platform must have
  const silent: PlatformDescriptor = { handling: "not yet", traits: rest };
  assert.equal([without, beside, bare, silent].length, 4);
});

test.run();
