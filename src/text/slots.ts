/**
 * How values pass through a template: a word stands for each value in the rendered text, so that nothing in a value
 * can break out of its place, and the value itself takes the word's place once the text is parsed.
 */
import { isList, type Json } from "../core/json.js";
import { serialise } from "./serialise.js";
import { setMember } from "./yaml-read.js";

const WORD = "slipway-value-";
const WHOLE = new RegExp(`^${WORD}([0-9]+)-$`);
const INSIDE = new RegExp(`${WORD}([0-9]+)-`, "g");

const KNOWN = new WeakMap<object, boolean>();

/** Whether a word stands in a value; of one that many fill it is found once. */
function holdsSlots(value: Json): boolean {
  if (typeof value === "string") return value.includes(WORD);
  if (typeof value !== "object" || value === null) return false;
  const before = KNOWN.get(value);
  if (before !== undefined) return before;
  const holds = isList(value)
    ? value.some(holdsSlots)
    : Object.entries(value).some(([key, inner]) => key.includes(WORD) || holdsSlots(inner));
  KNOWN.set(value, holds);
  return holds;
}

export class Slots {
  private readonly values: Json[] = [];

  /** The word for a value: a plain scalar in every dialect of YAML. */
  place(value: Json): string {
    return `${WORD}${this.values.push(value) - 1}-`;
  }

  /** The parsed document with every value in its place; inside a longer text a value stands as JSON. */
  fill(parsed: Json): Json {
    if (typeof parsed === "string") return this.fillText(parsed);
    if (typeof parsed !== "object" || parsed === null || !holdsSlots(parsed)) return parsed;
    if (isList(parsed)) return parsed.map((each) => this.fill(each));
    const filled: Record<string, Json> = {};
    for (const key of Object.keys(parsed))
      setMember(filled, this.fillKey(key), this.fill(parsed[key] ?? null));
    return filled;
  }

  private fillText(text: string): Json {
    if (!text.includes(WORD)) return text;
    const whole = WHOLE.exec(text);
    if (whole !== null) return this.values[Number(whole[1])] ?? null;
    return text.replace(INSIDE, (_, number: string) => serialise(this.values[Number(number)] ?? null));
  }

  private fillKey(key: string): string {
    if (!key.includes(WORD)) return key;
    const value = this.fillText(key);
    return typeof value === "string" ? value : serialise(value);
  }
}
