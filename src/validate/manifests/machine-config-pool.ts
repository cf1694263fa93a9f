/** MachineConfigPool (machine-config-operator `getMachineConfigsForPool`). */
import { isObject } from "../../core/json.js";
import type { Found } from "../../core/problem.js";
import { labelsOf } from "../../kubernetes/labels.js";
import { matchesSelector, readSelector } from "../../kubernetes/selectors.js";
import { quote } from "../../text/quote.js";
import { dig } from "../context.js";
import { problemAt } from "../documents.js";
import { type Folders, type KindRules, type Manifest, refused } from "./manifest.js";
import { BUILT_IN_POOLS, ROLE_LABEL, usableSelector } from "./pools.js";

const SELECTOR = "spec.machineConfigSelector";

export const rules: KindRules = (manifest, folders) =>
  [...selectorFindings(manifest, folders), ...paceFindings(manifest)].map((finding) =>
    problemAt(manifest, finding),
  );

/** The controller reads a number or a percentage, and with anything else never updates the machines of the pool. */
function paceFindings({ object }: Manifest): readonly Found[] {
  const field = "spec.maxUnavailable";
  const value = dig(object, field.split("."));
  if (typeof value !== "string" || /^-?\d+%$/.test(value)) return [];
  return [
    {
      ...refused(
        field,
        `invalid value ${quote(value)}: must be a number or a percentage`,
        'use a number without quotes, or a percentage such as "10%"',
      ),
      severity: "warning",
    },
  ];
}

function selectorFindings({ object }: Manifest, { manifests }: Folders): readonly Found[] {
  const given = dig(object, SELECTOR.split("."));
  const { problems } = isObject(given) ? readSelector(given) : { problems: [] };
  if (problems.length > 0)
    return problems.map(({ field, message }) =>
      refused([SELECTOR, field].filter(Boolean).join("."), message),
    );
  const selector = usableSelector(given);
  const hint = `select the label ${ROLE_LABEL} with worker as one of the values`;
  if (selector === undefined)
    return [refused(SELECTOR, "the pool selects no MachineConfigs", hint, "Required")];
  const roles = BUILT_IN_POOLS.map((role) => new Map([[ROLE_LABEL, role]]));
  const own = manifests
    .filter(({ identity: { kind } }) => kind === "MachineConfig")
    .map((each) => labelsOf(each.object));
  if ([...roles, ...own].some((labels) => matchesSelector(selector, labels))) return [];
  return [refused(SELECTOR, "no MachineConfig matches the selector of the pool", hint, "NotFound")];
}
