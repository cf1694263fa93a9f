/** A whole directory: key and login of the media server from run to run, and where the passwords of controllers lie. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isObject, type Json } from "../../../src/core/json.js";
import { BAREMETAL } from "../../helpers/baremetal.js";
import {
  bootstrapFiles,
  configured,
  createAt,
  HOUR,
  ok,
  read,
  START,
  STATE,
} from "../../helpers/ignition-directory.js";
import { PLANTED } from "../../helpers/planted.js";
import { readTree } from "../../helpers/temp.js";

const test = suite("baremetal: a directory");

const ELLIPTIC = ["--key-algorithm", "ecdsa-p256"];
const CERTIFICATE = "/opt/openshift/tls/ironic/tls.crt";
const KEY = "/opt/openshift/tls/ironic/tls.key";
const PASSWORD = "/opt/metal3/auth/ironic/password";

/** A directory after all phases. */
function made(): string {
  const dir = configured(JSON.stringify(BAREMETAL));
  ok(createAt(START, "manifests", dir, ...ELLIPTIC));
  ok(createAt(START, "infrastructure-manifests", dir));
  ok(createAt(START, "ignition-configs", dir));
  return dir;
}

const contents = (dir: string) => (path: string) => bootstrapFiles(dir).get(path)?.text ?? "";

test("key and password stay, and the certificate is signed again on demand alone", () => {
  const dir = made();
  const first = contents(dir);
  const before = [KEY, PASSWORD, CERTIFICATE].map(first);
  assert.match(before[1] ?? "", /^[A-Za-z0-9]{16}$/);
  ok(createAt(START + HOUR, "ignition-configs", dir));
  assert.equal([KEY, PASSWORD, CERTIFICATE].map(contents(dir)), before);
  ok(createAt(START + HOUR, "ignition-configs", dir, "--renew"));
  const renewed = [KEY, PASSWORD, CERTIFICATE].map(contents(dir));
  assert.equal(renewed.slice(0, 2), before.slice(0, 2));
  assert.is.not(renewed[2], before[2]);
});

test("the installer's own key and login are gone on from, and damage makes a new key", () => {
  const dir = made();
  const [key = ""] = [KEY].map(contents(dir));
  const file = join(dir, STATE);
  const change = (edit: (state: { [member: string]: Json }) => void): void => {
    const state: Json = JSON.parse(readFileSync(file, "utf8"));
    assert.ok(isObject(state));
    const edited = { ...state };
    edit(edited);
    writeFileSync(file, JSON.stringify(edited));
  };
  change((state) => {
    assert.ok(isObject(state["*tls.IronicTLSCert"]));
    state["*baremetal.IronicCreds"] = { Username: "bootstrap-user", Password: "0123456789abcdef" };
  });
  ok(createAt(START, "ignition-configs", dir));
  assert.is(contents(dir)(PASSWORD), "0123456789abcdef");
  assert.is(contents(dir)(KEY), key);
  change((state) => {
    const keys = state["slipway.dev/keys"];
    assert.ok(isObject(keys));
    state["slipway.dev/keys"] = { ...keys, "ironic/tls": "-----BEGIN nonsense" };
  });
  ok(createAt(START, "ignition-configs", dir));
  assert.is.not(contents(dir)(KEY), key);
});

test("passwords of controllers: the config, the state, the Secrets and what wraps these", () => {
  const dir = made();
  const held = [...readTree(dir)].flatMap(([path, data]) => {
    const texts = [data.toString("utf8")];
    for (let depth = 0; depth < 4; depth++)
      texts.push(
        (texts.at(-1) ?? "").replace(/[A-Za-z0-9+/]{16,}={0,2}/g, (each) =>
          Buffer.from(each, "base64").toString("utf8"),
        ),
      );
    return texts.some((text) => text.includes(PLANTED.password)) ? [path] : [];
  });
  const secrets = [0, 1, 2, 3, 4].flatMap((number) => [
    `infrastructure-manifests/30_manifest-openshift-99--openshift-cluster-api--host-bmc-secrets-${number}.yaml`,
    `openshift/99_openshift-cluster-api_host-bmc-secrets-${number}.yaml`,
  ]);
  assert.equal(
    held.sort(),
    [
      STATE,
      "bootstrap.ign",
      ...[1, 2, 3].map((number) => `infrastructure-manifests/10_credentials-m-${number}-bmc-secret.yaml`),
      "infrastructure-manifests/20_install-state.yaml",
      "install-config.yaml",
      ...secrets,
    ].sort(),
  );
  assert.not.match(read(dir, ".slipway/record.json"), PLANTED.password);
});

test.run();
