/** The answer of `upgrade-impact` as a page for people. */
import { counted } from "../../../core/counted.js";
import type { FieldChange } from "../../../validate/impact/applied.js";
import {
  type Impact,
  type ImpactOutcome,
  isControlPlaneKind,
  type ObjectImpact,
} from "../../../validate/impact/impact.js";
import type { PlanPage, PlanPart } from "../../plan-page.js";

export interface ImpactText {
  readonly name: string;
  /** The release of the last run, where it is recorded. */
  readonly from: string | undefined;
  readonly to: string;
  readonly impact: Impact;
  readonly verbose: boolean;
}

/** So many fields of an object are listed without --verbose. */
const FIELDS = 3;

export function impactPage({ name, from, to, impact, verbose }: ImpactText): PlanPage {
  const { objects, installed } = impact;
  const of = (outcome: ImpactOutcome): readonly ObjectImpact[] =>
    objects.filter((each) => each.outcome === outcome);
  const change = from === undefined || from === to ? `release ${to}` : `release ${from} -> ${to}`;
  const unchecked = [...new Set(objects.flatMap((each) => (each.isChecked ? [] : [each.kind])))];
  return {
    title: `Impact on cluster ${name}, ${change}: ${counted(objects.length, "object")}`,
    verdict: verdictOf(impact),
    summary: [
      [
        "refused",
        of("refused").map((each) => `${nameOf(each)}: ${each.refusals.map(refusalText).join("; ")}`),
      ],
      ["pruned", of("pruned").map((each) => `${nameOf(each)}: ${each.cost ?? ""}`)],
      ["instead", insteadOf(impact)],
      ["updated", byEffect(of("updated"))],
      ["created", byKind(of("created"))],
      ["no effect", byEffect(of("no-effect"))],
      ["left", byKind(of("left")).map((each) => `${each} in the cluster`)],
      ["unverified", byEffect(of("unverified"))],
      ["unchanged", of("unchanged").length === 0 ? [] : [counted(of("unchanged").length, "object")]],
      [
        "not checked",
        unchecked.length === 0
          ? []
          : [`update rules of ${unchecked.join(", ")}; --crds reads those of their definitions`],
      ],
      ["installed", [installed === true ? "yes" : installed === false ? "not yet" : "not in the dump"]],
    ],
    steps: [],
    parts: partsOf(objects, verbose),
  };
}

function verdictOf({ objects }: Impact): string {
  const count = (outcome: ImpactOutcome): number => objects.filter((each) => each.outcome === outcome).length;
  const [refused, pruned] = [count("refused"), count("pruned")];
  if (refused > 0)
    return `Do not apply: the cluster refuses ${counted(refused, "object")}, and a GitOps controller then stops applying the directory.`;
  if (pruned > 0) return `Do not apply: the controller deletes ${counted(pruned, "object")}.`;
  return count("updated") + count("created") === 0
    ? "Applying this changes nothing in the running cluster."
    : "This can be applied: no object is refused or deleted.";
}

/** What to do about what is refused or deleted; a deletion is never advised. */
const insteadOf = ({ objects }: Impact): string[] => {
  const refused = objects.filter(({ outcome }) => outcome === "refused");
  const pruned = objects.some(({ outcome }) => outcome === "pruned");
  const plane = refused.find(({ kind }) => isControlPlaneKind(kind));
  const others = refused.filter((each) => each !== plane);
  return [
    ...(plane === undefined
      ? []
      : [
          "upgrade the running cluster with oc adm upgrade",
          `keep the applied ${lastOf(plane.file ?? plane.kind)}`,
        ]),
    ...(others.length === 0
      ? []
      : [`revert these fields in ${[...new Set(others.map(({ file = "" }) => lastOf(file)))].join(", ")}`]),
    ...(pruned ? ["disable pruning of these objects before you push, or keep their files"] : []),
  ];
};

const lastOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

function partsOf(objects: readonly ObjectImpact[], verbose: boolean): PlanPart[] {
  const shown = objects.filter(
    ({ outcome }) => verbose || outcome === "refused" || outcome === "updated" || outcome === "pruned",
  );
  return [
    {
      title: "Objects",
      rows: shown.flatMap((each): [string, string][] => [
        [
          each.outcome.replace("-", " "),
          [nameOf(each), ...(each.file === undefined ? [] : [each.file])].join("  "),
        ],
        ...changesOf(each, verbose).map((line): [string, string] => ["", line]),
      ]),
    },
  ];
}

function changesOf({ changes, refusals, effect, cost }: ObjectImpact, verbose: boolean): string[] {
  const listed = verbose ? changes : changes.slice(0, FIELDS);
  const more = changes.length - listed.length;
  return [
    ...refusals.map((each) => `refused: ${refusalText(each)}`),
    ...listed.map(changeText),
    ...(more > 0 ? [`${counted(more, "more field")} (--verbose)`] : []),
    ...(verbose && effect !== "" ? [effect] : []),
    ...(cost === undefined ? [] : [`deletion: ${cost}`]),
  ];
}

/** Without values: those of fields are in the JSON output, without secrets. */
const changeText = ({ field, from, to }: FieldChange): string =>
  `${field} ${from === undefined ? "is added" : to === undefined ? "is removed" : "changes"}`;

const refusalText = ({ field, why }: ObjectImpact["refusals"][number]): string => `${field}: ${why}`;

const nameOf = ({ kind, name }: ObjectImpact): string => `${kind} ${name}`;

/** A name, or how many of a kind, one fact for each. */
function byKind(objects: readonly ObjectImpact[]): string[] {
  const kinds = [...new Set(objects.map(({ kind }) => kind))];
  return kinds.map((kind) => amountOf(objects.filter((each) => each.kind === kind)));
}

function amountOf(objects: readonly ObjectImpact[]): string {
  const [only, ...others] = objects;
  if (only !== undefined && others.length === 0) return nameOf(only);
  return counted(
    objects.length,
    new Set(objects.map(({ kind }) => kind)).size === 1 ? `${only?.kind}` : "object",
  );
}

/** One fact for each effect, with how many of each kind. */
function byEffect(objects: readonly ObjectImpact[]): string[] {
  const byText = new Map<string, ObjectImpact[]>();
  for (const each of objects) byText.set(each.effect, [...(byText.get(each.effect) ?? []), each]);
  return [...byText].map(([effect, all]) => `${amountOf(all)}: ${effect}`);
}
