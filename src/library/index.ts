/**
 * What programs may use: `import { … } from "slipway"`. Everything here answers with values and diagnostics; only
 * `createCluster` and `readAssetFiles` touch a disk, and nothing touches a network (docs/library.md).
 */

// Compatibility versions, feature gates, APIs.
export { commandLineFlag, type FlagText } from "../compatibility/flags.js";
export type { GateTable } from "../compatibility/gate-table.js";
export { askComponentGates } from "../compatibility/gates-in-effect.js";
export { askGates, type GatesAnswer, type GatesQuestion } from "../compatibility/gates-question.js";
export { kubernetesApis, kubernetesPins, storedByRelease } from "../compatibility/kubernetes.js";
export { kubernetesGates, readCompleteTable as readGateTable } from "../compatibility/kubernetes-gates.js";
export { type PlanQuestion, type PlanStep, upgradePlan } from "../compatibility/plan.js";
export { readApiTable } from "../compatibility/read/api-table.js";
export { readGatesInEffect } from "../compatibility/read/gates-in-effect.js";
export { KEP, type Rules, SHIPPED } from "../compatibility/rules.js";
export { formatMinor, type Minor, parseMinor, parseVersion, type Version } from "../compatibility/version.js";
export { createReporter, type Diagnostic, isError, type Problem, type Report } from "../core/diagnostics.js";
export type { OutputFile } from "../core/files.js";
export type { Inputs, KeyAlgorithm } from "../core/inputs.js";
export type { CheckResult, FileResult } from "../directory/index.js";
// Copies of etcd.
export { readEncryptionConfigs } from "../etcd/encryption/embedded.js";
export { type PlannedRepair, planRepair, type RepairQuestion } from "../etcd/plan/repair.js";
export { type Copy, openCopy } from "../etcd/read/copies.js";
export type { CopyFile } from "../etcd/read/copy-file.js";
export { type ScanOptions, type Survey, scan } from "../etcd/scan.js";
export { Judge, type ObjectVerdict } from "../etcd/verdict.js";
export {
  type ClusterComparison,
  type ClusterInput,
  type ClusterOutput,
  type CreatedCluster,
  compareCluster,
  compileCluster,
  createCluster,
  type JudgedConfig,
  judgeInstallConfig,
} from "../pipeline/cluster.js";
export type { CompileFlags } from "../pipeline/options.js";
// Stored versions of custom resources.
export { readStorageCounts } from "../storage/counts.js";
export { readStorageCrds, type StorageCrd } from "../storage/crd.js";
export {
  type Compile,
  type CrdUpdate,
  judgeUpdate,
  loadCompile,
  type PlannedUpdate,
  pairsOf,
  planUpdate,
} from "../storage/crd-update.js";
export { createRenderer, type Renderer } from "../text/render.js";
// Claims between namespaces.
export { type MatchResult, matchTransfers } from "../transfer/match.js";
export { answerPlan, type PlanAnswer, planFiles } from "../transfer/outcome.js";
export { readTransferObjects } from "../transfer/read.js";
export { type SimulatedStep, simulatePlan } from "../transfer/simulate.js";
export { type ClusterState, readState } from "../transfer/state.js";
export { readAssetFiles } from "./asset-files.js";
export { systemInputs } from "./inputs.js";
