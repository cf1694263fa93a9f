/** Reads plan.json, which may have been edited or be something else. */

import type { Report } from "../core/diagnostics.js";
import { isJson, type Json } from "../core/json.js";
import { problemList } from "../core/problem.js";
import validate from "../generated/validators/transfer-plan.js";
import { isDnsLabel, isDnsSubdomain } from "../kubernetes/names.js";
import { quote } from "../text/quote.js";
import type { Transfer, TransferPlan } from "./model.js";

/** The value of a JSON text; undefined when it is none. */
export function parseJson(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isPlan(value: unknown): value is TransferPlan {
  return validate(value);
}

export function readPlan(text: string, file: string, report: Report): TransferPlan | undefined {
  const value = parseJson(text);
  if (isPlan(value)) {
    const odd = value.transfers.find(({ kind, volume }) => (kind === "move") !== (volume !== null));
    const illegal = value.transfers.map(illegalName).find((text) => text !== undefined);
    if (illegal !== undefined) {
      problemList(report, "transfers", { file }).report(
        "TRF060",
        "Invalid",
        `invalid name ${quote(illegal)}: the plan was modified`,
        "use the plan.json that transfer plan wrote, unchanged",
      );
      return undefined;
    }
    if (value.transfers.length > 0 && odd === undefined) return value;
  }
  const [first] = validate.errors ?? [];
  problemList(report, first?.instancePath ?? "", { file }).report(
    "TRF060",
    value === undefined ? "Parse" : "Invalid",
    `the file is not a transfer plan${first?.message === undefined ? "" : ` (${first.message})`}`,
    "use the plan.json that transfer plan wrote, unchanged",
  );
  return undefined;
}

/** A name of a transfer that cannot be one; names become words of commands. */
function illegalName(transfer: Transfer): string | undefined {
  const { source, target, request, approval, volume, owners, users } = transfer;
  const namespaced = [source, target, request, approval];
  return [
    ...namespaced.map(({ namespace }) => ({ text: namespace, isLegal: isDnsLabel })),
    ...[...namespaced, ...(volume === null ? [] : [volume]), ...owners, ...users].map(({ name }) => ({
      text: name,
      isLegal: isDnsSubdomain,
    })),
  ].find(({ text, isLegal }) => !isLegal(text))?.text;
}
