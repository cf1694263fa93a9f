/** The two ways from Ignition configs to a cluster, and the config that each begins with. */
import { type Problem, problem } from "../../core/problem.js";
import type { NormalConfig } from "../../platforms/config.js";

/**
 * `machines`: a bootstrap machine brings up the others. `in place`: one machine, started from a live image, is its own
 * bootstrap machine and installs itself (bootstrapInPlace of the install-config).
 */
export type Form = "machines" | "in place";

/** Upstream's names (pkg/asset/ignition/bootstrap/bootstrap.go, bootstrap_in_place.go). */
export const FIRST_CONFIG: Readonly<Record<Form, string>> = {
  machines: "bootstrap.ign",
  "in place": "bootstrap-in-place-for-live-iso.ign",
};

const FORMS: readonly Form[] = ["machines", "in place"];

/** The forms whose config is among files. */
export const formsAmong = (has: (path: string) => boolean): readonly Form[] =>
  FORMS.filter((form) => has(FIRST_CONFIG[form]));

/** The command that writes the forms of a directory, and nothing beside them. */
export const commandFor = (
  forms: readonly Form[],
): "create ignition-configs" | "create single-node-ignition-config" =>
  forms.includes("machines") || forms.length === 0
    ? "create ignition-configs"
    : "create single-node-ignition-config";

/** Why a cluster cannot be installed in place; the rules of pkg/asset/ignition/bootstrap/bootstrap_in_place.go. */
export function inPlaceProblems({ controlPlane, bootstrapInPlace }: NormalConfig): Problem[] {
  const problems: Problem[] = [];
  if (controlPlane.replicas !== 1)
    problems.push(
      problem(
        "IGN010",
        "Invalid",
        "controlPlane.replicas",
        `bootstrap in place requires one control plane replica, not ${controlPlane.replicas}`,
        "set controlPlane.replicas to 1",
      ),
    );
  if ((bootstrapInPlace?.installationDisk ?? "") === "")
    problems.push(
      problem(
        "IGN010",
        "Required",
        "bootstrapInPlace.installationDisk",
        "bootstrap in place requires the installation disk",
        "set bootstrapInPlace.installationDisk to the disk of the machine, such as /dev/disk/by-id/wwn-0x64cd98f04fde100024684cf3034da5c2",
      ),
    );
  return problems;
}
