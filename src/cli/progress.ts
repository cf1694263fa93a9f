/** A progress bar on stderr, for terminals alone, and the breath that a long loop takes so that it can be interrupted. */
import { setImmediate } from "node:timers/promises";
import type { Terminal } from "./cli-context.js";

const WIDTH = 30;
const EVERY_MS = 100;
const BREATH_MS = 50;

export interface Progress {
  /** To be called often; waits now and then, and draws when it is time. */
  pause(): Promise<void>;
  /** Removes the bar. */
  done(): void;
}

/** `fraction` answers how much is done, 0 to 1. */
export function progressBar(terminal: Terminal, label: string, fraction: () => number): Progress {
  let drawn = 0;
  let breath = performance.now();
  let shown = false;
  return {
    async pause() {
      const now = performance.now();
      if (now - breath < BREATH_MS) return;
      breath = now;
      if (terminal.isTerminal && now - drawn >= EVERY_MS) {
        drawn = now;
        shown = true;
        const part = Math.max(0, Math.min(1, fraction()));
        const filled = Math.round(part * WIDTH);
        terminal.pass(
          `\r${label} [${"#".repeat(filled)}${" ".repeat(WIDTH - filled)}] ${Math.floor(part * 100)} %`,
        );
      }
      await setImmediate();
    },
    done() {
      if (shown) terminal.pass(`\r${" ".repeat(label.length + WIDTH + 12)}\r`);
    },
  };
}
