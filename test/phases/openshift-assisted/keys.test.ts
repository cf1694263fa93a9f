/** Where every key of an install-config is carried, of all platforms, as their schemas have them. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, isObject, type Json } from "../../../src/core/json.js";
import { SCHEMAS } from "../../../src/generated/schemas/index.js";
import schema from "../../../src/generated/schemas/inputs/install-config.js";
import { TABLE } from "../../../src/generated/tables/openshift-assisted-keys.js";
import {
  carriageOf,
  carryingManifests,
  leftToUser,
  overrideOf,
  refusedKeys,
} from "../../../src/phases/infrastructure-manifests/assisted/keys.js";
import { PLATFORM_NAMES } from "../../../src/platforms/registry.js";
import { CONFIG } from "../../helpers/infrastructure.js";

const test = suite("keys of an install-config with openshift-assisted");

const ROOT: Json = isJson(schema) ? schema : null;

const at = (value: Json | undefined, ...path: string[]): Json | undefined =>
  path.reduce<Json | undefined>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);

/** Every key below a schema, and above each those that lead to it; a schema within itself is not gone into again. */
function keysOf(node: Json | undefined, path: string, within: readonly string[] = []): string[] {
  if (!isObject(node)) return [];
  const reference = node["$ref"];
  if (typeof reference === "string")
    return within.includes(reference)
      ? []
      : keysOf(at(ROOT, ...reference.replace("#/", "").split("/")), path, [...within, reference]);
  const { properties, items } = node;
  const members = isObject(properties) ? Object.entries(properties) : [];
  const alternatives = ["allOf", "anyOf", "oneOf"].flatMap((name) => {
    const list = node[name];
    return Array.isArray(list) ? list : [];
  });
  return [
    ...members.flatMap(([name, member]) => {
      const key = path === "" ? name : `${path}.${name}`;
      return [key, ...keysOf(member, key, within)];
    }),
    ...keysOf(items, `${path}[]`, within),
    ...alternatives.flatMap((each) => (isJson(each) ? keysOf(each, path, within) : [])),
  ];
}

const KEYS = [...new Set(keysOf(ROOT, ""))];
const withoutList = (key: string): string => key.replace(/\[\]$/, "");
const isLeaf = (key: string): boolean =>
  !KEYS.some((each) => each.startsWith(`${key}.`) || each.startsWith(`${key}[].`));

test("the schemas of all platforms are walked", () => {
  assert.ok(KEYS.length > 300, String(KEYS.length));
  for (const name of PLATFORM_NAMES) assert.ok(KEYS.includes(`platform.${name}`), name);
  assert.ok(KEYS.includes("platform.baremetal.hosts[].rootDeviceHints.deviceName"));
});

test("every key that holds a value has a row, itself or a key above it", () => {
  const unlisted = KEYS.filter((key) => isLeaf(key) && carriageOf(key) === undefined);
  assert.equal(unlisted, []);
});

test("the general keys and those of bare metal have rows of their own, down to what is carried as a whole", () => {
  const wholes =
    /^(?:controlPlane|compute\[\]|arbiter)\.(?:fencing|diskSetup)|\.hosts\[\]\.(?:bmc|rootDeviceHints)|^arbiter|ovnKubernetesConfig|^pki|^operatorPublishingStrategy|\.platform\.|^metadata\.(?:owner|managed)/;
  const rows = new Set(TABLE.keys.map(({ key }) => withoutList(key)));
  const others = PLATFORM_NAMES.filter((name) => name !== "baremetal").map((name) => `platform.${name}`);
  const lacking = KEYS.filter(
    (key) =>
      isLeaf(key) &&
      !rows.has(withoutList(key)) &&
      !wholes.test(key) &&
      !others.some((other) => key === other || key.startsWith(`${other}.`)),
  );
  assert.equal(lacking, []);
});

