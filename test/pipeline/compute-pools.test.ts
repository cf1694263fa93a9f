/**
 * Random compute pools on every platform: the MachineDeployments of a permanent management cluster have as many machines
 * in each place as the machine sets that they replace, and nothing of the Machine API is left but what is the user's.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { at, compile, dice, EXAMPLES, objectsOf, ofKind } from "../helpers/compute.js";
import { everything } from "../helpers/runs.js";

const test = suite("compute pools");

const RUNS = everything ? 6 : 2;
const MOST_REPLICAS = 20;

type Roll = ReturnType<typeof dice>;
interface Places {
  readonly platform: string;
  /** The member of a pool that names its places, and all that it may name; none where a pool has no places. */
  readonly member?: string;
  readonly all?: readonly string[];
  /** Zones at the edge, for a pool of that name. */
  readonly edge?: readonly string[];
  /** Facts and config for the other architecture. */
  readonly arm64?: (text: string) => string;
  /** More lines of the facts. */
  readonly facts?: string;
  readonly most?: number;
  /** A member of a pool that not every place has room for. */
  readonly without?: string;
}

const VSPHERE = { platform: "vsphere", member: "zones" };
const EDGE = ["eu-west-1-xyz-1a", "eu-west-1-xyz-1b", "eu-west-1-wl-1"];
const PLACES: Readonly<Record<string, Places>> = {
  "machines-aws": {
    platform: "aws",
    member: "zones",
    all: ["eu-west-1a", "eu-west-1b", "eu-west-1c"],
    edge: EDGE,
    facts: EDGE.slice(1)
      .map((zone) => `  - {name: ${zone}, type: local-zone, group: ${zone}-1, parentZone: eu-west-1b}\n`)
      .join(""),
    arm64: (text) => text.replaceAll("m6i.", "m6g.").replace("amd64:", "arm64:"),
  },
  "aws-subnets": { platform: "aws", member: "zones", all: ["eu-west-1a", "eu-west-1b"] },
  azure: {
    platform: "azure",
    member: "zones",
    all: ["1", "2", "3"],
    arm64: (text) =>
      text
        .replaceAll("s_v5", "ps_v5")
        .replace("amd64:", "arm64:")
        .replaceAll(
          '- {name: PremiumIO, value: "True"}',
          '- {name: PremiumIO, value: "True"}\n    - {name: CpuArchitectureType, value: Arm64}',
        ),
  },
  "azure-gateways": { platform: "azure", member: "zones", all: ["1", "2", "3"] },
  // As many as there are hosts.
  baremetal: { platform: "baremetal", most: 2 },
  gcp: {
    platform: "gcp",
    member: "zones",
    all: ["europe-west1-b", "europe-west1-c", "europe-west1-d"],
    arm64: (text) => text.replace("n2-standard-8", "t2a-standard-8").replace("amd64:", "arm64:"),
  },
  ibmcloud: { platform: "ibmcloud", member: "zones", all: ["eu-gb-1", "eu-gb-2", "eu-gb-3"] },
  "nutanix-failure-domains": {
    platform: "nutanix",
    member: "failureDomains",
    all: ["fd-1", "fd-2", "fd-3"],
    without: "gpus",
  },
  openstack: { platform: "openstack", member: "zones", all: ["az1", "az2", "az3"] },
  powervs: { platform: "powervs" },
  vsphere: { ...VSPHERE, all: ["zone-a", "zone-b"] },
  "vsphere-host-groups": { ...VSPHERE, all: ["rack-1", "rack-2"] },
};

/** Some of them, at least one, in any order. */
function some(all: readonly string[], roll: Roll): readonly string[] {
  const left = [...all];
  return Array.from({ length: 1 + roll(all.length) }, () => left.splice(roll(left.length), 1)[0] ?? "");
}

/** The pool with other numbers and places; now and then without any places of its own. */
function randomPool(
  pool: JsonObject,
  { platform, member, all, edge, most = MOST_REPLICAS, without }: Places,
  roll: Roll,
): JsonObject {
  const places = pool["name"] === "edge" ? edge : all;
  const replicas = roll(most + 1);
  if (member === undefined || places === undefined || (pool["name"] !== "edge" && roll(5) === 0))
    return { ...pool, replicas };
  const own = at(pool, "platform", platform);
  const { [without ?? ""]: _left, ...rest } = isObject(own) ? own : {};
  const section = { ...rest, [member]: [...some(places, roll)] };
  return { ...pool, replicas, platform: { [platform]: section } };
}

