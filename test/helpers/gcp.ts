/** Configs and facts of gcp for tests. */
import type { JsonObject } from "../../src/core/json.js";
import type { GcpFacts } from "../../src/generated/types/cloud-facts.js";
import { AWS, type Edits, edit } from "./install-configs.js";

/** A sound config of a published cluster; `edits` change it by field path. */
export const gcpConfig = (edits: Edits = {}): JsonObject =>
  edit(
    { ...AWS, platform: { gcp: { projectID: "bird-project", region: "europe-west1" } } },
    { credentialsMode: "Manual", ...edits },
  );

export const NETWORK: Edits = {
  "platform.gcp.network": "birds",
  "platform.gcp.controlPlaneSubnet": "masters",
  "platform.gcp.computeSubnet": "workers",
};
/** A network of another project. */
export const SHARED_NETWORK: Edits = { ...NETWORK, "platform.gcp.networkProjectID": "host-project" };

/** Everything that any config of these tests needs. */
export const FACTS: GcpFacts = {
  zones: ["europe-west1-b", "europe-west1-c", "europe-west1-d"].map((name) => ({ name })),
  images: {
    amd64: { project: "images", name: "amd64-image" },
    arm64: { project: "images", name: "arm64-image" },
  },
  publicZone: "sea",
  subnets: [
    { name: "masters", ipCidrRange: "10.20.0.0/20" },
    { name: "workers", ipCidrRange: "10.20.16.0/20" },
  ],
};

/** Configs that differ in what they use, for tests that hold for every config. */
export const VARIANTS: Readonly<Record<string, Edits>> = {
  plain: {},
  "private, one machine of arm64": {
    publish: "Internal",
    "controlPlane.architecture": "arm64",
    "controlPlane.replicas": 1,
    "compute[0].architecture": "arm64",
    "compute[0].replicas": 0,
  },
  "a network of one's own": { ...NETWORK, "platform.gcp.firewallRulesManagement": "Unmanaged" },
  "shared network, zone and endpoint": {
    ...SHARED_NETWORK,
    "platform.gcp.dns.privateZone": { projectID: "dns-project", name: "birds-zone" },
    "platform.gcp.endpoint": { name: "birdsendpoint", clusterUseOnly: false },
  },
  "labels, tags and DNS of one's own": {
    "platform.gcp.userProvisionedDNS": "Enabled",
    "platform.gcp.userLabels": [{ key: "team", value: "birds" }],
    "platform.gcp.userTags": [{ parentID: "bird-project", key: "env", value: "test" }],
  },
  "keys, images, accounts and tags of pools": {
    "platform.gcp.defaultMachinePlatform": {
      zones: ["europe-west1-b", "europe-west1-c"],
      tags: ["birds"],
      osDisk: {
        DiskSizeGB: 200,
        encryptionKey: {
          kmsKey: { name: "disks", keyRing: "ring", location: "global" },
          kmsKeyServiceAccount: "disks@bird-project.iam.gserviceaccount.com",
        },
      },
      serviceAccount: "nodes@bird-project.iam.gserviceaccount.com",
    },
    "controlPlane.platform.gcp": { osImage: { project: "own", name: "image" }, secureBoot: "Enabled" },
    "compute[0].platform.gcp": { type: "c4-standard-8", zones: ["europe-west1-d"], tags: [] },
  },
  "confidential machines": {
    "controlPlane.platform.gcp": {
      type: "c3-standard-8",
      confidentialCompute: "IntelTrustedDomainExtensions",
      onHostMaintenance: "Terminate",
    },
    "compute[0].platform.gcp": {
      type: "n2d-standard-4",
      confidentialCompute: "Enabled",
      onHostMaintenance: "Terminate",
    },
  },
};
