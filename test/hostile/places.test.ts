/**
 * Places that cannot be written, and things that are no files: what docs/hardening.md says of them. Every command that
 * writes is run against each; tests that need a file system of their own, or another user, are skipped visibly.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BINARY, record, UNCHANGED } from "../helpers/cli.js";
import { skipTest } from "../helpers/shared.js";
import { readTree, tempFolder } from "../helpers/temp.js";
import { type Answer, answer } from "./answer.js";
import { lay, wordsOf } from "./command-lines.js";

const test = suite("places");
process.env["SOURCE_DATE_EPOCH"] = "1800000000";

const IMAGE = `registry.example.com/ocp/release@sha256:${"0123456789abcdef".repeat(4)}`;

/** Commands that write: the golden case whose files they read, beside which they run, and the words; OUT is the place. */
const WRITERS: readonly (readonly [of: string, words: string])[] = [
  ["git-seed", "create manifests --dir OUT --seed seed --key-algorithm ecdsa-p256"],
  ["git-seed", "create infrastructure-manifests --dir OUT --seed seed --key-algorithm ecdsa-p256"],
  [
    "git-seed",
    `create ignition-configs --dir OUT --seed seed --key-algorithm ecdsa-p256 --release-image ${IMAGE}`,
  ],
  ["git-seed", "init --dir OUT"],
  ["reconstruct", "reconstruct --from cluster --dir OUT/new"],
  ["report", "report --html OUT/page.html --table gates.yaml"],
  ["generate-tables", "generate feature-gates --input gates.yaml --out OUT/gates.ts"],
  ["generate-crds", "generate crds --out OUT"],
  ["compat-import", "compat import --from versioned-feature-list list.yaml --out OUT/gates.yaml"],
  ["storage-crd-guard", "storage crd-guard old.yaml new.yaml --target 1.36 --out OUT"],
  ["etcd-lost-key", "etcd plan --dump etcd.json --encryption-config encryption.yaml --target 1.36 --out OUT"],
  [
    "etcd-lost-key",
    "etcd extract --dump etcd.json --encryption-config encryption.yaml --all --out OUT/objects --as yaml",
  ],
  [
    "etcd-lost-key",
    "etcd audit --dump etcd.json --encryption-config encryption.yaml --target 1.36 --objects-out OUT/objects.jsonl",
  ],
  [
    "etcd-lost-key",
    "etcd inventory --dump etcd.json --encryption-config encryption.yaml --kms-requests-out OUT/kms.json",
  ],
  [
    "transfer-statefulset",
    "transfer new --statefulset old=shop/db new=shop-2/pg --state dump.yaml --out OUT",
  ],
  ["none", "keys --count 1 --out OUT/keys.pool"],
];

const inputOf = (name: string): Map<string, Buffer> => {
  try {
    return readTree(join("golden", name, "input"));
  } catch {
    return new Map();
  }
};

/** A folder with the inputs of a writer; what its directory needs lies in the place. */
async function laidOut(of: string, words: string, place: string): Promise<string> {
  const folder = join(tempFolder(), "work");
  const tree = inputOf(of);
  lay(tree, folder);
  if (of === "reconstruct")
    await answer(wordsOf("create infrastructure-manifests --dir cluster --secrets separate"), folder);
  const config = tree.get("install-config.yaml");
  if (words.includes("--dir OUT ") && config !== undefined)
    writeFileSync(join(place, "install-config.yaml"), config);
  return folder;
}

/** Runs a writer beside its inputs, in a place that refuses from now on. */
async function write(of: string, words: string, place: string, refuse: () => void): Promise<Answer> {
  const folder = await laidOut(of, words, place);
  refuse();
  const said = await answer(wordsOf(words.replaceAll("OUT", place)), folder);
  record(said.stdout + said.stderr);
  return said;
}

/** What a refused run has to be: told, by a code, with nothing half written and nothing left over. */
function refused(said: Answer, what: string, place: string, before: readonly string[]): void {
  assert.is(said.code, 1, `${what}: ${said.code} ${said.stderr}`);
  assert.match(said.stderr, /error [A-Z]+[0-9]+: /, what);
  const after = readdirSync(place, { recursive: true }).map(String).sort();
  const odd = after.filter((path) => !before.includes(path) && !/^\.slipway(?:\/\.gitignore)?$/.test(path));
  assert.equal(odd, [], what);
}

const namesIn = (place: string): string[] => readdirSync(place, { recursive: true }).map(String);

function mount(options: string, place: string): boolean {
  mkdirSync(place, { recursive: true });
  return spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", place]).status === 0;
}

const mounted = (() => {
  const place = join(tempFolder(), "probe");
  const works = process.platform === "linux" && mount("size=64k", place);
  if (works) spawnSync("umount", [place]);
  return works;
})();