test("every row is of a key that there is, once, and an old spelling leads to a row", () => {
  const seen = new Set<string>();
  for (const row of TABLE.keys) {
    const key = withoutList(row.key);
    assert.ok(
      KEYS.some((each) => withoutList(each) === key),
      row.key,
    );
    assert.not.ok(seen.has(key), `${row.key}`);
    seen.add(key);
    if ("as" in row) assert.ok(carriageOf(row.as) !== undefined, row.as);
    else if (row.carried === "supplement") assert.ok(TABLE.items[row.item] !== undefined, row.item);
    else if (row.carried === "override")
      assert.ok(TABLE.overridable.includes(row.key.replace(/[.[].*/, "")), row.key);
  }
});

test("where a field is said to be, there is one in what is emitted", async () => {
  const loaded = await Promise.all(
    Object.entries(SCHEMAS)
      .filter(([path]) => path.startsWith("emitted/"))
      .map(async ([, load]): Promise<unknown> => load()),
  );
  const emitted = loaded.filter(isJson);
  const isThere = (kind: string, path: string): boolean =>
    emitted
      .filter((each) => at(each, "properties", "kind", "const") === kind)
      .every((each) => {
        let node: Json | undefined = each;
        for (const name of path.split(".")) node = at(node, "properties", name);
        return node !== undefined;
      });
  let seen = 0;
  for (const row of TABLE.keys) {
    if ("as" in row || row.carried !== "field") continue;
    let last = "";
    for (const part of row.where.split(/, |; /)) {
      const [, kind = last, path] = /^(?:([A-Z]\w+) )?((?:spec|metadata)\.[\w.]+)/.exec(part) ?? [];
      last = kind;
      if (path === undefined) continue;
      seen += 1;
      assert.ok(
        emitted.some((each) => at(each, "properties", "kind", "const") === kind),
        `${row.key}: ${kind}`,
      );
      assert.ok(isThere(kind, path), `${row.key}: ${kind} ${path}`);
    }
  }
  assert.ok(seen > 40, String(seen));
});

const withMore = (more: object): typeof CONFIG => Object.assign({}, CONFIG, more);

test("what a generated manifest says is carried by it, and refused where there is none", () => {
  const config = withMore({
    networking: { ...CONFIG.networking, clusterNetworkMTU: 1400 },
    compute: [{ ...CONFIG.compute[0], diskSetup: [{ type: "swap" }] }],
  });
  const file = (path: string) => ({ path, data: new Uint8Array(), secret: false });
  const disk = "openshift/99_openshift-machineconfig_01-disk-setup-swap-";
  const network = file("manifests/cluster-network-03-config.yml");
  const made = [network, file(`${disk}worker.yaml`), file(`${disk}master.yaml`), file("openshift/a.yaml")];
  assert.equal(refusedKeys(config, made), []);
  assert.equal(carryingManifests(config, made), made.slice(0, 2));
  assert.equal(carryingManifests(CONFIG, made), []);
  assert.equal(
    refusedKeys(config, [network]).map(({ field }) => field),
    ["compute[0].diskSetup"],
  );
});

test("what neither field nor override carries is refused, and what it is anyway is not", () => {
  assert.equal(refusedKeys(CONFIG, []), []);
  const refused = refusedKeys(
    withMore({
      publish: "Internal",
      networking: { ...CONFIG.networking, clusterNetworkMTU: 1400 },
      controlPlane: {
        ...CONFIG.controlPlane,
        fencing: { credentials: [{ address: "a", username: "b", password: "c" }] },
      },
    }),
    [],
  );
  assert.equal(refused.map(({ field }) => field).sort(), [
    "controlPlane.fencing",
    "networking.clusterNetworkMTU",
    "publish",
  ]);
  assert.not.match(JSON.stringify(refused), /"[abc]"/);
});

test("the override has what there is no field for, lists as a whole, and nothing that is so anyway", () => {
  assert.equal(overrideOf(CONFIG), { networking: { machineNetwork: [{ cidr: "10.0.0.0/16" }] } });
  const override = overrideOf(
    withMore({
      fips: true,
      networking: {
        ...CONFIG.networking,
        networkType: "Calico",
        clusterNetwork: [
          { cidr: "10.128.0.0/14", hostPrefix: 23 },
          { cidr: "fd01::/48", hostPrefix: 64 },
        ],
      },
      featureSet: "CustomNoUpgrade",
      featureGates: ["A=true", "B=false"],
      compute: [
        { ...CONFIG.compute[0], replicas: 2, hyperthreading: "Disabled" },
        { ...CONFIG.compute[0], name: "more", replicas: 1 },
      ],
    }),
  );
  assert.equal(override, {
    compute: [
      { name: "worker", replicas: 2, hyperthreading: "Disabled" },
      { name: "more", replicas: 1, hyperthreading: "Enabled" },
    ],
    featureGates: ["A=true", "B=false"],
    featureSet: "CustomNoUpgrade",
    fips: true,
    networking: {
      clusterNetwork: [
        { cidr: "10.128.0.0/14", hostPrefix: 23 },
        { cidr: "fd01::/48", hostPrefix: 64 },
      ],
      machineNetwork: [{ cidr: "10.0.0.0/16" }],
      networkType: "Calico",
    },
  });
});

test("a stream that is named is carried: which one a cluster has anyway depends on its release", () => {
  for (const osImageStream of ["rhel-9", "rhel-10"])
    assert.is(overrideOf(withMore({ osImageStream }))["osImageStream"], osImageStream);
  assert.not.ok("osImageStream" in overrideOf(CONFIG));
});

test("what is left to the user is named, without its value", () => {
  const items = leftToUser(withMore({ metadata: { name: "egret", labels: { team: "word-of-mine" } } }));
  assert.equal(
    items.map(({ area, details }) => [area, details]),
    [["metadata", { fields: ["metadata.labels.team"] }]],
  );
});

test.run();
