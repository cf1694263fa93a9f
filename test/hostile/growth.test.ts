/**
 * What reads or hides texts takes a time that grows with them: twice the text, about twice the work. Texts are made of
 * one unit over and over, behind what lets an expression begin, with an end that fits nothing, which is what expressions
 * that try everything twice are slow at. Compared are two sizes of one text, in time of the processor, the best of some
 * tries; what is done within a few milliseconds is too quick to be of a higher order. Where a square is small beside what
 * else is done, calls are counted instead.
 */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { trim } from "../../src/compatibility/flags.js";
import { encode } from "../../src/core/files.js";
import { withoutEnd } from "../../src/core/trim.js";
import { excludeOnEveryBranch } from "../../src/directory/git-exclude.js";
import { ignoreText } from "../../src/directory/git-files.js";
import { parseState } from "../../src/directory/state.js";
import { readEncryptionConfig } from "../../src/etcd/encryption/config.js";
import { readFleet } from "../../src/fleet/read.js";
import { pemBlocks } from "../../src/pki/pem.js";
import { bundleFault, uselessCertificates } from "../../src/pki/trust-bundle.js";
import { readCloudFacts } from "../../src/platforms/cloud-facts.js";
import { pemBlocks as platformBlocks } from "../../src/platforms/pem-blocks.js";
import { readBehaviors } from "../../src/storage/read/behaviors.js";
import { redactText } from "../../src/text/redact.js";
import { redactorFor } from "../../src/text/redactor.js";
import { terminalText } from "../../src/text/terminal.js";
import { readYaml } from "../../src/text/yaml-read.js";
import { writeYaml } from "../../src/text/yaml-write.js";
import { edit, judge, NONE } from "../helpers/install-configs.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("growth");
const ignore = (): void => undefined;

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  redactText,
  redactorFor: (text) => redactorFor(text).text("x"),
  terminalText,
  trim,
  withoutEnd: (text) => withoutEnd(text, " \t"),
  "PEM of platforms": platformBlocks,
  PEM: pemBlocks,
  bundleFault,
  uselessCertificates: (text) => uselessCertificates(text, new Date(0)),
  readYaml: (text) => readYaml(text, "x"),
  writeYaml: (text) => writeYaml({ a: text }),
};

const UNITS: readonly string[] = [
  ..." \t\n-:\"'\\@[{#|?%0aG.",
  "- ",
  "\n ",
  "a\n",
  "a:",
  "a=",
  "a: ",
  "{a: ",
  "- - ",
  "&a ",
  "*a ",
  "!!x ",
  "://",
  "//a:",
  "a:b@",
  "A://A",
  "?sig=",
  "eyJ-",
  "eyJaaaaaaaaaa.",
  "data:,",
  "ssh-rsa ",
  "ssh-rsa AAAA ",
  "$2a$",
  "Bearer ",
  "-----BEGIN A-----\n",
  "-----BEGIN A-----\n-----END B-----\n",
  "-----BEGIN RSA PRIVATE KEY-----\n",
  "-----BEGIN CERTIFICATE-----\n",
];
const BEGINNINGS = ["", "a: x", 'password: "x', "-----BEGIN A-----\n"];
const SIZE = 16_000;
/** A square gives 4, a line 2. */
const MOST = 3.2;
const TOO_QUICK_MS = 25;
const MEASURES = 4;

async function cost(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** How the cost grows with twice the size; 2 where it is too small to tell. Sizes take turns: a processor may slow down. */
async function growthOnce(
  read: (text: string) => unknown,
  textOf: (size: number) => string,
  size: number,
): Promise<number> {
  const [text, twice] = [textOf(size), textOf(2 * size)];
  if ((await cost(() => read(twice))) < TOO_QUICK_MS) return 2;
  let [less, more] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let i = 0; i < 4; i++) {
    less = Math.min(less, await cost(() => read(text)));
    more = Math.min(more, await cost(() => read(twice)));
  }
  return more / less;
}

