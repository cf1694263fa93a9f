/**
 * Reading a file beside install-config.yaml: text to a typed value with the position of every field, as the installer reads
 * it. An unknown key is refused at every release.
 */
import type { Position, Problem } from "../core/diagnostics.js";
import { problem } from "../core/problem.js";
import type { Release } from "../core/release.js";
import type { Form } from "../text/form.js";
import { conforms } from "../text/form.js";
import { redactorFor } from "../text/redactor.js";
import { readYaml } from "../text/yaml-read.js";
import { decode } from "./install-config/decode.js";
import { createPositions } from "./install-config/read-positions.js";

export interface ReadInput<Config> {
  readonly config: Config;
  /** Where a field stands, or its nearest ancestor. */
  position(field: string): Position;
  /** True for a field that is present but could not be read. */
  isUnreadable(field: string): boolean;
  redact(problem: Problem): Problem;
}

/** What a file is: its schema, and what is reported where it is something else. */
export interface InputKind<Config> {
  readonly form: Form;
  /** As messages call it, such as agent-config. */
  readonly document: string;
  is(value: unknown): value is Config;
  readonly code: Problem["code"];
  readonly expected: string;
  readonly hint: string;
}

export interface ReadInputOptions {
  readonly release: Release;
  /** A key that the installer would refuse is a warning, and left out. */
  readonly lenient: boolean;
  /** Stands in for values that are encrypted and only passed on. */
  readonly sealedWord?: string;
}

/** Whether a decoded value is one of a form. */
export const conformsTo = (value: unknown, form: Form): boolean => conforms(value, form, form);

/** Undefined when there is nothing to go on with; everything that is wrong is reported. */
export function readInput<Config>(
  text: string,
  file: string,
  kind: InputKind<Config>,
  { release, lenient, sealedWord }: ReadInputOptions,
  report: (problem: Problem) => void,
): ReadInput<Config> | undefined {
  const redactor = redactorFor(text, () => false);
  const tell = (found: Problem): void => report(redactor.problem({ file, ...found }));
  const [first] = readYaml(text, file, { firstOnly: true, merge: "refuse" }).documents;
  const root = first?.root;
  for (const found of first?.problems ?? []) tell(found);
  if (first !== undefined && first.problems.length > 0) return undefined;
  if (root === undefined || root.type !== "mapping") {
    tell(
      problem(kind.code, "Invalid", "", kind.expected, {
        line: root?.line ?? 0,
        column: root?.column ?? 0,
        hint: kind.hint,
      }),
    );
    return undefined;
  }
  const { value, written, unreadable, placeholders } = decode(root, {
    form: kind.form,
    file,
    release,
    unknown: lenient ? "warning" : "error",
    document: kind.document,
    ...(sealedWord === undefined ? {} : { sealedWord }),
    report: tell,
  });
  if (value === undefined || placeholders > 0) return undefined;
  if (!kind.is(value)) throw new Error("the decoded value does not conform to the form");
  const { position } = createPositions(written, file);
  return {
    config: value,
    position,
    isUnreadable: (field) =>
      unreadable.some(
        (each) => field === each || field.startsWith(`${each}.`) || field.startsWith(`${each}[`),
      ),
    redact: redactor.problem,
  };
}
