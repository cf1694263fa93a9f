/** The configs of the phase beside those of the real installer, for the same input, identity and manifests. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { OutputFile } from "../../../src/core/files.js";
import { isObject, type Json } from "../../../src/core/json.js";
import { readCertificate } from "../../../src/pki/certificate.js";
import { pemBlocks } from "../../../src/pki/pem.js";
import { parseYaml } from "../../../src/text/yaml-parse.js";
import { clusterPki, type IgnitionRun, listOf, NOW, objectOf, runIgnition } from "../../helpers/ignition.js";
import { compiled } from "../../helpers/manifests.js";
import { withShared } from "../../helpers/shared.js";
import { installConfigOf, RELEASE_OF_CASES, readState } from "../../helpers/upstream.js";

const test = suite("ignition configs beside upstream's");

const CASES = [
  "external-proxy-mirrors",
  "none-compact",
  "none-dual-stack",
  "none-single-node",
  "none-workers-ecdsa",
];

/** The phase over a case, with the case's identity, manifests and certificates of the manifests phase. */
async function runCase(folder: string): Promise<IgnitionRun> {
  const { config } = compiled(installConfigOf(folder), RELEASE_OF_CASES);
  const { infraID, clusterID, rootCA, machineConfigServer } = readState(folder);
  const made = clusterPki(config);
  const certified = { ...made.certified, "root-ca": rootCA, "machine-config-server": machineConfigServer };
  return runIgnition({
    config,
    identity: { infraID, clusterID },
    manifestFiles: filesOf(folder),
    pki: { ...made, certified },
  });
}

const filesOf = (folder: string): OutputFile[] =>
  ["manifests", "openshift"].flatMap((part) =>
    readdirSync(join(folder, part))
      .sort()
      .map((name) => ({
        path: `${part}/${name}`,
        data: readFileSync(join(folder, part, name)),
        secret: false,
      })),
  );

interface Row {
  readonly [column: string]: string;
}

/** Rows of a table with a head line. */
function table(file: string): Row[] {
  const [head = "", ...rows] = readFileSync(file, "utf8").trimEnd().split("\n");
  const columns = head.split("\t");
  return rows.map((row) =>
    Object.fromEntries(row.split("\t").map((cell, index) => [columns[index] ?? "", cell])),
  );
}

/** Programs and unit files, which are upstream's own, and what stands for them in ours (docs/deviations.md). */
const isBootSequence = (path: string): boolean =>
  /^\/usr\/local\/bin\/|^\/etc\/systemd\/(system|system-generators)\/|^\/etc\/slipway\//.test(path);

for (const name of CASES) {
  const path = `data/upstream-4.22/${name}`;

  withShared(test, path, `${name}: pointer configs and metadata.json byte for byte`, async (folder) => {
    const run = await runCase(folder);
    for (const file of ["master.ign", "worker.ign", "metadata.json"])
      assert.is(run.text(file), readFileSync(join(folder, "ignition", file), "utf8"), file);
  });

  withShared(test, path, `${name}: bootstrap.ign has the same files, modes and flags`, async (folder) => {
    const run = await runCase(folder);
    const own = listOf(objectOf(run.bootstrap["storage"])["files"]).map(objectOf);
    const described = own
      .filter((file) => !isBootSequence(String(file["path"])))
      .map((file) => [
        file["path"],
        Number(file["mode"]).toString(8),
        file["overwrite"] === true ? "True" : "False",
        file["append"] === undefined ? "" : "yes",
        objectOf(file["user"])["name"],
      ]);
    const wanted = table(join(folder, "ignition/bootstrap-files.tsv"))
      .filter((row) => !isBootSequence(row["path"] ?? ""))
      .map((row) => [row["path"], row["mode"], row["overwrite"], row["append"], row["user"]]);
    assert.equal(described.map(String).sort(), wanted.map(String).sort());
  });

  withShared(test, path, `${name}: equal contents of the files that hold data`, async (folder) => {
    const run = await runCase(folder);
    const data = readdirSync(join(folder, "ignition/files"));
    assert.ok(data.length >= 10);
    for (const file of data) {
      const target = `/${file.replaceAll("__", "/")}`;
      const theirs = readFileSync(join(folder, "ignition/files", file), "utf8");
      const ours = run.nodeFiles.get(target)?.text ?? "";
      if (target.includes("/auth/")) assert.equal(withoutData(ours), withoutData(theirs), target);
      else assert.is(ours, theirs, target);
    }
    for (const { path: manifest, data: bytes } of filesOf(folder))
      if (manifest !== "manifests/cvo-overrides.yaml")
        assert.is(
          run.nodeFiles.get(`/opt/openshift/${manifest}`)?.text,
          Buffer.from(bytes).toString("utf8"),
          manifest,
        );
    const sizes = table(join(folder, "ignition/bootstrap-files.tsv")).filter(
      ({ path: each }) => each === "/etc/profile.d/proxy.sh",
    );
    assert.equal(
      sizes.map(({ bytes }) => Number(bytes)),
      [Buffer.byteLength(run.nodeFiles.get("/etc/profile.d/proxy.sh")?.text ?? "")],
    );
    assert.equal(
      withoutData(run.text("auth/kubeconfig")),
      withoutData(readFileSync(join(folder, "ignition/kubeconfig"), "utf8")),
    );
  });

  withShared(test, path, `${name}: the same users`, async (folder) => {
    const run = await runCase(folder);
    const users = listOf(objectOf(run.bootstrap["passwd"])["users"]).map((each) => {
      const { name: user, sshAuthorizedKeys } = objectOf(each);
      return { name: user, keys: listOf(sshAuthorizedKeys).length };
    });
    assert.equal(users, JSON.parse(readFileSync(join(folder, "ignition/bootstrap-users.json"), "utf8")));
  });

  withShared(test, path, `${name}: the same certificates in root/tls`, async (folder) => {
    const { config } = compiled(installConfigOf(folder), RELEASE_OF_CASES);
    const run = await runIgnition({ config, manifestFiles: filesOf(folder), now: NOW });
    const rows = table(join(folder, "ignition/bootstrap-tls.tsv"));
    assert.ok(rows.length >= 33);
    for (const { file, days, certs } of rows) {
      const text = run.nodeFiles.get(`/opt/openshift/tls/${file}`)?.text ?? "";
      const { notBefore, notAfter } = readCertificate(text);
      assert.is(((notAfter.getTime() - notBefore.getTime()) / 86_400_000).toFixed(3), days, file);
      assert.is(String(pemBlocks(text).length), certs, file);
    }
    assert.equal(
      rows.map(({ file }) => file).sort(),
      [...run.nodeFiles.keys()]
        .filter((each) => /^\/opt\/openshift\/tls\/.*\.crt$/.test(each))
        .map((each) => each.slice("/opt/openshift/tls/".length))
        .sort(),
    );
  });
}

/** A kubeconfig without certificates and key, which chance decides. */
function withoutData(text: string): Json {
  const strip = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(strip);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, key.endsWith("-data") ? "" : strip(member)]),
    );
  };
  return strip(parseYaml(text));
}

test.run();
