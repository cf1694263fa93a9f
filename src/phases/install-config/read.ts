/**
 * Reading an install-config: text to a typed value with the position of every field, as the installer of the target
 * release reads it (docs/reference/install-config-and-manifests.md §1.1). What cannot be read, or was probably not intended, is
 * reported by its cause: a placeholder, the remains of a script, a wrapped or encoded file.
 */

import type { Position, Problem } from "../../core/diagnostics.js";
import type { Release } from "../../core/release.js";
import form from "../../generated/forms/install-config.js";
import type { InstallConfig } from "../../generated/types/install-config.js";
import { inForce } from "../../platforms/release-changes.js";
import { conforms, type Form } from "../../text/form.js";
import { redactorFor } from "../../text/redactor.js";
import { readYaml, type YamlNode } from "../../text/yaml-read.js";
import { decode } from "./decode.js";
import { emptyDocument, foreignDocument, ignoredRest } from "./diagnose-document.js";
import { findResidue, findTemplateSigns, markdownDocument, withoutLines } from "./diagnose-lines.js";
import { diagnosePullSecret, diagnoseValues, pullSecretMisfit } from "./diagnose-values.js";
import { createPositions, type Positions } from "./read-positions.js";

export interface ReadOptions {
  readonly release: Release;
  /** A key that the installer would refuse is a warning, and left out. */
  readonly lenient: boolean;
  /** Fields at the top whose values come from elsewhere: what stands there is not looked at. */
  readonly replaced?: ReadonlySet<string>;
  /** Stands in for values that are encrypted and only passed on. */
  readonly sealedWord?: string;
}

export interface ReadConfig extends Positions {
  /** What was written, keys in their own spelling; nothing converted and no default filled in. */
  readonly config: InstallConfig;
  /** Where the value of a field (Kubernetes path) stands, or what stands for it, or its nearest ancestor. */
  position(field: string): Position;
  /** Where its key stands. */
  keyPosition(field: string): Position;
  /** True when the field was written in just this spelling, be it as null. */
  isWritten(field: string): boolean;
  /**
   * True for a field that is present but could not be read: what is wrong with it was reported, or it is encrypted.
   * What a rule would report about it is wrong or misleads.
   */
  isUnreadable(field: string): boolean;
  /** True where a file that a flag names takes the place of the field. */
  isReplaced(field: string): boolean;
  /** True for a field with something below it that is unreadable. */
  holdsUnreadable(field: string): boolean;
  /** The problem without any secret of the text, for rules that show values. */
  redact(problem: Problem): Problem;
}

/**
 * The config of a text; undefined when there is none to go on with: it cannot be parsed, is something else, or holds
 * placeholders. Everything that is wrong is reported, with file, line and column.
 */
export function readInstallConfig(
  text: string,
  file: string,
  options: ReadOptions,
  report: (problem: Problem) => void,
): ReadConfig | undefined {
  const redactor = redactorFor(text, isFieldName);
  const tell = (problem: Problem): void => report(redactor.problem({ file, ...problem }));
  const root = parse(text, file, tell);
  if (root === undefined) return undefined;
  const foreign = foreignDocument(root, form, file);
  if (foreign !== undefined) {
    tell(foreign);
    return undefined;
  }
  const { release, lenient, replaced = new Set(), sealedWord } = options;
  const unknown = inForce(release, "unknownFieldsRefused") && !lenient ? "error" : "warning";
  const decoded = decode(root, {
    form,
    file,
    release,
    unknown,
    replaced,
    ...(sealedWord === undefined ? {} : { sealedWord }),
    misfit: pullSecretMisfit,
    report: tell,
  });
  const { value, written, sealed, placeholders } = decoded;
  const unreadable = [...decoded.unreadable, ...sealed];
  for (const problem of diagnoseValues(written, file)) if (!replaced.has(problem.field ?? "")) tell(problem);
  const isElsewhere = replaced.has("pullSecret") || sealed.includes("pullSecret");
  const pullSecret = isElsewhere ? NO_PULL_SECRET : diagnosePullSecret(written, file);
  if (!unreadable.includes("pullSecret")) for (const problem of pullSecret.problems) tell(problem);
  if (value === undefined || placeholders > 0) return undefined;
  if (!isInstallConfig(value)) throw new Error("the decoded value does not conform to the form");
  const lost = pullSecret.fatal ? [...unreadable, "pullSecret"] : unreadable;
  const lostFields = new Set(lost);
  return {
    config: value,
    ...createPositions(written, file),
    isUnreadable: (field) => [...holdersOf(field)].some((each) => lostFields.has(each)),
    isReplaced: (field) => replaced.has(field),
    holdsUnreadable: (field) => lost.some((each) => isBelow(each, field)),
    redact: redactor.problem,
  };
}

