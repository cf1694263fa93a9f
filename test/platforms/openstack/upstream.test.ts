/**
 * Normal form, config objects, machines and infrastructure against what the real installer, main in June 2026 on its way
 * to 5.0, wrote; its answers to faults.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { judge } from "../../helpers/install-configs.js";
import { login } from "../../helpers/openstack.js";
import { answersOf, filesIn, makeCase, objectIn } from "../../helpers/platform-cases.js";
import { withShared } from "../../helpers/shared.js";

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

const object = (value: Json | undefined): JsonObject => {
  if (!isObject(value)) throw new Error("not an object");
  return value;
};
const at = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((found, name) => (isObject(found) ? found[name] : undefined), value);

for (const [name, infraID] of [
  ["openstack-plain", "robin-abcde"],
  ["openstack-zones-volumes", "fieldfare-abcde"],
] as const)
  withShared(test, `data/upstream-4.22/${name}`, name, async (folder) => {
    const { credentials } = login(CLOUDS);
    assert.ok(credentials);
    // Main was built as 4.22 then, with the stream that this made the default.
    const text = `${readFileSync(join(folder, "install-config.yaml"), "utf8")}\nosImageStream: rhel-9\n`;
    const made = await makeCase(text, {
      release: "5.0",
      facts: { openstack: { networks: NETWORKS, loadBalancerService: true } },
      credentials,
      infraID,
    });
    assert.equal(made.errors, []);
    assert.equal(
      parseYaml(made.asset?.normalForm ?? ""),
      parseYaml(readFileSync(join(folder, "normal-form.yaml"), "utf8")),
    );
    const theirs = filesIn(folder);
    // The certificates of a case without a state are not known.
    for (const [path, expected] of theirs)
      if (!path.endsWith("-user-data-secret.yaml")) assert.equal(made.files.get(path), expected, path);
    const isMachine = (path: string): boolean => /master-machines|machineset|machine-set/.test(path);
    assert.equal([...made.files.keys()].filter(isMachine), [...theirs.keys()].filter(isMachine));

    const {
      controlPlaneAvailabilityZones: zones,
      controlPlaneOmitAvailabilityZone: omit,
      ...spec
    } = object(at(made.infrastructure.get("40_infrastructure-cluster.yaml"), "spec"));
    // docs/platforms/openstack.md: what is ours beside.
    if (name === "openstack-plain") assert.equal([zones, omit], [undefined, true]);
    else assert.equal([zones, omit], [["az1", "az2", "az3"], undefined]);
    assert.equal(spec, at(objectIn(folder, "cluster-api/02_infra-cluster.yaml"), "spec"));

    const template = object(
      at(made.infrastructure.get("50_machine-template.yaml"), "spec", "template", "spec"),
    );
    const master = object(
      at(objectIn(folder, `cluster-api/machines/10_inframachine_${infraID}-master-0.yaml`), "spec"),
    );
    // The zone of the volume is that of the machine's failure domain by its place, which one template cannot say.
    const { availabilityZone, ...volume } = object(master["rootVolume"] ?? {});
    assert.is(availabilityZone === undefined, name === "openstack-plain");
    assert.equal(template, "rootVolume" in master ? { ...master, rootVolume: volume } : master);

    const secret = made.infrastructure.get("10_credentials-clouds.yaml");
    assert.equal(
      at(secret, "data"),
      at(objectIn(folder, "cluster-api/02_openstack-cloud-config.yaml"), "data"),
    );
  });

withShared(
  test,
  "data/validation/handed-platforms.jsonl",
  "errors are those of the real validator",
  (path) => {
    const answers = answersOf(path, "openstack");
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
