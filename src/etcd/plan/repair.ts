/** From a survey of the copies to the repair: what to delete and to migrate, with its files and runbook. */

import type { Report } from "../../core/diagnostics.js";
import type { OutputFile } from "../../core/files.js";
import type { JsonObject } from "../../core/json.js";
import { problemList } from "../../core/problem.js";
import { MIGRATION_TEMPLATES } from "../../kubernetes/storage-migration.js";
import { createRenderer } from "../../text/render.js";
import type { Minor } from "../releases.js";
import type { ScanOptions, Survey } from "../scan.js";
import { Judge } from "../verdict.js";
import { findCandidates } from "./candidates.js";
import { compilePlan, type PlanInput, planFiles, type RepairPlan } from "./compile.js";
import { planFindings } from "./findings.js";
import { findRelations } from "./relations.js";
import { readDefinitions } from "./rewrites.js";
import { writeRunbook } from "./runbook.js";

export interface RepairQuestion
  extends Omit<PlanInput, "judge" | "candidates" | "relations" | "fullDefinitions" | "copies" | "survey"> {
  readonly survey: Survey;
  /** Kubernetes release that the cluster runs, or will run. */
  readonly target: Minor;
  /** Release that the cluster comes from, where it is being upgraded. */
  readonly from: Minor | undefined;
  /** How the copies are read; what depends on others is looked for in them once more. */
  readonly scan: ScanOptions;
  /** True when an encryption configuration was given: without one a value that is encrypted may have a key. */
  readonly hasConfig: boolean;
  /** Values that a KMS was not asked for count as lost. */
  readonly unansweredIsLost: boolean;
}

export interface PlannedRepair {
  readonly plan: RepairPlan;
  /** Files of the plan's folder, RUNBOOK.md among them. */
  readonly files: readonly OutputFile[];
  /** True when the user confirmed another plan. */
  readonly refused: boolean;
}

/** The repair of what the survey found; undefined when the question is wrong, which is then reported. */
export async function planRepair(
  question: RepairQuestion,
  report: Report,
): Promise<PlannedRepair | undefined> {
  const { survey, target, from, scan, namespace, hasConfig, unansweredIsLost, ...rest } = question;
  if (namespace !== undefined && !isKnown(survey, namespace)) {
    problemList(report, "--namespace").report(
      "ETC043",
      "NotFound",
      `the copy contains no objects in namespace ${JSON.stringify(namespace)}`,
      "check the name of the namespace",
    );
    return undefined;
  }
  const judge = new Judge(survey.cluster, target, from);
  const candidates = findCandidates(survey, judge, {
    namespace,
    configured: hasConfig,
    forms: scan.copies.map(({ form }) => form),
    unansweredIsLost,
  });
  let failed = false;
  const relations = await findRelations(survey, candidates.deletions, {
    ...scan,
    report: (problem) => {
      failed ||= (problem.severity ?? "error") === "error";
      scan.report(problem);
    },
  });
  if (failed) return undefined;
  const fullDefinitions =
    namespace === undefined ? await readDefinitions(survey, judge, scan) : new Map<string, JsonObject>();
  const render = await createRenderer(["etcd", MIGRATION_TEMPLATES], report);
  const copies = scan.copies.map(({ file, revision }) => ({
    file: file.name,
    revision: scan.at?.toString() ?? revision()?.toString() ?? "unknown",
  }));
  const plan = compilePlan(
    { ...rest, survey, judge, candidates, relations, fullDefinitions, namespace, copies },
    render,
  );
  const refused = planFindings(plan, report);
  const openshift = survey.prefixes.some((each) => each === "/kubernetes.io" || each === "/openshift.io");
  return { plan, files: planFiles(plan, render, writeRunbook(plan, openshift)), refused };
}

function isKnown({ cluster, table, order }: Survey, namespace: string): boolean {
  if (cluster.namespaces.has(namespace)) return true;
  for (const row of order()) {
    const { family } = table.resourceOf(row);
    const rest = family === "none" || family === "unknown" ? [] : table.restOf(row);
    if (rest.length === 2 && rest[0] === namespace) return true;
  }
  return false;
}
