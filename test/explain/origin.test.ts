/** Where every file of the golden trees comes from, and every field of their objects. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isList, isObject, type Json } from "../../src/core/json.js";
import { listDocuments } from "../../src/explain/documents.js";
import { findField } from "../../src/explain/fields.js";
import { fieldOnLine } from "../../src/explain/lines.js";
import { describeOrigins, type FileOrigin, originOf, originOfLine } from "../../src/explain/origin.js";
import {
  ANSWERS,
  FIELDS,
  MADE,
  ORIGINS,
  type Origin,
  ROWS,
  type ViewNode,
} from "../../src/generated/origins/table.js";
import { TEMPLATE_NAMES } from "../../src/generated/templates/names.js";
import { FLAGS } from "../../src/pipeline/flags.js";
import { HANDLED_PLATFORMS, PLATFORM_NAMES } from "../../src/platforms/registry.js";
import { parseYaml } from "../../src/text/yaml-parse.js";
import { caseNames, expectedTree } from "../helpers/golden.js";
import { everyNth } from "../helpers/runs.js";

const test = suite("origins");

const PHASE_TEMPLATES =
  /^(?:manifests|openshift|cluster-api|agent-manifests|infrastructure-manifests|ignition-configs)\//;
/** Files of the user's own, which are in the trees as inputs. */
const INPUTS = /^(?:install-config\.yaml|facts\.yaml|stream\.json|credentials|tls\/)/;
/** What is the same in every cluster. */
const STATIC = new Set([
  "manifests/kube-cloud-config.yaml",
  "cluster-api/000_capi-namespace.yaml",
  "cluster-api/00_azure-namespace.yaml",
  "cluster-api/01_aws-cluster-controller-identity-default.yaml",
  "infrastructure-manifests-shared/10_credentials-identity.yaml",
]);

const trees = new Map<string, ReadonlyMap<string, string>>();

/** Every file that a golden case ends with, with its text; of an Ignition config of a bootstrap machine, what it holds. */
const treeOf = (golden: string): ReadonlyMap<string, string> => {
  const known = trees.get(golden);
  if (known !== undefined) return known;
  const files = [...expectedTree(golden)].flatMap(([key, { kind, data }]) => {
    if (kind !== "compared" || data === undefined) return [];
    const path = key.startsWith("files/") ? key.slice("files/".length) : key.replace(/\.ign\.txt$/, ".ign");
    return /^step-\d/.test(path) || INPUTS.test(path) ? [] : [[path, data.toString("utf8")] as const];
  });
  const tree = new Map(files);
  trees.set(golden, tree);
  return tree;
};

/** A file that a golden case ends with. */
const textOf = (golden: string, file: string): string => {
  const text = treeOf(golden).get(file);
  assert.ok(text !== undefined, `${golden} has no ${file}`);
  return text ?? "";
};

/** What can be typed. */
const REAL_FLAGS = new Set(Object.values(FLAGS).map(({ name }) => `--${name}`));

function answer(file: string, platform: string | undefined, field?: string): readonly FileOrigin[] {
  const found = originOf({ file, field, platform });
  assert.ok(found.found, found.found ? "" : found.problem);
  return found.found ? found.origins : [];
}

const inputsOf = ({ inputs }: FileOrigin): number =>
  Object.values(inputs).reduce((sum, each) => sum + each.length, 0);

/** The paths of the leaves of an object, items of lists alike. */
function leaves(value: Json, path: string): string[] {
  if (isList(value)) return [...new Set(value.flatMap((each) => leaves(each, `${path}[]`)))];
  if (!isObject(value) || Object.keys(value).length === 0) return [path];
  return Object.entries(value).flatMap(([key, each]) => {
    const name = /^[\w-]+$/.test(key) ? key : `[${key}]`;
    return leaves(each, path === "" || name.startsWith("[") ? `${path}${name}` : `${path}.${name}`);
  });
}

/** Platforms with a golden tree of an asset directory. */
const GROWN = HANDLED_PLATFORMS.filter((name) => existsSync(join("golden", name, "expected")));

test("trees of aws, none and external are among them", () => {
  for (const name of ["aws", "none", "external"])
    assert.ok(
      GROWN.some((each) => each === name),
      name,
    );
});

