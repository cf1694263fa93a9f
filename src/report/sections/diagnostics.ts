/** Every diagnostic of the run that wrote the page. */
import { element } from "../markup.js";
import type { Section } from "../page.js";
import { badge, type Tone, table } from "../table.js";

export interface DiagnosticReport {
  readonly severity: "error" | "warning" | "info";
  readonly code: string;
  /** File, line and column. */
  readonly place: string;
  readonly field: string;
  readonly message: string;
  readonly hint: string;
}

const TONES: Readonly<Record<DiagnosticReport["severity"], Tone>> = {
  error: "bad",
  warning: "warn",
  info: "plain",
};

export const diagnosticsSection = (all: readonly DiagnosticReport[]): Section => ({
  id: "diagnostics",
  title: "Diagnostics",
  body: [
    table({
      caption: "Problems of the inputs, in the order in which they were found",
      head: ["Code", "Severity", "Place", "Problem", "Remedy"],
      rows: all.map(({ severity, code, place, field, message, hint }) => [
        code,
        badge(severity, TONES[severity]),
        place,
        field === "" || field === place ? message : `${field}: ${message}`,
        hint,
      ]),
      filterable: true,
    }),
    element("p", { class: "quiet" }, "slipway explain CODE describes each code."),
  ],
});