/** A file system of its own for a body; it is gone afterwards. */
async function onTmpfs(body: (place: string) => Promise<void>): Promise<void> {
  const place = join(tempFolder(), "place");
  assert.ok(mount("size=256k", place));
  try {
    await body(place);
  } finally {
    spawnSync("umount", [place]);
  }
}

/** A file system in a file, on which a folder may hold no more than its quota; undefined where none can be made. */
function quotaPlace(): { readonly place: string; readonly gone: () => void } | undefined {
  const folder = tempFolder();
  const [image, place] = [join(folder, "image"), join(folder, "disk")];
  mkdirSync(place);
  const runs = (command: string, ...args: readonly string[]): boolean =>
    spawnSync(command, args).status === 0;
  const gone = (): void => void spawnSync("umount", [place]);
  if (!runs("truncate", "-s", "128M", image) || !runs("mkfs.btrfs", "-q", image)) return undefined;
  if (!runs("mount", "-o", "loop", image, place)) return undefined;
  const own = join(place, "own");
  const limited =
    runs("btrfs", "quota", "enable", place) &&
    runs("btrfs", "subvolume", "create", own) &&
    runs("btrfs", "qgroup", "limit", "2M", own);
  if (limited) return { place: own, gone };
  gone();
  return undefined;
}

const hasQuotas = (() => {
  const made = process.platform === "linux" ? quotaPlace() : undefined;
  made?.gone();
  return made !== undefined;
})();

function fill(place: string): void {
  const file = join(place, "filler");
  writeFileSync(file, "");
  for (let size = 65_536; size > 0; )
    try {
      writeFileSync(file, Buffer.alloc(size), { flag: "a" });
    } catch {
      size = size > 4096 ? size >> 1 : 0;
    }
}

for (const [of, words] of WRITERS) {
  const name = words.split(" --")[0];
  if (!mounted) {
    skipTest(test, `a full and a read-only disk: ${name}`, "needs the right to mount");
    continue;
  }
  test(`a full disk: ${name}`, () =>
    onTmpfs(async (place) => {
      let before: string[] = [];
      const said = await write(of, words, place, () => {
        fill(place);
        before = namesIn(place);
      });
      refused(said, words, place, before);
      assert.match(said.stderr, /disk is full|ENOSPC/, words);
    }));

  test(`a read-only disk: ${name}`, () =>
    onTmpfs(async (place) => {
      let before: string[] = [];
      const said = await write(of, words, place, () => {
        before = namesIn(place);
        assert.is(spawnSync("mount", ["-o", "remount,ro", place]).status, 0);
      });
      refused(said, words, place, before);
      assert.match(said.stderr, /read-only|EROFS/, words);
    }));
}

for (const [of, words] of WRITERS) {
  const name = `a quota that is used up: ${words.split(" --")[0]}`;
  if (!hasQuotas) skipTest(test, name, "needs btrfs, its programs and the right to mount");
  else
    test(name, async () => {
      const made = quotaPlace();
      if (made === undefined) throw new Error("no file system");
      try {
        let before: string[] = [];
        const said = await write(of, words, made.place, () => {
          fill(made.place);
          before = namesIn(made.place);
        });
        refused(said, words, made.place, before);
        assert.match(said.stderr, /quota is used up|EDQUOT/, words);
      } finally {
        made.gone();
      }
    });
}

test("a place below a file, and a place that is a link out of the directory", async () => {
  for (const [of, words] of WRITERS.filter(([, each]) => !each.includes("--dir OUT "))) {
    const place = tempFolder();
    writeFileSync(join(place, "file"), "");
    const said = await write(of, words.replaceAll("OUT", "OUT/file/below"), place, () => undefined);
    refused(said, words, place, ["file"]);
    assert.is(readFileSync(join(place, "file"), "utf8"), "");
  }
});

/** What reads each kind of input: a file, folders of manifests, folders of transfers, standard input. */
const ENDLESS = [
  "create manifests --facts PLACE",
  "validate PLACE",
  "compat gates --table PLACE --binary-version 1.36",
  "storage crd-guard PLACE new.yaml",
  "reconstruct --from PLACE --dir new",
  "transfer match PLACE",
  "transfer match git --state PLACE",
];

test("a device that never ends, and one that is empty, are told", async () => {
  for (const words of ENDLESS)
    for (const device of ["/dev/zero", "/dev/null"]) {
      const folder = join(tempFolder(), "work");
      lay(inputOf("none"), folder);
      const said = await answer(wordsOf(words.replace("PLACE", device)), folder);
      assert.is(
        said.code,
        device === "/dev/null" && words.startsWith("transfer match PLACE") ? said.code : 1,
        `${words} ${device}: ${said.stderr}`,
      );
      assert.not.match(said.stderr, /this is a bug/, words);
      if (device === "/dev/zero")
        assert.match(said.stderr, /256 MiB|ETOOLARGE|regular file|cannot be read/, words);
    }
});

