/** Ctrl-C and `kill`, where there is something to say or to end before the process is gone. */
import { EXIT } from "./exit.js";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Works, and does a last thing when a signal comes meanwhile. JavaScript hears of a signal when it has nothing else to
 * do only, so that a long computation would go on: where there is no last thing, the signal ends the process by itself.
 *
 * @param last must not wait for anything
 */
export async function interruptible<T>(
  last: (signal: NodeJS.Signals) => void,
  work: () => Promise<T>,
): Promise<T> {
  const stop = (signal: NodeJS.Signals): void => {
    last(signal);
    // Work within work: the outer one has its last thing to do as well.
    if (process.listenerCount(signal) === 0) endBy(signal);
  };
  for (const signal of SIGNALS) process.prependOnceListener(signal, stop);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

/**
 * Ends as the signal ends a process, with which a shell ends the loop or script around it too; after any exit code, 130
 * included, it would go on with its next line.
 */
export function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // The first process of a container is not ended by a signal.
  process.exit(EXIT.interrupted);
}
