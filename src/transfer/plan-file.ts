/** Reads plan.json, which may have been edited or be something else. */
import type { Problem } from "../core/diagnostics.js";
import { isJson, type Json } from "../core/json.js";
import validate from "../generated/validators/transfer-plan.js";
import type { Report } from "./api.js";
import type { TransferPlan } from "./model.js";

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
    if (value.transfers.length > 0 && odd === undefined) return value;
  }
  const [first] = validate.errors ?? [];
  const problem: Problem = {
    code: "TRF060",
    kind: value === undefined ? "Parse" : "Invalid",
    file,
    field: first?.instancePath ?? "",
    message: `the file is not a plan of slipway transfer plan${first?.message === undefined ? "" : ` (${first.message})`}`,
    hint: "give the plan.json that slipway transfer plan --out wrote",
  };
  report(problem);
  return undefined;
}
