/**
 * Feature set, feature gates, and the fields behind gates (docs/reference/install-config-and-manifests.md §1.7, §1.8).
 */
import { holdsAt } from "../../../core/by-release.js";
import { forbidden, invalid, problem, unsupported, warning } from "../../../core/problem.js";
import type { NormalConfig } from "../../../platforms/config.js";
import {
  CUSTOM_FEATURE_SET,
  featureSetsOf,
  gateEnabled,
  leastFeatureSet,
  parseFeatureGate,
} from "../../../platforms/enabled-gates.js";
import { OS_IMAGE_STREAMS } from "../../../platforms/os-stream.js";
import type { GatedField, PlatformRules, RuleContext } from "../../../platforms/platform.js";
import { activePlatform, activeTraits } from "../../../platforms/registry.js";
import { inForce } from "../../../platforms/release-changes.js";
import { FENCING_GATE_FIELD } from "../../../platforms/traits.js";

export function validateFeatures(
  config: NormalConfig,
  context: RuleContext,
  rules: PlatformRules | undefined,
  others: readonly PlatformRules[],
): void {
  let broken = false;
  validateSelection(config, {
    ...context,
    report(problem) {
      broken = true;
      context.report(problem);
    },
  });
  if (broken) return;
  warnOfNoUpgrade(config, context);
  const named = rules === undefined ? others : [rules, ...others];
  for (const { gate, field, at } of gatedFields(config, context, named))
    if (!gateEnabled(context.release, config, gate))
      context.report(
        forbidden("IC242", field, `the feature gate ${gate} is not enabled`, {
          ...(at === undefined ? {} : { at }),
          hint:
            config.featureSet === CUSTOM_FEATURE_SET
              ? `add "${gate}=true" to featureGates`
              : `set featureSet: ${[leastFeatureSet(context.release, gate) ?? [], `${CUSTOM_FEATURE_SET} with "${gate}=true" in featureGates`].flat().join(", or ")}; after that, the cluster cannot be upgraded`,
        }),
      );
}

function validateSelection(
  { featureSet = "", featureGates = [] }: NormalConfig,
  { release, report }: RuleContext,
) {
  const sets = featureSetsOf(release);
  if (!sets.includes(featureSet))
    report(
      unsupported(
        "IC240",
        "featureSet",
        featureSet,
        sets.filter((set) => set !== "" && set !== "OKD"),
        "remove featureSet to use the default",
      ),
    );
  else if (featureSet === "OKD")
    report(forbidden("IC240", "featureSet", "OKD is not supported on OpenShift", "remove featureSet"));
  if (featureGates.length === 0) return;
  if (featureSet !== CUSTOM_FEATURE_SET)
    report(
      forbidden(
        "IC241",
        "featureGates",
        `requires featureSet ${CUSTOM_FEATURE_SET}`,
        `set featureSet: ${CUSTOM_FEATURE_SET}; after that, the cluster cannot be upgraded`,
      ),
    );
  for (const [i, entry] of featureGates.entries())
    if (parseFeatureGate(entry) === undefined)
      report(
        invalid(
          "IC241",
          `featureGates[${i}]`,
          entry,
          "must have the form NAME=BOOL",
          'use an entry such as "SomeGate=true"',
        ),
      );
}

function warnOfNoUpgrade({ featureSet }: NormalConfig, { report }: RuleContext): void {
  if (!featureSet?.endsWith("NoUpgrade")) return;
  report(
    warning(
      "IC243",
      "Invalid",
      "featureSet",
      `a cluster with the feature set ${featureSet} cannot be upgraded, and the feature set cannot be changed later`,
      "use it only for test clusters",
    ),
  );
}

