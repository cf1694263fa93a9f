/**
 * A gate table as a typed TypeScript module that imports nothing: a const table, the union of gate names, doc comments
 * with each gate's life, and `featureOptions`, so that code which uses gates holds no version comparison
 * (docs/reference/source-designs.md §2.6).
 */

import { lineOf } from "../compatibility/gate-diff.js";
import {
  type Capability,
  type CompleteSpec,
  completeSpecs,
  type Gate,
  type GateTable,
} from "../compatibility/gate-table.js";
import type { RuleSet } from "../compatibility/rules.js";
import { formatMinor, formatVersion } from "../compatibility/version.js";
import { byCodeUnit } from "../core/files.js";
import { type CodeLine, docComment, indented, line, propertyName, quoted } from "./code-lines.js";
import type { Declarations, ModulePart } from "./module.js";

/** Gates of a table in the order in which they are generated. */
export const orderedGates = (table: GateTable): Gate[] =>
  [...table.gates].sort(
    (a, b) => byCodeUnit(a.name.toLowerCase(), b.name.toLowerCase()) || byCodeUnit(a.name, b.name),
  );

/** The parts of the module, in order. */
export function featureGateModule(table: GateTable, rules: RuleSet): ModulePart[] {
  return [
    { name: "", kind: "comment", lines: HEADER },
    { name: "FeatureGateStage", kind: "type", lines: STAGE_TYPE },
    { name: "FeatureGateSpec", kind: "interface", lines: SPEC_TYPE },
    { name: "FeatureGateCapability", kind: "interface", lines: CAPABILITY_TYPE },
    { name: "FeatureGate", kind: "interface", lines: GATE_TYPE },
    {
      name: "featureGates",
      kind: "const",
      lines: [
        line(0, "/** Every feature gate; specs are ordered from the oldest release to the newest. */"),
        ...prefixed("export const featureGates = ", gateTableLiteral(table, rules)),
        line(0, "} as const satisfies Readonly<Record<string, FeatureGate>>;"),
      ],
    },
    { name: "FeatureGateName", kind: "type", lines: NAME_TYPE },
    { name: "Versions", kind: "interface", lines: VERSIONS_TYPE },
    { name: "FeatureGateSettings", kind: "type", lines: SETTINGS_TYPE },
    { name: "FeatureCapabilityName", kind: "type", lines: CAPABILITY_NAME_TYPE },
    { name: "FeatureOptions", kind: "type", lines: OPTIONS_TYPE },
    { name: "featureOptions", kind: "function", lines: optionsFunction(rules) },
    { name: "featureGateAt", kind: "function", lines: GATE_AT_FUNCTION },
    { name: "isAtLeast", kind: "function", lines: AT_LEAST_FUNCTION },
  ];
}

/** What a declaration in a hand-written file is given, by its kind. */
export const featureGateDeclarations = (table: GateTable, rules: RuleSet): Declarations => ({
  object: closed(gateTableLiteral(table, rules)),
  union: orderedGates(table).map(({ name }) => quoted(name)),
});

const closed = (lines: readonly CodeLine[]): CodeLine[] => [...lines, line(0, "}")];

function prefixed(prefix: string, [first, ...rest]: readonly CodeLine[]): CodeLine[] {
  return first === undefined ? [] : [line(first.depth, prefix + first.text), ...rest];
}

/** The object literal without its closing brace. */
function gateTableLiteral(table: GateTable, rules: RuleSet): CodeLine[] {
  return [line(0, "{"), ...orderedGates(table).flatMap((gate) => indented(gateEntry(gate, rules), 1))];
}

/** Specs carry the minimum compatibility version that holds for them, inherited ones too. */
function gateEntry(gate: Gate, rules: RuleSet): CodeLine[] {
  const { name, dependencies, capabilities } = gate;
  const specs = completeSpecs(gate.specs, rules === "shipped");
  return [
    ...docComment(describe(gate), 0),
    line(0, `${propertyName(name)}: {`),
    line(1, "specs: ["),
    ...specs.map((spec) => line(2, `${specLiteral(spec)},`)),
    line(1, "],"),
    ...(dependencies === undefined || dependencies.length === 0
      ? []
      : [line(1, `dependencies: [${dependencies.map((each) => quoted(each.name)).join(", ")}],`)]),
    ...(capabilities.length === 0
      ? []
      : [
          line(1, "capabilities: {"),
          ...capabilities.flatMap((capability) => [
            ...docComment([`Change: ${capability.change}.`], 2),
            line(2, `${propertyName(capability.name)}: ${capabilityLiteral(capability)},`),
          ]),
          line(1, "},"),
        ]),
    line(0, "},"),
  ];
}

