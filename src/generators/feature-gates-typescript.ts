/**
 * A gate table as a typed TypeScript module that imports nothing: a const table, the union of gate names, doc comments
 * with each gate's life, and `featureOptions`, so that code which uses gates holds no version comparison
 * (docs/reference/source-designs.md §2.6).
 */
import { StructureKind } from "ts-morph";
import type { GateTable } from "../compatibility/gate-table.js";
import type { RuleSet } from "../compatibility/rules.js";
import { featureGateDeclarations } from "./feature-gates.js";
import { constant, generatedHead, printModule, type Statement, written } from "./module.js";

/** The text of the module. */
export const featureGateModule = (table: GateTable, rules: RuleSet): string =>
  printModule(generatedHead("feature-gates"), [
    ...types(rules),
    gateTable(table, rules),
    ...ANSWER_TYPES,
    ...functions(rules),
  ]);

/** What a dependency means: the design knows none, so that there a table only tells of them. */
const DEPENDENCY: Readonly<Record<RuleSet, string>> = {
  shipped: "Gates that must be enabled for this one to be enabled.",
  kep: "Gates that this one should be used with; this is not enforced.",
};

const types = (rules: RuleSet): readonly Statement[] => [
  {
    kind: StructureKind.TypeAlias,
    isExported: true,
    name: "FeatureGateStage",
    type: '"Alpha" | "Beta" | "GA" | "Deprecated" | "Removed"',
  },
  {
    kind: StructureKind.Interface,
    docs: ["The state of a gate from a release on."],
    isExported: true,
    name: "FeatureGateSpec",
    properties: [
      {
        docs: ["First release that it applies to, `major.minor`."],
        isReadonly: true,
        name: "version",
        type: "string",
      },
      { isReadonly: true, name: "stage", type: "FeatureGateStage" },
      { isReadonly: true, name: "default", type: "boolean" },
      {
        docs: ["True when the gate cannot be set to its other value."],
        isReadonly: true,
        name: "locked",
        type: "boolean",
      },
      {
        docs: ["The spec is ignored while the minimum compatibility version is lower."],
        isReadonly: true,
        name: "minCompatibility",
        hasQuestionToken: true,
        type: "string",
      },
    ],
  },
  {
    kind: StructureKind.Interface,
    docs: ["A change inside a gate: `since` a release, `until` the first release without it."],
    isExported: true,
    name: "FeatureGateCapability",
    properties: [
      { isReadonly: true, name: "since", hasQuestionToken: true, type: "string" },
      { isReadonly: true, name: "until", hasQuestionToken: true, type: "string" },
    ],
  },
  {
    kind: StructureKind.Interface,
    isExported: true,
    name: "FeatureGate",
    properties: [
      { isReadonly: true, name: "specs", type: "readonly FeatureGateSpec[]" },
      {
        docs: [DEPENDENCY[rules]],
        isReadonly: true,
        name: "dependencies",
        hasQuestionToken: true,
        type: "readonly string[]",
      },
      {
        isReadonly: true,
        name: "capabilities",
        hasQuestionToken: true,
        type: "Readonly<Record<string, FeatureGateCapability>>",
      },
    ],
  },
];

const gateTable = (table: GateTable, rules: RuleSet): Statement =>
  constant(
    "Every feature gate; specs are ordered from the oldest release to the newest.",
    "featureGates",
    featureGateDeclarations(table, rules).object,
    "Readonly<Record<string, FeatureGate>>",
  );

const ANSWER_TYPES: readonly Statement[] = [
  {
    kind: StructureKind.TypeAlias,
    docs: ["The name of a feature gate."],
    isExported: true,
    name: "FeatureGateName",
    type: "keyof typeof featureGates",
  },
  {
    kind: StructureKind.Interface,
    docs: ["Effective versions, `major.minor`."],
    isExported: true,
    name: "Versions",
    properties: [
      { isReadonly: true, name: "emulated", type: "string" },
      {
        docs: ["Defaults to one minor version below the emulated version."],
        isReadonly: true,
        name: "minCompatibility",
        hasQuestionToken: true,
        type: "string",
      },
    ],
  },
  written(
    "Gates set by flag. The setting of a gate takes precedence over the two switches.",
    `type FeatureGateSettings = {
  readonly [name in FeatureGateName | "AllAlpha" | "AllBeta"]?: boolean;
};`,
  ),
  written(
    "The capabilities of a gate; never for a gate without any.",
    `type FeatureCapabilityName<G extends FeatureGateName> = (typeof featureGates)[G] extends {
  readonly capabilities: infer C;
}
  ? keyof C
  : never;`,
  ),
  written(
    "What is enabled at a pair of versions; code that reads it compares no versions.",
    `type FeatureOptions = {
  readonly [G in FeatureGateName]: {
    readonly enabled: boolean;
    /** True for what the emulated version has, while the gate is on. */
    readonly capabilities: { readonly [C in FeatureCapabilityName<G>]: boolean };
  };
};`,
  ),
];

