/** Ignition configs, held against Debian's `ignition-validate` as well where it is installed. */
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readYaml } from "../../src/text/yaml-read.js";
import { ignitionProblems } from "../../src/validate/ignition/config.js";
import { runs } from "../helpers/runs.js";
import { skipTest } from "../helpers/shared.js";

const test = suite("ignition configs");
const hasValidator = spawnSync("ignition-validate", ["--version"]).error === undefined;

const problemsOf = (text: string, newest = 5, takesVersion2 = false) => {
  const root = readYaml(text, "x.ign").documents[0]?.root;
  if (root === undefined) throw new Error("no document");
  return ignitionProblems(root, { file: "x.ign", base: "", newest, takesVersion2 });
};
const told = (config: unknown, newest?: number): string[] =>
  problemsOf(JSON.stringify(config), newest).map(
    ({ severity, code, field }) => `${severity} ${code} ${field}`,
  );

/** True when Debian's validator refuses a config. */
const isRefused = (config: unknown): boolean =>
  spawnSync("ignition-validate", ["-"], { input: JSON.stringify(config) }).status !== 0;

const config = (rest: object, version = "3.2.0"): object => ({ ignition: { version }, ...rest });
const file = (rest: object): object => config({ storage: { files: [{ path: "/a", ...rest }] } });
const unit = (rest: object): object => config({ systemd: { units: [{ name: "a.service", ...rest }] } });
const source = (text: string, rest: object = {}): object => file({ contents: { source: text, ...rest } });
const user = (...keys: string[]): object =>
  config({ passwd: { users: [{ name: "core", sshAuthorizedKeys: keys }] } });
const GZIP = "data:;base64,H4sIAAAAAAACA0tMSgYAwkEkNQMAAAA=";

