/** Pools, arbiter, fencing and disks (docs/reference/install-config-and-manifests.md §1.5, §1.7). */
import { test } from "uvu";
import type { JsonObject } from "../../../src/core/json.js";
import { AWS, EXTERNAL, edit, expectErrors, NONE, type Row } from "../../helpers/install-configs.js";
import { PLANTED } from "../../helpers/planted.js";

test("numbers of machines", () => {
  expectErrors(NONE, [
    ["no masters", { "controlPlane.replicas": 0 }, "Invalid controlPlane.replicas"],
    ["one master", { "controlPlane.replicas": 1 }],
    ["negative masters", { "controlPlane.replicas": -1 }, "Invalid controlPlane.replicas"],
    ["no workers", { "compute[0].replicas": 0 }],
    ["negative workers", { "compute[0].replicas": -1 }, "Invalid compute[0].replicas"],
    ["too many masters", { "controlPlane.replicas": 10_001 }, "TooMany controlPlane.replicas"],
    ["too many workers", { "compute[0].replicas": 2 ** 53 }, "TooMany compute[0].replicas"],
    ["pools left out", { controlPlane: undefined, compute: undefined }],
  ]);
});

test("names of pools", () => {
  expectErrors(NONE, [
    ["the control plane is always master", { "controlPlane.name": "x" }],
    ["another name", { "compute[0].name": "x" }, "NotSupported compute[0].name"],
    ["two workers", { "compute[1]": { name: "worker" } }, "Duplicate compute[1].name"],
    ["edge off aws", { "compute[1]": { name: "edge" } }, "NotSupported compute[1].name"],
    ["an empty entry", { "compute[1]": null }, "NotSupported compute[1].name"],
  ]);
  const byClusterApi = { "compute[1]": { name: "edge", management: "ClusterAPI" } };
  expectErrors(AWS, [
    ["edge", { "compute[1]": { name: "edge" } }],
    ["4.22 asks for the gate of the first pool only", byClusterApi],
  ]);
  expectErrors(
    AWS,
    [
      ["edge", { "compute[1]": { name: "edge" } }],
      ["edge with Cluster API", byClusterApi, "Forbidden compute.management"],
    ],
    "5.0",
  );
});

test("modes and architectures", () => {
  expectErrors(NONE, [
    [
      "hyperthreading",
      { "controlPlane.hyperthreading": "enabled" },
      "NotSupported controlPlane.hyperthreading",
    ],
    ["s390x", { "controlPlane.architecture": "s390x", "compute[0].architecture": "s390x" }],
    ["two architectures", { "compute[0].architecture": "arm64" }, "Invalid compute[0].architecture"],
    [
      "an unknown one",
      { "controlPlane.architecture": "x86_64", "compute[0].architecture": "x86_64" },
      "NotSupported compute[0].architecture",
      "NotSupported controlPlane.architecture",
    ],
    // One cause is told once: nothing follows from it.
    ["unknown, of a pool", { "compute[0].architecture": "z80" }, "NotSupported compute[0].architecture"],
    [
      "unknown, of the control plane",
      { "controlPlane.architecture": "z80" },
      "NotSupported controlPlane.architecture",
    ],
  ]);
  expectErrors(AWS, [
    ["two architectures", { "compute[0].architecture": "arm64" }],
    ["s390x", { "compute[0].architecture": "s390x" }, "NotSupported compute[0].architecture"],
    ["unknown", { "compute[0].architecture": "z80" }, "NotSupported compute[0].architecture"],
  ]);
  expectErrors(
    AWS,
    [
      ["s390x", { "compute[0].architecture": "s390x" }, "NotSupported compute[0].architecture"],
      [
        "s390x everywhere",
        { "controlPlane.architecture": "s390x" },
        "NotSupported controlPlane.architecture",
      ],
    ],
    "4.18",
  );
});

