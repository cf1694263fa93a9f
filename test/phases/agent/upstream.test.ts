/** Every case that the real installer answered (shared/data/agent-4.22): accepted and refused alike, and the same files. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decode } from "../../../src/core/files.js";
import { agentCase, compileAgent, errorsOf, parsedDocuments, tomlLines } from "../../helpers/agent.js";
import { withShared } from "../../helpers/shared.js";

const test = suite("agent-manifests as the real installer");

interface Answer {
  readonly name: string;
  readonly kind: string;
  readonly "cluster-manifests"?: {
    readonly accepted: boolean;
    readonly errors: readonly (readonly [string, string])[];
  };
}

/** The binary was built as v4.22.0 and names the image set so; with an image by digest the release is all that is known. */
const sameName = (text: string): string => text.replaceAll("openshift-v4.22.0", "openshift-4.22");

/** The data keep no certificate but the one in mirror/, which is compared. */
const asKept = (ours: string, theirs: string): string =>
  theirs.includes("RANDOM-PEM")
    ? ours.replace(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs, "RANDOM-PEM")
    : ours;

withShared(test, "data/agent-4.22", "every case", async (folder) => {
  const answers = readFileSync(join(folder, "answers.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Answer => JSON.parse(line))
    .filter(({ kind }) => kind === "agent");
  assert.ok(answers.length >= 58);
  const differences: string[] = [];
  let files = 0;
  for (const { name, "cluster-manifests": answer } of answers) {
    const compiled = await compileAgent(agentCase(join(folder, "cases", name)));
    const errors = errorsOf(compiled);
    if (compiled.ok !== answer?.accepted) {
      differences.push(
        `${name}: accepted ${compiled.ok} instead of ${answer?.accepted}: ${errors.join("; ")}`,
      );
      continue;
    }
    const expected = [...new Set((answer.errors ?? []).map(([field, kind]) => `${field}: ${kind}`))].sort();
    // Where the installer names no field, its refusal is all there is to compare.
    if (!answer.accepted && expected.length > 0 && expected.join() !== errors.join())
      differences.push(`${name}: ${errors.join("; ")} instead of ${expected.join("; ")}`);
    if (!answer.accepted) continue;
    const out = join(folder, "cases", name, "out/cluster-manifests");
    const paths = ["cluster-manifests", "mirror"].flatMap((below) =>
      readdirSync(join(out, below)).map((file) => `${below}/${file}`),
    );
    const made = new Map(
      compiled.files
        .filter(({ path }) => !path.endsWith("/.gitignore"))
        .map(({ path, data }) => [path, decode(data) ?? ""]),
    );
    if ([...made.keys()].sort().join() !== paths.sort().join())
      differences.push(`${name}: ${[...made.keys()].sort().join()} instead of ${paths.join()}`);
    for (const path of paths) {
      const theirs = sameName(readFileSync(join(out, path), "utf8"));
      const ours = asKept(made.get(path) ?? "", theirs);
      const read = path.endsWith(".yaml")
        ? parsedDocuments
        : path.endsWith(".conf")
          ? tomlLines
          : (text: string) => text;
      files++;
      try {
        assert.equal(read(ours), read(theirs));
      } catch (error) {
        differences.push(`${name} ${path}: ${error instanceof Error ? error.message : ""}`);
        if (error instanceof assert.Assertion) differences.push(String(error.details));
      }
    }
  }
  assert.is(differences.join("\n"), "", `${answers.length} cases, ${files} files`);
  assert.ok(files > 250, `${files} files`);
});

test.run();
