/** The asset directory as the pipeline and the commands see it. */
export { type WriteResult, writeFiles } from "./atomic.js";
export {
  type CheckResult,
  checkPlans,
  conflictProblems,
  describeCheck,
  diffOf,
  diffPlans,
  isDifference,
  lostComments,
  madeElsewhere,
  removedSecrets,
  unreadConflicts,
} from "./check.js";
export { checkCluster } from "./cluster.js";
export type { CommitRequest, Committed, FileResult } from "./commit-plan.js";
export { type Decisions, readDecisions } from "./decisions.js";
export { createDigester, isKeyed } from "./digest.js";
export {
  type AssetDirectory,
  backFromSecret,
  directoryInMemory,
  isConsumed,
  openDirectory,
  stateGone,
  WRAPPED_STATE,
} from "./directory.js";
export { type Attempt, problemOf, systemCode } from "./fault.js";
export { type ObjectChange, objectChanges, ownChanges } from "./field-changes.js";
export type { ExcludeChange } from "./git-exclude.js";
export { heldBack, IGNORE_FILE, layoutOf, refreshedIgnore } from "./git-files.js";
export { gitRoot } from "./git-root.js";
export * from "./layout.js";
export { acquireLock, type Lock } from "./lock.js";
export { lookAt } from "./look.js";
export { tellExposure } from "./modes.js";
export { LARGEST_INPUT, openRegular, readInput, readRegular, TooLarge, textIfRegular } from "./read-input.js";
export type { DirectoryRecord, OptionValue } from "./record.js";
export { isClosed, openInput, openSealed, type Sealing, summed } from "./sealing.js";
export {
  type InstallerState,
  type StateChanges,
  type StateFile,
  type StateView,
  stateOfManifests,
  upstreamCertificate,
  upstreamKey,
  upstreamLogin,
  writeState,
} from "./state.js";
export type { Keyfiles, NetworkKeyfiles } from "./state-members.js";
export * from "./types.js";
