/** Which of the two ways of installing a directory holds Ignition configs for. */
import type { AssetDirectory, PhaseName, PhasePlan } from "../directory/index.js";
import { commandFor, type Form, formsAmong } from "../phases/ignition-configs/forms.js";

/** The ways of installing whose configs earlier runs wrote: by the record, without one by the files that are there. */
export const recordedForms = ({
  record,
  files,
}: Pick<AssetDirectory, "record" | "files">): readonly Form[] => {
  const recorded = record?.phases["ignition-configs"]?.files;
  return formsAmong((path) => (recorded === undefined ? files.has(path) : Object.hasOwn(recorded, path)));
};

/** The command that brings the files of a phase up to date, without the word slipway. */
export function commandOf(phase: PhaseName, plans: readonly PhasePlan[]): string {
  if (phase === "cluster-api") return "create manifests";
  if (phase !== "ignition-configs") return `create ${phase}`;
  const paths = plans.flatMap((plan) => plan.paths);
  return commandFor(
    formsAmong((path) => paths.some((each) => each.path === path && each.desired !== undefined)),
  );
}