/** Trees of objects, and the platform of each. */
const TREES = [
  ...GROWN.map((name) => ({ golden: name, platform: name })),
  { golden: "openshift-assisted", platform: "baremetal" },
];

test("Ignition configs name no flag that does not exist", () => {
  const flags = ["bootstrap", "bootstrap-in-place-for-live-iso", "master", "bootstrap-shim"].flatMap((name) =>
    answer(`${name}.ign`, undefined).flatMap(({ inputs }) => inputs.flags),
  );
  assert.ok(flags.includes("--release-image"));
  assert.equal(
    flags.filter((flag) => !REAL_FLAGS.has(flag)),
    [],
  );
});

/** Trees whose every field and line the fast tier asks for, too. */
const THOROUGH = ["none"];

for (const { golden, platform } of TREES) {
  const tree = treeOf(golden);
  const files = [...tree.keys()];
  /** Each question about a field or a line reads a text again. */
  const asked = THOROUGH.includes(golden) ? files : everyNth(files, 12);

  test(`${golden}: every file has a template or is text, an asset of the code, inputs and reasons`, () => {
    assert.ok(files.length > 8, String(files.length));
    for (const file of files) {
      const own = /(?:^|\/)\./.test(file);
      for (const origin of answer(file, platform)) {
        if (origin.template !== undefined) assert.ok(existsSync(origin.template), origin.template);
        assert.is(origin.template !== undefined, /\.ya?ml$/.test(file), `${file} has a template`);
        assert.match(readFileSync(origin.source, "utf8"), new RegExp(`\\b${origin.asset}\\b`), file);
        assert.is.not(origin.about, "", file);
        for (const flag of origin.inputs.flags) assert.ok(REAL_FLAGS.has(flag), `${file}: ${flag}`);
        if (own) continue;
        assert.ok(inputsOf(origin) > 0 || STATIC.has(file) || /identity/.test(file), `${file} has no inputs`);
        assert.ok(origin.references.length > 0, `${file} has no reasons`);
        assert.ok(origin.phase !== undefined, file);
      }
    }
  });

  test(`${golden}: every field of every object has a place`, () => {
    let fields = 0;
    for (const file of asked.filter((each) => /\.ya?ml$/.test(each))) {
      for (const field of leaves(parseYaml(tree.get(file) ?? ""), "")) {
        fields += 1;
        for (const { view } of answer(file, platform, field))
          assert.is.not(view, undefined, `${file}:${field}`);
      }
    }
    assert.ok(fields > 40, String(fields));
  });

  test(`${golden}: every line of every object is of a field, and has the answer of that field`, () => {
    const found = new Set<string>();
    const expected = new Set<string>();
    for (const file of asked.filter((each) => /\.ya?ml$/.test(each))) {
      const text = tree.get(file) ?? "";
      for (const field of leaves(parseYaml(text), "")) expected.add(`${file}:${field}`);
      for (const line of text.trimEnd().split("\n").keys()) {
        const place = fieldOnLine(text, file, line + 1);
        const field = place.found ? (place.field ?? "") : place.problem;
        assert.ok(place.found && field !== "", `${file}:${line + 1}: ${field}`);
        const name = `${file}:${field.replace(/\[\d+\]/g, "[]")}`;
        if (found.has(name)) continue;
        found.add(name);
        assert.equal(originOfLine({ file, field: undefined, platform }, line + 1, text), {
          found: true,
          origins: answer(file, platform, field),
          field,
        });
      }
    }
    assert.equal(
      [...expected].filter((each) => !found.has(each)),
      [],
    );
  });

  test(`${golden}: every line of every other file is of that file`, () => {
    for (const file of asked.filter((each) => !/\.(?:ya?ml|ign)$/.test(each))) {
      const text = tree.get(file) ?? "";
      const whole = { file, field: undefined, platform };
      for (const [index, line] of text.trimEnd().split("\n").entries())
        if (line.trim() !== "")
          assert.equal(originOfLine(whole, index + 1, text), originOf(whole), `${file}:${index + 1}`);
    }
  });
}

