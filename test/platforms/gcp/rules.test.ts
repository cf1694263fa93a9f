/** Each rule of platform.gcp and of its pools, broken alone: kind, field and the place that is shown. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Json } from "../../../src/core/json.js";
import { readInstallConfig } from "../../../src/phases/install-config/read.js";
import { namesRemedy } from "../../helpers/applied-hints.js";
import { gcpConfig, NETWORK, SHARED_NETWORK, VARIANTS } from "../../helpers/gcp.js";
import { type Edits, judge, releaseOf } from "../../helpers/install-configs.js";

const test = suite("gcp: rules of the install-config");

const P = "platform.gcp";
const pool = (section: Json): Edits => ({ "compute[0].platform.gcp": section });
const master = (section: Json): Edits => ({ "controlPlane.platform.gcp": section });
const labels = (count: number): Json =>
  Array.from({ length: count }, (_, i) => ({ key: `key${i}`, value: "v" }));
const label = (key: string, value: string): Edits => ({ [`${P}.userLabels`]: [{ key, value }] });

/** What is changed, the error (`kind field`) and, where it is another field, the place that is shown. */
type Case = readonly [edits: Edits, error: string, at?: string];

const CASES: Readonly<Record<string, Case>> = {
  "no region": [{ [`${P}.region`]: undefined }, `Required ${P}.region`, "platform.gcp"],
  "a region that is empty": [{ [`${P}.region`]: "" }, `Required ${P}.region`],
  "a network without the compute subnet": [
    { ...NETWORK, [`${P}.computeSubnet`]: undefined },
    `Required ${P}.computeSubnet`,
    P,
  ],
  "a network without the control plane's subnet": [
    { ...NETWORK, [`${P}.controlPlaneSubnet`]: "" },
    `Required ${P}.controlPlaneSubnet`,
  ],
  "a subnet without a network": [{ [`${P}.computeSubnet`]: "workers" }, `Required ${P}.network`, P],
  "a project without a network": [{ [`${P}.networkProjectID`]: "host" }, `Required ${P}.network`, P],
  "a shared network with the mode Mint": [
    { ...SHARED_NETWORK, credentialsMode: "Mint" },
    `NotSupported ${P}.credentialsMode`,
    "credentialsMode",
  ],
  "a private zone without a shared network": [
    { ...NETWORK, [`${P}.dns`]: { privateZone: { name: "zone" } } },
    `Required ${P}.dns.privateZone`,
  ],
  "a private zone without a name": [
    { ...SHARED_NETWORK, [`${P}.dns`]: { privateZone: { projectID: "x" } } },
    `Required ${P}.dns.privateZone.name`,
    `${P}.dns.privateZone`,
  ],
  "33 labels": [{ [`${P}.userLabels`]: labels(33) }, `TooMany ${P}.userLabels`],
  "a label's key with a capital": [label("Team", "v"), `Invalid ${P}.userLabels[Team]`, `${P}.userLabels[0]`],
  "a label's key that is too long": [
    label("a".repeat(64), "v"),
    `Invalid ${P}.userLabels[${"a".repeat(64)}]`,
    `${P}.userLabels[0]`,
  ],
  "a label's value that is empty": [label("team", ""), `Invalid ${P}.userLabels[team]`, `${P}.userLabels[0]`],
  "a label's value that is too long": [
    label("team", "v".repeat(64)),
    `Invalid ${P}.userLabels[team]`,
    `${P}.userLabels[0]`,
  ],
  "a label of Kubernetes": [
    label("kubernetes-io-x", "v"),
    `Invalid ${P}.userLabels[kubernetes-io-x]`,
    `${P}.userLabels[0]`,
  ],
  "an endpoint with DNS of one's own": [
    { ...NETWORK, [`${P}.endpoint`]: { name: "e" }, [`${P}.userProvisionedDNS`]: "Enabled" },
    `Invalid ${P}.userProvisionedDNS`,
  ],
  "an endpoint without a network": [{ [`${P}.endpoint`]: { name: "e" } }, `Required ${P}.network`, P],
  "an endpoint without a name": [
    { ...NETWORK, [`${P}.endpoint`]: { name: "" } },
    `Required ${P}.endpoint.name`,
  ],
  "an unknown way of firewall rules": [
    { [`${P}.firewallRulesManagement`]: "managed" },
    `NotSupported ${P}.firewallRulesManagement`,
  ],
  "a zone of another region": [
    pool({ zones: ["europe-west1-b", "us-east1-b"] }),
    "Invalid compute[0].platform.gcp.zones[1]",
  ],
  "a default zone of another region": [
    { [`${P}.defaultMachinePlatform`]: { zones: ["us-east1-b"] } },
    `Invalid ${P}.defaultMachinePlatform.zones[0]`,
  ],
  "a disk that is too small": [
    pool({ osDisk: { DiskSizeGB: 15 } }),
    "Invalid compute[0].platform.gcp.diskSizeGB",
    "compute[0].platform.gcp.osDisk.DiskSizeGB",
  ],
  "a disk that is too large": [
    master({ osDisk: { DiskSizeGB: 65537 } }),
    "Invalid controlPlane.platform.gcp.diskSizeGB",
    "controlPlane.platform.gcp.osDisk.DiskSizeGB",
  ],
  "an unknown type of disk": [
    pool({ osDisk: { diskType: "pd-fast" } }),
    "NotSupported compute[0].platform.gcp.diskType",
    "compute[0].platform.gcp.osDisk.diskType",
  ],
  "a slow disk of the control plane": [
    master({ osDisk: { diskType: "pd-standard" } }),
    "NotSupported controlPlane.platform.gcp.diskType",
    "controlPlane.platform.gcp.osDisk.diskType",
  ],
  "a slow disk of every pool": [
    { [`${P}.defaultMachinePlatform`]: { osDisk: { diskType: "pd-standard" } } },
    `NotSupported ${P}.defaultMachinePlatform.diskType`,
    `${P}.defaultMachinePlatform.osDisk.diskType`,
  ],
  "a tag with a capital": [pool({ tags: ["ok", "No"] }), "Invalid compute[0].platform.gcp.tags[1]"],
  "a tag that is empty": [pool({ tags: [""] }), "Invalid compute[0].platform.gcp.tags[0]"],
  "a tag that begins with a digit": [pool({ tags: ["1a"] }), "Invalid compute[0].platform.gcp.tags[0]"],
  "a tag that ends with a dash": [pool({ tags: ["a-"] }), "Invalid compute[0].platform.gcp.tags[0]"],
  "a tag that is too long": [pool({ tags: ["a".repeat(64)] }), "Invalid compute[0].platform.gcp.tags[0]"],
};