test("sections of platforms", () => {
  expectErrors(NONE, [
    ["aws", { "compute[0].platform.aws": {} }, "Invalid compute[0].platform.aws"],
    ["nutanix is passed over", { "compute[0].platform.nutanix": {} }],
    ["empty", { "compute[0].platform": {} }],
  ]);
  expectErrors(AWS, [
    ["its own", { "compute[0].platform.aws": {} }],
    ["azure", { "controlPlane.platform.azure": {} }, "Invalid controlPlane.platform.azure"],
  ]);
});

test("management", () => {
  const dev = { featureSet: "DevPreviewNoUpgrade" };
  for (const release of ["4.22", "5.0"])
    expectErrors(
      NONE,
      [
        ["Machine API", { "controlPlane.management": "MachineAPI" }],
        ["masters", { "controlPlane.management": "ClusterAPI" }, "Forbidden controlPlane.management"],
        ["workers", { "compute[0].management": "ClusterAPI" }, "Forbidden compute.management"],
        [
          "both with the feature set",
          { ...dev, "controlPlane.management": "ClusterAPI", "compute[0].management": "ClusterAPI" },
        ],
        ["an unknown one", { "compute[0].management": "x" }],
      ],
      release,
    );
});

test("arbiter", () => {
  const two = edit(NONE, { "controlPlane.replicas": 2, arbiter: { name: "arbiter", replicas: 1 } });
  expectErrors(two, [
    ["two masters", {}],
    ["three masters", { "controlPlane.replicas": 3 }],
    ["one master", { "controlPlane.replicas": 1 }, "Invalid arbiter.replicas"],
    [
      "without replicas it is none, so that two masters need fencing",
      { "arbiter.replicas": undefined },
      "Forbidden controlPlane.fencing.credentials",
      "Invalid arbiter.replicas",
    ],
  ]);
  expectErrors(AWS, [["on aws", { "arbiter.replicas": 1 }, "NotSupported arbiter.platform"]]);
});

const credential = (n: number): JsonObject => ({
  hostName: `host-${n}`,
  username: "admin",
  password: PLANTED.password,
  address: `redfish+https://10.0.0.${n}/redfish/v1/Systems/1`,
});