/** A gate without one that it depends on is off, and so is what depends on it in turn. */
const OFF_WITHOUT = `for (let changed = true; changed; ) {
  changed = false;
  for (const [name, { dependencies = [] }] of Object.entries<FeatureGate>(featureGates)) {
    if (enabled.get(name) !== true || !dependencies.some((each) => enabled.get(each) === false)) continue;
    enabled.set(name, false);
    changed = true;
  }
}
`;

/** By the design a GA gate cannot be set; as shipped the lock decides. */
const functions = (rules: RuleSet): readonly Statement[] => [
  {
    kind: StructureKind.Function,
    docs: [
      `Resolves every gate once; settings that a component would reject (locked, not introduced yet${rules === "shipped" ? ", enabled without a gate that it depends on" : ""}) are ignored.`,
    ],
    isExported: true,
    name: "featureOptions",
    parameters: [
      { name: "gates", type: "FeatureGateSettings" },
      { name: "versions", type: "Versions" },
    ],
    returnType: "FeatureOptions",
    // Maps and fromEntries: a gate may have the name of a member that every object inherits.
    statements: `const settings = new Map<string, boolean | undefined>(Object.entries(gates));
const enabled = new Map<string, boolean>();
for (const [name, gate] of Object.entries<FeatureGate>(featureGates)) {
  const spec = featureGateAt(gate, versions);
  const set = settings.get(name);
  const settable = spec !== undefined && !spec.locked && spec.stage !== ${rules === "kep" ? '"GA" && spec.stage !== ' : ""}"Removed";
  const own = settable ? set : spec?.default;
  const all = spec?.stage === "Alpha" ? settings.get("AllAlpha") : spec?.stage === "Beta" ? settings.get("AllBeta") : undefined;
  enabled.set(name, (set === undefined ? (all ?? spec?.default) : own) ?? false);
}
${rules === "shipped" ? OFF_WITHOUT : ""}const options = Object.entries<FeatureGate>(featureGates).map(([name, gate]) => {
  const on = enabled.get(name) ?? false;
  const capabilities = Object.entries(gate.capabilities ?? {}).map(([capability, { since, until }]) => {
    const reached = since === undefined || isAtLeast(versions.emulated, since);
    const over = until !== undefined && isAtLeast(versions.emulated, until);
    return [capability, on && reached && !over] as const;
  });
  return [name, { enabled: on, capabilities: Object.fromEntries(capabilities) }] as const;
});
return Object.fromEntries(options) as FeatureOptions;`,
  },
  {
    kind: StructureKind.Function,
    docs: ["The spec that applies to a gate; undefined while it does not exist."],
    isExported: true,
    name: "featureGateAt",
    parameters: [
      { name: "gate", type: "FeatureGate" },
      { name: "versions", type: "Versions" },
    ],
    returnType: "FeatureGateSpec | undefined",
    statements: `for (let i = gate.specs.length - 1; i >= 0; i--) {
  const spec = gate.specs[i];
  if (spec === undefined || !isAtLeast(versions.emulated, spec.version)) continue;
  if (spec.minCompatibility === undefined) return spec;
  const { minCompatibility } = versions;
  const known =
    minCompatibility === undefined
      ? isAtLeast(versions.emulated, spec.minCompatibility, 1)
      : isAtLeast(minCompatibility, spec.minCompatibility);
  if (known) return spec;
}
return undefined;`,
  },
  {
    kind: StructureKind.Function,
    docs: ["Compares releases by their numbers; `minors` is subtracted from the first one before."],
    name: "isAtLeast",
    parameters: [
      { name: "version", type: "string" },
      { name: "least", type: "string" },
      { name: "minors", initializer: "0" },
    ],
    returnType: "boolean",
    statements: `const [major = 0, minor = 0] = version.split(".").map(Number);
const [leastMajor = 0, leastMinor = 0] = least.split(".").map(Number);
if (major !== leastMajor) return major > leastMajor;
return Math.max(0, minor - minors) >= leastMinor;`,
  },
];
