/** What is left to do by hand on azure, and what the ignition phase adds. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { platform } from "../../../src/platforms/azure/index.js";
import { formatSupplement } from "../../../src/platforms/supplement.js";
import { inputOf, installConfig } from "../../helpers/azure.js";
import { NETWORK_FACTS, OWN, VARIANTS } from "../../helpers/azure-variants.js";

const test = suite("azure: supplement and ignition");

const input = (name: string) => VARIANTS[name] ?? inputOf(installConfig());
const items = (name: string) => platform.supplement?.(input(name)) ?? [];
const text = (name: string): string => formatSupplement(items(name));
const areas = (name: string): string =>
  items(name)
    .map(({ area, when }) => `${when} ${area}`)
    .join(", ");

test("a new network, published", () => {
  assert.is(
    areas("plain"),
    "before provider, before resource-group, before iam, before storage, during bootstrap, during load-balancer, during load-balancer, during dns, during failure-domains, after network, after storage",
  );
  assert.match(text("plain"), "--dns-name plover-abcde");
  assert.match(text("plain"), "--record-set-name api-int --ipv4-address 10.0.0.100");
  assert.match(text("plain"), "--record-set-name api.plover --cname PUBLIC-NAME");
});

test("a network of one's own is tagged, and keeps its rules", () => {
  assert.match(areas("a network of one's own"), "before network");
  assert.not.match(areas("a network of one's own"), "after network");
  assert.match(text("a network of one's own"), "kubernetes.io_cluster.plover-abcde=shared");
});

test("gateways are attached to subnets of one's own", () => {
  const name = "a gateway for each zone in a network of one's own";
  assert.match(text(name), "--name nodes --nat-gateway");
  assert.match(text(name), "--name more-nodes --nat-gateway");
  assert.not.match(text(name), "--name masters --nat-gateway");
});

test("an internal cluster has no public load balancer and no public record", () => {
  assert.not.match(text("internal"), "public-ip");
  assert.not.match(text("internal"), "cname");
  assert.match(text("internal"), "allocatePublicIP: false");
});

test("with routes of one's own the public load balancer is made whole", () => {
  const own = inputOf(installConfig({ ...OWN, outboundType: "UserDefinedRouting" }), NETWORK_FACTS);
  assert.match(
    formatSupplement(platform.supplement?.(own) ?? []),
    "az network lb create --name plover-abcde ",
  );
});

test("images", () => {
  assert.not.match(areas("plain"), "image");
  assert.match(text("confidential"), "SecurityType=ConfidentialVMSupported");
  assert.match(text("trusted launch"), "SecurityType=TrustedLaunchSupported");
  assert.match(text("stack"), "az image create --name plover-abcde");
  assert.match(
    text("an image of one's own"),
    "az vm image terms accept --urn redhat-plan:rh-ocp:worker:4.1.2",
  );
  assert.match(areas("release 4.20"), "before image");
});

test("the identity is made where a pool needs it", () => {
  assert.not.match(areas("tags, groups and no identity"), "iam");
  assert.match(areas("disks, diagnostics and an identity"), "iam");
  assert.not.match(areas("stack"), "iam");
});

test("DNS of one's own, and that of an Azure Stack Hub", () => {
  assert.not.match(text("DNS of one's own"), "record-set");
  assert.match(text("DNS of one's own"), "*.apps.plover.ops.example.net");
  assert.match(text("stack"), "--zone-name ops.example.net --record-set-name api-int.plover");
  assert.not.match(text("stack"), "private-dns");
});

test("storage with a key of one's own, without shared keys", () => {
  assert.match(text("a key of one's own"), "--encryption-key-name storage");
  assert.match(text("a key of one's own"), "--type page");
  assert.match(text("a key of one's own"), "--allow-shared-key-access false");
  assert.match(text("a key of one's own"), "--as-user --auth-mode login");
  assert.match(text("government"), ".blob.core.usgovcloudapi.net/");
});

test("no secret is told, and every word is one word", () => {
  for (const name of Object.keys(VARIANTS)) assert.not.match(text(name), "made-up-client-secret");
  const odd = inputOf(installConfig({ userTags: { team: "a;b" } }));
  assert.match(formatSupplement(platform.supplement?.(odd) ?? []), "'team=a;b'");
});

test("metadata.json finds the cluster again", () => {
  assert.equal(platform.ignition?.metadata?.(input("tags, groups and no identity")), {
    azure: {
      armEndpoint: "",
      cloudName: "AzurePublicCloud",
      region: "northeurope",
      resourceGroupName: "birds-rg",
      baseDomainResourceGroupName: "dns-rg",
    },
  });
});

test.run();
