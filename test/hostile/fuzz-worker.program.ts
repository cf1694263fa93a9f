/**
 * One worker of scripts/fuzz.mjs. Takes every SHARESth target from the target FROM and its input INPUT on, tells after
 * each what it found, and writes to FOLDER/notice what it is doing.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { unitsIn } from "./command-lines.js";
import { commandTarget, fuzz, noFigures, noticeIn, parserTarget, removeFolder, sampler } from "./fuzz.js";
import { type Parser, parsers } from "./parsers.js";

const [folder = "", only = "", ...numbers] = process.argv.slice(2);
const [share = 0, shares = 1, seed = 1, wanted = 0, ofCommands = 0, from = 0, input = 0] =
  numbers.map(Number);

async function work(): Promise<void> {
  process.env["SOURCE_DATE_EPOCH"] = "1800000000";
  mkdirSync(folder, { recursive: true });
  const notice = noticeIn(join(folder, "notice"));
  const units = await unitsIn(join(folder, "units"), only);
  const sampled = sampler();
  const readers = (await parsers()).filter(({ name }) => name.includes(only));
  const weight = readers.reduce((sum, each) => sum + (each.weight ?? 1), 0);
  const readerInputs = (each: Parser): number =>
    Math.ceil((wanted * (1 - ofCommands) * (each.weight ?? 1)) / weight);
  const commandInputs = Math.ceil((wanted * ofCommands) / units.length);
  const targets = [
    ...readers.map((each) => ({ target: parserTarget(each), inputs: readerInputs(each), place: "" })),
    ...units.map((unit, i) => {
      const place = join(folder, String(i));
      return { target: commandTarget(unit, place, sampled), inputs: commandInputs, place };
    }),
  ];
  for (const [index, { target, inputs, place }] of targets.entries()) {
    if (index % shares !== share || index < from) continue;
    const figures = noFigures();
    await fuzz([target], inputs, seed + index, figures, {
      notice: (what) => notice.say(JSON.stringify({ index, what })),
      from: index === from ? input : 0,
    });
    if (place !== "") removeFolder(place);
    process.send?.({ done: index, figures });
  }
  notice.end();
  process.disconnect?.();
}

void work();
