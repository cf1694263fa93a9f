/** kustomization.yaml lists what lies beside it, each file once. */
import { decode } from "../core/files.js";
import { type Problem, problem, warning } from "../core/problem.js";
import {
  INFRASTRUCTURE_FOLDER,
  KUSTOMIZATION_FILE,
  SECRETS_FOLDER,
  SHARED_FOLDER,
} from "../phases/infrastructure-manifests/layout.js";
import { child, readYaml } from "../text/yaml-read.js";
import type { Check } from "./context.js";
import type { DiskText } from "./documents.js";

export const FOLDERS = [INFRASTRUCTURE_FOLDER, SECRETS_FOLDER, SHARED_FOLDER] as const;

/** Files that kubectl reads from a folder. */
const OBJECT_FILE = /\.(?:yaml|yml|json)$/;

export const inFolder = (path: string, folder: string): string | undefined =>
  path.startsWith(`${folder}/`) && !path.slice(folder.length + 1).includes("/")
    ? path.slice(folder.length + 1)
    : undefined;

/** Every file of the folders that holds objects. */
export const isObjectFile = (path: string): boolean =>
  FOLDERS.some((folder) => {
    const name = inFolder(path, folder);
    return name !== undefined && OBJECT_FILE.test(name) && name !== KUSTOMIZATION_FILE;
  });

export const checkKustomizations: Check = ({ directory, history }) =>
  FOLDERS.flatMap((folder): Problem[] => {
    const names = [...directory.files.keys()].flatMap((path) => inFolder(path, folder) ?? []);
    const objects = names.filter((name) => OBJECT_FILE.test(name) && name !== KUSTOMIZATION_FILE).sort();
    if (objects.length === 0) return [];
    const path = `${folder}/${KUSTOMIZATION_FILE}`;
    const file = directory.files.get(path);
    if (file !== undefined) return listProblems(file, objects);
    return [
      warning(
        "CAPI016",
        "NotFound",
        "",
        "the folder has no kustomization.yaml, which kubectl apply -k requires",
        {
          file: path,
          hint:
            history(path) === "removed"
              ? `write it again: slipway create infrastructure-manifests --theirs ${path}`
              : "write it: slipway create infrastructure-manifests",
        },
      ),
    ];
  });

function listProblems({ path: file, data }: DiskText, objects: readonly string[]): Problem[] {
  const { documents, problems } = readYaml(decode(data) ?? "", file);
  const resources = child(documents[0]?.root, "resources");
  const place = { line: resources?.line ?? 1, column: resources?.column ?? 1 };
  const refuse = (message: string, hint: string, at = place): Problem =>
    problem("CAPI016", "Invalid", "resources", message, { file, line: at.line, column: at.column, hint });
  if (problems.length > 0) return [...problems];
  if (resources?.type !== "sequence")
    return [refuse("resources must be a list of files", "list every file in the folder")];
  const listed = new Set<string>();
  const wrong = resources.items.flatMap((item): Problem[] => {
    const name = item.type === "scalar" ? item.text.replace(/^\.\//, "") : "";
    // Folders, addresses and files elsewhere are the user's own additions.
    if (name.includes("/") || (!OBJECT_FILE.test(name) && name !== "")) return [];
    if (listed.has(name)) return [refuse(`duplicate entry ${name}`, "remove one of them", item)];
    listed.add(name);
    if (objects.includes(name)) return [];
    return [refuse(`${JSON.stringify(name)} does not exist`, "remove the entry, or restore the file", item)];
  });
  const unlisted = objects
    .filter((name) => !listed.has(name))
    .map((name) => refuse(`${name} is not listed, so kubectl apply -k ignores it`, `add it to resources`));
  return [...wrong, ...unlisted];
}
