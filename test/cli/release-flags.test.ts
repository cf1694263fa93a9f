/** A release is read in one way by every flag and operand that names one: what is no release is refused. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("releases on the command line");

const WRONG = [
  "1.3x",
  "1.",
  "v1",
  "1",
  " 1.33",
  "1.33 ",
  "1.33.x",
  "1.33.0.4",
  "01.33",
  "1.033",
  "1,33",
  "x",
];
const folder = tempFolder();

/** `@` stands for the version. */
const COMMANDS = [
  "compat plan --to 1.37 --table kubernetes --from @",
  "compat plan --from 1.36 --table kubernetes --to @",
  "compat lifecycle --table kubernetes --current @",
  "compat lint --table kubernetes --current @",
  "report --html r.html --table kubernetes --current @",
  "compat diff @ 1.37",
  "compat diff 1.36 @",
  "compat diff 1.37:@ 1.37",
  "storage behaviors --table kubernetes --release @",
  "storage migrations --table kubernetes --to 1.37 --from @",
  "storage migrations --table kubernetes --from 1.36 --to @",
  "storage crd-guard old.yaml new.yaml --release @",
  "etcd audit --dump dump.json --release @",
  "etcd audit --dump dump.json --from @",
  "create manifests --release @",
];
for (const command of COMMANDS)
  test(`${command} refuses what is no release`, () => {
    for (const wrong of WRONG) {
      const words = command.split(" ").map((word) => word.replace("@", wrong));
      const { code, stdout, stderr } = slipway(words, { cwd: folder });
      assert.is(code, 2, `${JSON.stringify(wrong)}: ${stderr}`);
      assert.is(stdout, "");
      assert.match(stderr, JSON.stringify(wrong).slice(1, -1));
    }
  });

test("a binary's version is strict, too", () => {
  for (const wrong of WRONG) {
    const { code, stderr } = slipway(["compat", "version", "--binary-version", wrong], { cwd: folder });
    assert.is(code, 1, wrong);
    assert.match(stderr, "error VER001");
  }
});

test("versions of a release are accepted", () => {
  for (const right of ["1.36", "v1.36", "1.36.2", "v1.36.0-rc.1", "v1.36.2+k3s1"])
    assert.is(
      slipway(["compat", "lifecycle", "--table", "kubernetes", "--current", right], { cwd: folder }).code,
      0,
      right,
    );
});

test("what a component's own flag makes of a text is said", () => {
  const ask = (text: string) =>
    slipway(["compat", "version", "--binary-version", "1.36", "--emulated-version", text], { cwd: folder });
  for (const text of ["1.35x", "1.35.x", "1.035", " 1.35"]) {
    const { code, stderr } = ask(text);
    assert.is(code, 0, text);
    assert.match(stderr, `warning VER014: the component reads ${JSON.stringify(text)} as 1.35`);
  }
  for (const text of ["1.35", "v1.35", "1.35.0", "kube=1.35"]) assert.not.match(ask(text).stderr, "VER014");
});

test.run();