test("lines: texts over several lines, lists, marks, comments, what is blank or not there, what SOPS adds", () => {
  const text = `# A comment of somebody's.
---
apiVersion: config.openshift.io/v1
data:
  a.b/c: |
    first

    last
  kept: |+
    all

  list: [one, {two: three}]

  items:
  - plain
  -
    name: x
    value: "on
      two lines"
sops:
  mac: ENC[x]
`;
  const lineOf = (line: number, of = text): string | undefined => {
    const place = fieldOnLine(of, "manifests/a.yaml", line);
    return place.found ? place.field : place.problem;
  };
  assert.equal(
    [...text.trimEnd().split("\n").keys()].map((index) => lineOf(index + 1)),
    [
      "line 1 of manifests/a.yaml contains no field",
      "line 2 of manifests/a.yaml contains no field",
      "apiVersion",
      "data",
      "data[a.b/c]",
      "data[a.b/c]",
      "data[a.b/c]",
      "data[a.b/c]",
      "data.kept",
      "data.kept",
      "data.kept",
      "data.list",
      "line 13 of manifests/a.yaml is blank",
      "data.items",
      "data.items[0]",
      "data.items",
      "data.items[1].name",
      "data.items[1].value",
      "data.items[1].value",
      "sops",
      "sops.mac",
    ],
  );
  for (const line of [0, 22, 10 ** 9])
    assert.is(lineOf(line), `manifests/a.yaml has only 21 lines, no line ${line}`);
  assert.is(lineOf(1, ""), "manifests/a.yaml has only 0 lines, no line 1");
  assert.match(lineOf(1, "a: [b\n") ?? "", /^manifests\/a\.yaml cannot be parsed: line \d+: /);

  const file = "manifests/cluster-dns-02-config.yml";
  const dns = `${textOf("none", file)}added: by hand\nsops:\n  mac: x\n`;
  const asked = { file, field: undefined, platform: "none" };
  const last = dns.trimEnd().split("\n").length;
  assert.equal(originOfLine(asked, last, dns), originOf(asked));
  assert.equal(originOfLine(asked, last - 2, dns), {
    found: false,
    problem: `line ${last - 2} of ${file} belongs to added, which slipway does not write`,
  });
});

