/** docs/git.md: every block is run by a shell, in order, as a reader would, with Git and the real sops. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BINARY, record } from "../helpers/cli.js";
import { PLANTED } from "../helpers/planted.js";
import { skipTest } from "../helpers/shared.js";
import { noSops } from "../helpers/sops.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("several people in one Git repository");

const stories: { readonly title: string; script: string }[] = [];
for (const section of readFileSync("docs/git.md", "utf8").split(/^## /m).slice(1)) {
  // Blocks of one section follow on each other in one shell.
  const script = [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join("");
  if (script !== "") stories.push({ title: section.slice(0, section.indexOf("\n")), script });
}

const pullSecret = (word: string): string =>
  JSON.stringify({
    auths: { "registry.example.org": { auth: Buffer.from(`user:${word}`).toString("base64") } },
  });
const CONFIG = `apiVersion: v1
baseDomain: lab.example.org
metadata:
  name: heron
compute:
- name: worker
  replicas: 2
networking:
  machineNetwork:
  - cidr: 192.0.2.0/24
platform:
  none: {}
pullSecret: '${pullSecret(PLANTED.pullSecretAuth)}'
`;

test("has nine sections with commands", () => {
  assert.equal(
    stories.map(({ title }) => title),
    [
      "Prepare a directory",
      "Create an encrypted repository",
      "Work in a clone with the key",
      "Check a clone without the key",
      "Change a field",
      "Merge two branches",
      "Rotate the pull secret",
      "Upgrade the release",
      "Add or remove a recipient",
    ],
  );
});

if (noSops !== "") skipTest(test, "every block runs, and no secret is in a file or in Git's history", noSops);
else
  test("every block runs, and no secret is in a file or in Git's history", async () => {
    const root = tempFolder();
    const bin = join(root, "bin");
    mkdirSync(bin);
    const identity = await generateX25519Identity();
    const recipient = await identityToRecipient(identity);
    const newcomer = await generateX25519Identity();
    const program = (name: string, text: string): void => {
      writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(bin, name), 0o755);
    };
    program("slipway", `exec '${process.execPath}' '${BINARY}' "$@"`);
    program(
      "age-keygen",
      `case $1:$2 in
-o:newcomer*) echo '${newcomer}' > "$2" ;;
-y:newcomer*) echo '${await identityToRecipient(newcomer)}' ;;
-o:*) echo '${identity}' > "$2" ;;
-y:*) echo '${recipient}' ;;
*) exit 2 ;;
esac`,
    );
    mkdirSync(join(root, "examples/none"), { recursive: true });
    writeFileSync(join(root, "examples/none/install-config.yaml"), CONFIG);
    const env = {
      PATH: `${bin}:${process.env["PATH"]}`,
      HOME: root,
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@example.org",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@example.org",
    };
    for (const { title, script } of stories) {
      const { status, stdout, stderr } = spawnSync("sh", ["-eu", "-c", script], {
        cwd: root,
        env,
        encoding: "utf8",
      });
      record(stdout + stderr);
      assert.is(status, 0, `${title}\n${stdout}\n${stderr}`);
    }
    const check = ["check", "--dir", "clusters/heron"];
    const { status: opened, stderr: told } = spawnSync(process.execPath, [BINARY, ...check], {
      cwd: join(root, "colleague"),
      env: { ...env, SOPS_AGE_KEY: newcomer },
      encoding: "utf8",
    });
    assert.not.match(told, /SOPS002/);
    assert.is(opened, 0, told);
    const show = (words: string[]): string =>
      spawnSync("git", words, { cwd: join(root, "colleague"), env, encoding: "utf8", maxBuffer: 1 << 28 })
        .stdout;
    const history = show(["log", "--all", "-p"]);
    assert.match(history, /4\.21/);
    const [, rotated = ""] =
      /"auth\\":\\"(\w+)\\"/.exec(readFileSync(join(root, "pull-secret-as-json-string"), "utf8")) ?? [];
    assert.match(Buffer.from(rotated, "base64").toString(), /^\w+:\w+$/);
    const planted = [
      PLANTED.pullSecretAuth,
      Buffer.from(`user:${PLANTED.pullSecretAuth}`).toString("base64"),
      Buffer.from(rotated, "base64").toString(),
      rotated,
    ];
    const everything = [
      history,
      ...["repository", "colleague", "pipeline"].flatMap((name) =>
        [...readTree(join(root, name))]
          .filter(([path]) => !path.startsWith(".git/"))
          .map(([, data]) => data.toString()),
      ),
    ];
    for (const text of everything) {
      for (const word of planted) assert.not.ok(text.includes(word), word);
      assert.not.match(text, /PRIVATE KEY-----/);
    }
  });

test.run();