test("fencing", () => {
  const fenced = edit(EXTERNAL, {
    "controlPlane.replicas": 2,
    "controlPlane.fencing.credentials": [credential(1), credential(2)],
  });
  const first = "controlPlane.fencing.credentials[0]";
  const second = "controlPlane.fencing.credentials[1]";
  const always: Row[] = [
    ["two", {}],
    [
      "one",
      { "controlPlane.fencing.credentials": [credential(1)] },
      "Forbidden controlPlane.fencing.credentials",
    ],
    ["three masters", { "controlPlane.replicas": 3 }, "Forbidden controlPlane.fencing.credentials"],
    ["an arbiter beside", { arbiter: { replicas: 1 } }],
    ["no user", { [`${first}.username`]: undefined }, `Required ${first}.username`],
    ["an empty password", { [`${first}.password`]: "" }, `Required ${first}.password`],
    ["no address", { [`${first}.address`]: undefined }, `Required ${first}.address`],
    ["the same name", { [`${second}.hostName`]: "host-1" }, `Duplicate ${second}.hostName`],
    ["the same address", { [`${second}.address`]: credential(1)["address"] }, `Duplicate ${second}.address`],
    ["IPMI", { [`${first}.address`]: "ipmi://10.0.0.1" }, `Invalid ${first}.address`],
    ["neither port nor scheme", { [`${first}.address`]: "foo://h/redfish" }, `Invalid ${first}.address`],
    ["a port", { [`${first}.address`]: "foo://h:8000/redfish" }],
    ["no URL", { [`${first}.address`]: "1.2.3.4:80/redfish" }, `Invalid ${first}.address`],
    ["verification off", { [`${first}.certificateVerification`]: "Disabled" }],
    [
      "verification unknown",
      { [`${first}.certificateVerification`]: "off" },
      `Invalid ${first}[CertificateVerification]`,
    ],
    ["behind its gate", { featureSet: "CustomNoUpgrade" }, "Forbidden platform.none.fencingCredentials"],
    ["of workers", { "compute[0].fencing": {} }, "Invalid compute[0].fencing"],
  ];
  for (const release of ["4.22", "5.0"]) {
    expectErrors(fenced, always, release);
    expectErrors(
      NONE,
      [["two masters alone", { "controlPlane.replicas": 2 }, "Forbidden controlPlane.fencing.credentials"]],
      release,
    );
    expectErrors(
      AWS,
      [["on aws", { "controlPlane.fencing": {} }, "Forbidden controlPlane.fencing"]],
      release,
    );
  }
  const unnamed = { [`${first}.hostName`]: undefined };
  const mac = (value: string) => ({ [`${first}.macAddress`]: value });
  const alike = { ...mac("52:54:00:aa:bb:cc"), [`${second}.macAddress`]: "5254.00AA.BBCC" };
  const unknown = `NotSupported ${first}.macAddress`;
  expectErrors(
    fenced,
    [
      [
        "a MAC instead of the name",
        { ...unnamed, ...mac("52:54:00:AA:BB:CC") },
        unknown,
        `Required ${first}.hostName`,
      ],
      ["neither", unnamed, `Required ${first}.hostName`],
      ["a multicast MAC", mac("53:54:00:aa:bb:cc"), unknown],
      ["no MAC", mac("x"), unknown],
      ["one MAC in two notations", alike, unknown, `NotSupported ${second}.macAddress`],
    ],
    "4.22",
  );
  expectErrors(
    fenced,
    [
      ["a MAC instead of the name", { ...unnamed, ...mac("52:54:00:AA:BB:CC") }],
      ["neither", unnamed, `Required ${first}`],
      ["a multicast MAC", mac("53:54:00:aa:bb:cc"), `Invalid ${first}.macAddress`],
      ["no MAC", mac("x"), `Invalid ${first}.macAddress`],
      ["one MAC in two notations", alike, `Duplicate ${second}.macAddress`],
    ],
    "5.0",
  );
});

test("disks", () => {
  const preview = edit(NONE, { featureSet: "TechPreviewNoUpgrade" });
  const disks = (...list: JsonObject[]) => ({ "controlPlane.diskSetup": list });
  const etcd = { type: "etcd", etcd: { platformDiskID: "etcd" } };
  const swap = { type: "swap", swap: { platformDiskID: "swap" } };
  const own = (id: string) => ({
    type: "user-defined",
    userDefined: { platformDiskID: id, mountPath: "/x" },
  });
  expectErrors(preview, [
    ["each kind", disks(etcd, swap, own("d".repeat(12)))],
    ["without the object", disks({ type: "etcd" }), "Invalid controlPlane.diskSetup.etcd"],
    ["etcd twice", disks(etcd, etcd), "TooMany controlPlane.diskSetup.etcd"],
    ["swap twice", disks(swap, swap), "TooMany controlPlane.diskSetup.swap"],
    ["a long name", disks(own("d".repeat(13))), "Invalid controlPlane.diskSetup.userDefined.platformDiskId"],
    [
      "a name of 7 letters in 14 bytes",
      disks(own("é".repeat(7))),
      "Invalid controlPlane.diskSetup.userDefined.platformDiskId",
    ],
    ["etcd on workers", { "compute[0].diskSetup": [etcd] }, "Invalid compute[0].diskSetup.etcd"],
    ["an unknown type", disks({ type: "x" })],
  ]);
  expectErrors(NONE, [
    [
      "behind their gate",
      { ...disks(swap), "compute[0].diskSetup": [swap] },
      "Forbidden compute.diskSetup",
      "Forbidden controlPlane.diskSetup",
    ],
  ]);
});

test.run();
