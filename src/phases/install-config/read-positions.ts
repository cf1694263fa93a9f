/**
 * Where the fields of a document were written. Asked for a field that is not there, it answers with what stands in
 * its place: the deprecated spelling that it was converted from, the default that it was merged from, else the
 * nearest ancestor.
 */

import type { Position } from "../../core/diagnostics.js";
import { lookup } from "../../core/lookup.js";
import { notesOf, resolveForm } from "../../text/form.js";
import type { YamlNode } from "../../text/yaml-read.js";
import type { Written } from "./decode.js";
import { foldKey } from "./decode-unknown.js";

export interface Positions {
  /** Where the value of a field (Kubernetes path) stands. */
  position(field: string): Position;
  /** Where its key stands; the value's place where there is no key, such as for items of lists. */
  keyPosition(field: string): Position;
  /** True when the field itself was written, be it as null. */
  isWritten(field: string): boolean;
}

interface Found {
  readonly written: Written;
  /** How many steps of the path led there. */
  readonly depth: number;
}

export function createPositions(root: Written, file: string): Positions {
  const find = (field: string): { found: Found; whole: boolean } => {
    const steps = pathSteps(field);
    const found = locate(root, steps);
    if (found.depth === steps.length) return { found, whole: true };
    const source = inherited(root, steps);
    if (source !== undefined) return { found: { written: source, depth: steps.length }, whole: true };
    if (found.depth > 0) return { found, whole: false };
    // The installer leaves the outer names out of some paths (docs/reference/install-config-and-manifests.md §1.7,
    // §1.8): look for the name anywhere.
    const inner = findByName(root, steps[0] ?? "");
    return { found: inner === undefined ? found : { written: inner, depth: 0 }, whole: false };
  };
  return {
    position: (field) => {
      const { found, whole } = find(field);
      const { node, key } = found.written;
      const isLeaf = node.type === "scalar" && !(node.kind === "null" && node.text === "");
      return placeOf(whole && isLeaf ? node : (key ?? node), file);
    },
    keyPosition: (field) => {
      const { node, key } = find(field).found.written;
      return placeOf(key ?? node, file);
    },
    isWritten: (field) => directly(root, pathSteps(field)),
  };
}

const placeOf = ({ line, column }: YamlNode, file: string): Position => ({ file, line, column });

/** The steps of `a.b[0].c[key]`: names, indices and map keys. */
export const pathSteps = (field: string): string[] =>
  [...field.matchAll(/\[([^\]]*)\]?|([^.[\]]+)/g)].map(([, bracket, name]) => bracket ?? name ?? "");

function directly(written: Written, steps: readonly string[]): boolean {
  let at: Written | undefined = written;
  for (const step of steps) {
    at = at.members.get(step);
    if (at === undefined) return false;
  }
  return true;
}

function member(written: Written, step: string): Written | undefined {
  const exact = written.members.get(step);
  if (exact !== undefined || written.form.properties === undefined) return exact;
  const folded = foldKey(step);
  for (const [name, each] of written.members) if (foldKey(name) === folded) return each;
  return undefined;
}

/** Follows the steps as far as something was written, by the detour of an old spelling where there is one. */
function locate(written: Written, steps: readonly string[]): Found {
  const [step, ...rest] = steps;
  if (step === undefined) return { written, depth: 0 };
  const direct = member(written, step);
  const found = direct === undefined ? undefined : locate(direct, rest);
  if (found !== undefined && found.depth === rest.length)
    return { written: found.written, depth: steps.length };
  const detour = oldSpelling(written, steps);
  if (detour !== undefined) return { written: detour, depth: steps.length };
  return found === undefined ? { written, depth: 0 } : { written: found.written, depth: found.depth + 1 };
}

/** What was written beside the asked field in a deprecated spelling that becomes the asked field. */
function oldSpelling(written: Written, steps: readonly string[]): Written | undefined {
  for (const each of written.members.values()) {
    const { replacedBy } = each.notes;
    if (replacedBy === undefined) continue;
    const target = pathSteps(replacedBy);
    const shared = Math.min(target.length, steps.length);
    const fits = target
      .slice(0, shared)
      .every((part, i) => part === steps[i] || (part === "" && isIndex(steps[i])));
    if (!fits) continue;
    const list = target.indexOf("");
    const into = [...(list >= 0 && list < shared ? [steps[list] ?? ""] : []), ...steps.slice(target.length)];
    return locate(each, into).written;
  }
  return undefined;
}

const isIndex = (step: string | undefined): boolean => step !== undefined && /^[0-9]+$/.test(step);

/** The default that the asked field was merged from, where it was written. */
function inherited(root: Written, steps: readonly string[]): Written | undefined {
  let form = root.form;
  for (const [i, step] of steps.entries()) {
    const next = isIndex(step) ? form.items : lookup(form.properties, step);
    if (next === undefined) return undefined;
    const { inherits } = notesOf(next, root.form);
    const rest = steps.slice(i + 1);
    if (inherits !== undefined && rest.length > 0) {
      const source = [...pathSteps(inherits), ...rest];
      const found = locate(root, source);
      if (found.depth === source.length) return found.written;
    }
    form = resolveForm(next, root.form);
  }
  return undefined;
}

/** The one place that is written under a name, wherever it stands. */
function findByName(written: Written, name: string): Written | undefined {
  const found: Written[] = [];
  const search = (at: Written): void => {
    for (const [each, child] of at.members) {
      if (each === name && at.form.properties !== undefined) found.push(child);
      search(child);
    }
  };
  search(written);
  return found.length === 1 ? found[0] : undefined;
}