function randomConfig(text: string, places: Places, arm64: boolean, roll: Roll): string {
  const config = parseYaml(text);
  assert.ok(isObject(config));
  const given = Array.isArray(config["compute"]) ? config["compute"].filter(isObject) : [{ name: "worker" }];
  const pools = given
    .filter(({ name }) => name !== "edge" || roll(4) > 0)
    .map((pool) => randomPool(pool, places, roll));
  const on = (pool: JsonObject): JsonObject => (arm64 ? { ...pool, architecture: "arm64" } : pool);
  const { controlPlane } = config;
  return JSON.stringify({
    ...config,
    controlPlane: isObject(controlPlane) ? on(controlPlane) : {},
    compute: pools.map(on),
  });
}

/** Where the Machine API is to make the machines of a set, as far as it says so by the name of a zone. */
function zoneOf(set: JsonObject): Json | undefined {
  const value = at(set, "spec", "template", "spec", "providerSpec", "value");
  return [at(value, "placement", "availabilityZone"), at(value, "zone"), at(value, "availabilityZone")].find(
    (each) => typeof each === "string" && each !== "",
  );
}

interface Numbers {
  readonly byName: Readonly<Record<string, number>>;
  readonly byZone: Readonly<Record<string, number>>;
}

function numbers(sets: readonly JsonObject[], zone: (set: JsonObject) => Json | undefined): Numbers {
  const [byName, byZone] = [new Map<string, number>(), new Map<string, number>()];
  for (const set of sets) {
    const name = String(at(set, "metadata", "name"));
    assert.not.ok(byName.has(name), `${name} is there twice`);
    const replicas = Number(at(set, "spec", "replicas"));
    byName.set(name, replicas);
    const where = zone(set);
    if (where !== undefined) byZone.set(String(where), (byZone.get(String(where)) ?? 0) + replicas);
  }
  const sorted = (map: ReadonlyMap<string, number>) => Object.fromEntries([...map].sort());
  return { byName: sorted(byName), byZone: sorted(byZone) };
}

const MINE = "openshift/90_mine.yaml";
const MY_SET = `apiVersion: machine.openshift.io/v1beta1
kind: MachineSet
metadata: {name: mine, namespace: openshift-machine-api}
spec: {replicas: 1}
`;

for (const [name, folder] of EXAMPLES)
  test(`${name}: as many machines in each place as the machine sets, and no machine of the Machine API`, async () => {
    const places = PLACES[name];
    assert.ok(places, name);
    const text = readFileSync(join(folder, "install-config.yaml"), "utf8");
    const file = join(folder, "facts.yaml");
    const facts = existsSync(file) ? `${readFileSync(file, "utf8").trimEnd()}\n${places.facts ?? ""}` : "";
    const roll = dice(name.length * 7919 + 13);
    for (let run = 0; run < RUNS; run++) {
      const arm64 = places.arm64 !== undefined && run % 3 === 2;
      const other = arm64 ? (places.arm64 ?? String) : String;
      const config = run === 0 ? text : randomConfig(other(text), places, arm64, roll);
      const hasMine = roll(3) === 0;
      const files = { factsText: other(facts), more: hasMine ? { [MINE]: MY_SET } : {} };
      const [before, after] = await Promise.all([
        compile(folder, config, {}, files),
        compile(folder, config, { machineManagement: "cluster-api" }, files),
      ]);
      for (const { ok, diagnostics } of [before, after])
        assert.ok(
          ok,
          `${config}\n${JSON.stringify(diagnostics.filter(({ severity }) => severity === "error"))}`,
        );
      const isMine = (each: JsonObject): boolean => at(each, "metadata", "name") === "mine";
      const sets = numbers(
        ofKind(objectsOf(before), "MachineSet", "machine.openshift.io").filter((each) => !isMine(each)),
        zoneOf,
      );
      const deployments = numbers(ofKind(objectsOf(after), "MachineDeployment", "cluster.x-k8s.io"), (each) =>
        at(each, "spec", "template", "spec", "failureDomain"),
      );
      // Addresses that are given host by host leave nothing to a set.
      const isStatic = /hosts:/.test(text) && Object.values(sets.byName).every((each) => each === 0);
      if (isStatic) assert.equal(Object.keys(deployments.byName), Object.keys(sets.byName), config);
      else assert.equal(deployments.byName, sets.byName, config);
      if (Object.keys(deployments.byZone).length > 0) assert.equal(deployments.byZone, sets.byZone, config);
      const left = objectsOf(after).filter((each) =>
        /^machine\.openshift\.io\//.test(String(each["apiVersion"])),
      );
      assert.equal(
        left.map((each) => at(each, "metadata", "name")),
        hasMine ? ["mine"] : [],
        config,
      );
      assert.is(after.diagnostics.filter(({ code }) => code === "CAPI034").length, hasMine ? 1 : 0);
    }
  });

test.run();