/**
 * The least of some measures, as far as one is too large: a square is one every time, while an engine that compiles an
 * expression meanwhile, or a busy machine, is late once.
 */
async function growth(
  read: (text: string) => unknown,
  textOf: (size: number) => string,
  size = SIZE,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < MEASURES && least >= MOST; i++)
    least = Math.min(least, await growthOnce(read, textOf, size));
  return least;
}

test("the measure tells a square from a line", async () => {
  const line = (text: string): unknown => [...text.repeat(100)].length;
  const square = (text: string): unknown => / +$/.exec(text);
  const blanks = (size: number): string => `${" ".repeat(size)}x`;
  assert.ok((await growth(line, blanks)) < MOST);
  // Once is enough: a busy machine may make the smaller text look slow.
  let most = 0;
  for (let i = 0; i < 5 && most < MOST; i++) most = await growth(square, blanks);
  assert.ok(most > MOST, String(most));
});

for (const [name, read] of Object.entries(READERS))
  test(name, async () => {
    for (const begin of BEGINNINGS)
      for (const unit of UNITS) {
        const textOf = (size: number): string => `${begin}${unit.repeat(size / unit.length)}\u0001y`;
        const found = await growth(read, textOf);
        assert.ok(found < MOST, `${JSON.stringify(begin)} and ${JSON.stringify(unit)}: ${found.toFixed(1)}`);
      }
  });

/** How the number of calls grows from the first work to the second, whatever they take. */
async function growthOfCalls(less: () => unknown, more: () => unknown): Promise<number> {
  const session = new Session();
  session.connect();
  const calls = async (work: () => unknown): Promise<number> => {
    await session.post("Profiler.takePreciseCoverage");
    work();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    return result
      .flatMap(({ functions }) => functions.map(({ ranges: [whole] }) => whole?.count ?? 0))
      .reduce((sum, count) => sum + count, 0);
  };
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    const before = await calls(less);
    return (await calls(more)) / before;
  } finally {
    await session.post("Profiler.stopPreciseCoverage");
    session.disconnect();
  }
}

test("calls tell a square from a line", async () => {
  const called = (i: number): number => i + 1;
  const line = (size: number) => (): void => {
    for (let i = 0; i < size; i++) called(i);
  };
  const square = (size: number) => (): void => {
    for (let i = 0; i < size; i++) line(size)();
  };
  const ofLine = await growthOfCalls(line(1000), line(2000));
  assert.ok(ofLine > 1.8 && ofLine < 2.2, `${ofLine}`);
  const ofSquare = await growthOfCalls(square(200), square(400));
  assert.ok(ofSquare > 3.6 && ofSquare < 4.4, `${ofSquare}`);
});

/** Blocks of two lengths that overlap nothing. */
const blocks = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) =>
    i % 2 === 0 ? `10.${i >> 8}.${i & 255}.0/24` : `11.${i >> 8}.${i & 255}.128/25`,
  );
const NETWORKS = {
  clusterNetwork: (count: number) => blocks(count).map((cidr) => ({ cidr, hostPrefix: 26 })),
  machineNetwork: (count: number) => blocks(count).map((cidr) => ({ cidr })),
  serviceNetwork: blocks,
};

for (const [list, networks] of Object.entries(NETWORKS))
  test(`an install-config with many entries of ${list}`, async () => {
    const judged = (count: number) => (): unknown =>
      judge(edit(NONE, { [`networking.${list}`]: [...networks(count)] }));
    judged(10)();
    const ratio = await growthOfCalls(judged(1000), judged(2000));
    assert.ok(ratio < 2.2, `${ratio}`);
  });

