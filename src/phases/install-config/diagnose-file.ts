/**
 * What a folder's file names tell when install-config.yaml is not there, or not alone (docs/reference/real-inputs.md §1
 * IC-30).
 */
import type { Problem } from "../../core/diagnostics.js";
import { byCodeUnit } from "../../core/files.js";

const INSTALL_CONFIG = "install-config.yaml";

const ALIKE =
  /^\.?install[-_ ]?config(?:uration)?(?=[\w.-]*$)(?:[-_.][\w.-]*)?\.(?:ya?ml|json|txt|bak|old|orig|save|tmpl|tpl|j2|template)(?:\.[\w.-]+)?$/i;

/** The file of a folder that was probably meant to be install-config.yaml, which is not there. */
export function misnamedInstallConfig(names: readonly string[]): Problem | undefined {
  // What has the name and was not read is a folder, a pipe or a device.
  if (names.includes(INSTALL_CONFIG))
    return {
      code: "IC006",
      kind: "Invalid",
      file: INSTALL_CONFIG,
      message: `${INSTALL_CONFIG} is there, but it is not a regular file`,
      hint: "replace it by a file",
    };
  const alike = names
    .filter((name) => ALIKE.test(name))
    .sort((a, b) => rank(a) - rank(b) || byCodeUnit(a, b));
  const [best] = alike;
  if (best === undefined) return undefined;
  return {
    code: "IC006",
    kind: "NotFound",
    file: best,
    message: `the installer reads ${INSTALL_CONFIG} only${sameButCase(best) ? ", in just these letters" : `, not ${best}`}`,
    hint: `name the file ${INSTALL_CONFIG}`,
  };
}

/** Warns of files beside install-config.yaml whose names differ from it by case only: some systems keep just one. */
export function collidingNames(names: readonly string[]): Problem[] {
  return names
    .filter((name) => name !== INSTALL_CONFIG && sameButCase(name))
    .map((name) => ({
      code: "IC006",
      kind: "Duplicate",
      severity: "warning",
      file: name,
      message: `the name differs from ${INSTALL_CONFIG} by case only; the file is not read, and on some systems the two are one`,
      hint: "remove or rename it",
    }));
}

/** How well a name fits: another case first, then .yml, then the rest. */
const rank = (name: string): number =>
  sameButCase(name) ? 0 : /^install-config\.ya?ml$/i.test(name) ? 1 : /\.ya?ml$/i.test(name) ? 2 : 3;

const sameButCase = (name: string): boolean => name.toLowerCase() === INSTALL_CONFIG;