/** Name, config, what is told; `lets` where Debian's validator lets it pass although we do not. */
const PROBES: readonly (readonly [string, object, readonly string[], "lets"?])[] = [
  ["nothing but a version", config({}), []],
  ["no version", { ignition: {} }, ["error IGN031 ignition.version"]],
  ["version 2", { ignition: { version: "2.2.0" } }, ["error IGN031 ignition.version"]],
  ["a version that nobody knows", { ignition: { version: "3.9.0" } }, ["error IGN031 ignition.version"]],
  ["version as a number", { ignition: { version: 3 } }, ["error IGN031 ignition.version"]],
  ["an unknown member", config({ storage: { file: [] } }), ["error IGN030 storage.file"], "lets"],
  [
    "a member of a later version",
    config({ kernelArguments: {} }),
    ["warning IGN030 kernelArguments"],
    "lets",
  ],
  ["a member of its version", config({ kernelArguments: { shouldExist: ["a"] } }, "3.3.0"), []],
  ["a good file", source("data:,a", {}), []],
  ["a mode of 0644", file({ mode: 420 }), []],
  ["a mode as a text", file({ mode: "0644" }), ["error IGN030 storage.files[0].mode"]],
  ["a mode in octal digits", file({ mode: 644 }), ["error IGN034 storage.files[0].mode"], "lets"],
  ["a mode in octal digits, 755", file({ mode: 755 }), ["error IGN034 storage.files[0].mode"], "lets"],
  ["special bits", file({ mode: 0o4755 }), ["warning IGN034 storage.files[0].mode"]],
  ["a mode beyond all bits", file({ mode: 0o10000 }), ["error IGN034 storage.files[0].mode"]],
  ["a negative mode", file({ mode: -1 }), ["error IGN034 storage.files[0].mode"]],
  ["overwrite without contents", file({ overwrite: true }), ["error IGN038 storage.files[0].overwrite"]],
  ["overwrite with empty contents", file({ overwrite: true, contents: { source: "" } }), []],
  ["a relative path", file({ path: "a" }), ["error IGN033 storage.files[0].path"]],
  ["a double slash", file({ path: "/a//b" }), ["error IGN033 storage.files[0].path"]],
  ["a final slash", file({ path: "/a/" }), ["error IGN033 storage.files[0].path"]],
  ["dots", file({ path: "/a/../b" }), ["error IGN033 storage.files[0].path"]],
  [
    "no path",
    config({ storage: { files: [{ mode: 420 }] } }),
    ["error IGN030 storage.files[0].path", "error IGN033 storage.files[0].path"],
  ],
  [
    "a path twice",
    config({ storage: { files: [{ path: "/a" }], directories: [{ path: "/a" }] } }),
    ["error IGN032 storage.directories[0].path"],
  ],
  [
    "below a link",
    config({ storage: { files: [{ path: "/a/b" }], links: [{ path: "/a", target: "/c" }] } }),
    ["error IGN033 storage.files[0].path"],
  ],
  [
    "the file of a unit",
    config({
      storage: { files: [{ path: "/etc/systemd/system/a.service" }] },
      systemd: { units: [{ name: "a.service", contents: "[Service]\n" }] },
    }),
    ["error IGN032 storage.files[0].path"],
    "lets",
  ],
  ["user by id and name", file({ user: { id: 0, name: "root" } }), ["error IGN038 storage.files[0].user"]],
  ["plain data", source("data:,a%20b"), []],
  ["base64", source("data:text/plain;charset=utf-8;base64,YQ=="), []],
  ["a raw blank", source("data:,a b"), ["error IGN035 storage.files[0].contents.source"]],
  ["a raw line", source("data:,a\nb"), ["error IGN035 storage.files[0].contents.source"]],
  ["raw UTF-8", source("data:,ä"), ["error IGN035 storage.files[0].contents.source"]],
  ["a lone percent", source("data:,a%b"), ["error IGN035 storage.files[0].contents.source"]],
  ["no padding", source("data:;base64,YQ"), ["error IGN035 storage.files[0].contents.source"]],
  ["no comma", source("data:a"), ["error IGN035 storage.files[0].contents.source"]],
  ["gzip", source(GZIP, { compression: "gzip" }), []],
  [
    "gzip that is none",
    source("data:,a", { compression: "gzip" }),
    ["error IGN035 storage.files[0].contents.source"],
    "lets",
  ],
  [
    "bzip2",
    source("data:,a", { compression: "bzip2" }),
    ["error IGN035 storage.files[0].contents.compression"],
  ],
  ["https", source("https://h.example.org/a"), []],
  ["IPv6 in brackets", source("https://[2001:db8::1]:22623/a"), []],
  [
    "IPv6 without brackets",
    source("https://2001:db8::1/a"),
    ["error IGN035 storage.files[0].contents.source"],
    "lets",
  ],
  ["gs", source("gs://bucket/a"), []],
  ["arn before its time", source("arn:aws:s3:::b/a"), ["error IGN035 storage.files[0].contents.source"]],
  ["a local file", source("file:///a"), ["error IGN035 storage.files[0].contents.source"]],
  ["oem", source("oem:///a"), ["error IGN035 storage.files[0].contents.source"]],
  ["a hash", source("data:,a", { verification: { hash: `sha512-${"0".repeat(128)}` } }), []],
  [
    "a short hash",
    source("data:,a", { verification: { hash: "sha512-00" } }),
    ["error IGN037 storage.files[0].contents.verification.hash"],
  ],
  [
    "a hash of another kind",
    source("data:,a", { verification: { hash: `md5-${"0".repeat(32)}` } }),
    ["error IGN037 storage.files[0].contents.verification.hash"],
  ],
  [
    "merge without source",
    config({ ignition: { version: "3.2.0", config: { merge: [{}] } } }),
    ["error IGN035 ignition.config.merge[0].source"],
  ],
  [
    "a socks proxy",
    config({ ignition: { version: "3.2.0", proxy: { httpProxy: "socks5://a" } } }),
    ["error IGN035 ignition.proxy.httpProxy"],
  ],
  [
    "an http proxy for https",
    config({ ignition: { version: "3.2.0", proxy: { httpsProxy: "http://a" } } }),
    ["warning IGN035 ignition.proxy.httpsProxy"],
  ],
  [
    "a good unit",
    unit({ enabled: true, contents: "[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=a.target\n" }),
    [],
  ],
  ["the suffix of a quadlet", unit({ name: "a.container" }), ["error IGN036 systemd.units[0].name"]],
  ["text before a section", unit({ contents: "nothing" }), ["warning IGN036 systemd.units[0].contents"]],
  ["a section that never ends", unit({ contents: "[Service\n" }), ["error IGN036 systemd.units[0].contents"]],
  [
    "enabled, not installed",
    unit({ enabled: true, contents: "[Service]\n" }),
    ["warning IGN036 systemd.units[0].contents"],
  ],
  [
    "a unit twice",
    config({ systemd: { units: [{ name: "a.service" }, { name: "a.service" }] } }),
    ["error IGN032 systemd.units[1].name"],
  ],
  [
    "a drop-in that is none",
    unit({ dropins: [{ name: "a", contents: "[Service]\n" }] }),
    ["error IGN036 systemd.units[0].dropins[0].name"],
  ],
  ["keys", user("ssh-ed25519 A", "ssh-ed25519 B"), []],
  [
    "the same key twice",
    user("ssh-ed25519 A", "ssh-ed25519 A"),
    ["error IGN032 passwd.users[0].sshAuthorizedKeys[1]"],
  ],
  [
    "a user twice",
    config({ passwd: { users: [{ name: "a" }, { name: "a" }] } }),
    ["error IGN032 passwd.users[1].name"],
  ],
  [
    "a directory that nobody enters",
    config({ storage: { directories: [{ path: "/d", mode: 420 }] } }),
    ["warning IGN034 storage.directories[0].mode"],
    "lets",
  ],
];

