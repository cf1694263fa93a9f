/**
 * Damaged inputs in any number: every reader and every command line takes its turn, so that each gets the same number
 * of inputs. One seed gives the same inputs; run by battery.test.ts as a sample and by scripts/fuzz.mjs at length.
 */
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { answer, faultOf } from "./answer.js";
import { lay, STDIN, type Unit } from "./command-lines.js";
import { type Kind, type Mutation, mutate, type Pick, picker, type Sample, sampleOf } from "./mutations.js";
import type { Parser } from "./parsers.js";

export interface Fault {
  /** What tells this kind of fault from others: the message and the place in the code. */
  readonly kind: string;
  /** The first input that showed it. */
  readonly first: string;
  count: number;
}

export interface Figures {
  tried: number;
  readonly kinds: Partial<Record<Kind, number>>;
  readonly codes: Record<string, number>;
  readonly faults: Fault[];
  /** In time of the processor, so that a busy machine changes nothing. */
  slowest: { ms: number; what: string };
  /** The largest input, in bytes. */
  largest: { bytes: number; what: string };
  /** Milliseconds and inputs of each target, for who wants to know where the time goes. */
  readonly targets: Record<string, { ms: number; tried: number }>;
  /** Most memory that the process ever held, in MiB. */
  peakMiB: number;
}

export const noFigures = (): Figures => ({
  tried: 0,
  kinds: {},
  codes: {},
  faults: [],
  slowest: { ms: 0, what: "" },
  largest: { bytes: 0, what: "" },
  targets: {},
  peakMiB: 0,
});

/** Something that takes a damaged input: a reader, or a command line. */
export interface Target {
  readonly name: string;
  next(pick: Pick): Mutation & { readonly of: string };
  /** Undefined, or what is wrong; counts the exit code. */
  take(
    mutation: Mutation & { readonly of: string },
    codes: Record<string, number>,
  ): Promise<string | undefined>;
}

