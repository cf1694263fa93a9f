/** Images and refusals of every case that the real installer answered (shared/data/agent-4.22). */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compileAgent, errorsOf, NMSTATECTL } from "../../helpers/agent.js";
import { openImage } from "../../helpers/image.js";
import { withShared } from "../../helpers/shared.js";

const test = suite("image-based-config-image as the real installer");

interface Answer {
  readonly name: string;
  readonly kind: string;
  readonly "config-image"?: {
    readonly accepted: boolean;
    readonly errors: readonly (readonly [string, string])[];
  };
}

/** Random values. */
const comparable = (text: string): string =>
  text
    .replaceAll(
      /"(?:infra_id|cluster_id|ingress_certificate_cn|kubeadmin_password_hash)":"[^"]*"/g,
      '"RANDOM"',
    )
    .replaceAll(/-----BEGIN [A-Z ]+-----.*?-----END [A-Z ]+-----(?=(?:\\n)?")/g, "RANDOM-PEM");

const filesIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort()
    : [];

/** nmstatectl where there is one; else as the installer's answer to the case has it. */
const nmstateOf = (accepted: boolean) => async (network: string) => {
  if (NMSTATECTL === undefined)
    return accepted
      ? { ok: true, text: 'NetworkManager: [["a.nmconnection", ""]]' }
      : { ok: false, text: "refused" };
  const { status, stdout, stderr } = spawnSync(NMSTATECTL, ["gc", "-"], { input: network, env: {} });
  return { ok: status === 0, text: String(status === 0 ? stdout : stderr) };
};

withShared(test, "data/agent-4.22", "every case of the image-based installer", async (folder) => {
  const answers = readFileSync(join(folder, "answers.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Answer => JSON.parse(line))
    .filter(({ kind }) => kind === "ibi");
  const differences: string[] = [];
  let files = 0;
  for (const { name, "config-image": answer } of answers) {
    const [given, iso] = ["in", "out/config-image/iso"].map((part) => join(folder, "cases", name, part));
    const inputs = Object.fromEntries(
      filesIn(given ?? "").map((path) => [path, readFileSync(join(given ?? "", path), "utf8")]),
    );
    const { "install-config.yaml": installConfig = "", ...more } = inputs;
    const compiled = await compileAgent(
      { installConfig },
      { target: "image-based-config-image", files: more, nmstate: nmstateOf(answer?.accepted === true) },
    );
    const errors = errorsOf(compiled);
    if (compiled.ok !== answer?.accepted) {
      differences.push(`${name}: accepted ${compiled.ok}, not ${answer?.accepted}: ${errors.join("; ")}`);
      continue;
    }
    const expected = [...new Set(answer.errors.map(([field, kind]) => `${field}: ${kind}`))].sort();
    if (expected.length > 0 && expected.join() !== errors.join())
      differences.push(`${name}: ${errors.join("; ")} instead of ${expected.join("; ")}`);
    if (!answer.accepted) continue;
    const image = compiled.files.find(({ path }) => path === "imagebasedconfig.iso");
    const { files: made } = openImage(image?.data ?? new Uint8Array());
    const paths = filesIn(iso ?? "");
    assert.equal([...made.keys()].sort(), paths, name);
    for (const path of paths) {
      const theirs = readFileSync(join(iso ?? "", path), "utf8").replaceAll(
        /RANDOM-[A-Z]+(?=\\n")/g,
        "RANDOM-PEM",
      );
      const ours = made.get(path)?.data.toString("utf8") ?? "(absent)";
      files++;
      if (comparable(ours) !== comparable(theirs))
        differences.push(`${name} ${path}:\n${comparable(ours)}\n${comparable(theirs)}`);
    }
  }
  assert.is(differences.join("\n"), "", `${answers.length} cases, ${files} files`);
  assert.is(answers.length, 10);
  assert.is(files, 9);
});

test.run();