const specLiteral = ({ version, stage, default: initial, locked, minCompatibility }: CompleteSpec): string =>
  `{ version: ${quoted(formatVersion(version))}, stage: ${quoted(stage)}, default: ${initial}, locked: ${locked}${
    minCompatibility === undefined ? "" : `, minCompatibility: ${quoted(formatVersion(minCompatibility))}`
  } }`;

function capabilityLiteral({ since, until }: Capability): string {
  const members = [
    ...(since === undefined ? [] : [`since: ${quoted(formatMinor(since))}`]),
    ...(until === undefined ? [] : [`until: ${quoted(formatMinor(until))}`]),
  ];
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** What a gate is, whose it is, and how it lived. */
export function describe({ description, owners, components, dependencies, specs }: Gate): string[] {
  const needs = (dependencies ?? []).map(({ name }) => name);
  return [
    ...(description === undefined ? [] : description.split("\n").map((text) => text.trim())),
    ...(owners.length === 0 ? [] : [`Owned by ${owners.join(", ")}.`]),
    ...(components.length === 0 ? [] : [`Known to ${components.join(", ")}.`]),
    `${lineOf(completeSpecs(specs, false))}.`,
    ...(needs.length === 0 ? [] : [`Needs ${needs.join(", ")}.`]),
  ].filter((text) => text !== "");
}

const HEADER: readonly CodeLine[] = [
  line(0, "// Code generated by slipway generate feature-gates; DO NOT EDIT."),
  line(0, "// biome-ignore-all lint: generated"),
  line(0, "/* eslint-disable */"),
];

const STAGE_TYPE: readonly CodeLine[] = [
  line(0, 'export type FeatureGateStage = "Alpha" | "Beta" | "GA" | "Deprecated" | "Removed";'),
];

const SPEC_TYPE: readonly CodeLine[] = [
  line(0, "/** What holds for a gate from a release on. */"),
  line(0, "export interface FeatureGateSpec {"),
  line(1, "/** First release that it holds for, `major.minor`. */"),
  line(1, "readonly version: string;"),
  line(1, "readonly stage: FeatureGateStage;"),
  line(1, "readonly default: boolean;"),
  line(1, "/** True when nothing may set the gate to its other value. */"),
  line(1, "readonly locked: boolean;"),
  line(1, "/** The spec is passed over while the minimum compatibility version is lower. */"),
  line(1, "readonly minCompatibility?: string;"),
  line(0, "}"),
];

const CAPABILITY_TYPE: readonly CodeLine[] = [
  line(0, "/** A change inside a gate: `since` a release, `until` the first release without it. */"),
  line(0, "export interface FeatureGateCapability {"),
  line(1, "readonly since?: string;"),
  line(1, "readonly until?: string;"),
  line(0, "}"),
];

const GATE_TYPE: readonly CodeLine[] = [
  line(0, "export interface FeatureGate {"),
  line(1, "readonly specs: readonly FeatureGateSpec[];"),
  line(1, "/** Gates that must be on for this one to be on. */"),
  line(1, "readonly dependencies?: readonly string[];"),
  line(1, "readonly capabilities?: Readonly<Record<string, FeatureGateCapability>>;"),
  line(0, "}"),
];

const NAME_TYPE: readonly CodeLine[] = [
  line(0, "/** The name of a feature gate. */"),
  line(0, "export type FeatureGateName = keyof typeof featureGates;"),
];

const VERSIONS_TYPE: readonly CodeLine[] = [
  line(0, "/** Effective versions, `major.minor`. */"),
  line(0, "export interface Versions {"),
  line(1, "readonly emulated: string;"),
  line(1, "/** One minor below the emulated version unless it is given. */"),
  line(1, "readonly minCompatibility?: string;"),
  line(0, "}"),
];

const SETTINGS_TYPE: readonly CodeLine[] = [
  line(0, "/** What was set by flag. A gate of its own wins over the two switches. */"),
  line(0, "export type FeatureGateSettings = {"),
  line(1, 'readonly [name in FeatureGateName | "AllAlpha" | "AllBeta"]?: boolean;'),
  line(0, "};"),
];

const CAPABILITY_NAME_TYPE: readonly CodeLine[] = [
  line(0, "/** The capabilities of a gate; never for a gate without any. */"),
  line(
    0,
    "export type FeatureCapabilityName<G extends FeatureGateName> = (typeof featureGates)[G] extends {",
  ),
  line(1, "readonly capabilities: infer C;"),
  line(0, "}"),
  line(1, "? keyof C"),
  line(1, ": never;"),
];

const OPTIONS_TYPE: readonly CodeLine[] = [
  line(0, "/** What is on at a pair of versions; code that reads it compares no versions. */"),
  line(0, "export type FeatureOptions = {"),
  line(1, "readonly [G in FeatureGateName]: {"),
  line(2, "readonly enabled: boolean;"),
  line(2, "/** True for what the emulated version has, while the gate is on. */"),
  line(2, "readonly capabilities: { readonly [C in FeatureCapabilityName<G>]: boolean };"),
  line(1, "};"),
  line(0, "};"),
];

/** By the design a GA gate cannot be set; as shipped the lock decides. */
const optionsFunction = (rules: RuleSet): readonly CodeLine[] => [
  line(
    0,
    "/** Resolves every gate once; settings that a component would refuse (locked, not there yet) have no effect. */",
  ),
  line(0, "export function featureOptions(gates: FeatureGateSettings, versions: Versions): FeatureOptions {"),
  // Maps and fromEntries: a gate may have the name of a member that every object inherits.
  line(1, "const settings = new Map<string, boolean | undefined>(Object.entries(gates));"),
  line(1, "const options = Object.entries<FeatureGate>(featureGates).map(([name, gate]) => {"),
  line(2, "const spec = featureGateAt(gate, versions);"),
  line(2, "const set = settings.get(name);"),
  line(
    2,
    `const settable = spec !== undefined && !spec.locked && spec.stage !== ${rules === "kep" ? '"GA" && spec.stage !== ' : ""}"Removed";`,
  ),
  line(2, "const own = settable || set === spec?.default ? set : undefined;"),
  line(
    2,
    'const all = spec?.stage === "Alpha" ? settings.get("AllAlpha") : spec?.stage === "Beta" ? settings.get("AllBeta") : undefined;',
  ),
  line(2, "const enabled = own ?? all ?? spec?.default ?? false;"),
  line(
    2,
    "const capabilities = Object.entries(gate.capabilities ?? {}).map(([capability, { since, until }]) => {",
  ),
  line(3, "const reached = since === undefined || isAtLeast(versions.emulated, since);"),
  line(3, "const over = until !== undefined && isAtLeast(versions.emulated, until);"),
  line(3, "return [capability, enabled && reached && !over] as const;"),
  line(2, "});"),
  line(2, "return [name, { enabled, capabilities: Object.fromEntries(capabilities) }] as const;"),
  line(1, "});"),
  line(1, "return Object.fromEntries(options) as FeatureOptions;"),
  line(0, "}"),
];

const GATE_AT_FUNCTION: readonly CodeLine[] = [
  line(0, "/** The spec that holds for a gate; undefined while it does not exist. */"),
  line(
    0,
    "export function featureGateAt(gate: FeatureGate, versions: Versions): FeatureGateSpec | undefined {",
  ),
  line(1, "for (let i = gate.specs.length - 1; i >= 0; i--) {"),
  line(2, "const spec = gate.specs[i];"),
  line(2, "if (spec === undefined || !isAtLeast(versions.emulated, spec.version)) continue;"),
  line(2, "if (spec.minCompatibility === undefined) return spec;"),
  line(2, "const { minCompatibility } = versions;"),
  line(2, "const known ="),
  line(3, "minCompatibility === undefined"),
  line(4, "? isAtLeast(versions.emulated, spec.minCompatibility, 1)"),
  line(4, ": isAtLeast(minCompatibility, spec.minCompatibility);"),
  line(2, "if (known) return spec;"),
  line(1, "}"),
  line(1, "return undefined;"),
  line(0, "}"),
];

const AT_LEAST_FUNCTION: readonly CodeLine[] = [
  line(0, "/** Compares releases by their numbers; `minors` are taken from the first one before. */"),
  line(0, "function isAtLeast(version: string, least: string, minors = 0): boolean {"),
  line(1, 'const [major = 0, minor = 0] = version.split(".").map(Number);'),
  line(1, 'const [leastMajor = 0, leastMinor = 0] = least.split(".").map(Number);'),
  line(1, "if (major !== leastMajor) return major > leastMajor;"),
  line(1, "return Math.max(0, minor - minors) >= leastMinor;"),
  line(0, "}"),
];
