/** image-based-installation-config.yaml: the fields that the installer requires, and how it names what is wrong. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Problem } from "../../../src/core/diagnostics.js";
import { installationConfigProblems } from "../../../src/phases/image-based/config-rules.js";
import { readInstallationConfig } from "../../../src/phases/image-based/read.js";
import { readRelease } from "../../../src/pipeline/options.js";

const test = suite("image-based-installation-config");

const VALID = `apiVersion: v1beta1
kind: ImageBasedInstallationConfig
seedImage: quay.io/example/seed:4.22.0
seedVersion: 4.22.0
installationDisk: /dev/vda
pullSecret: '{"auths":{"quay.io":{"auth":"Zm9vOmJhcg=="}}}'
`;

async function problemsOf(text: string, name = "4.22"): Promise<readonly string[]> {
  const release = await readRelease(name);
  assert.ok(release);
  const found: Problem[] = [];
  const report = (problem: Problem): void => void found.push(problem);
  const read = readInstallationConfig(text, "x.yaml", { release, lenient: false }, report);
  if (read !== undefined) found.push(...installationConfigProblems(read.config, release));
  return found.map(({ field, kind }) => `${field} ${kind}`).sort();
}

test("a config with the required fields is accepted", async () => {
  assert.equal(await problemsOf(VALID), []);
});

test("required fields are reported together", async () => {
  assert.equal(await problemsOf("kind: ImageBasedInstallationConfig\n"), [
    "installationDisk Required",
    "pullSecret Required",
    "seedImage Required",
    "seedVersion Required",
  ]);
});

test("fields of an install-config follow its rules", async () => {
  assert.equal(await problemsOf(VALID.replace('{"auths"', '{"auth"')), ["pullSecret Invalid"]);
  assert.equal(await problemsOf(`${VALID}sshKey: x\nadditionalTrustBundle: x\nproxy: {}\n`), [
    "additionalTrustBundle Invalid",
    "proxy Required",
    "sshKey Invalid",
  ]);
  assert.equal(await problemsOf(`${VALID}proxy: {httpProxy: "ftp://x:1", noProxy: "x!"}\n`), [
    "proxy.httpProxy NotSupported",
    "proxy.noProxy Invalid",
  ]);
  assert.equal(
    await problemsOf(`${VALID}imageDigestSources: [{source: "quay.io/x:tag", mirrors: ["m/X"]}]\n`),
    ["imageDigestSources[0].mirrors[0] Invalid", "imageDigestSources[0].source Invalid"],
  );
  // No cluster network can contain the proxy.
  assert.equal(await problemsOf(`${VALID}proxy: {httpProxy: "http://10.128.0.5:3128"}\n`), []);
});

test("arguments of coreos-installer are those that the installer passes on", async () => {
  assert.equal(
    await problemsOf(`${VALID}coreosInstallerArgs: [--append-karg, a=b, --save-partindex, "6"]\n`),
    [],
  );
  assert.equal(await problemsOf(`${VALID}coreosInstallerArgs: [--image-url, "a b"]\n`), [
    "CoreosInstallerArgs Required",
    "CoreosInstallerArgs Required",
  ]);
});

test("the extra partition and the architecture are judged by release", async () => {
  for (const start of ["0", "-40G", "+10M", "120G"])
    assert.equal(await problemsOf(`${VALID}extraPartitionStart: "${start}"\n`), [], start);
  assert.equal(await problemsOf(`${VALID}extraPartitionStart: "40GB"\n`), ["ExtraPartitionStart Invalid"]);
  assert.equal(await problemsOf(`${VALID}extraPartitionStart: ""\n`), ["ExtraPartitionStart Required"]);
  assert.equal(await problemsOf(`${VALID}extraPartitionStart: "40GB"\n`, "4.18"), []);
  assert.equal(await problemsOf(`${VALID}extraPartitionNumber: -1\n`), ["extraPartitionNumber Invalid"]);
  assert.equal(await problemsOf(`${VALID}architecture: s390x\n`), ["architecture Invalid"]);
  assert.is((await problemsOf(`${VALID}architecture: arm64\n`, "4.19")).length, 1);
});

test.run();
