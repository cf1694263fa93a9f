/** From plain values to one HTML page. A section appears for each part that is given, always in this order. */
import { counted } from "../core/counted.js";
import { type Page, pageOf } from "./page.js";
import { type ApisReport, apisSection } from "./sections/apis.js";
import { type BehaviorsReport, behaviorsSection } from "./sections/behaviors.js";
import { type DiagnosticReport, diagnosticsSection } from "./sections/diagnostics.js";
import { type DirectoryReport, directorySection } from "./sections/directory.js";
import { type EtcdReport, etcdSection } from "./sections/etcd.js";
import { type FleetReport, fleetSection } from "./sections/fleet.js";
import { type GatesReport, gatesSection } from "./sections/gates.js";
import { type Attention, overviewSection } from "./sections/overview.js";
import { type PlanReport, planSections } from "./sections/plans.js";
import { type PolicyReport, policySection } from "./sections/policy.js";
import { type SimulationReport, simulationSection } from "./sections/simulation.js";

export interface ReportData {
  readonly tool: string;
  /** What needs attention; the page begins with it. */
  readonly attention?: readonly Attention[] | undefined;
  readonly fleet?: FleetReport | undefined;
  readonly directory?: DirectoryReport | undefined;
  readonly diagnostics?: readonly DiagnosticReport[] | undefined;
  /** Saved plans of any kind. */
  readonly plans?: readonly PlanReport[] | undefined;
  /** One for each table. */
  readonly gates?: readonly GatesReport[] | undefined;
  readonly apis?: ApisReport | undefined;
  readonly behaviors?: BehaviorsReport | undefined;
  readonly policy?: PolicyReport | undefined;
  readonly simulation?: SimulationReport | undefined;
  readonly etcd?: EtcdReport | undefined;
}

const given = <T, S>(value: T | undefined, section: (value: T) => S): S[] =>
  value === undefined ? [] : [section(value)];

/** The sections of a report, in the order of the page. */
export const sectionsOf = (report: ReportData): Page["sections"] => [
  ...given(report.attention, overviewSection),
  ...given(report.fleet, fleetSection),
  ...given(report.directory, directorySection),
  ...(report.diagnostics === undefined || report.diagnostics.length === 0
    ? []
    : [diagnosticsSection(report.diagnostics)]),
  ...planSections(report.plans ?? []),
  ...given(report.gates, gatesSection),
  ...given(report.apis, apisSection),
  ...given(report.behaviors, behaviorsSection),
  ...given(report.policy, policySection),
  ...given(report.simulation, simulationSection),
  ...given(report.etcd, etcdSection),
];

/** The page as text. */
export const reportPage = (report: ReportData): string =>
  pageOf({ title: titleOf(report), tool: report.tool, sections: sectionsOf(report) });

/** The title names the cluster where there is one, or else the fleet. */
function titleOf({ directory, fleet }: ReportData): string {
  const name =
    directory?.identity?.name ??
    (fleet === undefined ? "" : `Fleet of ${counted(fleet.clusters.length, "cluster")}`);
  return name === "" ? "slipway report" : `${name}: slipway report`;
}