test("what Git passes over in a repository of many clusters", async () => {
  const added = (count: number) => (): void => {
    const root = realpathSync(tempFolder());
    for (const folder of ["objects", "refs"]) mkdirSync(join(root, ".git", folder), { recursive: true });
    writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
    for (let i = 0; i < count; i++) {
      mkdirSync(join(root, `cluster-${i}`));
      excludeOnEveryBranch(join(root, `cluster-${i}`), ignoreText("separate"));
      excludeOnEveryBranch(join(root, `cluster-${i}`), ignoreText("separate"));
    }
  };
  added(10)();
  const ratio = await growthOfCalls(added(100), added(200));
  assert.ok(ratio < 2.2, `${ratio}`);
});

/** Members of a document, all of them odd in the same way, by names or in a list. */
const named = (count: number, value: string): string =>
  `{${Array.from({ length: count }, (_, i) => `"k${i}":${value}`).join(",")}}`;
const listed = (count: number, value: string): string => `[${Array(count).fill(value).join(",")}]`;

const FLEET = '"apiVersion":"slipway.dev/v1alpha1","kind":"Fleet"';
const BEHAVIORS_HEAD = '"apiVersion":"slipway.dev/v1alpha1","kind":"StorageBehaviors"';
const ENCRYPTION = '"apiVersion":"apiserver.config.k8s.io/v1","kind":"EncryptionConfiguration"';
const FACTS = '"apiVersion":"slipway.dev/v1alpha1","kind":"CloudFacts"';

interface WrongDocument {
  readonly read: (text: string) => unknown;
  readonly textOf: (count: number) => string;
  /** As many members cost more than is too quick to tell where their square is worked on. */
  readonly count: number;
}

const readState = (text: string): unknown => parseState(encode(text));
const fleetOf = (text: string): unknown => readFleet(text, "fleet.yaml", ".", ignore);

const WRONG: Readonly<Record<string, WrongDocument>> = {
  "files of a state": {
    read: readState,
    textOf: (count) => `{"*machines.Worker":{"MachineFiles":${listed(count, "1")}}}`,
    count: 2500,
  },
  "members of a state": {
    read: readState,
    textOf: (count) => `{"slipway.dev/keys":${named(count, "1")}}`,
    count: 2500,
  },
  "flags of a fleet": {
    read: fleetOf,
    textOf: (count) => `{${FLEET},"defaults":${named(count, "1")},"clusters":[]}`,
    count: 8000,
  },
  "clusters of a fleet": {
    read: fleetOf,
    textOf: (count) => `{${FLEET},"clusters":${listed(count, "{}")}}`,
    count: 8000,
  },
  "facts about clouds": {
    read: (text) => readCloudFacts(text, "facts.yaml", ignore),
    textOf: (count) => `{${FACTS},"aws":${named(count, "1")}}`,
    count: 8000,
  },
  "behaviours in releases": {
    read: (text) => readBehaviors(text, "behaviors.yaml", ignore),
    textOf: (count) =>
      `{${BEHAVIORS_HEAD},"resources":[{"group":"","resource":"a","versions":[{"version":"v1","behaviors":${named(count, "1")}}]}]}`,
    count: 6000,
  },
  "secrets and what is said of them": {
    read: (text) => {
      const { text: masked } = redactorFor(text);
      return text.split("\n").map(masked);
    },
    textOf: (count) => Array.from({ length: count }, (_, i) => `password: hidden-${i}-value`).join("\n"),
    count: 4000,
  },
  "resources to encrypt": {
    read: (text) => readEncryptionConfig(text, "encryption.yaml", ignore),
    textOf: (count) =>
      `{${ENCRYPTION},"resources":[{"providers":[{"identity":{}}],"resources":[${Array.from({ length: count }, (_, i) => `"k${i}"`).join(",")}]}]}`,
    count: 2500,
  },
};

for (const [name, { read, textOf, count }] of Object.entries(WRONG))
  test(`${name}, all of them odd`, async () => {
    const found = await growth(read, textOf, count);
    assert.ok(found < MOST, found.toFixed(1));
  });

test.run();
