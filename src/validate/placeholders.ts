/** What the user still has to fill in: a directory with a placeholder is not ready. */
import { isList, isObject, type Json } from "../core/json.js";
import { info, type Problem, problem } from "../core/problem.js";
import { annotationsOf, isPlaceholder, PLACEHOLDER_ANNOTATION } from "../kubernetes/labels.js";
import { at, type Check, isSecret } from "./context.js";

export const checkPlaceholders: Check = ({ objects }) =>
  objects.flatMap((known) => {
    // What a Secret wraps is a text of its own, and may speak of placeholders.
    const fields = isSecret(known) ? [] : placeholderFields(known.object, "");
    const left = fields.map((field) =>
      at(
        known,
        problem(
          "CAPI004",
          "Required",
          field,
          "contains a placeholder, so the directory is not ready to be applied",
          "replace it with the name of your object or the actual value",
        ),
      ),
    );
    const marked = annotationsOf(known.object).get(PLACEHOLDER_ANNOTATION);
    const settled: Problem[] =
      marked !== undefined && left.length === 0
        ? [
            at(
              known,
              info(
                "CAPI004",
                "Invalid",
                `metadata.annotations[${PLACEHOLDER_ANNOTATION}]`,
                "the placeholder has been replaced",
                "remove the annotation",
              ),
            ),
          ]
        : [];
    return [...left, ...settled];
  });

function placeholderFields(value: Json, field: string): string[] {
  if (typeof value === "string") return isPlaceholder(value) ? [field] : [];
  if (isList(value)) return value.flatMap((each, i) => placeholderFields(each, `${field}[${i}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    placeholderFields(each, field === "" ? key : `${field}.${key}`),
  );
}
