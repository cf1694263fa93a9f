/** Install-config, manifests and Ignition configs against what the real installer wrote and answered. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isError } from "../../../src/core/diagnostics.js";
import { decode } from "../../../src/core/files.js";
import { equalJson, isObject, type Json } from "../../../src/core/json.js";
import { normalValue } from "../../../src/phases/install-config/index.js";
import { readCertificate } from "../../../src/pki/certificate.js";
import { pemBlocks } from "../../../src/pki/pem.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { clusterPki, listOf, NOW, objectOf, runIgnition } from "../../helpers/ignition.js";
import { judge, releaseOf } from "../../helpers/install-configs.js";
import { compiled, runManifests } from "../../helpers/manifests.js";
import { platformOf } from "../../helpers/platforms.js";
import { withShared } from "../../helpers/shared.js";
import {
  comparable,
  installConfigOf,
  RELEASE_OF_CASES,
  readState,
  upstreamFiles,
} from "../../helpers/upstream.js";

const test = suite("baremetal: what the real installer wrote");

interface Answer {
  readonly id: string;
  readonly platform: string;
  readonly config: string;
  readonly errors: readonly { readonly type: string; readonly field: string }[];
}

const isAnswer = (value: unknown): value is Answer =>
  typeof value === "object" && value !== null && "id" in value && "errors" in value;

withShared(
  test,
  "data/validation/handed-platforms.jsonl",
  "errors are those of the real validator",
  (path) => {
    const answers = readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): unknown => JSON.parse(line))
      .filter(isAnswer)
      .filter(({ platform }) => platform === "baremetal");
    assert.ok(answers.length >= 18);
    for (const { id, config, errors } of answers) {
      const ours = judge(config, RELEASE_OF_CASES).errors;
      if (errors.some(({ type }) => type === "Parse")) assert.ok(ours.length > 0, `${id} is refused`);
      else assert.equal(ours, [...new Set(errors.map(({ type, field }) => `${type} ${field}`))].sort(), id);
    }
  },
);

const textIn = (folder: string, name: string): string => readFileSync(join(folder, name), "utf8");

/** The state that the installer left after `create manifests`. */
function configOfState(folder: string): Json | undefined {
  const state: Json = JSON.parse(textIn(folder, "state.json"));
  const member = isObject(state) ? state["*installconfig.InstallConfig"] : undefined;
  return isObject(member) ? member["config"] : undefined;
}

/** Where the hosts have objects, the installer's own config calls the default profile unknown by then. */
const withDefaultProfiles = (value: Json): Json =>
  JSON.parse(JSON.stringify(value).replaceAll('"hardwareProfile":"unknown"', '"hardwareProfile":"default"'));

