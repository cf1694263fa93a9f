import bcrypt from "bcryptjs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReporter } from "../../src/core/diagnostics.js";
import { createKubeadmin, hashPassword, readKubeadmin } from "../../src/phases/kubeadmin.js";
import { seededRandom } from "../helpers/inputs.js";
import { withShared } from "../helpers/shared.js";
import { readState } from "../helpers/upstream.js";

const test = suite("kubeadmin");

test("a password has four groups of unmistakable characters, and its hash fits", async () => {
  const made = await createKubeadmin(seededRandom("kubeadmin"));
  assert.match(made.password, /^[a-km-zA-NP-Z2-9]{5}(-[a-km-zA-NP-Z2-9]{5}){3}$/);
  assert.match(made.hash, /^\$2a\$10\$[./A-Za-z0-9]{53}$/);
  assert.ok(await bcrypt.compare(made.password, made.hash));
  assert.equal(await createKubeadmin(seededRandom("kubeadmin")), made);
  assert.is.not((await createKubeadmin(seededRandom("other"))).password, made.password);
});

test("the salt decides the hash", async () => {
  const salt = new Uint8Array(16).fill(7);
  const hash = await hashPassword("some password", salt);
  assert.is(await hashPassword("some password", salt), hash);
  assert.is.not(await hashPassword("some password", new Uint8Array(16)), hash);
  assert.ok(hash.startsWith(`$2a$10$${bcrypt.encodeBase64(salt, 16)}`));
});

test("a hash that the user brings is checked, with its password if there is one", async () => {
  const password = "abcde-fghij-kmnpq-rstuv";
  const hash = bcrypt.hashSync(password, bcrypt.genSaltSync(4));
  const other = "abcde-fghij-kmnpq-rstuw";
  for (const [hashText, passwordText, field] of [
    [hash, undefined, ""],
    [`${hash}\n`, `${password}\r\n`, ""],
    [hash.replace("$2b$", "$2y$"), undefined, ""],
    [hash, other, "password"],
    [hash, password.slice(0, 22), "password"],
    [hash.slice(1), undefined, "hash"],
    [`${hash}x`, undefined, "hash"],
    ["", password, "hash"],
  ] as const) {
    const reporter = createReporter();
    const read = await readKubeadmin(hashText, passwordText, reporter.report);
    assert.equal(
      reporter.diagnostics.map(({ code, field }) => `${code} ${field}`),
      field === "" ? [] : [`ID004 ${field}`],
    );
    if (field === "")
      assert.equal(read, {
        hash: hashText.trimEnd(),
        password: passwordText?.trimEnd() ?? "",
      });
    else assert.is(read, undefined);
    const told = reporter.diagnostics.map(({ message, hint }) => message + hint).join();
    assert.not.ok([hash, password, other].some((secret) => told.includes(secret)));
  }
});

withShared(test, "data/upstream-4.22/none-compact", "a pair of upstream is accepted", async (folder) => {
  const { hash, password } = readState(folder);
  assert.equal(await readKubeadmin(hash, password, () => assert.unreachable()), { hash, password });
});

test.run();
