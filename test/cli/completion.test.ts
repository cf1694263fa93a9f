import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { skipTest } from "../helpers/shared.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("completion");

const hasBash = spawnSync("bash", ["-c", "compgen -W x"]).status === 0;

/** What bash offers for the last word of a line. */
function offered(script: string, line: string, cwd = "."): string[] {
  const words = line.split(" ");
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const { stdout, stderr } = spawnSync(
    "bash",
    [
      "-c",
      `${script}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _slipway; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ],
    { encoding: "utf8", cwd },
  );
  // That the machine lacks the locale of the run is bash's own matter.
  assert.is(stderr.replace(/^bash: warning: setlocale: .*\n/gm, ""), "");
  return stdout.split("\n").filter((each) => each !== "");
}

if (!hasBash) skipTest(test, "bash completes commands, flags and values", "needs bash");
else
  test("bash completes commands, flags and values", () => {
    const script = slipway(["completion", "bash"]).stdout;
    assert.ok(offered(script, "slipway cr").includes("create"));
    assert.equal(offered(script, "slipway create inf"), ["infrastructure-manifests"]);
    assert.equal(offered(script, "slipway create manifests --contract "), ["v1beta1", "v1beta2"]);
    assert.ok(offered(script, "slipway create manifests --na").includes("--namespace"));
    assert.equal(offered(script, "slipway graph --format m"), ["mermaid"]);
    assert.ok(offered(script, "slipway --log-level debug --o").includes("--output"));
    assert.ok(offered(script, "slipway create manifests --release ").includes("4.22"));
    assert.ok(offered(script, "slipway etcd audit --release 1.3").includes("1.36"));
    assert.equal(offered(script, "slipway create install-config --platform p"), ["powervs"]);
    assert.equal(offered(script, "slipway completion "), ["bash", "zsh", "fish"]);
    assert.equal(offered(script, "slipway explain IC11"), ["IC110", "IC111"]);
    assert.ok(offered(script, "slipway explain cloud").includes("cloud-facts.aws"));
    assert.ok(offered(script, "slipway explain install-config.").includes("install-config.networking"));
    assert.equal(offered(script, "slipway help cr"), ["create"]);
    assert.equal(offered(script, "slipway help create inf"), ["infrastructure-manifests"]);
    assert.equal(offered(script, "slipway check --output = js"), ["json"]);
    // Folders only, and with names of several words.
    const folder = tempFolder();
    mkdirSync(join(folder, "my cluster"));
    writeFileSync(join(folder, "my file"), "");
    assert.equal(offered(script, "slipway check --dir my", folder), ["my cluster"]);
  });

test("zsh and fish get scripts of their own, another shell a usage error", () => {
  assert.match(slipway(["completion", "zsh"]).stdout, /^#compdef slipway\n/);
  assert.match(slipway(["completion", "fish"]).stdout, /__fish_seen_subcommand_from create/);
  assert.is(slipway(["completion", "tcsh"]).code, 2);
  assert.is(slipway(["completion"]).code, 2);
});

test.run();