test("lines of an Ignition config: the file of the node, and lines inside of it", () => {
  const dns = "manifests/cluster-dns-02-config.yml";
  const manifest = textOf("none", dns);
  const ofTheUser = "/opt/openshift/manifests/of-the-user.yaml";
  const source = (text: string): string =>
    `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString("base64")}`;
  const config = {
    ignition: { version: "3.2.0" },
    storage: {
      files: [
        { path: "/etc/motd", append: [{ source: source("first\n\nlast\n") }] },
        { path: `/opt/openshift/${dns}`, contents: { source: source(manifest) } },
        { path: ofTheUser, contents: { source: source("a: 1\n") } },
      ],
    },
  };
  const asked = { file: "bootstrap.ign", field: undefined, platform: "none" };
  const [whole, laidOut] = [JSON.stringify(config), JSON.stringify(config, undefined, 2)];
  assert.equal(originOfLine(asked, 1, whole), originOf(asked));
  for (const [index, line] of laidOut.split("\n").entries()) {
    const place = originOfLine(asked, index + 1, laidOut);
    const field = place.found ? (place.field ?? "") : place.problem;
    if (/^ {6}/.test(line)) assert.match(field, /^\//, line);
    else assert.is(field, "", line);
    assert.equal(place, {
      ...originOf({ ...asked, field: field === "" ? undefined : field }),
      ...(field === "" ? {} : { field }),
    });
  }
  const inside = (field: string, line: number) => originOfLine({ ...asked, field }, line, whole);
  assert.equal(inside("/etc/motd", 3), originOf({ ...asked, field: "/etc/motd" }));
  assert.equal(inside(ofTheUser, 1), originOf({ ...asked, field: ofTheUser }));
  const line = manifest.split("\n").findIndex((each) => each.includes("baseDomain")) + 1;
  assert.equal(inside(`/opt/openshift/${dns}`, line), {
    ...originOf({ file: dns, field: "spec.baseDomain", platform: "none" }),
    field: "spec.baseDomain",
  });
  for (const [path, at, problem] of [
    ["/etc/motd", 2, "line 2 of /etc/motd is blank"],
    ["/etc/motd", 4, "/etc/motd has only 3 lines, no line 4"],
    ["/etc/nothing", 1, "bootstrap.ign contains no text for /etc/nothing"],
  ] as const)
    assert.equal(inside(path, at), { found: false, problem });
});

test("every file of the bootstrap node in the golden trees", () => {
  const paths = caseNames().flatMap((name) => {
    const listing = treeOf(name).get("bootstrap.ign") ?? "";
    return [...listing.matchAll(/^[0-7]{4} (\/\S+) /gm)].map(([, path = ""]) => path);
  });
  assert.ok(paths.length > 100, String(paths.length));
  for (const path of new Set(paths))
    for (const origin of answer("bootstrap.ign", undefined, path)) {
      assert.is(origin.phase, "ignition-configs");
      assert.ok(origin.references.length > 0, `${path} has no reasons`);
    }
  const [conf] = answer("/etc/containers/registries.conf", "none");
  assert.equal(conf?.inputs.installConfig, ["imageContentSources", "imageDigestSources"]);
  const [key] = answer("bootstrap.ign", "none", "/opt/openshift/tls/service-account.key");
  assert.ok(key?.inputs.state.some(({ part }) => part === "serviceAccount.privateKey"));
});

test("every golden tree of an asset directory", () => {
  const cases = caseNames().filter((name) =>
    [...treeOf(name).keys()].some((file) => file.startsWith("manifests/")),
  );
  assert.ok(cases.length >= 3);
  for (const name of cases)
    for (const file of [...treeOf(name).keys()].filter((path) =>
      /^(?:manifests|openshift|infrastructure-manifests)\//.test(path),
    ))
      if (originOf({ file, field: undefined, platform: undefined }).found === false)
        // The user's own manifests of a case are nobody's.
        assert.ok(existsSync(join("golden", name, "input", file)), `${name}: no origin of ${file}`);
});

test("every template of the phases has an origin, and its fields lead into a view that the code fills", () => {
  const names = TEMPLATE_NAMES.filter((name) => PHASE_TEMPLATES.test(name));
  const unknown = names.filter((name) => !ORIGINS.some(({ template }) => template === name));
  assert.equal(unknown, []);
  // Of the platforms only those in whose golden trees every field is asked for above.
  const origins = ORIGINS.filter(
    ({ platform, template }) => template !== undefined && (platform === undefined || platform === "aws"),
  );
  // A template of several files has conditions for what not all of them hold, and so has a partial of several templates.
  const partialsOf = (template: string): readonly string[] =>
    [...readFileSync(`templates/${template}.hbs`, "utf8").matchAll(/\{\{> ?(\S+?)\}\}/g)].map(
      ([, partial = ""]) => partial,
    );
  const filled = new Set(
    origins.flatMap(({ template = "", view }) =>
      [template, ...partialsOf(template)].flatMap((each) =>
        Object.keys(view).map((member) => `${each}: ${member}`),
      ),
    ),
  );
  const lost = origins.flatMap(({ template = "" }) =>
    Object.values(FIELDS[template] ?? {}).flatMap((place) => {
      const [first = ""] = (place ?? "").split(/[.[]/);
      if (first === "" || filled.has(`${template}: ${first}`)) return [];
      const isOfPartial = partialsOf(template).some(
        (partial) =>
          readFileSync(`templates/${partial}.hbs`, "utf8").includes(` ${first}}}`) &&
          filled.has(`${partial}: ${first}`),
      );
      return isOfPartial ? [] : [`${template}: ${first}`];
    }),
  );
  // The list of a kustomization is given by whoever writes the folder.
  assert.equal([...new Set(lost)], ["infrastructure-manifests/kustomization.yaml: resources"]);
});

test("origins name platforms and rows that exist", () => {
  for (const { platform } of ORIGINS)
    assert.ok(platform === undefined || PLATFORM_NAMES.some((name) => name === platform), platform);
  assert.ok(Object.keys(ROWS).length > 10);
  for (const [row, { since, before }] of Object.entries(ROWS))
    assert.ok(since !== undefined || before !== undefined, row);
});

test("what the code is said to read are fields of the schemas", async () => {
  const unknown: string[] = [];
  for (const [name, root] of [
    ["install-config", "install-config"],
    ["cloud-facts", "facts"],
  ] as const) {
    const [document] = listDocuments().filter((each) => each.name === name);
    const schema = await document?.load();
    assert.ok(schema !== undefined);
    for (const path of new Set(MADE.flatMap(({ reads }) => reads))) {
      const field = path.slice(root.length + 1).replace(/\.?\[\d+\]/g, "");
      if (!path.startsWith(`${root}.`) || /^(?:normalForm|file)$/.test(field)) continue;
      if (!findField(schema, field).found) unknown.push(path);
    }
  }
  assert.equal(unknown, []);
});

test("a field: its place in the view, and what alone it is made from", () => {
  const [noProxy, ...others] = answer("manifests/cluster-proxy-01-config.yaml", "aws", "status.noProxy");
  assert.equal(others, []);
  assert.is(noProxy?.view, "status.noProxy");
  assert.equal(noProxy?.inputs.installConfig, [
    "baseDomain",
    "metadata.name",
    "networking.clusterNetwork.cidr",
    "networking.machineNetwork.cidr",
    "networking.serviceNetwork",
    "platform.aws.region",
    "proxy.noProxy",
  ]);
  assert.equal(noProxy?.platformAnswers, ["manifests.noProxy"]);

  const [topology] = answer("cluster-infrastructure-02-config.yml", "none", "status.controlPlaneTopology");
  assert.equal(topology?.inputs.installConfig, ["arbiter.replicas", "controlPlane.replicas"]);
  assert.equal(
    topology?.releases.map(({ name }) => name),
    ["arbiterBesideMoreThanTwo", "dualReplicaTopology"],
  );

  const [key] = answer("machine-config-server-ca-secret.yaml", "none", "data[tls.key]");
  assert.equal(key?.inputs.state, [{ member: "*tls.RootCA", part: "key" }]);

  // What takes the place of a value that is missing is an input too, in a function as where it stands.
  const [subscription] = answer(
    "infrastructure-manifests/40_infrastructure-cluster.yaml",
    "azure",
    "spec.subscriptionID",
  );
  assert.equal(subscription?.inputs.state, [{ member: "slipway.dev/credentials", part: "subscriptionId" }]);
  assert.equal(subscription?.inputs.facts, ["azure.subscriptionID"]);

  const [fixed] = answer("manifests/cluster-dns-02-config.yml", "none", "kind");
  assert.is(fixed?.view, null);
  assert.is(fixed === undefined ? -1 : inputsOf(fixed), 0);
});

const WORKERS = "openshift/99_openshift-cluster-api_worker-machineset-0.yaml";
const MASTERS = "openshift/99_openshift-cluster-api_master-machines-0.yaml";
const TEMPLATE = "infrastructure-manifests/50_machine-template.yaml";
const SPEC = "spec.template.spec.providerSpec.value";
/** Fields whose value is chosen from a table where nobody gives one, or that a table fills. */
const FROM_TABLES = [
  ["aws", WORKERS, `${SPEC}.instanceType`, "instance-types"],
  ["aws", MASTERS, "spec.providerSpec.value.instanceType", "instance-types"],
  ["aws", TEMPLATE, "spec.template.spec.instanceType", "instance-types"],
  ["aws", WORKERS, `${SPEC}.placement.availabilityZone`, "zones"],
  ["aws", MASTERS, "spec.providerSpec.value.placement.availabilityZone", "zones"],
  ["aws", "infrastructure-manifests/40_infrastructure-cluster.yaml", "spec.network.subnets", "zones"],
  [
    "aws",
    "infrastructure-manifests/40_infrastructure-cluster.yaml",
    "spec.network.cni.cniIngressRules",
    "ingress-rules",
  ],
  ["aws", "manifests/cloud-provider-config.yaml", "data", "partitions"],
  ["azure", WORKERS, `${SPEC}.vmSize`, "clouds"],
  ["azure", MASTERS, "spec.providerSpec.value.vmSize", "clouds"],
  ["azure", TEMPLATE, "spec.template.spec.vmSize", "clouds"],
  ["gcp", WORKERS, `${SPEC}.disks[0].type`, "machine-families"],
  ["gcp", TEMPLATE, "spec.template.spec.rootDeviceType", "machine-families"],
  ["ibmcloud", "infrastructure-manifests/40_infrastructure-cluster.yaml", "spec", "security-groups"],
  ["powervs", WORKERS, `${SPEC}.systemType`, "regions"],
  ["powervs", TEMPLATE, "spec.template.spec.systemType", "regions"],
  ["powervs", "infrastructure-manifests/40_infrastructure-cluster.yaml", "spec.vpc", "regions"],
  ["powervs", "infrastructure-manifests/40_infrastructure-cluster.yaml", "spec", "security-groups"],
] as const;

for (const [platform, file, field, table] of FROM_TABLES)
  test(`${platform}: ${file}:${field} names the table ${table}`, () => {
    const tables = answer(file, platform, field).flatMap((each) => each.tables);
    assert.ok(tables.includes(`src/platforms/${platform}/data/${table}.json`), tables.join());
    for (const path of tables) assert.ok(existsSync(path), path);
    const text = describeOrigins(file, answer(file, platform, field));
    assert.match(text, new RegExp(`^(?:TABLES)? +src/platforms/${platform}/data/${table}\\.json$`, "m"));
  });

test("every table of a platform's folder is named by an origin, but those of rules and of what is done by hand", () => {
  const named = new Set(
    MADE.flatMap(({ tables = [], rows }) => [...tables, ...rows.map((row) => row.replace(/#.*/, ""))]),
  );
  const tables = readdirSync("src/platforms", { withFileTypes: true })
    .map(({ name }) => `src/platforms/${name}/data`)
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`));
  assert.equal(
    // What upgrade-impact knows of changes makes no file.
    tables.filter((each) => !named.has(each) && !/\/(?:host-)?updates\.json$/.test(each)),
    [
      "src/platforms/aws/data/iam-policies.json",
      "src/platforms/gcp/data/cloud-setup.json",
      "src/platforms/openstack/data/security-rules.json",
    ],
  );
});

test("what several platforms share does not bring the inputs of one to the files of another", () => {
  const numbers = ({ from, view, members }: Partial<Origin> & Partial<ViewNode>): readonly number[] => [
    ...(from === undefined ? [] : [from]),
    ...Object.values(view ?? members ?? {}).flatMap(numbers),
  ];
  const foreign = (platform: string, from: number): readonly string[] => {
    const { reads = [], tables = [], rows = [] } = MADE[from] ?? {};
    return [...reads, ...tables, ...rows].filter((each) => {
      const [, owner = platform] =
        /^(?:facts\.|install-config\.platform\.|src\/platforms\/)(\w+)/.exec(each) ?? [];
      return owner !== platform && PLATFORM_NAMES.some((name) => name === owner);
    });
  };
  const ofFiles = ORIGINS.flatMap(({ platform, path, ...each }) =>
    platform === undefined
      ? []
      : numbers(each).flatMap((from) =>
          foreign(platform, from).map((input) => `${platform} ${path}: ${input}`),
        ),
  );
  const ofAnswers = Object.entries(ANSWERS).flatMap(([platform, answers]) =>
    Object.entries(answers).flatMap(([ask, from]) =>
      foreign(platform, from).map((input) => `${platform} ${ask}: ${input}`),
    ),
  );
  assert.equal([...new Set([...ofFiles, ...ofAnswers])], []);
});

test("indices and brackets in a field, and fields that hold others", () => {
  const file = "infrastructure-manifests/40_infrastructure-cluster.yaml";
  const [first] = answer(file, "aws", "spec.network.subnets[0].cidrBlock");
  assert.is(first?.view, "subnets[].cidr");
  assert.equal(
    answer(file, "aws", "spec.network.subnets[].cidrBlock"),
    answer(file, "aws", "spec.network.subnets[3].cidrBlock"),
  );
  const [label] = answer(file, "aws", "metadata.labels[cluster.x-k8s.io/cluster-name]");
  assert.equal(label?.inputs.state, [{ member: "*installconfig.ClusterID", part: "infraID" }]);
  const [bucket] = answer(file, "aws", "spec.s3Bucket");
  assert.is(bucket?.view, "bestEffortDelete, bucket");
});

test("what the platform answers counts only for that platform", () => {
  const dns = (platform: string | undefined): readonly string[] =>
    answer("cluster-dns-02-config.yml", platform)[0]?.inputs.installConfig ?? [];
  assert.ok(dns("aws").includes("platform.aws.hostedZone"));
  assert.equal(dns("none"), ["baseDomain", "metadata.name"]);
  assert.equal(dns(undefined), dns("none"));
});

test("folders with secrets and shared objects, names alone, and files of slipway's own", () => {
  for (const file of ["20_install-state.yaml", "./infrastructure-manifests-secrets/20_install-state.yaml"])
    assert.is(
      answer(file, "none")[0]?.template,
      "templates/infrastructure-manifests/20_install-state.yaml.hbs",
    );
  assert.is(
    answer("infrastructure-manifests-shared/10_credentials-identity.yaml", "aws").length,
    2,
    "one of the controller, one of the cluster's own",
  );
  for (const [name, asset] of [
    ["worker", "pointerConfigs"],
    ["bootstrap", "bootstrapConfig"],
    ["bootstrap-in-place-for-live-iso", "bootstrapConfig"],
    ["bootstrap-shim", "shimFiles"],
  ])
    assert.equal(
      answer(`${name}.ign`, "none").map((each) => each.asset),
      [asset],
      name,
    );
  assert.match(answer(".openshift_install_state.json", undefined)[0]?.about ?? "", /identity, keys/);
});

test("flags that are named exist", () => {
  const known = new Set(Object.values(FLAGS).map(({ name }) => `--${name}`));
  const named = ORIGINS.flatMap(({ path, platform }) => answer(path.replaceAll("*", "a"), platform)).flatMap(
    ({ inputs }) => inputs.flags,
  );
  assert.ok(named.length > 100, String(named.length));
  assert.equal([...new Set(named)].filter((each) => !known.has(each)).sort(), []);
});

test("what no phase writes, and fields that are not there", () => {
  const problem = (file: string, field?: string, platform = "none"): string => {
    const found = originOf({ file, field, platform });
    return found.found ? "" : found.problem;
  };
  assert.match(
    problem("manifests/cluster-proxy-02-config.yaml"),
    /did you mean manifests\/cluster-proxy-01-config.yaml\?/,
  );
  assert.match(problem("no-such.yaml"), /^no phase writes no-such\.yaml on none; /);
  assert.match(problem("manifests/kube-cloud-config.yaml", "data.confg"), /did you mean data\.config\?/);
  assert.match(
    problem("bootstrap.ign", "/etc/motdd"),
    /^bootstrap\.ign contains no \/etc\/motdd; did you mean \/etc\/motd\?/,
  );
  assert.match(problem("metadata.json", "infraID"), /not rendered from a template/);
  assert.match(problem(".slipway/record.json", "files"), /not rendered from a template/);
  assert.match(problem("constructor"), /^no phase writes/);
});

test("objects of the user's own infrastructure come from their folder, where no template makes them", () => {
  for (const file of ["40_infrastructure-cluster.yaml", "infrastructure-manifests/12_secret-a.yaml"]) {
    const found = originOf({ file, field: undefined, platform: "none" });
    assert.ok(found.found);
    assert.equal(
      found.origins.flatMap(({ inputs }) => inputs.flags),
      ["--crds", "--custom-infrastructure"],
    );
  }
});

test("as text: one line a fact", () => {
  assert.is(
    describeOrigins(
      "kubeadmin",
      answer("openshift/99_kubeadmin-password-secret.yaml", "none", "data.kubeadmin"),
    ),
    `FILE      kubeadmin
ABOUT     Secrets that hold one value of the config or the state: pull secret, kubeadmin, cloud credentials
TEMPLATE  templates/openshift/99_kubeadmin-password-secret.yaml.hbs
VIEW      hash
PHASE     slipway create manifests
ASSET     kubeadmin in src/phases/manifests/secrets.ts
STATE     *password.KubeadminPassword: hash
WHY       docs/reference/install-config-and-manifests.md §3.2, §3.6
`,
  );
});

test.run();