for (const [name, [edits, error, at]] of Object.entries(CASES))
  test(name, () => {
    const config = gcpConfig(edits);
    const judged = judge(config);
    assert.equal(judged.errors, [error]);
    const [first] = judged.diagnostics.filter(({ severity }) => severity === "error");
    const text = JSON.stringify(config, undefined, 1);
    const target = { release: releaseOf("4.22"), lenient: false };
    const read = readInstallConfig(text, "install-config.yaml", target, () => undefined);
    const position = read?.position(at ?? error.slice(error.indexOf(" ") + 1));
    assert.equal(
      { line: first?.line, column: first?.column },
      { line: position?.line, column: position?.column },
    );
    assert.ok(first !== undefined && namesRemedy(first), "a remedy");
  });

for (const [name, edits] of Object.entries({
  ...VARIANTS,
  "a label and a tag as long as they may be": {
    ...label("a".repeat(63), "v".repeat(63)),
    ...pool({ tags: ["a".repeat(63), "b"], osDisk: { DiskSizeGB: 16, diskType: "pd-standard" } }),
  },
  "32 labels": { [`${P}.userLabels`]: labels(32) },
}))
  test(`sound: ${name}`, () => assert.equal(judge(gcpConfig(edits)).errors, []));

test("keys of old documents are told with what was meant, and then what is missing", () => {
  const { diagnostics } = judge(
    gcpConfig({ [P]: { project: "bird-project", region: "europe-west1", osDisk: { diskSizeGB: 100 } } }),
  );
  const said = diagnostics.map(({ code, field, hint }) => `${code} ${field} ${hint}`);
  assert.ok(
    said.some((each) => each.startsWith(`IC010 ${P}.project `) && each.includes("projectID")),
    said.join("\n"),
  );
  assert.ok(
    said.some((each) => each.startsWith(`IC010 ${P}.osDisk `)),
    said.join("\n"),
  );
});

test.run();
