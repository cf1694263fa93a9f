/** Ignition configs, held against Debian's `ignition-validate` as well where it is installed. */
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readYaml } from "../../src/text/yaml-read.js";
import { ignitionProblems } from "../../src/validate/ignition/config.js";

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
  ["a member of a later version", config({ kernelArguments: {} }), ["error IGN030 kernelArguments"], "lets"],
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

for (const [name, given, expected, lets] of PROBES)
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
  assert.is(problem?.hint, "write 420");
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
    links: fc.array(some({ ...NODE, target: oneOf("/t", "") }), { maxLength: 1 }),
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
      { numRuns: Number(process.env["IGNITION_RUNS"] ?? 150), seed: 42 },
    );
  });
else test.skip("what Debian's validator refuses is refused", () => {});

test.run();
