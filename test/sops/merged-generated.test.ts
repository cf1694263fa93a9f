/** Two branches of an encrypted cluster, merged: what two people changed is theirs to resolve, one command settles the rest. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { encode } from "../../src/core/files.js";
import { settleMerged } from "../../src/directory/sealing.js";
import type { Opened } from "../../src/sops/file.js";
import { sidesOfMerge } from "../../src/text/merge-marks.js";
import { slipway } from "../helpers/cli.js";
import { encrypt, encryptedCluster, git } from "../helpers/encrypted-cluster.js";
import { readTree } from "../helpers/temp.js";

const test = suite("merged generated files");

const identity = await generateX25519Identity();
const recipients = [await identityToRecipient(identity)];
const env = { SOPS_AGE_KEY: identity };
const CONFIG = readFileSync("examples/vsphere/install-config.yaml", "utf8");
const PROXY = "proxy:\n  httpProxy: http://proxy.example.org:3128\n";
const POLICY = "additionalTrustBundlePolicy: Always\n";

test("one create settles a merge, once the input is resolved", async () => {
  const folder = await encryptedCluster("vsphere", {
    recipients,
    key: env,
    phases: ["infrastructure-manifests"],
  });
  const create = () => slipway(["create", "infrastructure-manifests"], { cwd: folder, env });
  const configure = async (more: string): Promise<void> => {
    writeFileSync(join(folder, "install-config.yaml"), CONFIG + more);
    const rule = { encrypted_regex: "^(pullSecret|sshKey|user|password)$" };
    await encrypt(join(folder, "install-config.yaml"), rule, recipients);
  };
  const commit = async (more: string): Promise<void> => {
    await configure(more);
    const { code, stderr } = create();
    assert.is(code, 0, stderr);
    git(folder, "add", ".");
    git(folder, "commit", "--quiet", "--message", `config\n${more}`);
  };
  git(folder, "checkout", "--quiet", "-b", "main");
  await commit("");
  git(folder, "checkout", "--quiet", "-b", "proxy");
  await commit(PROXY);
  git(folder, "checkout", "--quiet", "main");
  await commit(POLICY);
  const who = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"];
  assert.is(spawnSync("git", [...who, "merge", "--quiet", "proxy"], { cwd: folder }).status, 1);
  const open = git(folder, "diff", "--name-only", "--diff-filter=U").trim().split("\n");
  assert.ok(open.length > 3, open.join());
  const check = slipway(["check"], { cwd: folder, env });
  assert.is(check.code, 1);
  assert.match(check.stderr, "run slipway create, which settles the merge of generated files");
  assert.is(create().code, 1);
  await configure(POLICY + PROXY);
  const merged = create();
  assert.is(merged.code, 0, merged.stderr);
  const marked = [...readTree(folder)].filter(
    ([path, data]) => !path.startsWith(".git/") && Buffer.from(data).includes("<<<<<<<"),
  );
  assert.equal(
    marked.map(([path]) => path),
    [],
  );
  const rest = slipway(["check", "--strict"], { cwd: folder, env });
  assert.is(rest.code, 0, rest.stdout);
});

test("a file that both sides edited is not settled", () => {
  const opened = (text: string): Opened => ({
    data: encode(text),
    dataKey: new Uint8Array(),
    metadata: { age: [], lastModified: "", mac: "", macOnlyEncrypted: false, rule: {}, raw: {} },
    values: new Map(),
    mac: { type: "str", text: "" },
  });
  const taken = (generated: readonly string[]): string | undefined => {
    const sides = [opened("ours"), opened("theirs")] as const;
    const sealed = { opened: undefined, onDisk: encode("<<<<<<<"), sides };
    const files = new Map([["a", { path: "a", data: encode("<<<<<<<"), mode: 0o600, sealed }]]);
    settleMerged(files, (_path, data) => generated.includes(Buffer.from(data).toString()));
    const file = files.get("a");
    return file?.sealed.opened === undefined ? undefined : Buffer.from(file.data).toString();
  };
  assert.is(taken([]), undefined);
  assert.is(taken(["theirs"]), "ours");
  assert.is(taken(["ours"]), "theirs");
  assert.is(taken(["ours", "theirs"]), "ours");
});

test("both versions of a text with the marks of a merge", () => {
  assert.is(sidesOfMerge("a\n=======\nb\n"), undefined);
  assert.equal(sidesOfMerge("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\nd\n"), [
    "a\nb\nd\n",
    "a\nc\nd\n",
  ]);
  assert.equal(sidesOfMerge("<<<<<<< HEAD\nb\n||||||| base\nx\n=======\nc\n>>>>>>> other\n"), ["b\n", "c\n"]);
});

test.run();
