import type { Transfer } from "./model.js";
import { Move } from "./move-progress.js";
import type { Progress, Seen, Siblings } from "./progress.js";
import { recreateProgress } from "./recreate-progress.js";

/** How far a transfer is, and the steps that are left of it. */
export const progressOf = (transfer: Transfer, seen: Seen, siblings: Siblings): Progress =>
  transfer.kind === "move"
    ? new Move(transfer, seen, siblings).progress()
    : recreateProgress(transfer, seen, siblings);
