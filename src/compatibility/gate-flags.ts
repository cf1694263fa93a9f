/** Reading `--feature-gates` (docs/reference/compatibility-versions.md §4.4): items, components, booleans. */

import type { Position, Report } from "../core/diagnostics.js";
import { invalid, problemList, required } from "../core/problem.js";
import { KUBE } from "./effective.js";
import { BOOLEAN_TEXTS, type FlagItem, type FlagText, parseBoolean, splitItems, trim } from "./flags.js";

export interface GateSetting {
  readonly name: string;
  readonly value: boolean;
  readonly place: Position;
  readonly flag: string;
}

/** The last setting of each gate, by component; undefined for a component whose items could not all be read. */
export type GateSettings = ReadonlyMap<string, ReadonlyMap<string, GateSetting> | undefined>;

/**
 * Reads every occurrence of the flag. Everything is parsed before any gate is looked at, so one item that cannot be
 * read leaves the whole component unset.
 */
export function readGateSettings(
  texts: readonly FlagText[],
  components: readonly string[],
  report: Report,
): GateSettings {
  const result = new Map<string, Map<string, GateSetting> | undefined>();
  const prefixes = new Map<string, Position>();
  for (const item of texts.flatMap(splitItems)) {
    if (trim(item.text) === "") continue;
    const { prefix, text } = splitPrefix(item);
    if (!prefixes.has(prefix)) prefixes.set(prefix, item.place);
    const component = prefix === "" ? KUBE : prefix;
    if (!components.includes(component)) {
      problemList(report, item.flag, item.place).report(
        "VER004",
        "NotFound",
        `component ${JSON.stringify(component)} is not registered`,
        `use one of ${components.join(", ")}`,
      );
      continue;
    }
    if (text === "") continue;
    const setting = readSetting({ ...item, text }, report);
    if (setting === undefined) {
      result.set(component, undefined);
      continue;
    }
    const settings = result.has(component) ? result.get(component) : new Map<string, GateSetting>();
    settings?.set(setting.name, setting);
    result.set(component, settings);
  }
  const mixed = prefixes.get(KUBE);
  if (mixed !== undefined && prefixes.has(""))
    problemList(report, texts[0]?.flag ?? "", mixed).report(
      "GATE135",
      "Invalid",
      "gates of kube are set both with and without the prefix kube:",
      "use only one of the two forms",
    );
  return result;
}

function splitPrefix({ text }: FlagItem): { prefix: string; text: string } {
  const at = text.indexOf(":");
  if (at < 0) return { prefix: "", text: trim(text) };
  return { prefix: trim(text.slice(0, at)), text: trim(text.slice(at + 1)) };
}

function readSetting(item: FlagItem, report: Report): GateSetting | undefined {
  const problems = problemList(report, item.flag, item.place);
  const at = item.text.indexOf("=");
  const name = trim(at < 0 ? item.text : item.text.slice(0, at));
  if (at < 0) {
    problems.add(required("GATE130", "", name, `set ${name}=true or ${name}=false`));
    return undefined;
  }
  const written = trim(item.text.slice(at + 1));
  const value = parseBoolean(written);
  if (value === undefined) {
    problems.add(invalid("GATE131", "", written, `${name} must be a Boolean`, `use one of ${BOOLEAN_TEXTS}`));
    return undefined;
  }
  return { name, value, place: item.place, flag: item.flag };
}
