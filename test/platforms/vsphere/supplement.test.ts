/** What is left to do on vsphere, what is in metadata.json and on the bootstrap node, and what the installer's state says. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { PlatformInput } from "../../../src/platforms/platform.js";
import { formatSupplement } from "../../../src/platforms/supplement.js";
import { ignition } from "../../../src/platforms/vsphere/ignition.js";
import { installerMetadata } from "../../../src/platforms/vsphere/installer-metadata.js";
import { supplement } from "../../../src/platforms/vsphere/supplement/items.js";
import type { Edits } from "../../helpers/install-configs.js";
import { PLANTED } from "../../helpers/planted.js";
import {
  FLAT,
  HOST_GROUPS,
  HOSTS,
  NO_FACTS,
  TWO_VCENTERS,
  vsphereConfig,
  vsphereInput,
} from "../../helpers/vsphere.js";

const test = suite("vsphere: the supplement and metadata");

const input = (edits: Edits = {}): PlatformInput => vsphereInput(vsphereConfig(edits));
const areas = (given: PlatformInput): string[] =>
  supplement(given).map(({ when, area }) => `${when} ${area}`);
const text = (given: PlatformInput, area: string): string =>
  JSON.stringify(supplement(given).find((item) => item.area === area)?.details ?? {});

test("one failure domain of old with virtual IPs", () =>
  assert.equal(areas(input(FLAT)), [
    "before provider",
    "before govc",
    "before tags",
    "before folders",
    "before templates",
    "before dns",
    "during hostnames",
  ]));

test("everything that a config may bring", () => {
  const given = input({
    ...HOST_GROUPS,
    "platform.vsphere.hosts": HOSTS,
    "platform.vsphere.loadBalancer": { type: "UserManaged" },
  });
  assert.equal(areas(given), [
    "before provider",
    "before govc",
    "before tags",
    "before zones",
    "before folders",
    "before templates",
    "before host-groups",
    "before dns",
    "before load-balancer",
    "during failure-domains",
    "during hostnames",
    "during addresses",
  ]);
  assert.match(text(given, "host-groups"), "-host-affine-group=afloat");
  assert.match(text(given, "zones"), "EACH-HOST-OF-ashore");
  assert.match(text(given, "failure-domains"), '"failureDomain":"gannet-x2x2x-west"');
  assert.match(text(given, "addresses"), "ip=10.20.0.20::10.20.0.1:255.255.0.0:::none nameserver=10.20.0.2");
  assert.not.match(text(given, "addresses"), "10.20.0.31");
});

test("each vCenter has commands of its own", () => {
  const given = input({ ...TWO_VCENTERS, "platform.vsphere.vcenters[0].port": 8443 });
  assert.match(text(given, "govc"), "GOVC_URL=https://vcenter.sea.example.org:8443");
  assert.match(text(given, "govc"), '"GOVC_URL=https://vcenter.lake.example.org"');
  const templates = text(given, "templates");
  assert.match(templates, '"vcenter.lake.example.org":["govc import.ova -dc=bay -ds=/bay/datastore/west');
});

test("templates that are brought along are not made, and the image is the one of the config", () => {
  const template = (index: number): Edits => ({
    [`platform.vsphere.failureDomains[${index}].topology.template`]: "/bay/vm/rhcos",
  });
  const one = text(input(template(0)), "templates");
  assert.ok(!one.includes("rhcos-east") && one.includes("rhcos-west"));
  assert.ok(!areas(input({ ...template(0), ...template(1) })).includes("before templates"));
  const facts = {
    ...NO_FACTS,
    vsphere: { ova: { location: "https://mirror.example.org/a.ova", sha256: "0".repeat(64) } },
  };
  assert.match(text({ ...input(), facts }, "templates"), `"https://mirror.example.org/a.ova","sha256":"000`);
  const own = input({ "platform.vsphere.clusterOSImage": "https://mirror.example.org/own.ova" });
  assert.match(
    text({ ...own, facts }, "templates"),
    '"appliance":"https://mirror.example.org/own.ova","commands"',
  );
});

test("records point to the virtual IPs; with none, or records outside, api-int is yours too", () => {
  assert.equal(JSON.parse(text(input(), "dns")).records, [
    { name: "api.gannet.sea.example.org", target: "10.20.0.5" },
    { name: "*.apps.gannet.sea.example.org", target: "10.20.0.7" },
  ]);
  const none = input({ "platform.vsphere.apiVIPs": undefined, "platform.vsphere.ingressVIPs": undefined });
  assert.match(text(none, "dns"), "api-int.gannet.sea.example.org");
  assert.ok(areas(none).includes("before load-balancer"));
  const outside = input({
    "platform.vsphere.loadBalancer": { type: "UserManaged" },
    "platform.vsphere.dnsRecordsType": "External",
    featureSet: "TechPreviewNoUpgrade",
  });
  assert.match(text(outside, "dns"), '"api-int.gannet.sea.example.org","target":"10.20.0.5"');
});

test("no login is written into the supplement", () => {
  for (const edits of [{}, FLAT, TWO_VCENTERS, HOST_GROUPS])
    assert.not.match(formatSupplement(supplement(input(edits))), PLANTED.password);
});

test("metadata.json has the login of each vCenter, and is secret for that", () => {
  assert.is(ignition.secretMetadata, true);
  assert.equal(ignition.metadata?.(input(TWO_VCENTERS)), {
    vsphere: {
      terraform_platform: "vsphere",
      VCenters: [
        { vCenter: "vcenter.sea.example.org", username: "mariner@sea.example", password: PLANTED.password },
        { vCenter: "vcenter.lake.example.org", username: "angler", password: PLANTED.password },
      ],
    },
  });
});

test("the bootstrap node resolves names by itself where there are virtual IPs", () => {
  const data = (edits: Edits) =>
    ignition
      .bootstrap?.({ ...input(edits), manifestFiles: [], mediaServer: undefined })
      .files.map((file) => ("data" in file ? file.data : ""));
  assert.equal(data({}), ["\n[main]\nrc-manager=unmanaged\n"]);
  const none = { "platform.vsphere.apiVIPs": undefined, "platform.vsphere.ingressVIPs": undefined };
  assert.equal(data(none), [""]);
});

test("the installer's state: the login of each vCenter", () => {
  const config = vsphereConfig(TWO_VCENTERS);
  assert.equal(installerMetadata(config), {
    VCenterContexts: {},
    VCenterCredentials: {
      "vcenter.sea.example.org": { Username: "mariner@sea.example", Password: PLANTED.password },
      "vcenter.lake.example.org": { Username: "angler", Password: PLANTED.password },
    },
  });
});

test.run();
