/** What `slipway check` found about files, as findings. */
import type { CheckResult } from "../../directory/index.js";
import { type Finding, type OwnRule, ownFinding } from "./finding.js";

type Status = CheckResult["files"][number]["status"];
/** As a fleet's answer has it. */
interface Checked {
  readonly clean: boolean;
  readonly files: readonly { readonly path: string; readonly status: string }[];
}

/** What counts in any case, and with `--strict`. */
const ALWAYS: readonly string[] = ["stale", "conflict", "missing"];
const STRICT: readonly string[] = ["edited", "added", "removed"];

const MESSAGES: { readonly [S in Status]?: { readonly rule: OwnRule; readonly message: string } } = {
  stale: { rule: "check-stale", message: "out of date: the file would be generated differently" },
  conflict: {
    rule: "check-conflict",
    message: "the file was edited, and the file generated now differs at the same place",
  },
  missing: { rule: "check-missing", message: "a generated file is missing" },
  edited: { rule: "check-edited", message: "the generated file was edited" },
  added: { rule: "check-added", message: "the file was added to a generated folder" },
  removed: { rule: "check-removed", message: "the generated file was removed" },
  unverifiable: { rule: "check-unverifiable", message: "the file cannot be verified without the secrets" },
};

/** The files that make the answer "no"; none where it is "yes". */
export function checkFindings({ clean, files }: Checked, strict: boolean): readonly Finding[] {
  if (clean) return [];
  const counting = [...ALWAYS, ...(strict ? STRICT : [])];
  const found = files.filter(({ status }) => counting.includes(status));
  // With a key that opens nothing, what cannot be verified counts as well.
  const shown = found.length > 0 || !strict ? found : files.filter(({ status }) => status === "unverifiable");
  return shown.flatMap(({ path, status }) =>
    Object.entries(MESSAGES).flatMap(([name, { rule, message }]) =>
      name === status ? [ownFinding(rule, path, message)] : [],
    ),
  );
}
