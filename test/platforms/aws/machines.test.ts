import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type Json, type JsonObject } from "../../../src/core/json.js";
import type { AwsFacts } from "../../../src/generated/types/cloud-facts.js";
import { machines } from "../../../src/platforms/aws/machines/machines.js";
import { padded, share } from "../../../src/platforms/machine-api.js";
import { awsConfig, platformInput, releaseNamed, rendered, THREE_ZONES } from "../../helpers/aws.js";
import { BROUGHT } from "../../helpers/aws-variants.js";

const test = suite("aws: machines");

test("numbers of files have as many digits as their count", () => {
  const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => padded(i, count));
  assert.equal(numbers(3), ["0", "1", "2"]);
  assert.equal(numbers(9).at(-1), "8");
  assert.equal(numbers(10).slice(0, 2), ["00", "01"]);
  assert.is(padded(7, 100), "007");
});

test("replicas are shared out equally, the remainder to the first zones", () => {
  const shares = (total: number, zones: number): number[] =>
    Array.from({ length: zones }, (_, index) => share(total, zones, index));
  assert.equal(shares(4, 3), [2, 1, 1]);
  assert.equal(shares(5, 3), [2, 2, 1]);
  assert.equal(shares(0, 2), [0, 0]);
  fc.assert(
    fc.property(fc.nat(500), fc.integer({ min: 1, max: 8 }), (total, zones) => {
      const all = shares(total, zones);
      assert.is(
        all.reduce((sum, each) => sum + each, 0),
        total,
      );
      assert.ok(Math.max(...all) - Math.min(...all) <= 1);
      assert.equal(
        all,
        [...all].sort((a, b) => b - a),
      );
    }),
  );
});

const at = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((found, name) => (isObject(found) ? found[name] : undefined), value);

const SETS = "openshift/99_openshift-cluster-api_worker-machineset-";
const MASTERS = "openshift/99_openshift-cluster-api_master-machines-";
const providerOf = (object: JsonObject | undefined): Json | undefined =>
  at(object, "spec", "providerSpec", "value") ??
  at(object, "spec", "template", "spec", "providerSpec", "value");

test("one control plane machine has no control plane machine set, and eight cores", async () => {
  const one = awsConfig({}, { controlPlane: { ...awsConfig().controlPlane, replicas: 1 } });
  const objects = await rendered(machines(platformInput(one)));
  assert.not.ok([...objects.keys()].some((path) => path.includes("control-plane-machine-set")));
  assert.is(at(providerOf(objects.get(`${MASTERS}0.yaml`)), "instanceType"), "m6i.2xlarge");
});

test("ten machines are numbered with two digits and go round the zones as they are written", async () => {
  const ten = awsConfig(
    {},
    {
      controlPlane: {
        ...awsConfig().controlPlane,
        replicas: 10,
        platform: { aws: { zones: ["eu-west-1c", "eu-west-1a"] } },
      },
    },
  );
  const objects = await rendered(machines(platformInput(ten)));
  const zones = ["00", "01", "02", "09"].map((number) =>
    at(providerOf(objects.get(`${MASTERS}${number}.yaml`)), "placement", "availabilityZone"),
  );
  assert.equal(zones, ["eu-west-1c", "eu-west-1a", "eu-west-1c", "eu-west-1a"]);
});

const offering = (
  types: Readonly<Record<string, readonly string[]>>,
): NonNullable<AwsFacts["instanceTypeOfferings"]> =>
  Object.entries(types).flatMap(([type, zones]) => zones.map((zone) => ({ type, zone })));
const withOffers = (types: Readonly<Record<string, readonly string[]>>) => ({
  ...THREE_ZONES,
  aws: { ...THREE_ZONES.aws, instanceTypeOfferings: offering(types) },
});

test("the first type that every zone offers is taken", async () => {
  const facts = withOffers({
    "m6i.xlarge": ["eu-west-1a"],
    "m5.xlarge": ["eu-west-1a", "eu-west-1b", "eu-west-1c"],
  });
  const objects = await rendered(machines(platformInput(awsConfig(), facts)));
  assert.is(at(providerOf(objects.get(`${SETS}0.yaml`)), "instanceType"), "m5.xlarge");
});

