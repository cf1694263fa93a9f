/** A flag has its effect or is refused: what the function takes as well, on every platform. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type ClusterInput, type ClusterOutput, compileCluster } from "../../src/pipeline/cluster.js";
import { FLAGS } from "../../src/pipeline/flags.js";
import { HANDLED_PLATFORMS } from "../../src/platforms/registry.js";
import { ellipticKey, seededRandom } from "../helpers/inputs.js";
import { everyNth } from "../helpers/runs.js";

const test = suite("idle flags");

type Member = keyof typeof FLAGS;
type Given = Partial<ClusterInput>;

const IMAGE = `registry.example.org/ocp/release@sha256:${"0123456789abcdef".repeat(4)}`;
const AGE = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";
const text = (name: string, of: string): Given => ({ texts: { [name]: { file: name, text: of } } });

interface Sample {
  readonly given: Given;
  /** What else both runs have; without it the facts of the platform. */
  readonly beside?: Given;
}

/** A value of each flag that is not the default. */
const SAMPLES: Partial<Record<Member, Sample>> = {
  release: { given: { flags: { release: "4.20" } } },
  releaseImage: { given: { flags: { releaseImage: IMAGE } } },
  infraID: { given: { infraID: "another-abcde" } },
  clusterID: { given: { clusterID: "11111111-89ab-4cde-8f01-23456789abcd" } },
  namespace: { given: { flags: { namespace: "elsewhere" } } },
  facts: { given: text("facts", "a: 1\n"), beside: {} },
  coreosStream: { given: text("coreos-stream", "{}"), beside: {} },
  credentials: { given: text("credentials", "a: 1\n") },
  pullSecret: { given: text("pull-secret", '{"auths":{"a.example.com":{"auth":"YTpi"}}}') },
  sshKey: { given: text("ssh-key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEx2KnK03eS another\n") },
  customInfrastructure: { given: { customInfrastructure: new Map() } },
  contract: { given: { flags: { contract: "v1beta2" } } },
  controlPlaneProvider: { given: { flags: { controlPlaneProvider: "openshift-assisted" } } },
  controlPlaneApiVersion: { given: { flags: { controlPlaneApiVersion: "v1alpha2" } } },
  machineManagement: { given: { flags: { machineManagement: "cluster-api" } } },
  mastersSchedulable: { given: { flags: { mastersSchedulable: "on" } } },
  machineHealthChecks: { given: { flags: { machineHealthChecks: "on" } } },
  autoscalerBounds: { given: { flags: { autoscalerBounds: ["worker=1:3"] } } },
  gitops: { given: { flags: { gitops: "argocd" } } },
  secrets: { given: { flags: { secrets: "separate" } } },
  ageRecipients: { given: { flags: { ageRecipients: [AGE] } } },
  emulatedVersion: { given: { flags: { emulatedVersion: "1.34" } } },
  minCompatibilityVersion: { given: { flags: { minCompatibilityVersion: "1.34" } } },
};

/** Flags whose effect another test holds, or that may have nothing to do by their nature. */
const ELSEWHERE: Partial<Record<Member, string>> = {
  dir: "every run has one",
  seed: "the keys of a new cluster follow from it: pipeline/cluster",
  keys: "new keys alone are taken from a pool: cli/keys",
  keyAlgorithm: "of new keys alone: cli/create",
  controllerNamespace: "validate takes objects there for the controller's: validate/infrastructure",
  templates: "read by the command line: cli/create",
  crds: "objects are held against definitions where there are some of their kind: validate/crd-files",
  sharedObjects: "where objects are shared: pipeline/cluster",
  ageKeyFile: "where files are encrypted: sops/golden-trees",
  nmstatectl: "of agent-config-image alone: phases/agent/config-image",
  lenient: "where a field is unknown: cli/create",
};
/** Flags of one run of the command line, which it acts on whatever the cluster is. */
const OF_THE_RUN: readonly Member[] = [
  ...(["ours", "theirs", "dryRun", "diff", "toStdout", "splitDocuments", "consume"] as const),
  ...(["renew", "minValidity", "dataSecrets", "shimSource", "userData"] as const),
];

