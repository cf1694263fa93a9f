/** Whether `slipway init --gitops argocd` gave a directory to the plug-in that decrypts its Secrets. */
import { join, relative, sep } from "node:path";
import type { Problem } from "../core/diagnostics.js";
import { encode } from "../core/files.js";
import { isObject } from "../core/json.js";
import { gitRoot, textIfRegular } from "../directory/index.js";
import { entriesOf } from "../directory/look.js";
import { clusterFolder } from "../pipeline/gitops-files.js";
import { valuesOf } from "../text/yaml-content.js";

/** The problem that Argo CD does not decrypt is none where its plug-in does. */
export const unlessDecrypted = <T extends Problem>(
  problems: readonly T[],
  directory: string,
): readonly T[] =>
  problems.some(({ code }) => code === "CAPI049") && isDecrypted(directory)
    ? problems.filter(({ code }) => code !== "CAPI049")
    : problems;

function isDecrypted(directory: string): boolean {
  const root = gitRoot(directory);
  if (root === undefined) return false;
  const folder = relative(root, directory).split(sep).join("/");
  const clusters = join(root, clusterFolder("argocd"));
  return entriesOf(clusters).some((entry) => {
    if (!entry.isFile() || !entry.name.endsWith(".yaml")) return false;
    const text = textIfRegular(join(clusters, entry.name));
    const values = text === undefined ? [] : (valuesOf(encode(text)) ?? []);
    return values.some(
      (value) => isObject(value) && value["renderer"] === "slipway" && value["folder"] === folder,
    );
  });
}
