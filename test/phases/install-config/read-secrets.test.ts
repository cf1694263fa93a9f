// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of shells are what these texts are about
/** Whatever the fault: no secret of a config ever shows in what is said about it. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { record } from "../../helpers/cli.js";
import { readConfig } from "../../helpers/install-config.js";
import { PLANTED } from "../../helpers/planted.js";
import { runs } from "../../helpers/runs.js";

const test = suite("install-config secrets");

const AUTH = Buffer.from(`user:${PLANTED.pullSecretAuth}`).toString("base64");
const CONFIG = `apiVersion: v1
baseDomain: example.org
metadata:
  name: demo
  annotations:
    note: 0644
proxy:
  httpProxy: http://worker:${PLANTED.proxyPassword}@proxy.example.org:3128
  noProxy: .example.org
networking:
  machineNetwork:
  - cidr: 10.0.0.0/16
controlPlane:
  replicas: 2
  fencing:
    credentials:
    - hostName: a
      username: root
      password: ${PLANTED.password}
      address: redfish+https://192.0.2.1/redfish/v1/Systems/1
    - hostName: b
      username: root
      password: "${PLANTED.password}"
      address: redfish+https://192.0.2.2/redfish/v1/Systems/1
platform:
  aws:
    region: eu-west-1
    userTags: {on: off}
pullSecret: '{"auths":{"registry.example.org":{"auth":"${AUTH}"},"other.example.org":{"auth":"${PLANTED.pullSecretAuth}"}}}'
sshKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEx2KnK03eS ${PLANTED.sshKeyComment}
fips: no
`;
const SECRETS = [...Object.values(PLANTED), AUTH];

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

const anyEdit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat({ max: CONFIG.length - 1 }),
  remove: fc.nat({ max: 12 }),
  insert: fc.constantFrom(
    "",
    "",
    "\n",
    " ",
    "  ",
    ":",
    ": ",
    "- ",
    '"',
    "'",
    "{",
    "}",
    "[",
    "]",
    "#",
    "\t",
    "|",
    "\n\n",
    "&a ",
    "*a",
    "!!int ",
    "${X}",
    "<x>",
    ",",
    "\\",
  ),
});

const apply = (text: string, { at, remove, insert }: Edit): string =>
  text.slice(0, at) + insert + text.slice(at + remove);

test("an address that has lost its name keeps its password to itself", () => {
  const name = "  httpProxy: ";
  for (const broken of ["\n", "\n    ", "\n- ", "|\n", ">-\n  "])
    for (const [before, after] of [
      ["@proxy", ": @proxy"],
      ["@proxy", " : @proxy"],
      ["http://worker:", "http://worker: "],
      ["http://worker:", "? http://worker:"],
    ] as const) {
      const text = CONFIG.replace(name, name + broken).replace(before, after);
      const said = JSON.stringify(readConfig(text).diagnostics);
      for (const secret of SECRETS) assert.not.ok(said.includes(secret), `${text}\n${said}`);
    }
});

test("a secret in braces, which YAML reads as a key, is not shown", () => {
  for (const [name, text, hint] of [
    ["password", PLANTED.password, /^quote the value$/],
    ["pullSecret", AUTH, /single quotes/],
  ] as const) {
    const changed = CONFIG.replace(new RegExp(`${name}: .*`), `${name}: {${text}}`);
    const { diagnostics } = readConfig(changed);
    const told = diagnostics.filter(({ field }) => field?.endsWith(name));
    assert.is(told.length, 1, name);
    assert.match(told[0]?.hint ?? "", hint);
    for (const secret of SECRETS) assert.not.ok(JSON.stringify(diagnostics).includes(secret), name);
  }
});

test("edits anywhere never bring a secret into a message", () => {
  fc.assert(
    fc.property(fc.array(anyEdit, { minLength: 1, maxLength: 3 }), (edits) => {
      // Whole lines only where a key could lose its name: what has no name is not a secret that anybody could know.
      const text = edits.reduce(apply, CONFIG);
      const { diagnostics } = readConfig(text);
      const said = JSON.stringify(diagnostics);
      for (const secret of SECRETS) assert.not.ok(said.includes(secret), `${secret} in ${said}`);
      record(said);
    }),
    { numRuns: runs(1500) },
  );
});

test("lines that change places, merge or vanish never bring a secret into a message", () => {
  const lines = CONFIG.split("\n");
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(
          fc.constantFrom("drop", "double", "indent", "dedent", "join", "quote", "swap"),
          fc.nat({ max: lines.length - 1 }),
        ),
        { minLength: 1, maxLength: 4 },
      ),
      (edits) => {
        const changed = [...lines];
        for (const [what, at] of edits) {
          const line = changed[at] ?? "";
          if (what === "drop") changed.splice(at, 1);
          else if (what === "double") changed.splice(at, 0, line);
          else if (what === "indent") changed[at] = `  ${line}`;
          else if (what === "dedent") changed[at] = line.replace(/^ {2}/, "");
          else if (what === "join") changed.splice(at, 2, `${line} ${changed[at + 1] ?? ""}`);
          else if (what === "quote") changed[at] = line.replace(/: /, ': "');
          else changed.splice(at, 2, changed[at + 1] ?? "", line);
        }
        const said = JSON.stringify(readConfig(changed.join("\n")).diagnostics);
        for (const secret of SECRETS) assert.not.ok(said.includes(secret), `${secret} in ${said}`);
      },
    ),
    { numRuns: runs(1000) },
  );
});

test("a secret in the place of any other value is not shown by the reader where it is marked as one", () => {
  for (const field of ["pullSecret", "sshKey", "password"])
    for (const value of [
      `[${PLANTED.token}]`,
      `{a: ${PLANTED.token}}`,
      `<${PLANTED.token}>`,
      `$${PLANTED.token}`,
      `${PLANTED.token}\n  more`,
      `"${PLANTED.token}`,
      `*${PLANTED.token}`,
      `@${PLANTED.token}`,
    ]) {
      const said = JSON.stringify(readConfig(`apiVersion: v1\n${field}: ${value}\n`).diagnostics);
      assert.not.ok(said.includes(PLANTED.token), said);
    }
});

test.run();
