/** What a folder's file names tell when install-config.yaml is not there, or not alone (facts/real-inputs.md, IC-30). */
import type { Problem } from "../../core/diagnostics.js";

export const INSTALL_CONFIG = "install-config.yaml";

const ALIKE =
  /^\.?install[-_ ]?config(?:uration)?(?:[-_.][\w.-]*)?\.(?:ya?ml|json|txt|bak|old|orig|save|tmpl|tpl|j2|template)(?:\.[\w.-]+)?$/i;

/**
 * Why there is no install-config in a folder: a file that is named almost so, else what to do. `names` are the names
 * in the folder, `folder` is how the user called it.
 */
export function missingInstallConfig(names: readonly string[], folder: string): Problem {
  const alike = names
    .filter((name) => ALIKE.test(name))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const [best] = alike;
  if (best === undefined)
    return {
      code: "IC006",
      kind: "NotFound",
      file: folder,
      message: `there is no ${INSTALL_CONFIG} in ${folder}`,
      hint: "slipway create install-config writes one to start from",
    };
  return {
    code: "IC006",
    kind: "NotFound",
    file: `${folder.replace(/\/$/, "")}/${best}`,
    message: `the installer reads ${INSTALL_CONFIG} only, not ${best}${sameButCase(best) ? ", whose name differs in case" : ""}`,
    hint: `name it ${INSTALL_CONFIG}`,
  };
}

/** Warns of files beside install-config.yaml whose names differ from it by case only: some systems keep just one. */
export function collidingNames(names: readonly string[], folder: string): Problem[] {
  return names
    .filter((name) => name !== INSTALL_CONFIG && sameButCase(name))
    .map((name) => ({
      code: "IC006",
      kind: "Duplicate",
      severity: "warning",
      file: `${folder.replace(/\/$/, "")}/${name}`,
      message: `the name differs from ${INSTALL_CONFIG} by case only; the file is not read, and on some systems it is the same file`,
      hint: "remove or rename it",
    }));
}

/** How well a name fits: another case first, then .yml, then the rest. */
const rank = (name: string): number =>
  sameButCase(name) ? 0 : /^install-config\.ya?ml$/i.test(name) ? 1 : /\.ya?ml$/i.test(name) ? 2 : 3;

const sameButCase = (name: string): boolean => name.toLowerCase() === INSTALL_CONFIG;

/** A problem for a path that cannot be read, by the system's error code. */
export function unreadableFile(file: string, code: string): Problem {
  const directory = code === "EISDIR";
  const message = directory
    ? "this is a folder, not a file"
    : code === "ENOENT"
      ? "there is no such file"
      : code === "EACCES" || code === "EPERM"
        ? "the file may not be read"
        : `the file cannot be read (${code})`;
  return {
    code: "TEXT001",
    kind: code === "ENOENT" ? "NotFound" : "Invalid",
    file,
    message,
    hint: directory ? `name the ${INSTALL_CONFIG} in it, or pass the folder with --dir` : "",
  };
}
