/** Short ways to ask questions about gates and APIs in tests. */
import type { ApiTable } from "../../src/compatibility/api-table.js";
import { type EffectiveVersion, effectiveKube } from "../../src/compatibility/effective.js";
import { commandLineFlag } from "../../src/compatibility/flags.js";
import type { GateTable } from "../../src/compatibility/gate-table.js";
import type { GateState } from "../../src/compatibility/gates.js";
import { askGates, type GatesAnswer } from "../../src/compatibility/gates-question.js";
import { readApiTable } from "../../src/compatibility/read/api-table.js";
import { type DependencyDeclaration, readDependencies } from "../../src/compatibility/read/dependencies.js";
import { readGateTable } from "../../src/compatibility/read/gate-table.js";
import { type Rules, SHIPPED } from "../../src/compatibility/rules.js";
import { type Minor, parseMinor, parseVersion, type Version } from "../../src/compatibility/version.js";
import { createReporter, type Diagnostic } from "../../src/core/diagnostics.js";
import { isJson, type Json } from "../../src/core/json.js";
import { writeYaml } from "../../src/text/yaml-write.js";

export const HEAD = "apiVersion: slipway.dev/v1alpha1\n";

/** A spec in short: `Beta 1.35 on locked min=1.34`. */
export function spec(text: string): Json {
  const [stage = "", version = "", state = "", ...rest] = text.split(" ");
  const minimum = rest.find((word) => word.startsWith("min="))?.slice(4);
  return {
    version,
    preRelease: stage,
    default: state === "on",
    lockToDefault: rest.includes("locked"),
    ...(minimum === undefined ? {} : { minCompatibilityVersion: minimum }),
  };
}

/** A FeatureGateTable document of gates in short form: name to specs, separated by commas. */
export function tableText(
  gates: Readonly<Record<string, string>>,
  more: Readonly<Record<string, Json>> = {},
): string {
  const list = Object.entries(gates).map(([name, specs]) => {
    const extra = more[name];
    return {
      name,
      versionedSpecs: specs === "" ? [] : specs.split(", ").map(spec),
      ...(typeof extra === "object" && extra !== null && !Array.isArray(extra) ? extra : {}),
    };
  });
  const document = { apiVersion: "slipway.dev/v1alpha1", kind: "FeatureGateTable", gates: list };
  if (!isJson(document)) throw new Error("not plain data");
  return writeYaml(document);
}

export interface Read<T> {
  readonly value: T;
  readonly diagnostics: readonly Diagnostic[];
}

export function readTable(text: string, file = "gates.yaml"): Read<GateTable | undefined> {
  const { report, diagnostics } = createReporter();
  return { value: readGateTable(text, file, report), diagnostics };
}

/** A table that must read without an error. */
export function table(
  gates: Readonly<Record<string, string>>,
  more: Readonly<Record<string, Json>> = {},
): GateTable {
  return mustRead(readTable(tableText(gates, more)));
}

export function mustRead<T>({ value, diagnostics }: Read<T | undefined>): T {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (value === undefined || errors.length > 0) throw new Error(JSON.stringify(errors, null, 1));
  return value;
}

export function apis(text: string, file = "apis.yaml"): ApiTable {
  const { report, diagnostics } = createReporter();
  return mustRead({ value: readApiTable(text, file, report), diagnostics });
}

export interface Asked {
  readonly binary?: string;
  readonly emulated?: string;
  readonly minimum?: string;
  readonly gates?: string | readonly string[];
  readonly rules?: Rules;
  readonly dependencies?: Readonly<Record<string, readonly string[]>>;
}

export const version = (text: string): Version => {
  const parsed = parseVersion(text);
  if ("fault" in parsed) throw new Error(`${text}: ${parsed.fault}`);
  return parsed.version;
};

export const minor = (text: string): Minor => {
  const found = parseMinor(text);
  if (found === undefined) throw new Error(`${text} is not a release`);
  return found;
};

export const kube = (
  binary: string,
  emulated?: string,
  minimum?: string,
  rules: Rules = SHIPPED,
): EffectiveVersion =>
  effectiveKube(version(binary), rules, {
    emulation: emulated === undefined ? undefined : minor(emulated),
    minCompatibility: minimum === undefined ? undefined : minor(minimum),
  });

/** Asks about one table, as the command line would. */
export function ask(tables: GateTable | readonly GateTable[], asked: Asked): GatesAnswer {
  const flags = typeof asked.gates === "string" ? [asked.gates] : (asked.gates ?? []);
  const dependencies: DependencyDeclaration[] =
    asked.dependencies === undefined ? [] : dependenciesOf(asked.dependencies);
  return askGates({
    tables: "gates" in tables ? [tables] : tables,
    dependencies,
    binary: asked.binary === undefined ? undefined : version(asked.binary),
    emulated: asked.emulated === undefined ? [] : [commandLineFlag("--emulated-version", asked.emulated)],
    minCompatibility:
      asked.minimum === undefined ? [] : [commandLineFlag("--min-compatibility-version", asked.minimum)],
    featureGates: flags.map((text) => commandLineFlag("--feature-gates", text)),
    rules: asked.rules ?? SHIPPED,
  });
}

function dependenciesOf(map: Readonly<Record<string, readonly string[]>>): DependencyDeclaration[] {
  const { report } = createReporter();
  if (!isJson(map)) throw new Error("not plain data");
  return readDependencies(writeYaml(map), "dependencies.yaml", report);
}

export function state(answer: GatesAnswer, name: string): GateState {
  const found = answer.components.flatMap(({ gates }) => gates).find((gate) => gate.name === name);
  if (found === undefined) throw new Error(`no gate ${name} in the answer`);
  return found;
}

export const codes = (diagnostics: readonly Diagnostic[], severity = "error"): string[] =>
  diagnostics.filter((each) => each.severity === severity).map(({ code }) => code);

/** `state` as one text: `Beta on`, `GA on locked`, `PreAlpha off fixed`. */
export const inShort = ({ stage, enabled, locked, settable }: GateState): string =>
  [stage, enabled ? "on" : "off", ...(locked ? ["locked"] : settable ? [] : ["fixed"])].join(" ");