for (const name of ["baremetal-static-network", "baremetal-arbiter"]) {
  const path = `data/upstream-4.22/${name}`;

  withShared(test, path, `${name}: the normal form, as text and in the state`, (folder) => {
    const { asset, errors } = judge(installConfigOf(folder), RELEASE_OF_CASES);
    assert.equal(errors, []);
    assert.ok(asset !== undefined);
    assert.equal(parseYaml(asset.normalForm), parseYaml(textIn(folder, "normal-form.yaml")));
    const ours = normalValue(asset.config, releaseOf(RELEASE_OF_CASES), platformOf(asset.config));
    assert.ok(equalJson(ours, withDefaultProfiles(configOfState(folder) ?? null)));
  });

  withShared(test, path, `${name}: all files of manifests/ and openshift/`, async (folder) => {
    const given = compiled(installConfigOf(folder), RELEASE_OF_CASES);
    const run = await runManifests({ ...given, ...readState(folder), release: RELEASE_OF_CASES });
    assert.equal(run.diagnostics.filter(isError), []);
    const expected = upstreamFiles(folder);
    assert.equal(
      run.files.map(({ path: file }) => file),
      [...expected.keys()],
    );
    for (const { path: file, data } of run.files)
      assert.equal(comparable(file, decode(data) ?? ""), expected.get(file), file);
  });

  withShared(test, path, `${name}: the network config of a host, byte for byte`, async (folder) => {
    const run = await runManifests({
      ...compiled(installConfigOf(folder), RELEASE_OF_CASES),
      ...readState(folder),
      release: RELEASE_OF_CASES,
    });
    for (const file of readdirSync(join(folder, "openshift")).filter((each) =>
      each.includes("network-config"),
    ))
      assert.is(
        dataOf(parseYaml(run.text(`openshift/${file}`)), "nmstate"),
        dataOf(parseYaml(textIn(folder, `openshift/${file}`)), "nmstate"),
        file,
      );
  });

  withShared(test, path, `${name}: the Ignition configs`, async (folder) => {
    const { config } = compiled(installConfigOf(folder), RELEASE_OF_CASES);
    const { infraID, clusterID, rootCA, machineConfigServer } = readState(folder);
    const made = clusterPki(config);
    const certified = { ...made.certified, "root-ca": rootCA, "machine-config-server": machineConfigServer };
    const manifestFiles = ["manifests", "openshift"].flatMap((part) =>
      readdirSync(join(folder, part))
        .sort()
        .map((file) => ({
          path: `${part}/${file}`,
          data: readFileSync(join(folder, part, file)),
          secret: false,
        })),
    );
    const run = await runIgnition({
      config,
      identity: { infraID, clusterID },
      manifestFiles,
      pki: { ...made, certified },
      now: NOW,
    });
    for (const file of ["master.ign", "worker.ign", "arbiter.ign", "metadata.json"])
      if (existsSync(join(folder, "ignition", file)))
        assert.is(run.text(file), textIn(folder, `ignition/${file}`), file);
      else assert.throws(() => run.text(file), file);

    for (const file of readdirSync(join(folder, "ignition/files"))) {
      const target = `/${file.replaceAll("__", "/")}`;
      if (!target.includes("/auth/"))
        assert.is(run.nodeFiles.get(target)?.text, textIn(folder, `ignition/files/${file}`), target);
    }
    const rows = table(textIn(folder, "ignition/bootstrap-files.tsv")).filter(
      ({ path: each = "" }) => !isProgram(each),
    );
    const own = listOf(objectOf(run.bootstrap["storage"])["files"]).map(objectOf);
    assert.equal(
      own.map((each) => `${String(each["path"])} ${Number(each["mode"]).toString(8)}`).sort(),
      rows.map(({ path: each, mode }) => `${each} ${mode}`).sort(),
    );
    for (const { path: each = "", bytes, kind } of rows)
      if (kind === "auth" || kind === "manifest" || /nmconnection|verify_ca|99-baremetal/.test(each))
        assert.is(String(Buffer.byteLength(run.nodeFiles.get(each)?.text ?? "")), bytes, each);
    for (const { file = "", days, certs } of table(textIn(folder, "ignition/bootstrap-tls.tsv"))) {
      // The list has base names; one of the certificates lies in a folder.
      const target = file === "tls.crt" ? "ironic/tls.crt" : file;
      const text = run.nodeFiles.get(`/opt/openshift/tls/${target}`)?.text ?? "";
      const { notBefore, notAfter } = readCertificate(text);
      assert.is(((notAfter.getTime() - notBefore.getTime()) / 86_400_000).toFixed(3), days, file);
      assert.is(String(pemBlocks(text).length), certs, file);
    }
  });
}

/** Scripts, units and containers: the release's own programs, which are left to its installer. */
const isProgram = (path: string): boolean =>
  /^\/usr\/local\/bin\/|^\/etc\/(?:systemd\/(?:system|system-generators)|containers\/systemd|NetworkManager\/dispatcher.d)\//.test(
    path,
  );

function dataOf(object: Json, key: string): Json | undefined {
  const data = isObject(object) ? object["data"] : undefined;
  return isObject(data) ? data[key] : undefined;
}

function table(text: string): { readonly [column: string]: string }[] {
  const [head = "", ...rows] = text.trimEnd().split("\n");
  const columns = head.split("\t");
  return rows.map((row) =>
    Object.fromEntries(row.split("\t").map((cell, index) => [columns[index] ?? "", cell])),
  );
}

test.run();
