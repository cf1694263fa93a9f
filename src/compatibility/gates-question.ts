/** One question about gates, from table to states: what `compat gates` and each line of its batch ask. */

import {
  createReporter,
  type Diagnostic,
  distinct,
  isError,
  type Problem,
  type Report,
  sortDiagnostics,
} from "../core/diagnostics.js";
import { problemList } from "../core/problem.js";
import { meansNothing } from "../kubernetes/releases.js";
import {
  type EffectiveVersion,
  KUBE,
  resolveVersions,
  SHIPPED_FLOOR,
  type VersionedComponent,
} from "./effective.js";
import { reportWithoutVersions } from "./feature-sets.js";
import type { FlagText } from "./flags.js";
import { checkDeclarations, namesIn } from "./gate-dependencies.js";
import { readGateSettings } from "./gate-flags.js";
import { DESIGN_GATE, knownGates } from "./gate-state.js";
import { type GateTable, newestRelease } from "./gate-table.js";
import { checkTable } from "./gate-table-check.js";
import { answerGates, checkDesignGate, type GateState } from "./gates.js";
import { allDependencies, type DependencyDeclaration } from "./read/dependencies.js";
import type { Rules } from "./rules.js";
import {
  compareMinors,
  formatMinor,
  kubernetesVersionMeant,
  type Minor,
  minorOf,
  ofMinor,
  release,
  type Version,
} from "./version.js";

export interface GatesQuestion {
  /** One table a component; kube first. */
  readonly tables: readonly GateTable[];
  readonly dependencies: readonly DependencyDeclaration[];
  /** Binary version of kube; undefined for the newest release of its table. */
  readonly binary: Version | undefined;
  readonly emulated: readonly FlagText[];
  readonly minCompatibility: readonly FlagText[];
  readonly featureGates: readonly FlagText[];
  readonly rules: Rules;
}

export interface ComponentGates {
  readonly component: string;
  readonly versions: EffectiveVersion;
  readonly gates: readonly GateState[];
}

export interface GatesAnswer {
  /** False when a component would refuse to start. */
  readonly accepted: boolean;
  readonly components: readonly ComponentGates[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Answers a question; `before` are diagnostics of reading its inputs. */
export function askGates(question: GatesQuestion, before: readonly Diagnostic[] = []): GatesAnswer {
  const { tables, rules } = question;
  const { report, diagnostics } = createReporter();
  const components = tables.map((table) => componentOf(table, question.binary, report));
  const versions = resolveVersions(
    components,
    { emulated: question.emulated, minCompatibility: question.minCompatibility },
    rules,
    report,
  );
  const settings = readGateSettings(
    question.featureGates,
    components.map(({ name }) => name),
    report,
  );
  const answers = tables.flatMap((table): ComponentGates[] => {
    const judged = createReporter();
    checkTable(table, rules, judged.report);
    reportWithoutVersions(table, judged.report);
    const own = settings.has(table.component) ? settings.get(table.component) : new Map();
    const declarations =
      question.dependencies.length > 0 && table.component === KUBE ? question.dependencies : [];
    const dependencies = allDependencies(table, declarations);
    const known = knownGates(table, rules, new Set([...(own?.keys() ?? []), ...namesIn(dependencies)]));
    if (rules.set === "shipped") checkDeclarations(dependencies, known, judged.report);
    for (const each of judged.diagnostics) report(each);
    const effective = versions.get(table.component);
    if (effective === undefined) return [];
    const gates = answerGates(
      {
        known,
        dependencies,
        versions: effective,
        settings: own,
        rules,
        sound: !judged.failed,
      },
      report,
    );
    return [{ component: table.component, versions: effective, gates }];
  });
  const all = sortDiagnostics(distinct([...before, ...diagnostics]));
  return { accepted: !all.some(isError), components: answers, diagnostics: all };
}

/** The versioned component of a table. A binary beyond the table's newest release counts as that one, with an info. */
export function componentOf(
  table: GateTable,
  binary: Version | undefined,
  report: Report,
): VersionedComponent {
  const newest = newestRelease(table);
  const given =
    table.component === KUBE
      ? binary && binaryMeant(binary, newest, { field: "--binary-version" }, report)
      : table.versions?.binary;
  if (given !== undefined && newest !== undefined) noteBeyond(minorOf(given), newest, report);
  const { emulationFloor, minCompatibilityFloor, mappedFrom } = table.versions ?? {};
  const zero = release("0.0");
  return {
    name: table.component,
    binary: given ?? ofMinor(newest ?? (table.component === KUBE ? SHIPPED_FLOOR : zero)),
    ...(emulationFloor === undefined && minCompatibilityFloor === undefined
      ? {}
      : {
          floors: {
            emulation: emulationFloor ?? zero,
            minCompatibility: minCompatibilityFloor ?? zero,
          },
        }),
    ...(mappedFrom === undefined ? {} : { mappedFrom }),
  };
}

/** The binary of kube that is meant, asked of data up to `newest`; what means none is reported. */
export function binaryMeant(
  named: Version,
  newest: Minor | undefined,
  place: Partial<Problem>,
  report: Report,
): Version | undefined {
  const meant = kubernetesVersionMeant(named, [newest]);
  if (meant === undefined) report(meansNothing(minorOf(named), place));
  return meant;
}

/** Versions beyond the data count as the newest one in the data. */
export function noteBeyond(asked: Minor, newest: Minor, report: Report): void {
  if (compareMinors(asked, newest) <= 0) return;
  problemList(report).infos.report(
    "TAB010",
    "NotFound",
    `no data for ${formatMinor(asked)}; using ${formatMinor(newest)}`,
  );
}

/** The table as one binary sees it: gates of other binaries are unknown to it (a gate without components is of all). */
export const asComponent = (table: GateTable, component: string): GateTable => ({
  ...table,
  gates: table.gates.filter(({ components }) => components.length === 0 || components.includes(component)),
});

/**
 * For questions that ask no gates: the design's version flags still need its gate
 * (docs/reference/compatibility-versions.md §5, row 2).
 */
export function checkDesignFlags(
  featureGates: readonly FlagText[],
  versions: EffectiveVersion,
  rules: Rules,
  report: Report,
): void {
  if (rules.set !== "kep") return;
  const settings = readGateSettings(featureGates, [KUBE], report).get(KUBE);
  const known = knownGates({ gates: [] }, rules);
  const own = settings?.get(DESIGN_GATE);
  const design = new Map(own === undefined ? [] : [[DESIGN_GATE, own]]);
  checkDesignGate({ known, dependencies: new Map(), versions, settings: design, rules, sound: true }, report);
}
