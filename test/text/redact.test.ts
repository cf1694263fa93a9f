import { setFlagsFromString } from "node:v8";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type Json } from "../../src/core/json.js";
import { isSecretName, REDACTED, redactJson, redactText } from "../../src/text/redact.js";
import { cpuMs } from "../helpers/cpu.js";
import { PLANTED } from "../helpers/planted.js";

const test = suite("text/redact");
// As in a process that has compiled a megabyte of expressions, where loops with a least number keep a step for each turn.
test.before(() => setFlagsFromString("--no-regexp-optimization"));
test.after(() => setFlagsFromString("--regexp-optimization"));
const PLANT = PLANTED.token;

const KEY_BODY = "MIIEpAIBAAKCAQEAplanted";
const LEAKS: readonly (readonly [name: string, text: string, secret: string])[] = [
  ["a plain member", `password: ${PLANT}`, PLANT],
  ["a member with odd characters", `password: a,${PLANT}}, b # c`, PLANT],
  ["a member in a list", `- name: x\n- password: "${PLANT}"`, PLANT],
  ["JSON in one line", `{"auths":{"registry.example.org":{"auth":"${PLANT}"}}}`, PLANT],
  ["JSON in a YAML string", `pullSecret: '{"auths":{"a":{"auth":"${PLANT}"}}}'`, PLANT],
  ["JSON in lines", `{\n  "auth": "${PLANT}",\n  "x": 1\n}`, PLANT],
  ["a block", `a: 1\npullSecret: |\n  {"x":\n   "${PLANT}"}\nb: 2`, PLANT],
  ["a folded block", `pullSecret: >-\n  ${PLANT}\n\n  ${PLANT}\nb: 2`, PLANT],
  ["a list below", `sshAuthorizedKeys:\n- ${PLANT}\n- ${PLANT}\nb: 2`, PLANT],
  ["an indented list below", `sshAuthorizedKeys:\n  - ${PLANT}\nb: 2`, PLANT],
  ["a flow list", `sshAuthorizedKeys: [${PLANT}, ${PLANT}]`, PLANT],
  ["user information", `httpProxy: http://user:${PLANT}@proxy.example.org:3128`, PLANT],
  [
    "a login without a scheme",
    `"administrator@vsphere.local:${PLANT}@vcenter.example.org" is not a host name`,
    PLANT,
  ],
  ["a login of a domain", `server: CORP\\admin:x:${PLANT}@10.0.0.1`, PLANT],
  ["user information with an at sign", `http://user:p@${PLANT}@proxy.example.org`, PLANT],
  [
    "a private key",
    `x: |\n  -----BEGIN RSA PRIVATE KEY-----\n  ${KEY_BODY}\n  -----END RSA PRIVATE KEY-----\n`,
    KEY_BODY,
  ],
  ["a private key cut off", `-----BEGIN PRIVATE KEY-----\n${KEY_BODY}`, KEY_BODY],
  ["a public SSH key", `key ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE ${PLANT}`, PLANT],
  ["a bcrypt hash", `hash $2a$10$${"abcdefghijklmnopqrstuv"}`, "abcdefghijklmnopqrstuv"],
  ["a data URL", `source: data:text/plain;base64,${PLANT}`, PLANT],
  ["a bearer token", `Authorization: Bearer ${PLANT}`, PLANT],
  ["a hidden member name", `.dockerconfigjson: ${PLANT}`, PLANT],
  ["an environment line", `AWS_SECRET_ACCESS_KEY=${PLANT}`, PLANT],
];

for (const [name, text, secret] of LEAKS)
  test(`text: ${name}`, () => {
    const shown = redactText(text);
    assert.not.ok(shown.includes(secret), shown);
    assert.ok(shown.includes(REDACTED), shown);
  });

test("text: what is not a secret stays as it is", () => {
  const text = [
    "apiVersion: v1",
    "kind: ConfigMap",
    'pullSecret: ""',
    '{"auths": {"registry.example.com": {"auth": "…"}}}',
    "userDataSecret:",
    "  name: master-user-data",
    "credentialsSecret: {name: aws-creds}",
    "url: https://registry.example.org/a@sha256",
    "automountServiceAccountToken: false",
    "# a comment",
  ].join("\n");
  assert.is(redactText(text), text);
});

test("text: lines around a block stay, and nothing is lost behind it", () => {
  assert.is(
    redactText("a: 1\nsshKey: |\n  x\n  y\nb: 2"),
    `a: 1\nsshKey: |\n  ${REDACTED}\n  ${REDACTED}\nb: 2`,
  );
});

test("names of members", () => {
  for (const name of [
    "pullSecret",
    "sshKey",
    "bmc-password",
    "secret_access_key",
    "client-key-data",
    ".dockerconfigjson",
  ])
    assert.ok(isSecretName(name), name);
  for (const name of ["secretName", "userDataSecret", "name", "passwd", "authentication", "tokenExpiration"])
    assert.is(isSecretName(name), name === "passwd", name);
});

