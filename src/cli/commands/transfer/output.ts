/** What the transfer commands write: never over what a person has changed, and never mixed with another plan. */
import { join } from "node:path";
import type { Report } from "../../../core/diagnostics.js";
import { decode, equalBytes, type OutputFile } from "../../../core/files.js";
import { isList, isObject, type JsonObject } from "../../../core/json.js";
import { problem } from "../../../core/problem.js";
import { readRegular, type WriteResult, writeFiles } from "../../../directory/index.js";
import { digestOf } from "../../../transfer/digests.js";
import { parseJson } from "../../../transfer/plan-file.js";
import { mayReplace } from "../../../transfer/rewrite.js";

/** Documents that list the artefacts beside them. */
const INDEX_FILES = ["plan.json", "steps.json"] as const;

/**
 * Writes a plan into a folder that holds no other one (files left over from it would be taken for steps) and no file
 * that was changed since, such as a runbook with ticked boxes.
 */
export async function writePlanFolder(
  root: string,
  folder: string,
  files: readonly OutputFile[],
  report: Report,
): Promise<readonly WriteResult[]> {
  const own = new Set(files.map(({ path }) => path));
  const digests = new Map<string, string>();
  for (const name of INDEX_FILES) {
    const index = readIndex(join(root, name));
    if (index === undefined) continue;
    const fresh = files.find(({ path }) => path === name);
    const stale = [name, ...artefactsOf(index)].filter((path) => !own.has(path));
    if (stale.length > 0 || !isSamePlan(index, fresh)) {
      report(
        problem(
          "TRF056",
          "Forbidden",
          "",
          `the folder contains another plan${stale.length === 0 ? "" : `, with files such as ${stale[0] ?? ""}`}`,
          {
            file: `${folder}/${name}`,
            hint: "write to another folder, or move this one away; a started plan requires its plan.json to continue",
          },
        ),
      );
      return [];
    }
    for (const [path, digest] of digestsOf(index)) digests.set(path, digest);
    // An index has no digest of its own; it is replaced with the files that it lists.
    digests.set(name, digestOf(readBytes(join(root, name)) ?? new Uint8Array()));
  }
  return write(root, folder, files, (path, old) => digests.get(path) === digestOf(old), report);
}

/** Writes requests and approvals; of one that is there only the pins of an approval are renewed. */
export const writeObjects = (
  root: string,
  folder: string,
  files: readonly OutputFile[],
  report: Report,
): Promise<readonly WriteResult[]> =>
  write(root, folder, files, (_, old, fresh) => mayReplace(decode(old) ?? "", decode(fresh) ?? ""), report);

async function write(
  root: string,
  folder: string,
  files: readonly OutputFile[],
  isOurs: (path: string, old: Uint8Array, fresh: Uint8Array) => boolean,
  report: Report,
): Promise<readonly WriteResult[]> {
  const kept = files.filter(({ path, data }) => {
    const old = readBytes(join(root, path));
    return old !== undefined && !equalBytes(old, data) && !isOurs(path, old, data);
  });
  for (const { path } of kept)
    report(
      problem(
        "TRF072",
        "Forbidden",
        "",
        "the file was changed or was not written by slipway; it is not overwritten",
        {
          file: folder === "." ? path : `${folder}/${path}`,
          hint: "rename the file, or write to another folder with --out",
        },
      ),
    );
  if (kept.length > 0) return [];
  const written = await writeFiles(root, files);
  if (written.ok) return written.value;
  report(written.problem);
  return [];
}

function readBytes(path: string): Uint8Array | undefined {
  try {
    return readRegular(path).data;
  } catch {
    // Whatever prevents reading prevents writing too, and is told then.
    return undefined;
  }
}

function readIndex(path: string): JsonObject | undefined {
  const data = readBytes(path);
  if (data === undefined) return undefined;
  const document = parseJson(decode(data) ?? "");
  return isObject(document) ? document : {};
}

const isSamePlan = (index: JsonObject, fresh: OutputFile | undefined): boolean => {
  const document = parseJson(fresh === undefined ? "" : (decode(fresh.data) ?? ""));
  return isObject(document) && ["id", "plan"].every((member) => document[member] === index[member]);
};

const artefactsOf = (index: JsonObject): string[] =>
  [index["steps"], index["onFailure"], index["onStop"]].flatMap((list) =>
    (isList(list) ? list : []).flatMap((step) => {
      const artefact = isObject(step) ? step["artefact"] : undefined;
      return typeof artefact === "string" ? [artefact] : [];
    }),
  );

const digestsOf = (index: JsonObject): [string, string][] =>
  Object.entries(isObject(index["digests"]) ? index["digests"] : {}).flatMap(
    ([path, digest]): [string, string][] => (typeof digest === "string" ? [[path, digest]] : []),
  );
