/** The command of a step, as words and as a shell takes it. */
import { commandLine, singleQuoted } from "../text/shell.js";
import { guardLines } from "./gates.js";
import { ARTEFACT, type StepSpec } from "./model.js";

/** Where a command finds its artefact: in a file, or in itself where no file was written. */
export type Carrier = { readonly path: string } | { readonly content: string };

/** Ends the command, not the shell that somebody types into: what follows stands in parentheses. */
const STOP =
  "stop() { printf 'stopped, nothing was changed; required condition: %s\\n' \"$1\" >&2; exit 1; }";

/**
 * What a shell runs for a step: its conditions are asked again, and only if all of them hold its command runs. Empty for
 * a gate, which is nothing but conditions.
 */
export function commandText(stepSpec: StepSpec, carrier: Carrier | undefined): string {
  if (stepSpec.run.length === 0) return "";
  const path = carrier === undefined ? ARTEFACT : "path" in carrier ? carrier.path : "/dev/stdin";
  const line = commandLine(stepSpec.run.map((word) => (word === ARTEFACT ? path : word)));
  const fed =
    carrier !== undefined && "content" in carrier
      ? `printf '%s\\n' ${singleQuoted(carrier.content)} | ${line}`
      : line;
  const guards = stepSpec.conditions.flatMap(guardLines);
  return guards.length === 0 ? fed : ["(", STOP, ...guards, fed, ")"].join("\n");
}

/** The same as the words of one command. */
export function commandWords(stepSpec: StepSpec, carrier: Carrier | undefined): readonly string[] {
  if (stepSpec.run.length === 0) return [];
  const isPlain =
    stepSpec.conditions.flatMap(guardLines).length === 0 && (carrier === undefined || "path" in carrier);
  return isPlain
    ? stepSpec.run.map((word) => (word === ARTEFACT && carrier !== undefined ? carrier.path : word))
    : ["sh", "-c", commandText(stepSpec, carrier)];
}