test("json: all data of a Secret is hidden, wherever it stands", () => {
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: "x",
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": PLANT, other: "y" },
    },
    data: { "a.yaml": PLANT, b: null },
    stringData: { c: PLANT },
    type: "Opaque",
  };
  for (const value of [secret, { kind: "List", items: [secret] }]) {
    const shown = JSON.stringify(redactJson(value));
    assert.not.ok(shown.includes(PLANT), shown);
    assert.ok(shown.includes('"other":"y"') && shown.includes('"type":"Opaque"'), shown);
  }
});

test("json: texts inside of values are looked into", () => {
  const shown = redactJson({ kind: "ConfigMap", data: { "install-config": `a: 1\npullSecret: ${PLANT}\n` } });
  assert.equal(shown, { kind: "ConfigMap", data: { "install-config": `a: 1\npullSecret: ${REDACTED}\n` } });
});

test("json: a secret member of any form is hidden", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("password", "pullSecret", "token"),
      fc.oneof(
        fc.string({ minLength: 1 }),
        fc.array(fc.string({ minLength: 1 }), { minLength: 1 }),
        fc.integer(),
      ),
      (name, value) => {
        const shown = redactJson({ outer: { [name]: value } });
        const inner: Json | undefined =
          isObject(shown) && isObject(shown["outer"]) ? shown["outer"][name] : null;
        const expected = Array.isArray(value) ? value.map(() => REDACTED) : REDACTED;
        assert.equal(inner, expected);
      },
    ),
  );
});

test("text: an image, an address and a time are no logins", () => {
  const digest = `sha256:${"0".repeat(64)}`;
  for (const text of [
    `quay.io:443/a/b:tag@${digest}`,
    `registry.example.org:5000/a@${digest}`,
    "https://example.org:6443/a@b",
    "at 12:30 from a@example.org",
    "[fd00::1]:443",
    "ssh git@example.org:a/b",
    "--member serviceAccount:egret-m@example-project.iam.gserviceaccount.com --role roles/viewer",
  ])
    assert.is(redactText(text), text);
});

test("text: never slow, whatever it is given", () => {
  const parts = [
    "a",
    "eyJ-",
    "data:",
    "://",
    "@",
    "-----BEGIN PRIVATE KEY-----",
    "password",
    ":",
    "'",
    '"',
    " ",
  ];
  for (const part of parts) {
    const took = cpuMs(() => redactText(part.repeat(Math.ceil(300_000 / part.length))));
    assert.ok(took < 3000, `${JSON.stringify(part)} took ${took} ms of CPU`);
  }
});

// The engine keeps a step on its stack for each turn of a loop over a group: 9 million of them were too many.
const LONG = 9_000_000;
const LONG_LINES: readonly (readonly [what: string, line: string, shown: string])[] = [
  ["double quotes", `{"password": "${"a".repeat(LONG)}"}`, `{"password": "${REDACTED}"}`],
  ["single quotes", `{'password': '${"a".repeat(LONG)}'}`, `{'password': '${REDACTED}'}`],
  ["a login", `http://${"a@".repeat(LONG)}b`, `http://${REDACTED}@b`],
  ["a hash", `$2a$${"a".repeat(LONG)}`, REDACTED],
  ["a header", `Bearer ${"a".repeat(LONG)}`, `Bearer ${REDACTED}`],
  ["the comment of a key", `ssh-rsa AAAA${" a".repeat(LONG)}`.replace(" a", "a"), REDACTED],
  ["a key", `ssh-rsa AAAA${"a".repeat(LONG)}`, REDACTED],
  ["a signature", `x?sig=${"a".repeat(LONG)}`, `x?sig=${REDACTED}`],
  ["a data URL", `data:,${"a".repeat(LONG)}`, `data:,${REDACTED}`],
  ["blanks", `password:${" ".repeat(LONG)}a`, `password:${" ".repeat(LONG)}${REDACTED}`],
  ["dashes", `${"- ".repeat(LONG)}password: a`, `${"- ".repeat(LONG)}password: ${REDACTED}`],
];

for (const [what, line, shown] of LONG_LINES)
  test(`text: millions of characters in ${what}`, () => {
    assert.ok(redactText(line) === shown);
  });

test("text: quotes that are escaped, doubled or not closed", () => {
  for (const [text, shown] of [
    [String.raw`{"password": "a\"b\\", "x": 1}`, `{"password": "${REDACTED}", "x": 1}`],
    [`{"password": "a, "x": 1}`, `{"password": "${REDACTED}"x": 1}`],
    [String.raw`{"password": "a\\`, `{"password": "${REDACTED}"`],
    ["{'password': 'a''b', 'x': 1}", `{'password': '${REDACTED}', 'x': 1}`],
    ["{'password': 'a''", `{'password': '${REDACTED}'`],
    ['{"password": "", "token": ""}', '{"password": "", "token": ""}'],
    ["--- password: a", `--- password: ${REDACTED}`],
  ] as const)
    assert.is(redactText(text), shown);
});

test.run();
