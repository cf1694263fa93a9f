/**
 * How values pass through a template: a word stands for each value in the rendered text, so that nothing in a value
 * can break out of its place, and the value itself takes the word's place once the text is parsed.
 */
import { isList, isObject, type Json } from "../core/json.js";
import { serialise } from "./serialise.js";

const WORD = "slipway-value-";
const WHOLE = new RegExp(`^${WORD}([0-9]+)-$`);
const INSIDE = new RegExp(`${WORD}([0-9]+)-`, "g");

export class Slots {
  private readonly values: Json[] = [];

  /** The word for a value: a plain scalar in every dialect of YAML. */
  place(value: Json): string {
    return `${WORD}${this.values.push(value) - 1}-`;
  }

  /** The parsed document with every value in its place; inside a longer text a value stands as JSON. */
  fill(parsed: Json): Json {
    if (typeof parsed === "string") return this.fillText(parsed);
    if (isList(parsed)) return parsed.map((each) => this.fill(each));
    if (!isObject(parsed)) return parsed;
    return Object.fromEntries(
      Object.entries(parsed).map(([key, value]) => [this.fillKey(key), this.fill(value)]),
    );
  }

  private fillText(text: string): Json {
    if (!text.includes(WORD)) return text;
    const whole = WHOLE.exec(text);
    if (whole !== null) return this.values[Number(whole[1])] ?? null;
    return text.replace(INSIDE, (_, number: string) => serialise(this.values[Number(number)] ?? null));
  }

  private fillKey(key: string): string {
    const value = this.fillText(key);
    return typeof value === "string" ? value : serialise(value);
  }
}
