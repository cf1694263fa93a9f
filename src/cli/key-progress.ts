/** A line on a terminal while private keys are made, which can take seconds. */
import type { KeySource } from "../core/inputs.js";
import type { Terminal } from "./cli-context.js";

/** The source, watched; elsewhere than on a terminal it is left alone. */
export function withProgress(source: KeySource, terminal: Terminal): KeySource {
  if (!terminal.isTerminal) return source;
  let asked = 0;
  let made = 0;
  const line = (): string => `generating private keys: ${made} of ${asked}`;
  const draw = (): void => terminal.pass(made < asked ? `\r${line()}` : `\r${" ".repeat(line().length)}\r`);
  return {
    from: (other) => withProgress(other, terminal),
    async generate(algorithm, name) {
      asked++;
      draw();
      try {
        return await source.generate(algorithm, name);
      } finally {
        made++;
        draw();
      }
    },
  };
}
