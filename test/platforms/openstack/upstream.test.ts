/** Normal form, config objects, machines and infrastructure against what the real installer wrote; its answers to faults. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { judge } from "../../helpers/install-configs.js";
import { runPlatform } from "../../helpers/platform-run.js";
import { withShared } from "../../helpers/shared.js";
import { comparable } from "../../helpers/upstream.js";

const test = suite("openstack: what the real installer wrote");

/** The cloud that the cases were written for (SOURCES-platforms.md). */
const CLOUDS = `clouds:
  birds:
    auth:
      auth_url: https://keystone.example.net:5000/v3
      username: stack-user
      password: planted-stack-pw
      project_name: birds
      user_domain_name: Default
    region_name: RegionOne
`;
const NETWORKS = [{ id: "00000000-0000-4000-8000-0000000000e0", name: "public" }];

const object = (value: Json): JsonObject => {
  if (!isObject(value)) throw new Error("not an object");
  return value;
};
const read = (path: string): JsonObject => comparableObject(path, readFileSync(path, "utf8"));
const comparableObject = (path: string, text: string): JsonObject => object(comparable(path, text));
const at = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((found, name) => (isObject(found) ? found[name] : undefined), value);

for (const [name, infraID] of [
  ["openstack-plain", "robin-abcde"],
  ["openstack-zones-volumes", "fieldfare-abcde"],
] as const)
  withShared(test, `data/upstream-4.22/${name}`, name, async (folder) => {
    const text = readFileSync(join(folder, "install-config.yaml"), "utf8");
    const run = await runPlatform({
      config: text,
      facts: { openstack: { networks: NETWORKS, loadBalancerService: true } },
      credentials: CLOUDS,
      infraID,
    });
    assert.equal(run.errors, []);
    assert.equal(
      parseYaml(run.asset?.normalForm ?? ""),
      parseYaml(readFileSync(join(folder, "normal-form.yaml"), "utf8")),
    );
    for (const part of ["manifests", "openshift"]) {
      for (const file of readdirSync(join(folder, part))) {
        const path = `${part}/${file}`;
        const ours = run.objects.get(path);
        assert.ok(ours, `${path} is written`);
        // The certificates of a case without a state are not known.
        if (path.endsWith("-user-data-secret.yaml")) continue;
        assert.equal(comparableObject(path, JSON.stringify(ours)), read(join(folder, path)), path);
      }
      const machines = [...run.objects.keys()].filter((path) => /^openshift\/.*machine/.test(path));
      for (const path of machines) assert.ok(readFileSync(join(folder, path)), path);
    }
    const cluster = run.objects.get("infrastructure-manifests/40_infrastructure-cluster.yaml");
    const {
      controlPlaneAvailabilityZones: zones,
      controlPlaneOmitAvailabilityZone: omit,
      ...spec
    } = object(at(cluster, "spec") ?? null);
    // docs/platforms/openstack.md: what is ours beside.
    if (name === "openstack-plain") assert.equal([zones, omit], [undefined, true]);
    else assert.equal([zones, omit], [["az1", "az2", "az3"], undefined]);
    assert.equal(spec, at(read(join(folder, "cluster-api/02_infra-cluster.yaml")), "spec"));
    const template = at(
      run.objects.get("infrastructure-manifests/50_machine-template.yaml"),
      "spec",
      "template",
      "spec",
    );
    const master = at(
      read(join(folder, `cluster-api/machines/10_inframachine_${infraID}-master-0.yaml`)),
      "spec",
    );
    const volume = (spec: Json | undefined) => {
      const { availabilityZone, ...rest } = object(at(spec, "rootVolume") ?? {});
      return [availabilityZone, rest];
    };
    assert.equal(
      { ...object(template ?? null), rootVolume: {} },
      { ...object(master ?? null), rootVolume: {} },
    );
    // The zone of the volume is that of the machine's failure domain by its place, which one template cannot say.
    assert.equal(volume(template)[0], undefined);
    assert.equal(volume(template)[1], volume(master)[1]);
    const secret = run.objects.get("infrastructure-manifests/10_credentials-clouds.yaml");
    assert.equal(
      at(secret, "data"),
      at(read(join(folder, "cluster-api/02_openstack-cloud-config.yaml")), "data"),
    );
  });

interface Answer {
  readonly id: string;
  readonly platform: string;
  readonly config: string;
  readonly errors: readonly { readonly type: string; readonly field: string }[];
}

const isAnswer = (value: unknown): value is Answer =>
  typeof value === "object" && value !== null && "id" in value && "config" in value && "errors" in value;

withShared(
  test,
  "data/validation/handed-platforms.jsonl",
  "errors are those of the real validator",
  (path) => {
    const answers = readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): unknown => JSON.parse(line))
      .filter(isAnswer)
      .filter(({ platform }) => platform === "openstack");
    assert.is(answers.length, 8);
    for (const { id, config, errors } of answers)
      assert.equal(
        judge(config).errors,
        [...new Set(errors.map(({ type, field }) => `${type} ${field}`))].sort(),
        id,
      );
  },
);

test.run();
