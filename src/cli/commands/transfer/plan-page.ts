/** The plan of a transfer as a page for people. */
import { counted } from "../../../core/counted.js";
import { oneLine } from "../../../text/quote.js";
import { nameText } from "../../../transfer/api.js";
import type { TransferPlan } from "../../../transfer/model.js";
import type { PlanPage } from "../../plan-page.js";

/** The plan as a page: its steps have the numbers that their files begin with. */
export function transferPage(
  { transfers, steps }: TransferPlan,
  folder: string | undefined,
  warnings: number,
): PlanPage {
  const first = steps.findIndex(({ reversible }) => !reversible);
  const irreversible = steps.flatMap(({ does, reversible }, i) =>
    reversible ? [] : [`step ${i + 1}: ${oneLine(does)}`],
  );
  return {
    title: `Transfer of ${counted(transfers.length, "claim")}: ${counted(steps.length, "step")}`,
    verdict: `Nothing blocks this plan.${warnings === 0 ? "" : ` Read the ${counted(warnings, "warning")} below before you start.`}`,
    summary: [
      ["blocked by", ["nothing"]],
      ["cannot be undone", irreversible.length === 0 ? ["nothing"] : irreversible],
      ["changes", transfers.map(({ source, target }) => `${nameText(source)} -> ${nameText(target)}`)],
      [
        "stays safe",
        [
          ...(first === 0
            ? []
            : [
                `${first < 0 ? "after every step" : `before step ${first + 1}`}: slipway transfer rollback undoes what was done`,
              ]),
          ...(first < 0
            ? []
            : [`from step ${first + 1} on: slipway transfer resume continues from a new dump`]),
        ],
      ],
    ],
    steps: steps.map(({ does, reversible, artefact }) => ({
      does: `${oneLine(does)}${reversible ? "" : " [irreversible]"}`,
      notes: [],
      verbatim: artefact === null || folder === undefined ? [] : [artefact],
    })),
    parts: [],
  };
}
