/** Faults of the install-config that facts have nothing to do with, and those of the facts, are told in one run. */
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slipway } from "../helpers/cli.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("facts beside errors");

/** The codes that are told of an example without its facts, with something changed. */
function codesOf(example: string, change: (text: string) => string): string[] {
  const folder = tempFolder();
  cpSync(join("examples", example), folder, { recursive: true });
  rmSync(join(folder, "facts.yaml"));
  const file = join(folder, "install-config.yaml");
  const before = readFileSync(file, "utf8");
  writeFileSync(file, change(before));
  assert.is.not(change(before), before);
  const { code, stderr } = slipway(["create", "manifests", "--dir", "."], { cwd: folder });
  assert.is(code, 1, stderr);
  return [...new Set([...stderr.matchAll(/error ([A-Z0-9]+):/g)].map(([, each = ""]) => each))].sort();
}

for (const example of ["aws", "gcp", "azure", "ibmcloud"]) {
  test(`${example}: an SSH key that is none, and facts that are missing`, () => {
    const codes = codesOf(example, (text) => `${text.replace(/^sshKey:.*$/m, "")}sshKey: nonsense\n`);
    assert.ok(codes.includes("IC120"), codes.join());
    assert.ok(codes.includes("FACT001"), codes.join());
  });

  test(`${example}: of an architecture that there is not, no image is missing`, () => {
    const codes = codesOf(example, (text) =>
      text.replace(/^controlPlane:\n/m, (line) => `${line}  architecture: z80\n`),
    );
    assert.equal(codes, ["IC183"]);
  });
}

test.run();
