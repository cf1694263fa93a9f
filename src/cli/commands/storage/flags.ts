/** Flags of `slipway storage …`. */
import { choiceWithDefault, operand, text, toggle } from "../../flags.js";

export const table = text("table", "StorageBehaviors, API lifecycles, kubernetes or kubernetes@1.36", {
  value: "FILE",
  stream: "input",
});

export const policy = text("policy", "StoragePolicy, or a preset (kep, shipped); default: kep", {
  value: "FILE",
  stream: "input",
});
export const release = text("release", "show one release only", { value: "VERSION" });

export const supported = text(
  "supported",
  "number of releases that support a version after it stops being preferred; default: 1",
  {
    value: "N",
  },
);

export const migrated = text(
  "migrated",
  "number of releases that actively migrate the version after that; default: 3",
  {
    value: "N",
  },
);

export const maxUpgrade = text("max-upgrade", "releases that one upgrade can advance; default: 4", {
  value: "N",
});

export const maxDowngrade = text("max-downgrade", "releases that one downgrade can go back; default: 1", {
  value: "N",
});

export const migration = choiceWithDefault(
  "migration",
  "whether the startup migration always completes before the next step",
  ["complete", "interrupted"] as const,
  "complete",
  { value: "MODE" },
);

export const scenario = text("scenario", "StorageScenario: behaviors, objects, servers and steps", {
  value: "FILE",
  stream: "input",
});
export const oldCrd = operand("old", "current CustomResourceDefinition in the cluster, with its status", {
  stream: "input",
});
export const newCrd = operand("new", "new CustomResourceDefinition", { stream: "input" });

export const target = text(
  "release",
  "release of the API server, Kubernetes or OpenShift; default: the newest known",
  {
    value: "VERSION",
    alias: "target",
  },
);

export const storageCounts = text(
  "storage-counts",
  "contents of an etcd copy: StorageCounts, JSON output of etcd audit, or its --objects-out",
  { value: "FILE", stream: "input" },
);

export const outDir = text("out", "folder to write the plan's manifests and scripts to", {
  value: "DIR",
});
export const from = text("from", "release that wrote the objects, Kubernetes or OpenShift", {
  value: "VERSION",
});

export const to = text("to", "release that must be able to read them; it also runs the migrations", {
  value: "VERSION",
});
export const crd = text("crd", "CustomResourceDefinition with its status", {
  value: "FILE",
  stream: "input",
});
export const pins = text("pins", "pinned storage versions", { value: "FILE", stream: "input" });

export const standalone = toggle(
  "standalone",
  "for the standalone migrator (migration.k8s.io/v1alpha1), as in OpenShift",
);

export const verbose = toggle("verbose", "print the manifests and scripts of the steps");
