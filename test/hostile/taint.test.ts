/**
 * Marks stand in every place of every input that can hold a secret: in what the schemas mark, in credentials of every
 * platform, keys, states, Secrets, copies of etcd. No run shows one: good ones, refused ones, ones with the wrong file in
 * the wrong place, and those that end in a bug (exit 70), in text and json, with `--log-level debug`. A file that holds
 * one is for its owner alone, under any umask.
 */
import { createHash, generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dump, load } from "js-yaml";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isJson, type Json } from "../../src/core/json.js";
import installConfigForm from "../../src/generated/forms/install-config.js";
import { HANDLED_PLATFORMS, PLATFORMS } from "../../src/platforms/registry.js";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";
import { type Answer, answer } from "./answer.js";
import { lay, STDIN, type Unit, unitsIn } from "./command-lines.js";
import {
  CORE,
  mark,
  markedIn,
  type Path,
  planted,
  plantedFile,
  pullSecret,
  withLogins,
  withValue,
  writeOnlyPaths,
  writtenIn,
} from "./taint.js";
import { markedCopies } from "./taint-etcd.js";

const test = suite("secrets by taint");
process.env["SOURCE_DATE_EPOCH"] = "1800000000";
const root = tempFolder();
const leaks: string[] = [];
const figures: Record<string, number> = {};
const count = (name: string): void => {
  figures[name] = (figures[name] ?? 0) + 1;
};

const privateKey = generateKeyPairSync("rsa", { modulusLength: 2048 })
  .privateKey.export({ type: "pkcs1", format: "pem" })
  .toString();
const AGE_KEY = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX";
const SEED = createHash("sha256").update("a seed of this test").digest();
/** Secrets that are of a form of their own, in which no mark can stand: parts of them are looked for. */
const OWN_FORMS = [
  privateKey.split("\n")[3] ?? "",
  AGE_KEY.slice(20, 50),
  SEED.toString("base64").slice(0, 40),
  SEED.toString("hex"),
];

/** What a command line answered is searched; the streams of all runs hold no mark. */
function search(
  what: string,
  { stdout, stderr }: Pick<Answer, "stdout" | "stderr">,
  more: readonly string[] = [],
): void {
  for (const [name, text] of Object.entries({ stdout, stderr })) {
    const found = markedIn(text, [...OWN_FORMS, ...more]);
    if (found !== undefined) leaks.push(`${what}: ${name}: ${found}`);
  }
}

/** Runs a command line and searches its streams. */
async function run(line: string | readonly string[], folder: string, stdin?: Uint8Array): Promise<Answer> {
  const words = typeof line === "string" ? line.split(" ") : line;
  const result = await answer(words, folder, stdin);
  count(`exit ${result.code}`);
  search(words.join(" "), result);
  return result;
}

/** Files that hold a mark, and were none of the inputs, are for their owner alone. */
function searchFiles(what: string, folder: string, inputs: ReadonlyMap<string, Uint8Array>): void {
  const directory = / --dir ([\w.-]+)/.exec(what)?.[1];
  // Directories of a fleet lie where its table has them.
  const isDirectory = (path: string): boolean => path === directory || / --fleet /.test(what);
  const { files, folders } = writtenIn(folder);
  for (const { path, mode, text } of files) {
    const given = inputs.get(path);
    if (given !== undefined && Buffer.from(given).equals(Buffer.from(text, "latin1"))) continue;
    count("files searched");
    const found = markedIn(text, OWN_FORMS);
    if (found !== undefined) {
      count("secret files");
      if (mode !== 0o600) leaks.push(`${what}: ${path} has mode ${mode.toString(8)}: ${found}`);
    } else if (mode !== 0o644 && mode !== 0o600) leaks.push(`${what}: ${path} has mode ${mode.toString(8)}`);
  }
  for (const { path, mode } of folders) {
    const below = files.filter((file) => file.path.startsWith(`${path}/`));
    const isSecret = below.length > 0 && below.every((file) => file.mode === 0o600);
    if (
      isSecret &&
      !isDirectory(path) &&
      mode !== 0o700 &&
      ![...inputs.keys()].some((each) => each.startsWith(`${path}/`))
    )
      leaks.push(`${what}: the folder ${path} has mode ${mode.toString(8)}`);
  }
}