const base = (files: ClusterInput["files"], given: Given): ClusterInput => ({
  files,
  target: "infrastructure-manifests",
  inputs: {
    clock: { now: () => new Date("2027-01-15T08:00:00Z") },
    random: seededRandom("idle flags"),
    keys: { generate: async () => ellipticKey() },
  },
  tool: "slipway 0.0.0",
  ...given,
});

/** Everything that tells one run from another. */
const shown = ({ ok, files, supplement, diagnostics }: ClusterOutput): string =>
  JSON.stringify([
    ok,
    supplement,
    diagnostics,
    files.map(({ path, data }) => [path, Buffer.from(data).toString("latin1")]),
  ]);

test("every flag of create is looked at", () => {
  const create = Object.entries(FLAGS).filter(([, { by }]) => by.some((each) => each.startsWith("create")));
  const known = [...Object.keys(SAMPLES), ...Object.keys(ELSEWHERE), ...OF_THE_RUN];
  assert.equal(known.sort(), create.map(([member]) => member).sort());
});

/** What is refused by platform: a change of this table is a change of what users may give. */
const NO_CLOUD = ["coreosStream", "credentials", "facts"];
const REFUSED: { readonly [platform: string]: readonly string[] } = {
  baremetal: ["coreosStream", "credentials"],
  external: NO_CLOUD,
  none: NO_CLOUD,
  nutanix: ["credentials"],
  openstack: ["coreosStream"],
  vsphere: ["credentials"],
};
const EVERYWHERE = ["ageRecipients", "controlPlaneApiVersion"];

for (const platform of everyNth(HANDLED_PLATFORMS, 3))
  test(`${platform}: a flag changes files, steps or messages, or is refused`, async () => {
    const folder = join("golden", platform, "input");
    const config = new Map([["install-config.yaml", readFileSync(join(folder, "install-config.yaml"))]]);
    const usual = {
      texts: Object.fromEntries(
        Object.entries({ facts: "facts.yaml", credentials: "clouds.yaml" }).flatMap(([name, file]) =>
          existsSync(join(folder, file))
            ? [[name, { file, text: readFileSync(join(folder, file), "utf8") }]]
            : [],
        ),
      ),
    };
    const made = await compileCluster(base(config, usual));
    assert.ok(made.state !== undefined, JSON.stringify(made.diagnostics));
    const files = new Map<string, Uint8Array>([...config, [made.state.path, made.state.data]]);
    const plain = await compileCluster(base(files, usual));
    const refused: string[] = [];
    const silent: string[] = [];
    for (const [member, { given, beside = usual }] of Object.entries(SAMPLES)) {
      const without = beside === usual ? plain : await compileCluster(base(files, beside));
      const texts = { ...beside.texts, ...given.texts };
      const output = await compileCluster(base(files, { ...beside, ...given, texts }));
      if (output.diagnostics.some(({ code }) => code === "FLAG001")) refused.push(member);
      else if (shown(output) === shown(without)) silent.push(member);
    }
    assert.equal(silent, []);
    assert.equal(refused.sort(), [...EVERYWHERE, ...(REFUSED[platform] ?? [])].sort());
  });

test("with what makes a flag count, it is taken", async () => {
  const config = new Map([["install-config.yaml", readFileSync("golden/none/input/install-config.yaml")]]);
  for (const flags of [
    { controlPlaneApiVersion: "v1alpha2", controlPlaneProvider: "openshift-assisted" },
    { ageRecipients: [AGE], secrets: "sops" },
  ] as const) {
    const { diagnostics } = await compileCluster(base(config, { flags }));
    assert.not(diagnostics.some(({ code }) => code === "FLAG001"));
  }
});

test.run();
