/**
 * What a folder's file names show when install-config.yaml is missing, or not the only candidate (docs/reference/real-inputs.md §1
 * IC-30).
 */
import type { Problem } from "../../core/diagnostics.js";
import { byCodeUnit } from "../../core/files.js";
import { problem, warning } from "../../core/problem.js";

const INSTALL_CONFIG = "install-config.yaml";

const ALIKE =
  /^\.?install[-_ ]?config(?:uration)?(?=[\w.-]*$)(?:[-_.][\w.-]*)?\.(?:ya?ml|json|txt|bak|old|orig|save|tmpl|tpl|j2|template)(?:\.[\w.-]+)?$/i;

/** The file of a folder that was probably meant to be install-config.yaml, which is missing. */
export function misnamedInstallConfig(names: readonly string[]): Problem | undefined {
  // What has the name and was not read is a folder, a pipe or a device.
  if (names.includes(INSTALL_CONFIG))
    return problem("IC006", "Invalid", "", `${INSTALL_CONFIG} is not a regular file`, {
      file: INSTALL_CONFIG,
      hint: "replace it with a regular file",
    });
  const alike = names
    .filter((name) => ALIKE.test(name))
    .sort((a, b) => rank(a) - rank(b) || byCodeUnit(a, b));
  const [best] = alike;
  if (best === undefined) return undefined;
  const found = sameButCase(best) ? "the name is case-sensitive" : `found ${best}`;
  return problem("IC006", "NotFound", "", `expected a file named ${INSTALL_CONFIG}; ${found}`, {
    file: best,
    hint: `rename the file to ${INSTALL_CONFIG}`,
  });
}

/** Warns of files next to install-config.yaml whose names differ from it by case only: some systems keep just one. */
export function collidingNames(names: readonly string[]): Problem[] {
  return names
    .filter((name) => name !== INSTALL_CONFIG && sameButCase(name))
    .map((file) =>
      warning(
        "IC006",
        "Duplicate",
        "",
        `the name differs from ${INSTALL_CONFIG} only in case; the file is ignored, and on case-insensitive file systems the two are one file`,
        { file, hint: "remove or rename it" },
      ),
    );
}

/** How well a name fits: another case first, then .yml, then the rest. */
const rank = (name: string): number =>
  sameButCase(name) ? 0 : /^install-config\.ya?ml$/i.test(name) ? 1 : /\.ya?ml$/i.test(name) ? 2 : 3;

const sameButCase = (name: string): boolean => name.toLowerCase() === INSTALL_CONFIG;
