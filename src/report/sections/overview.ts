/** What needs attention, first and by severity, each with the place in the page and the command that mends it. */
import { counted } from "../../core/counted.js";
import { type Child, element, type Markup } from "../markup.js";
import type { Section } from "../page.js";
import { badge, type Tone } from "../table.js";

export interface Attention {
  readonly severity: "error" | "warning" | "info";
  /** What is wrong, as a sentence. */
  readonly what: string;
  /** The section of the page that shows it; undefined for what is of the whole run. */
  readonly section?: string | undefined;
  /** What mends it: a command that works as printed. */
  readonly command?: string | undefined;
}

const RANK = ["error", "warning", "info"] as const;
const TONES: Readonly<Record<Attention["severity"], Tone>> = { error: "bad", warning: "warn", info: "plain" };
/** So many are shown; the sections have all. */
const MOST = 30;

export function overviewSection(all: readonly Attention[]): Section {
  const sorted = RANK.flatMap((severity) => all.filter((each) => each.severity === severity));
  const errors = all.filter(({ severity }) => severity === "error").length;
  const warnings = all.filter(({ severity }) => severity === "warning").length;
  return {
    id: "overview",
    title: "Overview",
    body: [
      element(
        "p",
        {},
        errors + warnings === 0
          ? [badge("nothing needs attention", "good")]
          : [
              ...(errors === 0 ? [] : [badge(counted(errors, "problem"), "bad"), " "]),
              ...(warnings === 0 ? [] : [badge(counted(warnings, "warning"), "warn")]),
            ],
      ),
      sorted.length === 0 ? [] : element("ul", { class: "attention" }, sorted.slice(0, MOST).map(itemOf)),
      sorted.length <= MOST
        ? []
        : element("p", { class: "quiet" }, `${sorted.length - MOST} more are in the sections below.`),
    ],
  };
}

const itemOf = ({ severity, what, section, command }: Attention): Markup =>
  element(
    "li",
    {},
    badge(severity, TONES[severity]),
    " ",
    section === undefined ? what : element("a", { href: `#${section}` }, what),
    commandOf(command),
  );

const commandOf = (command: string | undefined): Child =>
  command === undefined ? [] : element("pre", {}, element("code", {}, command));
