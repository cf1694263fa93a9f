/** Feature-gate tables as every question sees them, whatever form they were read from. */
import type { Position } from "../core/diagnostics.js";
import { type Minor, minorOf, type Version } from "./version.js";

/** Stages that a spec may name; `Removed` exists in the source design only. */
export const WRITTEN_STAGES = ["Alpha", "Beta", "GA", "Deprecated", "Removed"] as const;
export type WrittenStage = (typeof WRITTEN_STAGES)[number];

/** `PreAlpha`: no spec holds yet. */
export type Stage = WrittenStage | "PreAlpha";

export interface GateSpec {
  /** Undefined when the spec has none, which rule R1 refuses. */
  readonly version: Version | undefined;
  readonly stage: WrittenStage;
  readonly default: boolean;
  readonly locked: boolean;
  /** As written; a spec without one inherits it (`completeSpecs`). */
  readonly minCompatibility: Version | undefined;
  readonly place: Position;
}

/** The source design's six kinds of change inside a gate ("Feature gating changes"). */
export const CHANGES = [
  "api",
  "supported-systems",
  "bug-fix",
  "performance",
  "unstable-metrics",
  "refactoring",
] as const;
export type Change = (typeof CHANGES)[number];

/** Changes that must be preserved by version, since they break the contract with users of the gate. */
export const VERSIONED_CHANGES: readonly Change[] = ["api", "supported-systems"];

/** A change inside a gate that keeps its name. */
export interface Capability {
  readonly name: string;
  readonly change: Change;
  /** First release that has it; undefined when the change is not versioned. */
  readonly since: Minor | undefined;
  /** First release that no longer has it. */
  readonly until: Minor | undefined;
  readonly place: Position;
}

export interface Dependency {
  readonly name: string;
  readonly place: Position;
}

/** Whether a set of a distribution turns the gate on. */
export interface FeatureSetState {
  readonly featureSet: string;
  readonly clusterProfile: string;
  /** Releases or majors that the statement is about, as the source writes them; empty for all. */
  readonly versions: readonly string[];
  readonly enabled: boolean;
}

export interface Gate {
  readonly name: string;
  /** The name under which a list has it, where that is not the gate's. */
  readonly listedAs?: string | undefined;
  readonly specs: readonly GateSpec[];
  /** Undefined when nothing was declared, which is not the same as an empty list. */
  readonly dependencies: readonly Dependency[] | undefined;
  /** Binaries that know the gate; empty for all. */
  readonly components: readonly string[];
  readonly owners: readonly string[];
  /** Name of the constant in source code, where it is not the gate's name. */
  readonly constant: string | undefined;
  readonly declaredIn: readonly string[];
  readonly description: string | undefined;
  readonly capabilities: readonly Capability[];
  readonly featureSets: readonly FeatureSetState[];
  readonly place: Position;
}

export type GateTableForm = "own" | "versioned-feature-list" | "openshift-featuregate" | "openshift-features";

export interface GateTable {
  readonly form: GateTableForm;
  readonly file: string;
  /** Name of the versioned component, `kube` unless the table says otherwise. */
  readonly component: string;
  /** Versions of a component other than kube. */
  readonly versions: ComponentVersions | undefined;
  readonly gates: readonly Gate[];
  /** What the source of the table could not say. */
  readonly loses: readonly string[];
  /** Gates that the binaries have and the list leaves out; they are known where a setting names them. */
  readonly unlisted?: readonly Gate[] | undefined;
  /**
   * True for gates of a release of Kubernetes before 1.33, which had no rules of registration yet, took unversioned specs
   * and compared its list by content: what came later does not judge them.
   */
  readonly unruled?: boolean | undefined;
  /** The form of the source that a table of our own form was imported from. */
  readonly importedFrom?: string | undefined;
}

export interface ComponentVersions {
  readonly binary: Version | undefined;
  readonly emulationFloor: Minor | undefined;
  readonly minCompatibilityFloor: Minor | undefined;
  readonly mappedFrom:
    | { readonly component: string; readonly major: number; readonly minorOffset: number }
    | undefined;
}

/** A spec that can be asked: its version is known, its minimum is the given or the inherited one. */
export interface CompleteSpec extends GateSpec {
  readonly version: Version;
}

/**
 * Specs with inherited minimum compatibility versions filled in (docs/reference/compatibility-versions.md §4.1). The
 * source design knows no inheritance: there every spec says its own.
 */
export function completeSpecs(specs: readonly GateSpec[], inherit: boolean): CompleteSpec[] {
  const result: CompleteSpec[] = [];
  for (const spec of specs) {
    if (spec.version === undefined) continue;
    const minCompatibility = spec.minCompatibility ?? (inherit ? result.at(-1)?.minCompatibility : undefined);
    result.push({ ...spec, version: spec.version, minCompatibility });
  }
  return result;
}

/** The newest release that a spec of the table names; undefined for a table without versions. */
export function newestRelease(table: GateTable): Minor | undefined {
  let newest: Minor | undefined;
  for (const { specs } of table.gates)
    for (const { version } of specs) {
      if (version === undefined) continue;
      const minor = minorOf(version);
      if (
        newest === undefined ||
        minor.major > newest.major ||
        (minor.major === newest.major && minor.minor > newest.minor)
      )
        newest = minor;
    }
  return newest;
}

/** True for a list of the form that Kubernetes writes, as it is or imported. */
export const isVersionedList = ({ form, importedFrom }: GateTable): boolean =>
  (importedFrom ?? form) === "versioned-feature-list";

/** The two switches that every component has besides the gates of its table. */
export const SWITCHES = ["AllAlpha", "AllBeta"] as const;
export type Switch = (typeof SWITCHES)[number];
export const isSwitch = (name: string): name is Switch => name === "AllAlpha" || name === "AllBeta";
