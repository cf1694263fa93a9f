/**
 * Feature set, feature gates, and the fields behind gates (docs/reference/install-config-and-manifests.md §1.7, §1.8).
 */
import { holdsAt } from "../../../core/by-release.js";
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
import { quote } from "../../../text/quote.js";

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
      context.report({
        code: "IC242",
        kind: "Forbidden",
        field,
        ...(at === undefined ? {} : { at }),
        message: `this field needs the feature gate ${gate}, which is off`,
        hint:
          config.featureSet === CUSTOM_FEATURE_SET
            ? `add "${gate}=true" to featureGates`
            : `set featureSet to ${[leastFeatureSet(context.release, gate) ?? [], CUSTOM_FEATURE_SET].flat().join(", or to ")} with the gate in featureGates; such a cluster cannot be upgraded`,
      });
}

function validateSelection(
  { featureSet = "", featureGates = [] }: NormalConfig,
  { release, report }: RuleContext,
) {
  const sets = featureSetsOf(release);
  if (!sets.includes(featureSet))
    report({
      code: "IC240",
      kind: "NotSupported",
      field: "featureSet",
      message: `there is no feature set ${quote(featureSet)}`,
      hint:
        featureSet === "Default"
          ? "leave featureSet out for the default set"
          : `write ${sets.filter((set) => set !== "" && set !== "OKD").join(", ")}, or leave it out`,
    });
  else if (featureSet === "OKD")
    report({
      code: "IC240",
      kind: "Forbidden",
      field: "featureSet",
      message: "the feature set OKD is for OKD, not for OpenShift",
      hint: "leave featureSet out",
    });
  if (featureGates.length === 0) return;
  if (featureSet !== CUSTOM_FEATURE_SET)
    report({
      code: "IC241",
      kind: "Forbidden",
      field: "featureGates",
      message: `featureGates are read with the feature set ${CUSTOM_FEATURE_SET} only`,
      hint: `set featureSet to ${CUSTOM_FEATURE_SET}; such a cluster cannot be upgraded`,
    });
  for (const [i, entry] of featureGates.entries())
    if (parseFeatureGate(entry) === undefined)
      report({
        code: "IC241",
        kind: "Invalid",
        field: `featureGates[${i}]`,
        message: `${quote(entry)} is not of the form NAME=BOOL`,
        hint: 'write an entry such as "SomeGate=true"',
      });
}

function warnOfNoUpgrade({ featureSet }: NormalConfig, { report }: RuleContext): void {
  if (!featureSet?.endsWith("NoUpgrade")) return;
  report({
    code: "IC243",
    severity: "warning",
    kind: "Invalid",
    field: "featureSet",
    message: `a cluster with the feature set ${featureSet} cannot be upgraded, and the set cannot be taken back`,
    hint: "use it for test clusters only",
  });
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
  report({
    code: "IC250",
    kind: inForce(release, "osImageStreamByDefault") ? "NotSupported" : "Forbidden",
    field: "osImageStream",
    message: `there is no OS image stream ${quote(stream)}`,
    hint: `write ${OS_IMAGE_STREAMS.join(" or ")}, or leave it out`,
  });
}

export function validateBootstrapInPlace(config: NormalConfig, { release, report }: RuleContext): void {
  if (config.bootstrapInPlace === undefined) return;
  // The installer asks for some text (pkg/asset/ignition/bootstrap/bootstrap_in_place.go); coreos-installer opens it as a file.
  const { installationDisk = "" } = config.bootstrapInPlace;
  if (installationDisk !== "" && !installationDisk.startsWith("/"))
    report({
      code: "IC262",
      severity: "warning",
      kind: "Invalid",
      field: "bootstrapInPlace.installationDisk",
      message: `${quote(installationDisk)} is no path of a disk: coreos-installer would not find it, once the cluster has come up on the live system`,
      hint: /^\w+$/.test(installationDisk)
        ? `set bootstrapInPlace.installationDisk to /dev/${installationDisk}`
        : "write the path of the disk, such as /dev/sda or one below /dev/disk/by-id",
    });
  const active = activePlatform(config);
  const single = config.controlPlane.replicas === 1;
  const inPlace = activeTraits(config)?.inPlace;
  if (typeof inPlace === "object" && single && holdsAt(inPlace.never, release))
    report({
      code: "IC260",
      kind: "Invalid",
      field: "bootstrapInPlace",
      message: `a single node is not possible on the platform ${active}`,
      hint: "use the platform none",
    });
  else if (inPlace !== "meant for it")
    report({
      code: "IC261",
      severity: "warning",
      kind: "Invalid",
      field: "bootstrapInPlace",
      message: `an installation in place is meant for the platform none, not for ${active ?? "no platform"}`,
      hint: "use the platform none, or leave bootstrapInPlace out",
    });
}
