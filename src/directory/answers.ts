/** Answers of a dialogue that was left, kept in the asset directory until it is taken up again. */
import { rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { decode, encode } from "../core/files.js";
import { isJson, isObject, type Json } from "../core/json.js";
import { writeFiles } from "./atomic.js";
import { OWN_FOLDER } from "./layout.js";
import { readInput } from "./read-input.js";

/** Where they are, relative to the asset directory. */
export const ANSWERS_FILE = `${OWN_FOLDER}/answers.json`;

/** The answers by the flag that gives the same; empty where there are none that can be read. */
export function readAnswers(directory: string): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(decode(readInput(join(directory, ANSWERS_FILE))) ?? "");
    const answers: Json | undefined = isJson(value) && isObject(value) ? value["answers"] : undefined;
    if (!isObject(answers)) return {};
    return Object.fromEntries(
      Object.entries(answers).flatMap(([flag, answer]) =>
        typeof answer === "string" ? [[flag, answer] as const] : [],
      ),
    );
  } catch {
    return {};
  }
}

/** Keeps answers; false where the directory cannot be written. */
export async function keepAnswers(
  directory: string,
  answers: Readonly<Record<string, string>>,
): Promise<boolean> {
  const text = JSON.stringify({ apiVersion: "slipway.dev/v1alpha1", kind: "Answers", answers }, null, 2);
  const file = { path: ANSWERS_FILE, data: encode(`${text}\n`), secret: true };
  return (await writeFiles(directory, [file], { replace: true })).ok;
}

/** Removes what was kept, and the folder where it has nothing else. */
export function dropAnswers(directory: string): void {
  for (const remove of [
    () => unlinkSync(join(directory, ANSWERS_FILE)),
    () => rmdirSync(join(directory, OWN_FOLDER)),
  ])
    try {
      remove();
    } catch {
      // There was nothing to remove, or something else is in the folder.
    }
}