const storage = (rest: object): object => config({ storage: rest });
const partitions = (...list: object[]): object =>
  storage({ disks: [{ device: "/dev/a", partitions: list }] });
const array = (rest: object): object =>
  storage({ raid: [{ name: "a", level: "1", devices: ["/dev/a"], ...rest }] });
const filesystem = (rest: object): object => storage({ filesystems: [{ device: "/dev/a", ...rest }] });
const volume = (rest: object): object => storage({ luks: [{ name: "a", device: "/dev/a", ...rest }] });
const DROPIN = { units: [{ name: "a.service", dropins: [{ name: "b.conf", contents: "[Service]\n" }] }] };
const at = (kind: string, path: string): object => ({ storage: { [kind]: [{ path, target: "/x" }] } });

/** As `PROBES`, of disks and what is made on them, and of what stands in each other's place. */
const DEVICE_PROBES: typeof PROBES = [
  ["a disk", partitions({ number: 1, sizeMiB: 5, startMiB: 1 }, { number: 2, startMiB: 6, sizeMiB: 0 }), []],
  [
    "a disk without its path",
    storage({ disks: [{ device: "a" }] }),
    ["error IGN033 storage.disks[0].device"],
  ],
  [
    "a disk twice",
    storage({ disks: [{ device: "/a" }, { device: "/a" }] }),
    ["error IGN032 storage.disks[1].device"],
  ],
  ["a partition without a name", partitions({ sizeMiB: 1 }), ["error IGN039 storage.disks[0].partitions[0]"]],
  [
    "one number twice",
    partitions({ number: 1 }, { number: 1, label: "a" }),
    ["error IGN032 storage.disks[0].partitions[1].number"],
  ],
  [
    "one label twice",
    partitions({ number: 1, label: "a" }, { number: 2, label: "a" }),
    ["error IGN032 storage.disks[0].partitions[1].label"],
  ],
  [
    "a label with a colon",
    partitions({ label: "a:b" }),
    ["error IGN039 storage.disks[0].partitions[0].label"],
  ],
  [
    "a long label",
    partitions({ label: "é".repeat(19) }),
    ["error IGN039 storage.disks[0].partitions[0].label"],
  ],
  ["no GUID", partitions({ number: 1, guid: "a" }), ["error IGN039 storage.disks[0].partitions[0].guid"]],
  [
    "partitions that overlap",
    partitions({ number: 1, startMiB: 1, sizeMiB: 5 }, { number: 2, startMiB: 5, sizeMiB: 9 }),
    ["error IGN039 storage.disks[0].partitions[1].startMiB"],
  ],
  [
    "described and unwanted",
    partitions({ number: 1, shouldExist: false, label: "a" }),
    ["error IGN038 storage.disks[0].partitions[0].shouldExist"],
  ],
  ["an array", array({}), []],
  ["an array without level", array({ level: undefined }), ["error IGN039 storage.raid[0].level"]],
  ["an array of no known level", array({ level: "7" }), ["error IGN039 storage.raid[0].level"]],
  ["a stripe with spares", array({ level: "0", spares: 1 }), ["error IGN038 storage.raid[0].spares"]],
  ["an array of nothing", array({ devices: [] }), ["error IGN039 storage.raid[0].devices"]],
  ["a filesystem", filesystem({ format: "xfs", path: "/var", label: "var" }), []],
  [
    "a filesystem without format",
    filesystem({ path: "/var" }),
    ["error IGN039 storage.filesystems[0].format"],
  ],
  ["an unknown filesystem", filesystem({ format: "zfs" }), ["error IGN039 storage.filesystems[0].format"]],
  [
    "a format of a later version",
    filesystem({ format: "none" }),
    ["error IGN039 storage.filesystems[0].format"],
  ],
  [
    "a long label of a filesystem",
    filesystem({ format: "xfs", label: "a".repeat(13) }),
    ["error IGN039 storage.filesystems[0].label"],
  ],
  ["a volume", volume({ clevis: { tpm2: true } }), []],
  ["a volume without device", volume({ device: undefined }), ["error IGN039 storage.luks[0].device"]],
  ["a volume with a slash", volume({ name: "a/b" }), ["error IGN039 storage.luks[0].name"]],
  [
    "tang without thumbprint",
    volume({ clevis: { tang: [{ url: "http://a" }] } }),
    ["error IGN039 storage.luks[0].clevis.tang[0].thumbprint"],
  ],
  [
    "custom beside tpm2",
    volume({ clevis: { tpm2: true, custom: { pin: "sss", config: "{}" } } }),
    ["error IGN038 storage.luks[0].clevis.custom"],
  ],
  [
    "a file in the place of a drop-in",
    config({ ...at("files", "/etc/systemd/system/a.service.d/b.conf"), systemd: DROPIN }),
    ["warning IGN030 storage.files[0].target", "error IGN032 storage.files[0].path"],
    "lets",
  ],
  [
    "a link in the place of a drop-in",
    config({ ...at("links", "/etc/systemd/system/a.service.d/b.conf"), systemd: DROPIN }),
    ["error IGN032 storage.links[0].path"],
    "lets",
  ],
  [
    "a file below a file",
    storage({ files: [{ path: "/a" }, { path: "/a/b" }] }),
    ["error IGN033 storage.files[1].path"],
    "lets",
  ],
  ["a file in a directory", storage({ files: [{ path: "/a/b" }], directories: [{ path: "/a" }] }), []],
  [
    "a hard link to a directory",
    storage({ directories: [{ path: "/a" }], links: [{ path: "/b", target: "/a", hard: true }] }),
    ["error IGN038 storage.links[0].target"],
  ],
];