/** The gated fields that a config uses, with the paths that the installer names; of several platforms those of one. */
function gatedFields(
  config: NormalConfig,
  { release }: RuleContext,
  named: readonly PlatformRules[],
): readonly GatedField[] {
  const { controlPlane, compute } = config;
  const [first] = named
    .filter(({ name }) => config.platform[name] !== undefined)
    .flatMap(({ gatedFields: fields }) => fields ?? [])
    .filter((fields) => holdsAt(fields, release))
    .sort((a, b) => a.rank - b.rank);
  const used: GatedField[] = [...(first?.used(config, release) ?? [])];
  if (inForce(release, "fencing") && controlPlane.fencing !== undefined)
    used.push({ gate: "DualReplica", field: FENCING_GATE_FIELD, at: "controlPlane.fencing" });
  if (inForce(release, "diskSetup")) used.push(...gatedDisks(config, release));
  // By default the stream is that of the release only where the normal form names it.
  const ungated = inForce(release, "osImageStreamByDefault") ? release.osImageStream : "";
  if (inForce(release, "osImageStream") && (config.osImageStream ?? "") !== ungated)
    used.push({ gate: "OSStreams", field: "osImageStream" });
  if (inForce(release, "management")) {
    if (controlPlane.management === "ClusterAPI")
      used.push({ gate: "ClusterAPIControlPlaneInstall", field: "controlPlane.management" });
    const judged = inForce(release, "managementByGate") ? compute : compute.slice(0, 1);
    const managed = judged.findIndex(({ management }) => management === "ClusterAPI");
    if (managed >= 0)
      used.push({
        gate: "ClusterAPIComputeInstall",
        field: "compute.management",
        at: `compute[${managed}].management`,
      });
  }
  if (inForce(release, "pki") && config.pki !== undefined)
    used.push({ gate: "ConfigurablePKI", field: "pki" });
  return used;
}

function gatedDisks({ controlPlane, compute }: NormalConfig, release: RuleContext["release"]): GatedField[] {
  const used: GatedField[] = [];
  const swaps = (pool: (typeof compute)[number]) =>
    pool.diskSetup?.some(({ type }) => type === "swap") === true;
  const pools = [
    { field: "controlPlane.diskSetup", list: [controlPlane], at: () => "controlPlane.diskSetup" },
    { field: "compute.diskSetup", list: compute, at: (i: number) => `compute[${i}].diskSetup` },
  ];
  for (const { field, list, at } of pools) {
    const set = list.findIndex((pool) => (pool.diskSetup ?? []).length > 0);
    if (set >= 0) used.push({ gate: "MultiDiskSetup", field, at: at(set) });
    const swap = list.findIndex(swaps);
    if (swap >= 0 && inForce(release, "swapGate")) used.push({ gate: "NodeSwap", field, at: at(swap) });
  }
  return used;
}

export function validateOsImageStream(config: NormalConfig, { release, report }: RuleContext): void {
  const stream = config.osImageStream ?? "";
  if (!inForce(release, "osImageStream") || stream === "" || OS_IMAGE_STREAMS.includes(stream)) return;
  const kind = inForce(release, "osImageStreamByDefault") ? "NotSupported" : "Forbidden";
  report(unsupported("IC250", "osImageStream", stream, OS_IMAGE_STREAMS, { kind }));
}

export function validateBootstrapInPlace(config: NormalConfig, { release, report }: RuleContext): void {
  if (config.bootstrapInPlace === undefined) return;
  // The installer asks for some text (pkg/asset/ignition/bootstrap/bootstrap_in_place.go); coreos-installer opens it as a file.
  const { installationDisk = "" } = config.bootstrapInPlace;
  if (installationDisk !== "" && !installationDisk.startsWith("/"))
    report(
      warning(
        invalid(
          "IC262",
          "bootstrapInPlace.installationDisk",
          installationDisk,
          "must be the path of a device, or coreos-installer fails on the live system",
          /^\w+$/.test(installationDisk)
            ? `set bootstrapInPlace.installationDisk: /dev/${installationDisk}`
            : "use the path of the disk, such as /dev/sda or one below /dev/disk/by-id",
        ),
      ),
    );
  const active = activePlatform(config);
  const single = config.controlPlane.replicas === 1;
  const inPlace = activeTraits(config)?.inPlace;
  if (typeof inPlace === "object" && single && holdsAt(inPlace.never, release))
    report(
      problem(
        "IC260",
        "Invalid",
        "bootstrapInPlace",
        `single-node installations are not supported on the platform ${active}`,
        "use the platform none",
      ),
    );
  else if (inPlace !== "meant for it")
    report(
      warning(
        "IC261",
        "Invalid",
        "bootstrapInPlace",
        `bootstrap in place is intended for the platform none${active === undefined ? "" : `, not for ${active}`}`,
        "use the platform none, or remove bootstrapInPlace",
      ),
    );
}
