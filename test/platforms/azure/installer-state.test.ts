/** The boot images in the state: what openshift-install would ask the cloud for. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { installerImages } from "../../../src/platforms/azure/installer-state.js";
import { FACTS, inputOf, installConfig, machineType } from "../../helpers/azure.js";

const test = suite("azure: boot images in the state");

const IMAGES = { amd64: { gen1: "a:b:c:1", gen2: "a:b:c-v2:1", url: "https://example.org/disk.vhd" } };
const config = (controlPlane = {}, compute = {}) =>
  installConfig(
    {},
    {
      controlPlane: { name: "master", platform: { azure: controlPlane } },
      compute: [{ name: "worker", platform: { azure: compute } }],
    },
  );

test("each role has the image of its machine type's newest generation", () => {
  const old = machineType("Standard_D4s_v2", ["1"], [{ name: "HyperVGenerations", value: "V1" }]);
  const facts = { ...FACTS, images: IMAGES, instanceTypes: [...(FACTS.instanceTypes ?? []), old] };
  assert.equal(installerImages(inputOf(config({}, { type: "Standard_D4s_v2" }), facts)), {
    controlPlane: "a:b:c-v2:1",
    compute: "a:b:c:1",
  });
});

test("secured machines boot from the image of the gallery, which is made of the disk", () => {
  const secured = { settings: { securityType: "TrustedLaunch", trustedLaunch: { uefiSettings: {} } } };
  const images = installerImages(inputOf(config(secured), { ...FACTS, images: IMAGES }));
  assert.equal(images, { controlPlane: "https://example.org/disk.vhd", compute: "a:b:c-v2:1" });
});

test("says nothing where the installer asks no cloud, and where the facts name no image", () => {
  assert.is(installerImages(inputOf(config(), { ...FACTS, images: IMAGES }, { name: "4.20" })), undefined);
  const own = { type: "Unknown_v1", zones: ["1"], vmNetworkingType: "Basic" };
  const publisher = {
    osImage: { publisher: "p", offer: "o", sku: "s", version: "1", plan: "NoPurchasePlan" },
  };
  const facts = { ...FACTS, images: { amd64: { url: "https://example.org/disk.vhd" } } };
  assert.is(installerImages(inputOf(config(), facts))?.compute, "https://example.org/disk.vhd");
  const input = inputOf(config({ ...own, ...publisher }), { ...FACTS, images: IMAGES });
  assert.is(installerImages(input)?.controlPlane, "a:b:c-v2:1");
});

test.run();