/** The longest label of each format, and one byte more. */
const LABEL_PROBES = Object.entries({ ext4: 16, btrfs: 256, xfs: 12, swap: 15, vfat: 11 }).flatMap(
  ([format, most]): (readonly [string, object, readonly string[]])[] => [
    [`a label of ${format}`, filesystem({ format, label: "a".repeat(most) }), []],
    [
      `a label too long for ${format}`,
      filesystem({ format, label: "a".repeat(most + 1) }),
      ["error IGN039 storage.filesystems[0].label"],
    ],
  ],
);

for (const [name, given, expected, lets] of [...PROBES, ...DEVICE_PROBES, ...LABEL_PROBES])
  test(name, () => {
    assert.equal(told(given), expected);
    const isError = expected.some((each) => each.startsWith("error"));
    if (hasValidator) assert.is(isRefused(given), isError && lets === undefined, "ignition-validate");
  });

test("a position is that of the member", () => {
  const [problem] = problemsOf(
    '{\n "ignition": {"version": "3.2.0"},\n "storage": {"files": [{"path": "/a",\n  "mode": 644}]}}',
  );
  assert.is(problem?.line, 4);
  assert.is(problem?.column, 11);
  assert.is(problem?.hint, "use 420");
});

test("the newest version that the reader takes, and version 2", () => {
  assert.equal(told(config({}, "3.5.0"), 4), ["error IGN031 ignition.version"]);
  assert.equal(told(config({}, "3.4.0"), 4), []);
  const [two] = problemsOf('{"ignition": {"version": "2.2.0"}}', 4, true);
  assert.is(two?.severity, "warning");
});