async function withUmask<T>(mask: number, work: () => Promise<T>): Promise<T> {
  const before = process.umask(mask);
  try {
    return await work();
  } finally {
    process.umask(before);
  }
}

function noLeaks(): void {
  const found = leaks.splice(0);
  assert.equal([...new Set(found)].slice(0, 40), [], `${found.length} leaks`);
}

/** Platform credentialss that take a file, marks in the place of what is secret. */
const credentials: Readonly<Record<string, () => string>> = {
  aws: () => `[default]\naws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = ${mark()}\n`,
  azure: () =>
    JSON.stringify({
      subscriptionId: "00000000-0000-4000-8000-000000000001",
      tenantId: "00000000-0000-4000-8000-000000000002",
      clientId: "00000000-0000-4000-8000-000000000003",
      clientSecret: mark(),
    }),
  gcp: () =>
    JSON.stringify({
      type: "service_account",
      project_id: "example-project",
      private_key_id: mark(),
      private_key: `-----BEGIN PRIVATE KEY-----\n${mark()}\n-----END PRIVATE KEY-----\n`,
      client_email: "installer@example-project.iam.gserviceaccount.com",
    }),
  ibmcloud: () => JSON.stringify({ name: "a", apikey: mark() }),
  openstack: () =>
    dump(
      withValue(
        withValue(
          readYaml("examples/openstack/clouds.yaml"),
          ["clouds", "birds", "auth", "application_credential_secret"],
          mark(),
        ),
        ["clouds", "birds", "auth", "password"],
        mark(),
      ),
    ),
  powervs: () => `IC_API_KEY=${mark()}\n`,
};

interface Cluster {
  readonly config: Json;
  readonly inputs: ReadonlyMap<string, Buffer>;
  readonly flags: readonly string[];
}

const readYaml = (path: string): Json => {
  const value: unknown = load(readFileSync(path, "utf8"));
  return isJson(value) ? value : null;
};

/** The example of a platform with marks in all that it has, a proxy and a pull secret; credentials where it takes some. */
function cluster(platform: string): Cluster {
  const example = join("examples", platform);
  const proxy = { httpProxy: `http://user:${mark()}@proxy.example.com:3128` };
  const config = planted(
    withValue(
      withValue(readYaml(join(example, "install-config.yaml")), ["proxy"], proxy),
      ["pullSecret"],
      "x",
    ),
  );
  const facts = join(example, "facts.yaml");
  const files: Record<string, string> = {
    "install-config.yaml": dump(config),
    ...(existsSync(facts) ? { "facts.yaml": readFileSync(facts, "utf8") } : {}),
    ...(credentials[platform] === undefined ? {} : { credentials: credentials[platform]() }),
  };
  return {
    config,
    inputs: new Map([
      ...Object.entries(files).map(([path, text]): [string, Buffer] => [path, Buffer.from(text)]),
      ["seed", SEED],
    ]),
    flags: [
      ...("facts.yaml" in files ? ["--facts", "facts.yaml"] : []),
      ...("credentials" in files ? ["--credentials", "credentials"] : []),
      ...["--seed", "seed", "--key-algorithm", "ecdsa-p256"],
    ],
  };
}

/** A text with other secrets in the same places. */
const edited = (text: string): Buffer =>
  Buffer.from(
    text.replaceAll(/[A-Za-z0-9+/]{24,}={0,2}$/gm, (found) =>
      Buffer.from(mark().repeat(2))
        .toString("base64")
        .slice(0, found.length & ~3),
    ),
  );

