/** Answers about Kubernetes' gates, with a warning for each that requires an API which is not served by default. */
import { createReporter, sortDiagnostics } from "../core/diagnostics.js";
import { KUBE } from "./effective.js";
import type { GateTable } from "./gate-table.js";
import type { GatesAnswer } from "./gates-question.js";
import { kubernetesApis } from "./kubernetes.js";
import { isKubernetes } from "./kubernetes-name.js";
import type { Rules } from "./rules.js";
import { API_SERVER } from "./skew.js";
import { warnOfGateApis } from "./watches.js";

/** The warnings are about API servers: no other `component` gets them. */
export function withApiWarnings(
  answer: GatesAnswer,
  tables: readonly GateTable[],
  rules: Rules,
  component: string | undefined,
): GatesAnswer {
  const kube = answer.components.find((each) => each.component === KUBE);
  if (kube === undefined || !answer.accepted) return answer;
  if (component !== undefined && component !== API_SERVER) return answer;
  if (!tables.some((table) => table.component === KUBE && isKubernetes(table.file))) return answer;
  const { report, diagnostics } = createReporter();
  warnOfGateApis({ table: kubernetesApis(), versions: kube.versions, rules }, kube.gates, report);
  return { ...answer, diagnostics: sortDiagnostics([...answer.diagnostics, ...diagnostics]) };
}