test("zones that nobody chose and that do not offer the type are left out", async () => {
  const arm = { ...awsConfig().controlPlane, architecture: "arm64" };
  const config = awsConfig({}, { controlPlane: arm, compute: [{ ...arm, name: "worker" }] });
  const facts = withOffers({ "m6g.xlarge": ["eu-west-1a", "eu-west-1c"] });
  const objects = await rendered(machines(platformInput(config, facts)));
  const zone = (path: string) => at(providerOf(objects.get(path)), "placement", "availabilityZone");
  assert.equal(
    [`${MASTERS}0.yaml`, `${MASTERS}1.yaml`, `${MASTERS}2.yaml`, `${SETS}0.yaml`, `${SETS}1.yaml`].map(zone),
    ["eu-west-1a", "eu-west-1c", "eu-west-1a", "eu-west-1a", "eu-west-1c"],
  );
  assert.not.ok(objects.has(`${SETS}2.yaml`));
});

/** Members of a provider spec that come and go with releases. */
const RELEASES: readonly (readonly [string, boolean, boolean, string | undefined])[] = [
  // release, throughput and CPU options, dedicated host, OS stream
  ["4.18", false, false, undefined],
  ["4.19", false, false, undefined],
  ["4.20", false, false, undefined],
  ["4.21", true, false, undefined],
  ["4.22", true, true, undefined],
  ["5.0", true, true, "rhel-9"],
];

for (const [release, settings, host, stream] of RELEASES)
  test(`what release ${release} knows`, async () => {
    const config = awsConfig(
      {},
      {
        compute: [
          {
            ...awsConfig().controlPlane,
            name: "worker",
            platform: {
              aws: {
                zones: ["eu-west-1a"],
                rootVolume: { type: "gp3", throughput: 300 },
                cpuOptions: { confidentialCompute: "Disabled" },
                hostPlacement: { affinity: "DedicatedHost", dedicatedHost: [{ id: "h-0123456789abcdef0" }] },
              },
            },
          },
        ],
      },
    );
    const input = platformInput(config, BROUGHT, { release: releaseNamed(release) });
    const set = (await rendered(machines(input))).get(`${SETS}0.yaml`);
    const provider = providerOf(set);
    const devices = at(provider, "blockDevices");
    const device = isList(devices) ? devices[0] : undefined;
    assert.is(at(device, "ebs", "throughputMib") !== undefined, settings, "throughput");
    assert.is(at(provider, "cpuOptions") !== undefined, settings, "cpuOptions");
    assert.is(at(provider, "placement", "host") !== undefined, host, "host");
    assert.is(at(provider, "placement", "tenancy"), host ? "host" : undefined);
    const label = at(set, "metadata", "labels", "machineconfiguration.openshift.io/osstream");
    assert.is(label, stream);
  });

test("a limited zone is not taken by default from 4.19 on", async () => {
  const facts = {
    ...THREE_ZONES,
    aws: {
      ...THREE_ZONES.aws,
      region: "us-east-1",
      availabilityZones: [{ name: "us-east-1e" }, { name: "us-east-1a" }],
    },
  };
  const sets = async (release: string): Promise<number> => {
    const input = platformInput(awsConfig({ region: "us-east-1" }), facts, {
      release: releaseNamed(release),
    });
    return machines(input).filter(({ path }) => path.startsWith(SETS)).length;
  };
  assert.is(await sets("4.18"), 2);
  assert.is(await sets("4.22"), 1);
});

test("a region without an image finds the copy by its name", async () => {
  const facts = {
    ...THREE_ZONES,
    aws: { ...THREE_ZONES.aws, images: { amd64: { id: "ami-01", region: "us-east-1" } } },
  };
  const objects = await rendered(machines(platformInput(awsConfig(), facts)));
  assert.equal(at(providerOf(objects.get(`${MASTERS}0.yaml`)), "ami"), {
    filters: [{ name: "tag:Name", values: ["heron-x2x2x-ami-eu-west-1"] }],
  });
});

test.run();
