/**
 * Whether this run has changed a file that somebody else may see: what a run that failed or was interrupted says at
 * its end. Every writer notes it; temporary files, locks and empty folders do not count.
 */
let changed = false;

/** Notes that a file has its new content, or is gone. */
export const noteChange = (): void => {
  changed = true;
};

/** A run begins: what an earlier one in this process changed is not its doing. */
export const beginRun = (): void => {
  changed = false;
};

export const hasChangedFiles = (): boolean => changed;
