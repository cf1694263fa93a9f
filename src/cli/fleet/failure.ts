/** What a fleet has of a cluster that no command answered for. */
import { API_VERSION } from "../../core/api-version.js";
import type { Diagnostic } from "../../core/diagnostics.js";
import type { ExitCode } from "../exit.js";
import type { FleetResult } from "./message.js";

/** An answer of a command that did not come to one. */
export const failure = (
  exit: ExitCode,
  ...diagnostics: readonly Diagnostic[]
): { readonly exit: ExitCode; readonly result: FleetResult } => {
  const result = { apiVersion: API_VERSION, kind: "Failure", ok: false, diagnostics };
  return { exit, result };
};
