/** Compiles a cluster in memory, compiles it again with its state and record, and lists what changed. */
import { readFileSync } from "node:fs";
import { type ClusterInput, compileCluster, systemInputs } from "slipway";

const input: ClusterInput = {
  files: new Map([["install-config.yaml", readFileSync(process.argv[2] ?? "install-config.yaml")]]),
  target: "infrastructure-manifests",
  flags: { release: "4.22", secrets: "separate" },
  keyAlgorithm: "ecdsa-p256",
  inputs: systemInputs(),
  tool: "our-platform 1.0",
};
const first = await compileCluster(input);
for (const { severity, message } of first.diagnostics) console.error(`${severity}: ${message}`);
if (!first.ok || first.state === undefined || first.record === undefined) process.exit(1);

const again = await compileCluster({
  ...input,
  files: new Map([
    ...input.files,
    ...[...first.files, first.state].map(({ path, data }): [string, Uint8Array] => [path, data]),
    [".slipway/record.json", first.record],
  ]),
});
for (const { path, status } of again.results) console.log(`${status} ${path}`);
