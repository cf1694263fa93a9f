/** Reading `--feature-gates` (docs/reference/compatibility-versions.md §4.4): items, components, booleans. */
import type { Position, Problem, Report } from "../core/diagnostics.js";
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
    const problem = problemAt(item, report);
    if (!components.includes(component)) {
      problem({
        code: "VER004",
        kind: "NotFound",
        message: `component ${JSON.stringify(component)} is not registered`,
        hint: `known: ${components.join(", ")}`,
      });
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
    report({
      code: "GATE135",
      kind: "Invalid",
      ...mixed,
      field: texts[0]?.flag ?? "",
      message: "gates of kube are set both with the prefix kube: and without a prefix",
      hint: "use one of the two throughout",
    });
  return result;
}

const problemAt =
  ({ place, flag }: FlagItem, report: Report) =>
  (rest: Pick<Problem, "code" | "kind" | "message" | "hint">): void =>
    report({ ...place, field: flag, ...rest });

function splitPrefix({ text }: FlagItem): { prefix: string; text: string } {
  const at = text.indexOf(":");
  if (at < 0) return { prefix: "", text: trim(text) };
  return { prefix: trim(text.slice(0, at)), text: trim(text.slice(at + 1)) };
}

function readSetting(item: FlagItem, report: Report): GateSetting | undefined {
  const problem = problemAt(item, report);
  const at = item.text.indexOf("=");
  const name = trim(at < 0 ? item.text : item.text.slice(0, at));
  if (at < 0) {
    problem({
      code: "GATE130",
      kind: "Required",
      message: `${name} has no value`,
      hint: `write ${name}=true or ${name}=false`,
    });
    return undefined;
  }
  const written = trim(item.text.slice(at + 1));
  const value = parseBoolean(written);
  if (value === undefined) {
    problem({
      code: "GATE131",
      kind: "Invalid",
      message: `${JSON.stringify(written)} is not a boolean, in the setting of ${name}`,
      hint: `one of ${BOOLEAN_TEXTS}`,
    });
    return undefined;
  }
  return { name, value, place: item.place, flag: item.flag };
}
