/**
 * Own infrastructure, openshift-assisted and fleets with texts that a shell would obey in every place of their files that
 * takes one, and as names of files and directories: nothing of it runs when what is printed or written is pasted.
 */
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HOSTILE, runs } from "../helpers/hostile.js";
import { readTree, tempFolder } from "../helpers/temp.js";
import { type Answer, answer } from "./answer.js";
import { lay, wordsOf } from "./command-lines.js";
import { plantedTexts } from "./planting.js";

const test = suite("hostile installations");
process.env["SOURCE_DATE_EPOCH"] = "1800000000";
const folder = join(tempFolder(), "work");

const PROGRAMS =
  "slipway|openshift-install|kubectl|oc|git|sops|clusterctl|aws|az|curl|gcloud|govc|ibmcloud|openstack";
/** Commands in a text, to the end of their lines. */
const commandsIn = (text: string): string[] =>
  [...text.matchAll(new RegExp(`(?<![\\w/.-])(?:${PROGRAMS}) [a-z-].*$`, "gm"))].map(([line]) => line);

/** What was printed, and files that are there to be read and pasted from. */
const commandsOf = ({ stdout, stderr }: Answer): string[] =>
  [
    stdout,
    stderr,
    ...[...readTree(folder)].flatMap(([path, data]) =>
      /\.(?:txt|md|sh)$/.test(path) ? [data.toString()] : [],
    ),
  ].flatMap(commandsIn);

/** One shell for all of them, and one for each where something ran. */
function nothingRan(commands: readonly string[], what: string): void {
  const distinct = [...new Set(commands)];
  if (!runs(distinct.map((each) => `( ${each}\n)`).join("\n"), tempFolder())) return;
  for (const each of distinct) assert.not(runs(each, tempFolder()), `${what}: ${each}`);
}

const TEXTS = HOSTILE.map((text) => `${text} `);

/** The golden case whose files are planted, which of them, and the command lines that take them. */
const CASES: readonly (readonly [of: string, files: RegExp, words: readonly string[], least: number])[] = [
  [
    "custom-external",
    /^infrastructure\//,
    [
      "create infrastructure-manifests --dir cluster --infra-id heron-x7k2p --namespace herons --custom-infrastructure infrastructure --crds definitions --secrets separate --key-algorithm ecdsa-p256",
      "check --dir cluster",
      "validate --dir cluster",
    ],
    10,
  ],
  [
    "openshift-assisted",
    /install-config\.yaml$/,
    [
      "create infrastructure-manifests --control-plane-provider openshift-assisted --release-image quay.io/openshift-release-dev/ocp-release:4.22.3-x86_64",
      "check",
      "validate",
    ],
    5,
  ],
];

for (const [of, files, lines, least] of CASES)
  test(`${of}: hostile texts in every place that takes one`, async () => {
    const tree = readTree(join("golden", of, "input"));
    const [create = "", ...more] = lines;
    const ask = (line: string): Promise<Answer> => answer(wordsOf(line), folder);
    const commands = new Set<string>();
    const planted = await plantedTexts(
      tree,
      [...tree.keys()].filter((path) => files.test(path)),
      TEXTS,
      async (given) => {
        lay(given, folder);
        const said = await ask(`${create} --dry-run`);
        for (const each of commandsOf(said)) commands.add(each);
        return said.code === 0;
      },
    );
    nothingRan([...commands], of);
    process.stdout.write(`${of}: ${planted.names.size} places take a text\n`);
    assert.ok(planted.names.size >= least, `${planted.names.size}`);
    lay(planted.tree, folder);
    for (const line of [create, ...more]) {
      const said = await ask(line);
      nothingRan(commandsOf(said), line);
    }
  });

const isName = (text: string): boolean => !/[\r\n/]/.test(text);

test("files of own infrastructure with hostile names, and a directory", async () => {
  const tree = readTree("golden/custom-external/input");
  for (const hostile of HOSTILE.filter(isName)) {
    const own = hostile.startsWith("-") ? `./${hostile}` : hostile;
    const given = new Map(
      [...tree].map(([path, data]): [string, Buffer] => [
        path.replace(/^infrastructure\//, `${hostile}/${hostile}-`).replace(/^cluster\//, `c${hostile}/`),
        data,
      ]),
    );
    lay(given, folder);
    const create = [
      "create",
      "infrastructure-manifests",
      "--dir",
      `c${hostile}`,
      "--infra-id",
      "heron-x7k2p",
      "--namespace",
      "herons",
      "--key-algorithm",
      "ecdsa-p256",
    ];
    const said = await answer([...create, "--custom-infrastructure", own, "--crds", "definitions"], folder);
    assert.is(said.code, 0, said.stderr);
    const refused = await answer([...create, "--custom-infrastructure", `${own}-gone`], folder);
    assert.is.not(refused.code, 0);
    const checked = await answer(["check", "--dir", `c${hostile}`], folder);
    const all = [said, refused, checked].flatMap(commandsOf);
    assert.ok(all.length > 5);
    nothingRan(all, hostile);
  }
});

test("fleets of directories and names that are hostile", async () => {
  const config = readTree("examples/none").get("install-config.yaml") ?? Buffer.alloc(0);
  const names = HOSTILE.filter(isName);
  const directories = names.map((name) =>
    name.startsWith("-") || name.startsWith("#") ? `./${name}` : name,
  );
  const tree = new Map<string, Buffer>([
    ["list", Buffer.from(`${directories.join("\n")}\n`)],
    [
      "table.json",
      Buffer.from(
        JSON.stringify({
          apiVersion: "slipway.dev/v1alpha1",
          kind: "Fleet",
          defaults: { flags: { "key-algorithm": "ecdsa-p256" } },
          clusters: directories.map((dir) => ({ dir })),
        }),
      ),
    ],
    ...names.map((name): [string, Buffer] => [`${name}/install-config.yaml`, config]),
  ]);
  lay(tree, folder);
  const said: Answer[] = [];
  for (const line of [
    "check --fleet list",
    "create manifests --fleet table.json",
    "validate --fleet list",
    "check --fleet table.json --output json",
  ])
    said.push(await answer(wordsOf(line), folder));
  assert.equal(
    said.map(({ code }) => code),
    [0, 0, 0, 0],
    said.map(({ stderr }) => stderr.slice(0, 500)).join("\n"),
  );
  nothingRan(said.flatMap(commandsOf), "a fleet");
});

test.run();
