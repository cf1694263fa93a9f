import { test } from "uvu";
import * as assert from "uvu/assert";
import { sshKeyType } from "../../src/pki/ssh-public-key.js";
import { SSH_KEYS } from "../helpers/install-configs.js";

const blob = (key: string) => Buffer.from(key.split(" ")[1] ?? "", "base64");
const line = (data: Uint8Array) => `x ${Buffer.from(data).toString("base64")}`;

test("types of keys", () => {
  assert.is(sshKeyType(SSH_KEYS.ed25519), "ssh-ed25519");
  assert.is(sshKeyType(SSH_KEYS.rsa), "ssh-rsa");
  assert.is(sshKeyType(SSH_KEYS.ecdsa), "ecdsa-sha2-nistp256");
  assert.is(sshKeyType(SSH_KEYS.certificate), "ecdsa-sha2-nistp256-cert-v01@openssh.com");
});

test("lines that hold a key", () => {
  const key = SSH_KEYS.ed25519;
  const good = [
    `  ${key}  `,
    `${key}\r`,
    `# comment\n${key}`,
    `garbage\n${key}`,
    `from="a b",no-pty ${key}`,
    `no-pty  ${key}`,
    key.replace("ssh-ed25519", "anything"),
  ];
  for (const text of good) assert.is(sshKeyType(text), "ssh-ed25519", text.slice(0, 30));
});

test("lines that hold none", () => {
  const key = SSH_KEYS.ed25519;
  const [, encoded = ""] = key.split(" ");
  const bad = [
    "",
    "ssh-ed25519",
    "ssh-ed25519 ",
    encoded,
    "# comment",
    `ssh-ed25519 ${encoded.slice(0, -4)}`,
    `ssh-ed25519 ${encoded}=`,
    `ssh-ed25519 ${encoded.replace("A", "!")}`,
    `from="a b ${key}`,
    "ssh-ed25519 AAAA",
  ];
  for (const text of bad) assert.is(sshKeyType(text), undefined, text.slice(0, 30));
});

test("a key is read to its last byte, and a point lies on its curve", () => {
  for (const key of Object.values(SSH_KEYS)) {
    const data = blob(key);
    assert.is(sshKeyType(line(data)), sshKeyType(key));
    assert.is(sshKeyType(line(data.subarray(0, -1))), undefined);
    assert.is(sshKeyType(line(Buffer.concat([data, Buffer.of(0)]))), undefined);
  }
  const data = blob(SSH_KEYS.ecdsa);
  data.writeUInt8(data.readUInt8(data.length - 1) ^ 1, data.length - 1);
  assert.is(sshKeyType(line(data)), undefined);
});

test("exponents of RSA", () => {
  const text = (value: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(value.length);
    return Buffer.concat([length, value]);
  };
  const key = (exponent: Buffer) =>
    line(Buffer.concat([text(Buffer.from("ssh-rsa")), text(exponent), text(Buffer.of(1))]));
  assert.is(sshKeyType(key(Buffer.of(3))), "ssh-rsa");
  assert.is(sshKeyType(key(Buffer.of(0, 1, 0, 1))), "ssh-rsa");
  for (const wrong of [Buffer.of(), Buffer.of(1), Buffer.of(4), Buffer.of(0x81), Buffer.of(1, 0, 0, 1)])
    assert.is(sshKeyType(key(wrong)), undefined, wrong.toString("hex"));
});

test.run();