const IMAGE = `registry.example.com/ocp/release@sha256:${"0123456789abcdef".repeat(4)}`;
const STEPS: readonly (readonly [mask: number, words: readonly string[]])[] = [
  [0o000, ["create", "manifests"]],
  [0o022, ["create", "infrastructure-manifests", "--output", "json"]],
  [0o077, ["create", "ignition-configs", "--release-image", IMAGE]],
];
/** Configs hold what manifests hold, and keys, which cost time: platforms with and without secrets of hosts. */
const WHOLE: readonly string[] = ["baremetal", "none"];
const LOOKS = ["check", "validate --output json", "graph --output json", "report --dir . --html page.html"];

test("every platform that reads credentials has a file of them here", async () => {
  const reading: string[] = [];
  for (const name of HANDLED_PLATFORMS) {
    const { handling } = PLATFORMS[name];
    if (typeof handling === "object" && (await handling.load()).credentialNames !== undefined)
      reading.push(name);
  }
  assert.equal(reading.sort(), Object.keys(credentials).sort());
});

for (const platform of HANDLED_PLATFORMS)
  test(`${platform}: good runs, changes and differences`, async () => {
    const { config, inputs, flags } = cluster(platform);
    const folder = join(root, platform);
    lay(inputs, folder);
    for (const [mask, words] of STEPS) {
      if (words[1] === "ignition-configs" && !WHOLE.includes(platform)) continue;
      const own = words[1] === "manifests" ? flags : ["--seed", "seed"];
      const { code, stdout, stderr } = await withUmask(mask, () => run([...words, ...own], folder));
      assert.is(code, 0, `${words.join(" ")}\n${stderr}\n${stdout.slice(0, 2000)}`);
      searchFiles(words.join(" "), folder, inputs);
    }
    for (const line of LOOKS) await run(line, folder);
    // Secrets that somebody edited, and an install-config with other ones: what differs is told without them.
    for (const { path, mode, text } of writtenIn(folder).files)
      if (mode === 0o600 && /\.ya?ml$/.test(path)) writeFileSync(join(folder, path), edited(text));
    const changed = dump(planted(config));
    writeFileSync(join(folder, "install-config.yaml"), changed);
    for (const line of [
      "check --output json",
      "create manifests --dry-run",
      "create manifests --output json",
    ])
      await run([...line.split(" "), ...flags], folder);
    searchFiles("changed", folder, new Map([...inputs, ["install-config.yaml", Buffer.from(changed)]]));
    noLeaks();
  });

