/** The opened configuration images of every case that the real installer answered (shared/data/agent-4.22). */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { agentCase, compileAgent, errorsOf, NMSTATECTL, parsedDocuments } from "../../helpers/agent.js";
import { openArchive, openImage } from "../../helpers/image.js";
import { withShared } from "../../helpers/shared.js";

const test = suite("agent-config-image as the real installer");

interface Answer {
  readonly name: string;
  readonly kind: string;
  readonly "config-image"?: {
    readonly accepted: boolean;
    readonly errors: readonly (readonly [string, string])[];
  };
}

/** Random values, and the version that the installer was built as. */
const comparable = (text: string): string =>
  text
    .replaceAll(/v4\.22\.0/g, "4.22")
    .replaceAll("openshift-v4.22", "openshift-4.22")
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "RANDOM-JWT")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "RANDOM-UUID")
    .replaceAll(/EC_PUBLIC_KEY_PEM=.*/g, "EC_PUBLIC_KEY_PEM=RANDOM-PEM-BASE64")
    .replaceAll(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs, "RANDOM-PEM")
    .trimEnd();

const filesIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
        .sort()
    : [];

/** nmstatectl where there is one; else what it answered for the case, a folder for each host in turn. */
function nmstateOf(iso: string): (network: string) => Promise<{ ok: boolean; text: string }> {
  let host = 0;
  return async (network) => {
    if (NMSTATECTL !== undefined) {
      const { status, stdout, stderr } = spawnSync(NMSTATECTL, ["gc", "-"], { input: network, env: {} });
      return { ok: status === 0, text: String(status === 0 ? stdout : stderr) };
    }
    const folder = join(iso, `etc/assisted/network/host${host++}`);
    const names = existsSync(folder) ? readdirSync(folder).filter((each) => !each.endsWith(".ini")) : [];
    const keyfiles = names.map((name) => [name, readFileSync(join(folder, name), "utf8")]);
    return { ok: keyfiles.length > 0, text: JSON.stringify({ NetworkManager: keyfiles }) };
  };
}

withShared(test, "data/agent-4.22", "every case", async (folder) => {
  const answers = readFileSync(join(folder, "answers.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Answer => JSON.parse(line))
    .filter(({ kind }) => kind === "agent");
  const differences: string[] = [];
  let files = 0;
  for (const { name, "config-image": answer } of answers) {
    const iso = join(folder, "cases", name, "out/config-image/iso");
    const compiled = await compileAgent(agentCase(join(folder, "cases", name)), {
      target: "agent-config-image",
      nmstate: nmstateOf(iso),
    });
    const errors = errorsOf(compiled);
    if (compiled.ok !== answer?.accepted) {
      differences.push(`${name}: accepted ${compiled.ok}, not ${answer?.accepted}: ${errors.join("; ")}`);
      continue;
    }
    const expected = [...new Set((answer.errors ?? []).map(([field, kind]) => `${field}: ${kind}`))].sort();
    if (!answer.accepted && expected.length > 0 && expected.join() !== errors.join())
      differences.push(`${name}: ${errors.join("; ")} instead of ${expected.join("; ")}`);
    if (!answer.accepted) continue;
    const image = compiled.files.find(({ path }) => path === "agentconfig.noarch.iso");
    const { label, files: inside } = openImage(image?.data ?? new Uint8Array());
    assert.is(label, "agent_configimage");
    const made = openArchive(inside.get("config.gz")?.data ?? new Uint8Array());
    const paths = filesIn(iso);
    if ([...made.keys()].sort().join() !== paths.join())
      differences.push(`${name}: ${[...made.keys()].sort().join("\n")}\ninstead of\n${paths.join("\n")}`);
    for (const path of paths) {
      const theirs = comparable(readFileSync(join(iso, path), "utf8"));
      const ours = comparable(made.get(path)?.data.toString("utf8") ?? "(absent)");
      files++;
      if (theirs === "RANDOM") {
        if (ours === "") differences.push(`${name} ${path}: empty`);
        continue;
      }
      const read = path.endsWith(".yaml") ? parsedDocuments : (text: string) => text;
      try {
        assert.equal(read(ours), read(theirs));
      } catch (error) {
        differences.push(`${name} ${path}: ${error instanceof Error ? error.message : ""}`);
        if (error instanceof assert.Assertion) differences.push(String(error.details));
      }
    }
  }
  assert.is(differences.join("\n"), "", `${answers.length} cases, ${files} files`);
  assert.ok(files > 900, `${files} files`);
});

test.run();