/** A field and all that it lies in. Asked for every problem of a rule, so that it must not take longer for long lists. */
function* holdersOf(field: string): Generator<string> {
  for (const { index } of field.matchAll(/[.[]/g)) yield field.slice(0, index);
  yield field;
}

const isBelow = (field: string, holder: string): boolean =>
  field.startsWith(`${holder}.`) || field.startsWith(`${holder}[`);

/** Every name that the form has for a member. */
const isFieldName = (() => {
  let names: Set<string> | undefined;
  return (step: string): boolean => {
    names ??= new Set([form, ...Object.values(form.$defs ?? {})].flatMap(memberNames));
    return names.has(step);
  };
})();

function memberNames({ properties = {}, items, additionalProperties }: Form): string[] {
  const inner = [...Object.values(properties), items, additionalProperties];
  return [
    ...Object.keys(properties),
    ...inner.flatMap((each) => (typeof each === "object" ? memberNames(each) : [])),
  ];
}

const NO_PULL_SECRET = { problems: [], fatal: false } as const;

const isInstallConfig = (value: unknown): value is InstallConfig => conforms(value, form, form);

/** The tree of the first document; undefined when it cannot be parsed or is empty, which is reported. */
function parse(text: string, file: string, tell: (problem: Problem) => void): YamlNode | undefined {
  const [first] = readYaml(text, file, { firstOnly: true, merge: "refuse" }).documents;
  if (first === undefined) {
    tell(emptyDocument(text, file, 0));
    return undefined;
  }
  if (first.problems.length > 0) return parseBroken(text, file, first.problems, tell);
  const rest = ignoredRest(text, file, first);
  const { root } = first;
  if (root === undefined || (root.type === "scalar" && root.kind === "null")) {
    tell(emptyDocument(text, file, rest === undefined ? 0 : first.next));
    return undefined;
  }
  // A comment behind the first line of a here-document makes that line a whole document.
  if (root.type === "scalar" && findResidue(text).length > 0) return parseBroken(text, file, [], tell);
  if (rest !== undefined) tell(rest);
  return root;
}

/**
 * Names the cause of a text that cannot be parsed. Lines of a script around the file are taken out, so that the rest
 * can be judged in the same run.
 */
function parseBroken(
  text: string,
  file: string,
  problems: readonly Problem[],
  tell: (problem: Problem) => void,
): YamlNode | undefined {
  const residue = findResidue(text);
  const prose = markdownDocument(residue, file);
  if (prose !== undefined) {
    tell(prose);
    return undefined;
  }
  for (const { problem } of residue) tell(problem);
  const cleaned = withoutLines(text, new Set(residue.map(({ line }) => line)));
  const signs = findTemplateSigns(cleaned);
  for (const { problem } of signs) tell(problem);
  if (signs.length > 0) return undefined;
  if (residue.length === 0) {
    for (const problem of problems) tell(problem);
    return undefined;
  }
  const [first] = readYaml(cleaned, file, { firstOnly: true, merge: "refuse" }).documents;
  for (const problem of first?.problems ?? []) tell(problem);
  return first?.problems.length === 0 ? first.root : undefined;
}