test("a pipe is read to its end where it is named, and not waited for where it lies in a directory", () => {
  const folder = tempFolder();
  lay(inputOf("none"), folder);
  const bash = (line: string) =>
    spawnSync("bash", ["--norc", "-c", `slipway() { '${process.execPath}' '${BINARY}' "$@"; }; ${line}`], {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: process.env["PATH"] },
    });
  assert.is(bash("slipway validate <(cat install-config.yaml)").status, 0);
  for (const [name, made] of [
    ["state", ".openshift_install_state.json"],
    ["config", "install-config.yaml"],
    ["record", ".slipway/record.json"],
    ["rules", ".sops.yaml"],
    ["manifest", "openshift/99_own.yaml"],
  ] as const) {
    const place = `${name}.d`;
    const { status, stderr } = bash(
      `mkdir -p ${place}/openshift ${place}/.slipway && cp install-config.yaml ${place}/ && rm -f ${place}/${made} && mkfifo ${place}/${made} && slipway create manifests --dir ${place} --key-algorithm ecdsa-p256 --secrets sops`,
    );
    assert.is(status, 1, `${made}: ${stderr}`);
    if (name === "config") assert.match(stderr, "is not a regular file; replace it with a regular file");
    assert.not.match(stderr, /this is a bug/);
  }
});

