/**
 * What the API server says to a changed CustomResourceDefinition. An update keeps the status of the old object and adds
 * the new storage version to its storedVersions; the rules are those of crd/validation.ts.
 */

import data from "../../tables/crd-refusals.json" with { type: "json" };
import type { Report } from "../core/diagnostics.js";
import { isObject, type JsonObject } from "../core/json.js";
import { problemList } from "../core/problem.js";
import type { Compile } from "../crd/cel/compile.js";
import { compilerOf } from "../crd/rules.js";
import { judgeCrd, type UncompiledRule } from "../crd/validation.js";
import type { ServerError } from "../kubernetes/server-error.js";
import { toJson } from "../text/yaml-read.js";
import { compareMinors, type Minor, parseMinor } from "./compatibility.js";
import { type StorageCrd, storageVersionOf } from "./crd.js";

export interface GuardAnswer {
  readonly allowed: boolean;
  readonly errors: readonly ServerError[];
  /** What the server looks at and slipway does not. */
  readonly unchecked: readonly string[];
  /** Validation rules (CEL) of the new definition of which slipway cannot tell whether they compile. */
  readonly uncompiled: readonly UncompiledRule[];
  /** Stored versions after the update, as the server would compute them. */
  readonly storedVersions: readonly string[];
  /** Versions of the old definition that hold objects, or may, and that the new one does not have. */
  readonly dropped: readonly string[];
  readonly storageVersion: { readonly old: string | undefined; readonly new: string | undefined };
}

/** @param compile compiles validation rules; left out, none is */
export function guard(
  old: StorageCrd,
  next: StorageCrd,
  target: Minor,
  report: Report,
  compile?: Compile,
): GuardAnswer {
  if (old.name !== next.name)
    problemList(report, "metadata.name", next.place).report(
      "STO031",
      "Invalid",
      `C2 same-definition: ${next.name} is not the same definition as ${old.name}`,
      "use two states of the same CustomResourceDefinition",
    );
  if (old.storedVersions === undefined)
    problemList(report, "status.storedVersions", old.place).warnings.report(
      "STO032",
      "Required",
      "C3 status: the old definition has no status; only its storage version is assumed to be stored",
      "use the definition from the cluster: kubectl get crd NAME -o yaml",
    );
  const compiler = compile === undefined ? {} : { compiler: compilerOf(compile, target) };
  const { errors, unchecked, uncompiled, storedVersions } = judgeCrd(objectOf(next), objectOf(old), {
    missing: missingText(target),
    ...compiler,
  });
  const names = new Set(next.versions.map(({ name }) => name));
  return {
    allowed: errors.length === 0,
    errors,
    unchecked,
    uncompiled,
    storedVersions,
    dropped: storedVersions.filter((version) => !names.has(version)),
    storageVersion: { old: storageVersionOf(old), new: storageVersionOf(next) },
  };
}

/** The definition as plain values. */
export function objectOf({ root }: StorageCrd): JsonObject {
  const value = toJson(root);
  return {
    ...(isObject(value) ? value : {}),
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
  };
}

/** The text of the newest entry that is not newer than the release. */
function missingText(target: Minor): string {
  const fitting = data.missingVersion.filter(({ since }) => {
    const from = parseMinor(since);
    return from !== undefined && compareMinors(from, target) <= 0;
  });
  return fitting.at(-1)?.text ?? data.missingVersion[0]?.text ?? "";
}

/** The errors as the server joins them; undefined when there are none. */
export function refusalOf({ errors }: GuardAnswer): string | undefined {
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  if (texts.length === 0) return undefined;
  return texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
}

/** What kubectl prints for it. */
export function kubectlText(name: string, { errors }: GuardAnswer): string {
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  const [only] = texts;
  const head = `The CustomResourceDefinition ${JSON.stringify(name)} is invalid: `;
  return texts.length === 1 ? `${head}${only}` : `${head}\n${texts.map((text) => `* ${text}`).join("\n")}`;
}
