import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { collidingNames, misnamedInstallConfig } from "../../../src/phases/install-config/diagnose-file.js";
import { slipway } from "../../helpers/cli.js";
import { configText } from "../../helpers/install-config.js";
import { tempFolder } from "../../helpers/temp.js";

const test = suite("install-config file");

test("a file that was meant to be install-config.yaml is named, the likeliest first", () => {
  const cases: [readonly string[], string | undefined][] = [
    [["Install-Config.yaml", "install-config.yml"], "Install-Config.yaml"],
    [["install-config.yml", "install-config.yaml.bak"], "install-config.yml"],
    [["install_config.yaml"], "install_config.yaml"],
    [["install-config.yaml.orig", "README.md"], "install-config.yaml.orig"],
    [["install-config-prod.yaml"], "install-config-prod.yaml"],
    [["agent-config.yaml", "config.yaml", "install.log"], undefined],
    [[], undefined],
  ];
  for (const [names, expected] of cases)
    assert.is(misnamedInstallConfig(names)?.file, expected, names.join());
});

test("names that differ by case only are warned of", () => {
  assert.equal(
    collidingNames(["INSTALL-CONFIG.yaml", "install-config.yaml", "x"]).map(({ file, severity }) => [
      file,
      severity,
    ]),
    [["INSTALL-CONFIG.yaml", "warning"]],
  );
});

test("the command line tells of misnamed files, folders and encodings", () => {
  const text = configText({ x: "sshKey: ''" });
  const folder = tempFolder();
  writeFileSync(join(folder, "install-config.yml"), text);
  const misnamed = slipway(["create", "manifests"], { cwd: folder });
  assert.is(misnamed.code, 1);
  assert.match(
    misnamed.stderr,
    /^install-config\.yml: error IC006: expected a file named install-config\.yaml; found install-config\.yml; rename/m,
  );
  mkdirSync(join(folder, "folder"));
  assert.match(
    slipway(["validate", "folder"], { cwd: folder }).stderr,
    /folder: error .*is a folder, not a file; specify a file in it$/m,
  );
  writeFileSync(join(folder, "wide.yaml"), Buffer.from(`\ufeff${text}`, "utf16le"));
  const wide = slipway(["validate", "wide.yaml"], { cwd: folder });
  assert.is(wide.code, 0, wide.stderr);
  assert.match(wide.stderr, /^wide\.yaml:1:1: warning TEXT002: the file is UTF-16/m);
  writeFileSync(join(folder, "latin.yaml"), Buffer.from(text.replace("demo", "d\u00e9mo"), "latin1"));
  assert.match(
    slipway(["validate", "latin.yaml"], { cwd: folder }).stderr,
    /^latin\.yaml:4:10: error TEXT001/m,
  );
});

test.run();
