/** The last line of a run: what was found, and what became of the files. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { closingLine, filesSummary } from "../../src/cli/closing.js";
import { diagnostic } from "../../src/core/diagnostics.js";
import { slipway } from "../helpers/cli.js";
import { configText } from "../helpers/install-config.js";
import { tempFolder } from "../helpers/temp.js";

const test = suite("cli/closing");

const error = diagnostic({ code: "IC110", kind: "Invalid", message: "m" });
const warning = diagnostic({ code: "IC102", kind: "Invalid", severity: "warning", message: "m" });
const info = diagnostic({ code: "IC189", kind: "Invalid", severity: "info", message: "m" });
const files = (...statuses: readonly string[]) => statuses.map((status) => ({ status }));

test("counts files by what became of them", () => {
  assert.is(filesSummary({ files: files("created", "created") }), "2 files created");
  assert.is(filesSummary({ files: files("unchanged") }), "1 file unchanged");
  assert.is(
    filesSummary({ files: files("unchanged", "updated", "kept", "removed") }),
    "1 file updated, 1 removed, 1 kept, 1 unchanged",
  );
  assert.is(
    filesSummary({ files: files("updated", "unchanged"), dry: true }),
    "1 file would be updated, 1 unchanged; nothing was written",
  );
  assert.is(filesSummary({ files: files("unchanged"), dry: true }), "1 file unchanged; nothing was written");
});

test("says that nothing was written only where that is true", () => {
  const line = closingLine([error, error, error, warning, info], { files: [] }, false);
  assert.is(line, "3 errors, 1 warning (slipway explain IC110); nothing was written");
  assert.is(
    closingLine([error], { files: [] }, true),
    "1 error (slipway explain IC110); not every file was written",
  );
  assert.is(
    closingLine([error], { files: files("created") }, true),
    "1 error (slipway explain IC110); 1 file created",
  );
  assert.is(closingLine([warning], { files: files("created") }, true), "1 warning; 1 file created");
  assert.is(closingLine([error], undefined, false), "1 error (slipway explain IC110)");
  assert.is(closingLine([info], undefined, false), "");
  assert.is(closingLine([error], "none", false), "");
});

test("ends commands that write, compare and check", () => {
  const cwd = tempFolder();
  mkdirSync(join(cwd, "c"));
  writeFileSync(join(cwd, "c/install-config.yaml"), configText());
  const last = (...args: readonly string[]): string =>
    slipway(args, { cwd }).stderr.trimEnd().split("\n").at(-1) ?? "";
  const create = ["create", "manifests", "--dir", "c", "--key-algorithm", "ecdsa-p256"];
  assert.match(
    last(...create, "--dry-run"),
    /^(?:\d+ warnings?; )?\d+ files would be created.*; nothing was written$/,
  );
  assert.match(last(...create), /^(?:\d+ warnings?; )?\d+ files created$/);
  assert.match(last(...create), /^(?:\d+ warnings?; )?\d+ files unchanged$/);
  assert.match(last("check", "--dir", "c"), /^(?:\d+ warnings?; )?\d+ files checked; no differences$/);
  assert.match(last("validate", "--dir", "c"), /^(?:no problems found|\d+ warnings?)$/);
  writeFileSync(join(cwd, "c/install-config.yaml"), configText({ metadata: "metadata: {name: Heron_1}" }));
  assert.match(last(...create), /^\d+ errors?.* \(slipway explain [A-Z]+\d+\); nothing was written$/);
  assert.match(last("validate", "--dir", "c"), /^\d+ errors?.*\(slipway explain [A-Z]+\d+\)$/);
});

test("is left out of JSON and with --log-level error", () => {
  const cwd = tempFolder();
  assert.is(slipway(["validate", "--dir", ".", "--output", "json"], { cwd }).stderr, "");
  assert.not.match(slipway(["init", "--dir", ".", "--log-level", "error"], { cwd }).stderr, /created/);
  assert.match(slipway(["init", "--dir", "."], { cwd }).stderr, /^\d+ files unchanged\n$/);
});

test.run();
