/** Folders of plans: written whole, and never mixed with the files of another plan. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { OutputFile } from "../../core/files.js";
import { isList, isObject } from "../../core/json.js";
import { type WriteResult, writeFiles } from "../../directory/index.js";
import type { Report } from "../../transfer/api.js";
import { parseJson } from "../../transfer/plan-file.js";

/** Documents that list the artefacts beside them. */
export const INDEX_FILES = ["plan.json", "steps.json"] as const;

/** Writes a plan into a folder that holds no other one: files left over from it would be taken for steps. */
export async function writePlanFolder(
  root: string,
  folder: string,
  files: readonly OutputFile[],
  report: Report,
): Promise<readonly WriteResult[]> {
  const own = new Set(files.map(({ path }) => path));
  for (const index of INDEX_FILES) {
    const stale = listed(join(root, index)).filter((path) => !own.has(path));
    if (stale.length === 0) continue;
    report({
      code: "TRF056",
      kind: "Forbidden",
      file: `${folder}/${index}`,
      message: `the folder holds another plan, with files such as ${stale[0] ?? ""}`,
      hint: "write to another folder, or remove this one",
    });
    return [];
  }
  const written = await writeFiles(root, files);
  if (written.ok) return written.value;
  report(written.problem);
  return [];
}

/** An index file and the artefacts that it lists; nothing when there is none. */
function listed(path: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return [];
  }
  const document = parseJson(text);
  const steps = isObject(document) ? [document["steps"], document["onFailure"], document["onStop"]] : [];
  const name = path.slice(path.lastIndexOf("/") + 1);
  return [
    name,
    ...steps.flatMap((list) =>
      (isList(list) ? list : []).flatMap((step) => {
        const artefact = isObject(step) ? step["artefact"] : undefined;
        return typeof artefact === "string" ? [artefact] : [];
      }),
    ),
  ];
}