test("10,000 manifests are taken, and validated", async () => {
  const folder = join(tempFolder(), "work");
  lay(inputOf("none"), folder);
  assert.is((await answer(wordsOf("create manifests --key-algorithm ecdsa-p256"), folder)).code, 0);
  for (let i = 0; i < 10_000; i++)
    writeFileSync(
      join(folder, "manifests", `own-${i}.yaml`),
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: own-${i}\n  namespace: default\n`,
    );
  for (const words of ["create manifests --key-algorithm ecdsa-p256", "validate", "check"]) {
    const said = await answer(wordsOf(words), folder);
    assert.is(said.code, 0, `${words}: ${said.stderr.slice(0, 500)}`);
  }
  assert.is(readdirSync(join(folder, "manifests")).filter((name) => name.startsWith("own-")).length, 10_000);
});

test("a clock that goes back is no reason for anything but a word", async () => {
  const folder = join(tempFolder(), "work");
  lay(inputOf("git-seed"), folder);
  const words = wordsOf(
    `create ignition-configs --seed seed --key-algorithm ecdsa-p256 --release-image ${IMAGE}`,
  );
  assert.is((await answer(words, folder)).code, 0);
  process.env["SOURCE_DATE_EPOCH"] = "1700000000";
  try {
    for (const line of [
      `create ignition-configs --seed seed --key-algorithm ecdsa-p256 --release-image ${IMAGE}`,
      "check",
      "validate",
    ]) {
      const said = await answer(wordsOf(line), folder);
      assert.ok(
        said.code === 0 || /[A-Z]+[0-9]+: /.test(said.stderr),
        `${line}: ${said.code} ${said.stderr}`,
      );
      assert.not.match(said.stderr, /this is a bug/, line);
    }
  } finally {
    process.env["SOURCE_DATE_EPOCH"] = "1800000000";
  }
});

test("links in a circle, and out of the directory", async () => {
  const folder = join(tempFolder(), "work");
  lay(inputOf("none"), folder);
  symlinkSync("circle", join(folder, "circle"));
  mkdirSync(join(folder, "openshift"));
  symlinkSync("99_circle.yaml", join(folder, "openshift/99_circle.yaml"));
  for (const words of [
    "create manifests",
    "validate circle",
    "create manifests --facts circle",
    "transfer match circle",
    "reconstruct --from circle --dir new",
  ]) {
    const said = await answer(wordsOf(words), folder);
    assert.is(said.code, 1, `${words}: ${said.stderr}`);
    assert.match(said.stderr, /[A-Z]+[0-9]+: /, words);
  }
});

if (process.getuid?.() === 0)
  test("another user: what may not be read or written is told", () => {
    const folder = tempFolder();
    lay(inputOf("git-seed"), folder);
    for (const mode of [0o755, 0o700]) {
      chmodSync(folder, mode);
      const { status, stderr } = spawnSync(
        process.execPath,
        [BINARY, "create", "manifests", "--dir", folder, "--key-algorithm", "ecdsa-p256"],
        { cwd: "/", encoding: "utf8", uid: 65_534, gid: 65_534, env: { PATH: process.env["PATH"] } },
      );
      assert.is(status, 1, stderr);
      assert.match(stderr, /permission denied|EACCES/, stderr);
    }
  });
else skipTest(test, "another user: what may not be read or written is told", "needs root");

test("only one function reads what is named, and it has a bound", () => {
  /** What is read for its own sake: files of the system, of the program, and what is about to be replaced. */
  const OTHERS =
    /^src\/(?:platforms\/(?:platform|openstack\/clouds)|directory\/(?:read-input|read-files|atomic|lock|process-identity)|cli\/(?:code-cache|commands\/(?:create\/compile-request|init\/init-run|generate\/files|transfer\/(?:progress-run|output))))\.ts$/;
  const found = readdirSync("src", { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && each.name.endsWith(".ts"))
    .map((each) => join(each.parentPath, each.name).replaceAll("\\", "/"))
    .filter((path) =>
      /\breadFile(?:Sync)?\(/.test(
        readFileSync(path, "utf8").replace(/\b(?:this|context|cli|options)\.readFile\(/g, ""),
      ),
    )
    .filter((path) => !OTHERS.test(path) && !path.startsWith("src/generated/"));
  assert.equal(found, []);
});

test("where upper and lower case are one, a run and the next agree, and no file of the user's is written over", () => {
  const config = readFileSync("golden/none/input/install-config.yaml");
  const folding = (root: string) => (words: string) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--require", join(process.cwd(), "test/helpers/case-folding.cjs"), BINARY, ...words.split(" ")],
      { cwd: root, encoding: "utf8", env: { PATH: process.env["PATH"], CASE_FOLDING_ROOT: root } },
    );
    record(stdout + stderr);
    return { status, stdout, stderr };
  };
  const root = tempFolder();
  const run = folding(root);
  writeFileSync(join(root, "Install-Config.yaml"), config);
  const create = "create infrastructure-manifests --key-algorithm ecdsa-p256";
  const first = run(create);
  assert.is(first.status, 0, first.stderr);
  assert.match(run(create).stderr, UNCHANGED);
  assert.is(run("check --strict").status, 0);
  // Renamed by its case, and edited, it is the user's; nothing is made beside it or wrapped twice.
  const [old, now] = ["manifests/cluster-proxy-01-config.yaml", "manifests/Cluster-Proxy-01-config.yaml"];
  const edited = readFileSync(join(root, old), "utf8").replace("spec:", "spec:\n  noProxy: mine.example.org");
  rmSync(join(root, old));
  writeFileSync(join(root, now), edited);
  assert.is(run(create).status, 0);
  assert.is(readFileSync(join(root, now), "utf8"), edited);
  const names = readdirSync(join(root, "infrastructure-manifests"));
  assert.is(names.filter((name) => name.includes("proxy")).length, 1);

  const other = tempFolder();
  mkdirSync(join(other, "manifests"));
  writeFileSync(join(other, "install-config.yaml"), config);
  const mine = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine, namespace: default}\n";
  writeFileSync(join(other, "manifests/Cluster-Config.yaml"), mine);
  const refused = folding(other)(create);
  assert.is(refused.status, 1);
  assert.match(
    refused.stderr,
    /cluster-config\.yaml: error DIR004: .*; rename manifests\/Cluster-Config\.yaml/,
  );
  assert.equal([...readTree(other).keys()].sort(), ["install-config.yaml", "manifests/Cluster-Config.yaml"]);
});

/** What holds secrets, by the words of its command; everything else is written without a word about modes. */
const SECRET = /^(?:create (?!install)|reconstruct|etcd extract|keys)/;

for (const [of, words] of WRITERS)
  test(`a file system that keeps no modes: ${words.split(" --")[0]}`, async () => {
    const place = tempFolder();
    const folder = await laidOut(of, words, place);
    const run = (line: string) => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [
          ...["--require", join(process.cwd(), "test/helpers/no-modes.cjs"), BINARY],
          ...wordsOf(line.replaceAll("OUT", place)),
        ],
        { cwd: folder, encoding: "utf8" },
      );
      record(stdout + stderr);
      return { status, stderr };
    };
    const said = run(words);
    // Some answer a question with no.
    assert.ok(said.status === 0 || said.status === 3, said.stderr);
    assert.is(said.stderr.includes("warning DIR044"), SECRET.test(words), said.stderr);
    if (words.includes("create manifests")) assert.is(run("check --dir OUT --strict").status, 0);
  });

test("no two files of a run differ in case alone, which some file systems do not tell", () => {
  const cases = readdirSync("golden", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.ok(cases.length > 50);
  for (const { name } of cases) {
    const folder = join("golden", name, "expected");
    const listing = readFileSync(join(folder, "index.txt"), "utf8").split("\n");
    const paths = listing.map((line) => line.split(" ")[1] ?? "").filter((path) => path !== "");
    const told = new Set(paths.map((path) => path.normalize("NFC").toLowerCase()));
    assert.is(told.size, new Set(paths).size, name);
  }
});

test.run();
