/**
 * Whether this process has changed a file that somebody else may see: what a run that failed or was interrupted says at
 * its end. Every writer notes it; temporary files, locks and empty folders do not count.
 */
let changed = false;

/** Notes that a file has its new content, or is gone. */
export const noteChange = (): void => {
  changed = true;
};

export const hasChangedFiles = (): boolean => changed;
