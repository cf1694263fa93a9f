/** Flags of `slipway storage …`. */
import { choiceWithDefault, operand, text, toggle } from "../../flags.js";

export const table = text(
  "table",
  "StorageBehaviors: explicit behaviours; or API lifecycles; or kubernetes",
  {
    value: "FILE",
  },
);

export const policy = text("policy", "StoragePolicy, or one of the presets kep, shipped; default: kep", {
  value: "FILE",
});
export const release = text("release", "show one release only", { value: "RELEASE" });

export const supported = text("supported", "releases as supported after preference is lost; default: 1", {
  value: "N",
});

export const migrated = text("migrated", "releases as actively migrated after that; default: 3", {
  value: "N",
});

export const maxUpgrade = text("max-upgrade", "releases that one upgrade may skip to; default: 4", {
  value: "N",
});

export const maxDowngrade = text("max-downgrade", "releases that one downgrade may go back; default: 1", {
  value: "N",
});

export const migration = choiceWithDefault(
  "migration",
  "whether the migration at startup always runs to its end before the next step",
  ["complete", "interrupted"] as const,
  "complete",
  { value: "MODE" },
);

export const scenario = text("scenario", "StorageScenario: behaviours, objects, servers and steps", {
  value: "FILE",
});
export const oldCrd = operand("old", "the CustomResourceDefinition as it is in the cluster, with its status");
export const newCrd = operand("new", "the CustomResourceDefinition as it shall be");

export const target = text(
  "release",
  "release of the API server, Kubernetes or OpenShift; default: the newest known",
  {
    value: "RELEASE",
    alias: "target",
  },
);

export const storageCounts = text(
  "storage-counts",
  "what an etcd copy holds: StorageCounts, or the json of etcd audit or its --objects-out",
  { value: "FILE" },
);

export const outDir = text("out", "folder to write the manifests and scripts of the plan to", {
  value: "DIR",
});
export const from = text("from", "release that wrote the objects, Kubernetes or OpenShift", {
  value: "RELEASE",
});

export const to = text("to", "release that shall be able to read them, and that runs the migrations", {
  value: "RELEASE",
});
export const crd = text("crd", "CustomResourceDefinition with its status", { value: "FILE" });
export const pins = text("pins", "storage versions that are fixed by hand", { value: "FILE" });

export const standalone = toggle(
  "standalone",
  "for the migrator that is installed beside the API server (migration.k8s.io/v1alpha1), as in OpenShift",
);