/** A crash or a slow answer is a fault; a crash is told by its message and place, without what depends on the input. */
function kindOf(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const place =
    lines.find((line) => /^at .*\/src\//.test(line)) ?? lines.find((line) => line.startsWith("at ")) ?? "";
  const message = (lines.find((line) => /Error/.test(line)) ?? lines[0] ?? "").slice(0, 160);
  return `${message.replace(/"[^"]*"|'[^']*'|\d+/g, "…")} ${place.replace(/^at (?:async )?(\S+) .*\/(src\/.*?)(?::\d+)?\)$/, "in $1, $2")}`.trim();
}

export function parserTarget(parser: Parser): Target {
  const samples = parser.samples.map(sampleOf);
  return {
    name: parser.name,
    next(pick) {
      const sample = samples[pick(samples.length)] ?? sampleOf(Buffer.alloc(0));
      if (parser.damage === undefined) return { ...mutate(sample, pick), of: parser.name };
      return { kind: "bytes", what: "damaged", data: parser.damage(sample.data, pick), of: parser.name };
    },
    async take({ data }) {
      try {
        await parser.read(Buffer.from(data), () => undefined);
        return undefined;
      } catch (error) {
        return error instanceof Error ? (error.stack ?? error.message) : String(error);
      }
    },
  };
}

/** A moment that no file system writes by itself: a folder that has another one was written to. */
const UNTOUCHED = new Date(86_400_000);

const foldersIn = (folder: string): string[] => [
  folder,
  ...readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map((each) => join(each.parentPath, each.name)),
];

/** @param folder a place of its own for the files of the unit; made when it is first needed */
export function commandTarget(unit: Unit, folder: string, sampled: (data: Buffer) => Sample): Target {
  let folders: string[] = [];
  /** Slipway writes by renaming, so that a folder that was written to shows it. */
  const wasWritten = (): boolean => {
    try {
      return folders.some((each) => statSync(each).mtimeMs !== UNTOUCHED.getTime());
    } catch {
      return true;
    }
  };
  const settle = (): void => {
    for (const each of folders) utimesSync(each, UNTOUCHED, UNTOUCHED);
  };
  return {
    name: unit.name,
    next(pick) {
      // What the words name, and what lies at the top, is as likely as all the rest.
      const near = unit.inputs.filter((file) => !file.includes("/") || unit.words.includes(file));
      const list = near.length > 0 && pick(2) === 0 ? near : unit.inputs;
      const file = list[pick(list.length)] ?? STDIN;
      return { ...mutate(sampled(unit.tree.get(file) ?? Buffer.alloc(0)), pick), of: file };
    },
    async take({ of, data }, codes) {
      if (folders.length === 0 || wasWritten()) {
        lay(unit.tree, folder);
        folders = foldersIn(folder);
        settle();
      }
      if (of !== STDIN) writeFileSync(join(folder, of), data);
      const said = await answer(unit.words, folder, of === STDIN ? data : unit.tree.get(STDIN));
      const sound = unit.tree.get(of);
      if (of !== STDIN && !wasWritten()) {
        mkdirSync(dirname(join(folder, of)), { recursive: true });
        writeFileSync(join(folder, of), sound ?? "");
      }
      codes[said.code] = (codes[said.code] ?? 0) + 1;
      return faultOf(said);
    },
  };
}

/** A notice of what is being tried, for who watches from outside and has to say what never ended. */
export function noticeIn(path: string): { say(text: string): void; end(): void } {
  const descriptor = openSync(path, "w");
  return {
    say(text) {
      const bytes = Buffer.from(text);
      ftruncateSync(descriptor, bytes.length);
      writeSync(descriptor, bytes, 0, bytes.length, 0);
    },
    end: () => closeSync(descriptor),
  };
}

/** Gives every target so many damaged inputs. The seed of an input depends on its number and its target's alone. */
export async function fuzz(
  targets: readonly Target[],
  each: number,
  seed: number,
  figures: Figures,
  { notice = () => undefined, from = 0 }: { notice?: (text: string) => void; from?: number } = {},
): Promise<void> {
  for (const [index, target] of targets.entries()) {
    const spent = figures.targets[target.name] ?? { ms: 0, tried: 0 };
    figures.targets[target.name] = spent;
    for (let i = from; i < each; i++) {
      const own =
        Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b) ^ Math.imul(i + 1, 0xc2b2ae35);
      const mutation = target.next(picker(own));
      const what = `${target.name} (${mutation.of}: ${mutation.what}; seed ${seed}, input ${i})`;
      notice(what);
      const before = process.cpuUsage();
      const fault = await target.take(mutation, figures.codes);
      const { user, system } = process.cpuUsage(before);
      const ms = (user + system) / 1000;
      figures.tried++;
      spent.tried++;
      spent.ms += ms;
      figures.kinds[mutation.kind] = (figures.kinds[mutation.kind] ?? 0) + 1;
      if (ms > figures.slowest.ms) figures.slowest = { ms, what };
      if (mutation.data.length > figures.largest.bytes)
        figures.largest = { bytes: mutation.data.length, what };
      if (fault !== undefined) addFault(figures, kindOf(fault), `${what}\n${fault}`);
    }
    figures.peakMiB = Math.round(process.resourceUsage().maxRSS / 1024);
  }
}

export function addFault(figures: Figures, kind: string, first: string, count = 1): void {
  const known = figures.faults.find((each) => each.kind === kind);
  if (known === undefined) figures.faults.push({ kind, first, count });
  else known.count += count;
}

/** Samples by their bytes, so that a file that many command lines read is taken apart once. */
export function sampler(): (data: Buffer) => Sample {
  const known = new Map<string, Sample>();
  return (data) => {
    const key = data.toString("latin1");
    const sample = known.get(key) ?? sampleOf(data);
    known.set(key, sample);
    return sample;
  };
}

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });
