/** Machines, config objects and infrastructure against what the real installer wrote. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter, isError } from "../../../src/core/diagnostics.js";
import { isList, isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { platform } from "../../../src/platforms/aws/index.js";
import { infrastructure } from "../../../src/platforms/aws/infrastructure/objects.js";
import { machines } from "../../../src/platforms/aws/machines/machines.js";
import type { InfrastructureInput } from "../../../src/platforms/platform.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { normalConfig, platformInput, releaseNamed, rendered } from "../../helpers/aws.js";
import {
  type AwsCase,
  caseNames,
  casesFolder,
  clusterApiObject,
  readCase,
  runAwsManifests,
} from "../../helpers/aws-cases.js";
import { withShared } from "../../helpers/shared.js";
import { upstreamFiles } from "../../helpers/upstream.js";

const test = suite("aws: what the real installer wrote");

const read = (path: string): JsonObject => {
  const value = parseYaml(readFileSync(path, "utf8"));
  if (!isObject(value)) throw new Error(`${path} is not one object`);
  return value;
};

/** Objects as we write them: without an empty status. */
function withoutEmptyStatus(object: JsonObject): JsonObject {
  const { status, ...rest } = object;
  return isObject(status) && Object.keys(status).length === 0 ? rest : object;
}

const MACHINES =
  /^99_openshift-(cluster-api_(master-machines|worker-(machineset|capi-machineset|machinetemplate))|machine-api)/;

/** The cases are of main in June 2026, on its way to 5.0, which brought this rule in July. */
const LATER_RULE = {
  description: "Bootstrap Konnectivity",
  fromPort: 8091,
  protocol: "tcp",
  sourceSecurityGroupRoles: ["controlplane", "node"],
  toPort: 8091,
};
const RELEASE = releaseNamed("5.0");

/** The spec of the installer's AWSCluster without what docs/deviations.md says we leave out, and with what it says we add. */
function expectedSpec(cluster: JsonObject): JsonObject {
  const spec = isObject(cluster["spec"]) ? cluster["spec"] : {};
  const { controlPlaneEndpoint, network, ...rest } = spec;
  assert.equal(controlPlaneEndpoint, { host: "", port: 0 });
  const given = isObject(network) ? network["additionalControlPlaneIngressRules"] : undefined;
  const rules = isList(given) ? given : [];
  const additionalControlPlaneIngressRules = [...rules.slice(0, -1), LATER_RULE, ...rules.slice(-1)];
  const whole = { ...(isObject(network) ? network : {}), additionalControlPlaneIngressRules };
  return { ...rest, network: whole, identityRef: { kind: "AWSClusterControllerIdentity", name: "default" } };
}

async function infrastructureOf(input: InfrastructureInput): Promise<Map<string, JsonObject>> {
  return rendered(infrastructure(input, { release: input.release, report: () => undefined }).objects);
}

withShared(test, "data/upstream-4.22/aws-public", "the shared case", async (folder) => {
  const config = normalConfig(readFileSync(join(folder, "normal-form.yaml"), "utf8"));
  const identity = { infraID: "egret-abcde", clusterID: "00000000-0000-0000-0000-000000000000" };
  const input = platformInput(config, undefined, { identity, release: RELEASE });
  const ours = await rendered(machines(input));
  const theirs = readdirSync(join(folder, "openshift")).filter((name) => MACHINES.test(name));
  assert.equal([...ours.keys()].map((path) => basename(path)).sort(), theirs.sort());
  for (const name of theirs) {
    const expected = withoutEmptyStatus(read(join(folder, "openshift", name)));
    assert.equal(ours.get(`openshift/${name}`), expected, name);
  }
  const cluster = (await infrastructureOf(input)).get("40_infrastructure-cluster.yaml");
  assert.equal(cluster?.["spec"], expectedSpec(read(join(folder, "cluster-api/02_infra-cluster.yaml"))));
});

/**
 * Members of the installer's machines that one template for all of them leaves out (docs/reference/cluster-api.md §7).
 */
const BY_MACHINE = ["cloudInit", "ignition", "publicIP", "subnet", "elasticIpPool"];

const without = (object: Json | undefined, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    Object.entries(isObject(object) ? object : {}).filter(([name]) => !names.includes(name)),
  );

/** What a case's own template must be: the machines' spec but for what varies by machine. */
async function compareTemplate(given: AwsCase, objects: ReadonlyMap<string, JsonObject>): Promise<void> {
  const template = objects.get("50_machine-template.yaml");
  const outer = isObject(template?.["spec"]) ? template["spec"]["template"] : undefined;
  const spec = isObject(outer) ? outer["spec"] : undefined;
  const { infraID } = given.identity;
  const master = clusterApiObject(given, `machines/10_inframachine_${infraID}-master-0.yaml`);
  const bootstrap = clusterApiObject(given, `machines/10_inframachine_${infraID}-bootstrap.yaml`);
  const copied = /"id":""/.test(JSON.stringify(master["spec"]));
  const ignored = copied ? [...BY_MACHINE, "ami"] : BY_MACHINE;
  assert.equal(without(spec, ignored), without(master["spec"], ignored));
  const ignition = isObject(spec) && isObject(spec["ignition"]) ? spec["ignition"] : {};
  const theirs = isObject(bootstrap["spec"]) ? bootstrap["spec"]["ignition"] : undefined;
  assert.equal({ proxy: {}, tls: {}, ...ignition }, theirs);
}

/** Cases that only the check against the cloud refuses; here a fact is missing. */
const REFUSED = new Map([["edge-without-zones", ["compute[1].platform.aws.zones"]]]);

async function compareCase(given: AwsCase): Promise<void> {
  const reporter = createReporter();
  const context = { release: RELEASE, report: reporter.report };
  const sources = { facts: given.facts, stream: undefined };
  const facts = platform.resolveFacts(given.config, sources, context);
  // The cases skip what the installer checks against the cloud, so that their facts may contradict the config.
  const missing = reporter.diagnostics.filter(({ code }) => code === "FACT001");
  if (missing.length > 0) {
    assert.equal(
      missing.map(({ field }) => field),
      REFUSED.get(given.name),
      "missing facts",
    );
    return;
  }

  const run = await runAwsManifests(given, facts);
  assert.equal(run.diagnostics.filter(isError), [], "manifests");
  const expected = upstreamFiles(given.folder);
  assert.equal([...run.files.keys()], [...expected.keys()]);
  for (const [path, object] of run.files) assert.equal(object, expected.get(path), path);

  const input = platformInput(given.config, facts, { identity: given.identity, release: RELEASE });
  const objects = await infrastructureOf(input);
  const cluster = objects.get("40_infrastructure-cluster.yaml");
  assert.equal(
    cluster?.["spec"],
    expectedSpec(clusterApiObject(given, "02_infra-cluster.yaml")),
    "AWSCluster",
  );
  await compareTemplate(given, objects);
}

const further = casesFolder();
if (further !== undefined)
  for (const name of caseNames(further)) {
    const given = readCase(further, name);
    if (!given.ambient) test(`case ${name}`, () => compareCase(given));
    if (!given.ambient)
      test(`normal form of ${name}`, () =>
        assert.equal(
          parseYaml(given.normalForm),
          parseYaml(readFileSync(join(given.folder, "normal-form.yaml"), "utf8")),
        ));
  }

test.run();
