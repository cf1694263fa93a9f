/** Generated files that hold secrets, and the state, when somebody deletes them: what is told, and the way back. */
import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CliResult, slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("cli/lost-files");
const STATE = ".openshift_install_state.json";
const SECRET = "manifests/machine-config-server-tls-secret.yaml";
const recipient = await identityToRecipient(await generateX25519Identity());

const create = (dir: string, ...more: readonly string[]): CliResult =>
  slipway(["create", "infrastructure-manifests", "--dir", dir, "--key-algorithm", "ecdsa-p256", ...more]);
const check = (dir: string, ...more: readonly string[]): CliResult =>
  slipway(["check", "--dir", dir, ...more]);

function compiled(...more: readonly string[]): string {
  const dir = join(tempFolder(), "cluster");
  cpSync("golden/none/input", dir, { recursive: true });
  const made = create(dir, ...more);
  assert.is(made.code, 0, made.stderr);
  return dir;
}

test("a generated Secret that is gone is told by check and create, and the printed way brings it back", () => {
  const dir = compiled();
  const text = readFileSync(join(dir, SECRET), "utf8");
  rmSync(join(dir, SECRET));
  const told = new RegExp(
    `${SECRET}: warning DIR035: .*slipway create infrastructure-manifests --theirs ${SECRET} --dir `,
  );
  const found = check(dir);
  assert.is(found.code, 3);
  assert.match(found.stderr, told);
  for (const run of ["first", "again"]) {
    const made = create(dir);
    assert.is(made.code, 0, run);
    assert.match(made.stderr, told, run);
    assert.match(made.stdout, `left out  ${SECRET}, as you removed it\n`, run);
    assert.not(existsSync(join(dir, SECRET)), run);
  }
  assert.is(check(dir).code, 0);
  assert.match(check(dir).stderr, told);
  const back = create(dir, "--theirs", SECRET);
  assert.not.match(back.stderr, "DIR035");
  assert.is(readFileSync(join(dir, SECRET), "utf8"), text);
  assert.is(check(dir, "--strict").code, 0);
});

test("a removed file without secrets is the user's choice, and nothing is said", () => {
  const dir = compiled();
  rmSync(join(dir, "manifests/machine-config-server-ca-configmap.yaml"));
  assert.not.match(create(dir).stderr, "DIR035");
});

test("in a clone with everything encrypted and no key, what is gone is missing, the rest cannot be verified", () => {
  const dir = compiled("--secrets", "sops", "--age-recipient", recipient);
  // What a clone has not.
  rmSync(join(dir, ".slipway/local.json"));
  assert.is(check(dir, "--strict").code, 0);
  rmSync(join(dir, SECRET));
  const found = check(dir);
  assert.is(found.code, 3);
  assert.match(found.stdout, new RegExp(`^missing +${SECRET}$`, "m"));
  assert.match(found.stdout, "Where the key of the encrypted files is");
  rmSync(join(dir, STATE));
  const stateless = check(dir, "--strict");
  assert.is(stateless.code, 3);
  assert.match(stateless.stdout, new RegExp(`^missing +${STATE.replaceAll(".", "\\.")}$`, "m"));
  assert.not.match(stateless.stdout, "brings them up to date");
  assert.match(stateless.stderr, /warning DIR017.*put the state back, as it is in the repository's history/);
});

test.run();