const oneOf = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const some = (record: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> =>
  fc.record(record, { requiredKeys: [] });
const PATH = oneOf("/a", "/a/b", "/etc/systemd/system/a.service", "a", "/a/", "/b//c", "", "/c/./d", "/");
const SOURCE = oneOf(
  "",
  "data:,x",
  "data:;base64,eA==",
  "data:;base64,eA",
  "http://h/x",
  "https://",
  "ftp://h/x",
  "tftp://h/x",
  "s3://b/x",
  "data:text/plain;base64,eA==",
  "data:,a b",
  "x",
  "data:,%zz",
);
const CONTENTS = some({
  source: SOURCE,
  compression: oneOf("", "gzip", "xz"),
  verification: some({
    hash: oneOf(`sha512-${"a".repeat(128)}`, "sha512-a", `sha256-${"a".repeat(64)}`, "x"),
  }),
});
const OWNER = some({ id: oneOf(0, 1), name: oneOf("root", "") });
const NODE = { path: PATH, overwrite: fc.boolean(), user: OWNER, group: OWNER };
/** Mostly right, so that a fault comes alone: one that is always beside another proves nothing. */
const mostly = <T>(good: readonly T[], bad: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: oneOf(...good) }, { weight: 1, arbitrary: oneOf(...bad) });
const having = (needed: Record<string, fc.Arbitrary<unknown>>, more: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .tuple(
      fc.record(needed),
      some(more),
      fc.oneof({ weight: 15, arbitrary: oneOf("") }, oneOf(...Object.keys(needed))),
    )
    .map(([all, rest, missing]): object =>
      Object.fromEntries(Object.entries({ ...all, ...rest }).filter(([name]) => name !== missing)),
    );
const lists = <T>(each: fc.Arbitrary<T>, maxLength = 2) => fc.array(each, { maxLength });
const DEVICE = mostly(["/dev/a", "/dev/b", "/dev/c", "/dev/d"], ["dev", "/dev//c", ""]);
/** Of every length that some format has for its most. */
const LABEL = fc.oneof(
  fc.integer({ min: 0, max: 17 }).map((length) => "a".repeat(length)),
  oneOf(
    "é".repeat(6),
    "é".repeat(18),
    "é".repeat(19),
    "a:b",
    "a".repeat(36),
    "a".repeat(37),
    "a".repeat(47),
    "a".repeat(48),
  ),
);
const GUIDS = mostly(
  ["", "01234567-89ab-cdef-0123-456789ABCDEF"],
  ["x", "01234567-89ab-cdef-0123-456789abcdeg"],
);
const PARTITION = having(
  {
    number: fc.integer({ min: 0, max: 9 }),
    label: fc.integer({ min: 0, max: 99 }).map((name) => `p${name}`),
  },
  {
    startMiB: fc.integer({ min: 0, max: 12 }),
    sizeMiB: fc.integer({ min: 0, max: 4 }),
    guid: GUIDS,
    typeGuid: GUIDS,
    shouldExist: mostly([true], [false]),
  },
);
const DEVICES = {
  disks: lists(
    having(
      { device: DEVICE },
      {
        partitions: fc.oneof(
          lists(PARTITION, 3),
          fc.tuple(having({ label: LABEL }, {})),
          fc.tuple(some({ number: oneOf(0, 1), shouldExist: fc.boolean(), sizeMiB: oneOf(0, 1) })),
        ),
      },
    ),
  ),
  raid: lists(
    having(
      {
        name: oneOf("a", "b", "c", "d"),
        level: mostly(["raid0", "stripe", "1", "mirror", "raid10", "linear", "6"], ["raid2", "x", ""]),
        devices: fc.uniqueArray(DEVICE, { maxLength: 3 }),
      },
      { spares: oneOf(0, 1) },
    ),
  ),
  filesystems: lists(
    having(
      { device: DEVICE, format: mostly(["xfs", "ext4", "swap", "vfat", "btrfs", "none"], ["zfs", ""]) },
      {
        path: mostly(["/var", ""], ["var", "/var/"]),
        label: LABEL,
        options: lists(oneOf("-a")),
        wipeFilesystem: fc.boolean(),
      },
    ),
  ),
  luks: lists(
    having(
      { name: mostly(["a", "b", "c", "d"], ["a/b"]), device: DEVICE },
      {
        label: LABEL,
        clevis: fc.oneof(
          some({
            tpm2: fc.boolean(),
            threshold: oneOf(0, 1),
            tang: lists(
              having(
                {
                  url: mostly(["http://a", "https://b", "http://c"], ["ftp://a", ""]),
                  thumbprint: mostly(["x"], [""]),
                },
                {},
              ),
            ),
          }),
          some({
            custom: having(
              { pin: mostly(["tpm2", "sss"], ["x", ""]), config: mostly(["{}"], [""]) },
              { needsNetwork: fc.boolean() },
            ),
            tpm2: mostly([false], [true]),
          }),
        ),
      },
    ),
  ),
};
const CONFIGS = fc.record({
  ignition: fc.record({ version: oneOf("3.0.0", "3.1.0", "3.2.0", "3.3.0") }),
  storage: some({
    files: fc.array(
      some({
        ...NODE,
        contents: CONTENTS,
        append: fc.array(CONTENTS, { maxLength: 1 }),
        mode: oneOf(420, 384, 0, -1, 4096),
      }),
      { maxLength: 2 },
    ),
    directories: fc.array(some({ ...NODE, mode: oneOf(493, 9999) }), { maxLength: 1 }),
    links: fc.array(some({ ...NODE, target: oneOf("/t", ""), hard: fc.boolean() }), { maxLength: 1 }),
    ...DEVICES,
  }),
  systemd: some({
    units: fc.array(
      some({
        name: oneOf("a.service", "b.socket", "a", "c.container"),
        enabled: fc.boolean(),
        contents: oneOf("", "[Service]\n", "x", "[Install]\nWantedBy=a\n", "[X\n", "a=b\n", "# c\n"),
        dropins: fc.array(some({ name: oneOf("x.conf", "x"), contents: oneOf("", "[A]\nb=c", "b") }), {
          maxLength: 2,
        }),
      }),
      { maxLength: 2 },
    ),
  }),
  passwd: some({
    users: fc.array(
      some({ name: oneOf("core", "a"), sshAuthorizedKeys: fc.array(oneOf("a", "b", ""), { maxLength: 3 }) }),
      { maxLength: 2 },
    ),
  }),
});

/** One kind of entry alone: there both have to say the same, so that nothing good is refused either. */
const ONE_KIND = fc
  .constantFrom(...(["disks", "raid", "filesystems", "luks"] as const))
  .chain((kind) => fc.tuple(mostly(["3.2.0", "3.3.0"], ["3.0.0", "3.1.0"]), fc.constant(kind), DEVICES[kind]))
  .map(([version, kind, list]) => ({ ignition: { version }, storage: { [kind]: list } }));

if (hasValidator)
  test("of devices, Debian's validator refuses the same", () => {
    fc.assert(
      fc.property(ONE_KIND, (given) => {
        // Members of later versions are passed over by it, and told by us, with what is wrong in them.
        if (told(given).some((each) => / IGN030 /.test(each))) return;
        const problems = told(given).filter((each) => each.startsWith("error"));
        assert.is(problems.length > 0, isRefused(given), `${JSON.stringify(given)} ${problems.join()}`);
      }),
      { numRuns: Number(process.env["IGNITION_RUNS"] ?? runs(150)), seed: 43 },
    );
  });
else skipTest(test, "of devices, Debian's validator refuses the same", "needs ignition-validate");

if (hasValidator)
  test("what Debian's validator refuses is refused", () => {
    fc.assert(
      fc.property(CONFIGS, (given) => {
        if (!isRefused(given)) return;
        assert.ok(
          told(given).some((each) => each.startsWith("error")),
          JSON.stringify(given),
        );
      }),
      { numRuns: Number(process.env["IGNITION_RUNS"] ?? runs(150)), seed: 42 },
    );
  });
else skipTest(test, "what Debian's validator refuses is refused", "needs ignition-validate");

test.run();
