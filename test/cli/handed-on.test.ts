/** Printed commands that hand secrets on, typed as they are into a shell in a Git work tree: none is left for `git add`. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BINARY, slipway } from "../helpers/cli.js";
import { IMAGE, withManifests, withRsaManifests } from "../helpers/ignition-directory.js";
import { skipTest } from "../helpers/shared.js";
import { noSops } from "../helpers/sops.js";
import { readTree, tempFolder } from "../helpers/temp.js";

const test = suite("cli/handed-on");
const STATE = ".openshift_install_state.json";

interface Answer {
  readonly nextSteps: readonly { readonly id: string; readonly commands: readonly string[] }[];
}

/** A work tree with a cluster, and a shell in it that finds slipway and an installer that does nothing. */
function workTree(env: Readonly<Record<string, string>> = {}, cluster = withManifests()) {
  const root = tempFolder();
  const bin = join(tempFolder(), "bin");
  mkdirSync(bin);
  const program = (name: string, text: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  program("slipway", `exec '${process.execPath}' '${BINARY}' "$@"`);
  program("openshift-install", "exit 0");
  const full = { PATH: `${bin}:${process.env["PATH"]}`, HOME: bin, ...env };
  const sh = (script: string) => {
    const { status, stdout, stderr } = spawnSync("sh", ["-c", script], {
      cwd: root,
      env: full,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
  const typed = (script: string): string => {
    const { status, stdout, stderr } = sh(script);
    assert.is(status, 0, `${script}\n${stdout}${stderr}`);
    return stdout;
  };
  typed("git init --quiet");
  const at = join(root, "my heron");
  cpSync(cluster, at, { recursive: true });
  return { root, at, sh, typed };
}
type Tree = ReturnType<typeof workTree>;

const staged = ({ typed }: Tree): string[] => typed("git add . && git diff --cached --name-only").split("\n");
const stepsOf = ({ typed }: Tree, phase: string): Map<string, string> => {
  const { nextSteps }: Answer = JSON.parse(
    typed(`slipway create ${phase} --dir 'my heron' ${IMAGE.join(" ")} --output json`),
  );
  return new Map(nextSteps.map(({ id, commands }) => [id, commands.join("\n")]));
};

test("the kubeconfig that is fetched from the management cluster is its owner's alone, and not committed", () => {
  const tree = workTree();
  const bin = join(tree.root, ".git/bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "kubectl"), "#!/bin/sh\nprintf secret | base64\n", { mode: 0o755 });
  const fetch = stepsOf(tree, "infrastructure-manifests").get("operators") ?? "";
  const before = staged(tree);
  tree.typed(`PATH="$PWD/.git/bin:$PATH"; umask 000; ${fetch}`);
  const made = `${tree.at}-access`;
  assert.equal([...readTree(made).values()].map(String).sort(), ["*\n", "secret"]);
  assert.is(statSync(made).mode & 0o777, 0o700);
  assert.equal(staged(tree), before);
});

test("the copy for the installer is not committed, and not mixed with another", () => {
  const tree = workTree({}, withRsaManifests());
  const copy = stepsOf(tree, "ignition-configs").get("installer") ?? "";
  tree.typed(copy);
  const made = readTree(`${tree.at}-completed`);
  assert.equal(made.get(STATE), readTree(tree.at).get(STATE));
  assert.equal(
    staged(tree).filter((path) => /completed|state\.json/.test(path)),
    [],
  );
  writeFileSync(join(`${tree.at}-completed`, STATE), "of another");
  assert.is.not(tree.sh(copy).status, 0);
  assert.is(readFileSync(join(`${tree.at}-completed`, STATE), "utf8"), "of another");
});

test("a reconstructed directory and a pool of keys are not committed", () => {
  const tree = workTree();
  tree.typed("slipway create infrastructure-manifests --dir 'my heron'");
  tree.typed("slipway reconstruct --from 'my heron' --dir new");
  assert.ok(existsSync(join(tree.root, "new", STATE)));
  mkdirSync(join(tree.root, "sub"));
  writeFileSync(join(tree.root, "sub/.gitignore"), "mine\n");
  for (const pool of ["keys.pool", "sub/#a [b]*\\.pool "]) {
    const said = tree.typed(`slipway keys --count 1 --out '${pool}'`);
    assert.match(said, /was added to \.git\/info\/exclude/);
    assert.not.match(tree.typed(`slipway keys --count 1 --out '${pool}'`), /excluded/);
  }
  assert.equal(
    staged(tree).filter((path) => /^"?new|pool|state\.json/.test(path)),
    [],
  );
  assert.is(readFileSync(join(tree.root, "sub/.gitignore"), "utf8"), "mine\n");
  // In a linked work tree `.git` is a file.
  tree.typed("git -c user.name=a -c user.email=a@example.org commit -qm first && git worktree add -q linked");
  tree.typed("cd linked && slipway keys --count 1 --out other.pool");
  assert.is(tree.typed("cd linked && git status --porcelain"), "");
});

test("a clone without the state gets it back from the wrapped objects, as its message says", () => {
  const tree = workTree();
  tree.typed("slipway create infrastructure-manifests --dir 'my heron' --secrets separate");
  const state = readFileSync(join(tree.at, STATE), "utf8");
  rmSync(join(tree.at, STATE));
  rmSync(join(tree.at, ".slipway/local.json"));
  const { code, stderr } = slipway(["create", "infrastructure-manifests", "--dir", "my heron"], {
    cwd: tree.root,
  });
  assert.is(code, 3, stderr);
  const [, make = "", back = "", end = ""] =
    /DIR017: .* run (slipway reconstruct .*) to extract it from the wrapped objects, (cp -p .*) to restore it, and (rm -r .*) to remove the extracted keys; otherwise/.exec(
      stderr,
    ) ?? [];
  const before = readdirSync(tree.root);
  tree.typed(`${make} && ${back} && ${end}`);
  assert.equal(readdirSync(tree.root), before);
  assert.is(readFileSync(join(tree.at, STATE), "utf8"), state);
  assert.not.match(
    tree.typed("slipway create infrastructure-manifests --dir 'my heron'"),
    /^(?:created|updated|removed) /m,
  );
});

const DECRYPTED = "encrypted files are handed on in the open, and what is in the open is not committed";
if (noSops !== "") skipTest(test, DECRYPTED, noSops);
else
  test(DECRYPTED, async () => {
    const identity = await generateX25519Identity();
    const tree = workTree({ SOPS_AGE_KEY: identity }, withRsaManifests());
    const plain = readTree(tree.at);
    const recipient = await identityToRecipient(identity);
    writeFileSync(join(tree.root, ".sops.yaml"), `creation_rules:\n  - age: ${recipient}\n`);
    tree.typed(`slipway create manifests --dir 'my heron' --secrets sops`);
    const steps = stepsOf(tree, "ignition-configs");
    const before = staged(tree);
    for (const id of ["installer", "decrypt"]) tree.typed(steps.get(id) ?? "exit 1");
    assert.equal(staged(tree), before);
    const completed = readTree(`${tree.at}-completed`);
    const handed = readTree(`${tree.at}-plain`);
    for (const [path, data] of [...completed, ...handed])
      assert.not.match(data.toString(), /ENC\[AES256_GCM,/, path);
    assert.equal(
      [...completed.keys()].filter((path) => path !== ".gitignore"),
      [...plain.keys()].filter((path) => /^(?:manifests|openshift)\/|state\.json$/.test(path)),
    );
    JSON.parse(completed.get(STATE)?.toString() ?? "");
    JSON.parse(handed.get("bootstrap.ign")?.toString() ?? "");
    assert.match(handed.get("kubeconfig")?.toString() ?? "", /^clusters:/m);
    // Without the key nothing encrypted is given to the installer.
    rmSync(`${tree.at}-completed`, { recursive: true });
    assert.is.not(tree.sh(`unset SOPS_AGE_KEY; ${steps.get("installer")}`).status, 0);
  });

test.run();
