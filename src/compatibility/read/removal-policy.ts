/** A RemovalPolicy document; what it leaves out is as in the policy of Kubernetes. */

import type { Report } from "../../core/diagnostics.js";
import { problemList } from "../../core/problem.js";
import type { WrittenStage } from "../gate-table.js";
import {
  defaultPolicy,
  LEVELS,
  type Level,
  LINT_RULES,
  type LintRule,
  POLICY_STAGES,
  REMOVAL_WHEN,
  type RemovalPolicy,
  type StageRemoval,
} from "../removal-policy.js";
import type { RuleSet } from "../rules.js";
import { ownFields, ownKind, readDocument } from "./document.js";
import { type Fields, placeIn } from "./fields.js";

export function readRemovalPolicy(
  text: string,
  file: string,
  rules: RuleSet,
  report: Report,
): RemovalPolicy | undefined {
  const document = readDocument(text, file, report);
  if (document === undefined) return undefined;
  const fields = ownKind(document.root) === "RemovalPolicy" ? ownFields(document) : undefined;
  if (fields === undefined) {
    problemList(report, "", placeIn(document.source, document.root)).report(
      "TAB005",
      "Invalid",
      "not a RemovalPolicy",
      "use apiVersion: slipway.dev/v1alpha1 and kind: RemovalPolicy",
    );
    return undefined;
  }
  const base = defaultPolicy(rules);
  fields.text("source");
  const policy: RemovalPolicy = {
    name: fields.mapping("metadata")?.text("name")?.value ?? file,
    removal: readRemoval(fields.mapping("removal"), base.removal),
    exemption: readExemption(fields.mapping("exemption")),
    overdueAfterReleases: fields.integer("overdueAfterReleases")?.value ?? base.overdueAfterReleases,
    deprecatedReleasesBeforeRemoved:
      fields.integer("deprecatedReleasesBeforeRemoved")?.value ?? base.deprecatedReleasesBeforeRemoved,
    alphaOnByDefault: fields.texts("alphaOnByDefault")?.map(({ value }) => value) ?? [],
    levels: readLevels(fields.mapping("rules"), base.levels),
  };
  fields.done();
  return policy;
}

function readRemoval(fields: Fields | undefined, base: RemovalPolicy["removal"]): RemovalPolicy["removal"] {
  const read = (stage: WrittenStage): StageRemoval => {
    const own = fields?.mapping(stage);
    if (own === undefined) return base[stage];
    const when = own.choice("when", REMOVAL_WHEN)?.value;
    if (!own.has("when")) own.missing("when", `one of ${REMOVAL_WHEN.join(", ")}`);
    const afterReleases = own.integer("afterReleases")?.value ?? 0;
    own.done();
    return { when: when ?? base[stage].when, afterReleases };
  };
  const [Alpha, Beta, GA, Deprecated, Removed] = POLICY_STAGES.map(read);
  fields?.done();
  return {
    Alpha: Alpha ?? base.Alpha,
    Beta: Beta ?? base.Beta,
    GA: GA ?? base.GA,
    Deprecated: Deprecated ?? base.Deprecated,
    Removed: Removed ?? base.Removed,
  };
}

function readExemption(fields: Fields | undefined): RemovalPolicy["exemption"] {
  if (fields === undefined) return undefined;
  const lockedUpTo = fields.minor("lockedUpTo");
  const currentFrom = fields.minor("currentFrom");
  const currentTo = fields.minor("currentTo");
  for (const key of ["lockedUpTo", "currentFrom", "currentTo"])
    if (!fields.has(key)) fields.missing(key, "a release");
  fields.done();
  if (lockedUpTo === undefined || currentFrom === undefined || currentTo === undefined) return undefined;
  return { lockedUpTo: lockedUpTo.value, currentFrom: currentFrom.value, currentTo: currentTo.value };
}

function readLevels(fields: Fields | undefined, base: RemovalPolicy["levels"]): ReadonlyMap<LintRule, Level> {
  const levels = new Map(base);
  if (fields === undefined) return levels;
  for (const rule of LINT_RULES) {
    const level = fields.choice(rule, LEVELS);
    if (level !== undefined) levels.set(rule, level.value);
  }
  fields.done();
  return levels;
}