/** Credentials that cannot be used: cut off at every line and in the middle, of a wrong shape, with a wrong member. */
const DAMAGES: readonly ((text: string) => string)[] = [
  (text) => text.slice(0, text.length >> 1),
  (text) => text.slice(0, -3),
  (text) => text.slice(text.length >> 2),
  (text) => text.replace(/[:=]/, ""),
  (text) => text.replaceAll(/["']/g, ""),
  (text) => text.replaceAll(/[:=]/g, " "),
  (text) => `[${text}]`,
  (text) => `- ${text}`,
  (text) => text.replaceAll("\n", ""),
  (text) => text.replaceAll(/Tq7/g, "é\tTq7"),
  (text) => text.replaceAll(/([A-Za-z_]+)("?[:=] ?"?)(Tq7\w+)/g, "$3$2$1"),
  (text) => text + text,
];

for (const [platform, text] of Object.entries(credentials))
  test(`${platform}: credentials that cannot be used`, async () => {
    const { inputs, flags } = cluster(platform);
    const folder = join(root, `${platform}-credentials`);
    for (const [i, damage] of DAMAGES.entries()) {
      lay(new Map([...inputs, ["credentials", Buffer.from(damage(text()))]]), folder);
      const more = i % 2 === 0 ? ["--output", "json"] : [];
      await run(["create", "manifests", "--dry-run", ...flags, ...more], folder);
    }
    noLeaks();
  });

/** What may stand where a secret does: of the wrong shape, broken, beside something else. */
const SHAPES: readonly ((secret: string) => Json)[] = [
  (secret) => [secret],
  (secret) => ({ a: secret }),
  (secret) => ({ [secret]: 1 }),
  (secret) => `${secret}\n${secret}`,
  (secret) => ` <${secret}>`,
  (secret) => `\${${secret}}`,
  (secret) => `${secret}${"x".repeat(300)}é`,
  (secret) => JSON.stringify({ auths: { "a.example.com": { auth: secret } } }),
  (secret) => JSON.stringify({ auths: secret }),
  (secret) => `{"auths": {"a": {"auth": "${secret}"`,
];
/** Values as they stand in a file that is no YAML, or another one than was meant. */
const RAW: readonly ((secret: string) => string)[] = [
  (secret) => `"${secret}`,
  (secret) => `'${secret}`,
  (secret) => `*${secret}`,
  (secret) => `&${secret} x: y`,
  (secret) => `!!int ${secret}`,
  (secret) => `!${secret} x`,
  (secret) => `@${secret}`,
  (secret) => `{${secret}}`,
  (secret) => `[${secret}`,
  (secret) => `a: ${secret}: b`,
  (secret) => `|\n${secret}`,
  (secret) => `"\\q${secret}"`,
];
const HOLE = "HOLE-FOR-A-VALUE";
const PROXY_PATHS: readonly Path[] = [
  ["proxy", "httpProxy"],
  ["proxy", "httpsProxy"],
  ["proxy", "noProxy"],
];

for (const platform of HANDLED_PLATFORMS)
  test(`${platform}: secrets of the wrong shape`, async () => {
    const { config, inputs } = cluster(platform);
    const folder = join(root, `${platform}-wrong`);
    lay(inputs, folder);
    const marked = writeOnlyPaths(installConfigForm).filter(
      ([first, second]) => first !== "platform" || second === platform,
    );
    const own = marked.filter(([first]) => first === "platform");
    // What every platform has is tried with one of them.
    const paths = platform === "none" ? [...marked, ...PROXY_PATHS] : own;
    assert.ok(platform !== "none" || paths.length >= 5);
    const judge = async (text: string): Promise<void> => {
      writeFileSync(join(folder, "install-config.yaml"), text);
      const more = (figures["judged"] ?? 0) % 2 === 0 ? ["--output", "json"] : [];
      count("judged");
      await run(["validate", "install-config.yaml", ...more], folder);
    };
    for (const path of paths) {
      const secret = (): string =>
        path[0] === "proxy"
          ? `ftp://user:${mark()}@p:x`
          : path[0] === "sshKey"
            ? `ssh-rsa ${mark()}`
            : mark();
      for (const shape of SHAPES) await judge(dump(withValue(config, path, shape(secret()))));
      const text = dump(withValue(config, path, HOLE));
      for (const raw of RAW) await judge(text.replace(HOLE, raw(secret())));
      await judge(text.slice(0, text.indexOf(HOLE)) + mark());
    }
    noLeaks();
  });

/** Files of secrets, each of which is given where another input was meant. */
const SECRET_FILES: Readonly<Record<string, () => string>> = {
  "a private key": () => privateKey,
  "a key of OpenSSH": () =>
    `-----BEGIN OPENSSH PRIVATE KEY-----\n${mark()}\n-----END OPENSSH PRIVATE KEY-----\n`,
  "a pull secret": pullSecret,
  "a broken pull secret": () => pullSecret().slice(0, -5),
  "an identity of age": () => `# created: 2026-01-01T00:00:00Z\n${AGE_KEY}\n`,
  "lines of credentials": () => `[default]\naws_secret_access_key = ${mark()}\n`,
  "an API key": () => `IC_API_KEY=${mark()}\n`,
  "a Secret": () =>
    dump({ apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, stringData: { a: mark() } }),
  "a kubeconfig": () =>
    dump({
      apiVersion: "v1",
      kind: "Config",
      users: [
        {
          name: "a",
          user: {
            token: mark(),
            password: mark(),
            "client-key-data": Buffer.from(mark()).toString("base64"),
          },
        },
      ],
    }),
  "keys of an API server": () =>
    dump({
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "EncryptionConfiguration",
      resources: [
        {
          resources: ["secrets"],
          providers: [{ aescbc: { keys: [{ name: "k", secret: mark() }] } }],
        },
      ],
    }),
  "a token alone": () => `${mark()}\n`,
};

const units = (await unitsIn(join(root, "units"), "+: ")).map(
  (unit): Unit => ({
    ...unit,
    tree: new Map([...unit.tree].map(([path, data]) => [path, plantedFile(data)])),
  }),
);

/** Files that are copies of etcd. */
const COPIES: readonly string[] = ["etcd.json", "copy.snapshot", "member.db"];

/** Commands whose answer is the document that they were asked for, Secrets included. */
const IS_DOCUMENT = /^(?:function|etcd extract)\b|--stdout/;

test("every command, with marks in all of its inputs", async () => {
  const folder = join(root, "lines");
  assert.ok(units.length > 50);
  for (const { name, words, tree } of units) {
    lay(tree, folder);
    const result = await answer(words, folder, tree.get(STDIN));
    count(`exit ${result.code}`);
    if (!IS_DOCUMENT.test(name.replace(/^.*?\+: /, ""))) search(name, result);
    else search(name, { stdout: "", stderr: result.stderr });
    searchFiles(name, folder, tree);
  }
  noLeaks();
});

test("every command that reads a copy of etcd, with marks in its values and keys", async () => {
  const folder = join(root, "copies");
  const reading = units.filter(({ words }) => words.some((word) => COPIES.includes(word)));
  assert.ok(reading.length > 12);
  for (const { name, words, tree } of reading) {
    const given = new Map([...tree, ...markedCopies()]);
    lay(given, folder);
    const result = await answer(words, folder);
    count(`exit ${result.code}`);
    // The plan of the battery selects nothing of this copy.
    if (!words.includes("--plan"))
      assert.ok(result.code === 0 || result.code === 3, `${name}: ${result.code} ${result.stderr}`);
    search(name, IS_DOCUMENT.test(words.join(" ")) ? { stdout: "", stderr: result.stderr } : result);
    searchFiles(name, folder, given);
  }
  noLeaks();
});

test("every command, with a login in every address of its inputs", async () => {
  const folder = join(root, "logins");
  for (const { name, words, tree } of units) {
    const given = new Map(
      [...tree].map(([path, data]) => [path, data.includes(0) ? data : withLogins(data)]),
    );
    lay(given, folder);
    const json =
      (figures["logins"] ?? 0) % 2 === 0 && !words.includes("--output") ? ["--output", "json"] : [];
    count("logins");
    const result = await answer([...words, ...json], folder, given.get(STDIN));
    count(`exit ${result.code}`);
    const what = `${name}: logins`;
    search(what, IS_DOCUMENT.test(words.join(" ")) ? { stdout: "", stderr: result.stderr } : result);
    searchFiles(what, folder, given);
  }
  noLeaks();
});

test("every command, with a file of secrets in the place of another", async () => {
  const folder = join(root, "mistaken");
  const kinds = Object.entries(SECRET_FILES);
  let turn = 0;
  for (const { name, words, tree, inputs } of units) {
    const named = inputs.filter((file) => words.some((word) => word === file) || file === STDIN);
    for (const file of named) {
      const [kind, text] = kinds[turn++ % kinds.length] ?? ["", () => ""];
      const given = new Map([...tree, [file, Buffer.from(text())]]);
      lay(given, folder);
      const json = turn % 2 === 0 && !words.includes("--output") ? ["--output", "json"] : [];
      const result = await answer([...words, ...json], folder, given.get(STDIN));
      count(`exit ${result.code}`);
      const what = `${name}: ${kind} for ${file}`;
      search(what, IS_DOCUMENT.test(words.join(" ")) ? { stdout: "", stderr: result.stderr } : result);
      searchFiles(what, folder, given);
    }
  }
  noLeaks();
});

/** Methods that a reader calls on a text sooner or later. */
const METHODS = ["replace", "split", "trim", "match"] as const;

/** Work while a touch of a text with a mark, this many after the first, throws what the engine throws for JSON: an error that quotes it. */
async function withBug<T>(touches: number, work: () => Promise<T>): Promise<T> {
  const { includes } = String.prototype;
  let left = touches;
  const before = METHODS.map((method) => {
    const own = Object.getOwnPropertyDescriptor(String.prototype, method);
    const original: unknown = own?.value;
    if (own === undefined || typeof original !== "function") throw new Error(method);
    Object.defineProperty(String.prototype, method, {
      ...own,
      value(this: unknown, ...given: unknown[]): unknown {
        if (left >= 0 && String(this).length < 10_000 && includes.call(this, CORE) && left-- === 0)
          throw new SyntaxError(`Unexpected token, "${String(this)}" is not valid JSON`);
        return Reflect.apply(original, this, given);
      },
    });
    return [method, own] as const;
  });
  try {
    return await work();
  } finally {
    for (const [method, own] of before) Object.defineProperty(String.prototype, method, own);
  }
}

test("every command, ending in a bug at a secret", async () => {
  const folder = join(root, "bugs");
  let bugs = 0;
  for (const [i, { name, words, tree }] of units.entries()) {
    const touches = [0, 1, 3, 8][i % 4] ?? 0;
    lay(tree, folder);
    const json = i % 2 === 0 && !words.includes("--output") ? ["--output", "json"] : [];
    const result = await withBug(touches, () => answer([...words, ...json], folder, tree.get(STDIN)));
    if (result.code === 70) bugs++;
    search(
      `${name}: bug after ${touches}`,
      IS_DOCUMENT.test(words.join(" ")) ? { stdout: "", stderr: result.stderr } : result,
    );
    searchFiles(`${name}: bug after ${touches}`, folder, tree);
  }
  count(`bugs: ${bugs}`);
  assert.ok(bugs > 2, `${bugs} runs ended in a bug`);
  noLeaks();
});

test("no process that slipway starts has a secret among its words", () => {
  const folder = join(root, "children");
  const { inputs } = cluster("none");
  lay(
    new Map(
      ["a", "b"].flatMap((name) =>
        [...inputs].map(([path, data]): [string, Buffer] => [`${name}/${path}`, data]),
      ),
    ),
    folder,
  );
  const told = join(folder, "words");
  const hook = `import { appendFileSync, readFileSync } from "node:fs"; appendFileSync(${JSON.stringify(told)}, readFileSync("/proc/self/cmdline", "latin1") + "\\n");`;
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hook)}` };
  writeFileSync(join(folder, "fleet.txt"), "a\nb\n");
  const fleet = slipway(["create", "manifests", "--fleet", "fleet.txt", "--key-algorithm", "ecdsa-p256"], {
    cwd: folder,
    env,
  });
  assert.is(fleet.code, 0, fleet.stderr);
  search("a fleet", fleet);
  const place = join(folder, "c");
  lay(inputs, place);
  const before = slipway(["create", "infrastructure-manifests", "--seed", "seed"], { cwd: place, env });
  assert.is(before.code, 0, before.stderr);
  writeFileSync(
    join(place, "installer"),
    `#!/bin/sh\ncat /proc/$$/cmdline /proc/$$/environ >> ${told}\necho >> ${told}\nfind . -type f -exec cat {} +\nexit 1\n`,
    { mode: 0o755 },
  );
  const words = [
    "reconstruct",
    "--from",
    "infrastructure-manifests",
    "--dir",
    "made",
    "--installer",
    "installer",
  ];
  const made = slipway(words, { cwd: place, env });
  assert.ok(made.stderr.includes("REC020"), made.stderr);
  search("an installer that tells all", made);
  const all = readFileSync(told, "latin1");
  assert.match(all, "fleet-worker");
  assert.is(markedIn(all, OWN_FORMS), undefined);
  noLeaks();
});

test.after(() => void process.stdout.write(`${JSON.stringify(figures)}\n`));

test.run();
