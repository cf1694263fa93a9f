/** The verdict on one path: who changed something since it was generated, and what follows. Pure. */
import { decode, encode, type OutputFile } from "../core/files.js";
import { isObject, type Json } from "../core/json.js";
import { isReadableSecret, isSealedText } from "../text/sealed.js";
import { hasLayout, mergeSides, valuesOf } from "../text/yaml-content.js";
import { readYaml, rootsOf, toJson } from "../text/yaml-read.js";
import { saysSame } from "./contents.js";
import type { Digester } from "./digest.js";
import { contentOf, type Known } from "./history.js";
import { keepLayout } from "./keep-layout.js";
import { isKustomization } from "./layout.js";
import { baseOfListing, type IsKnown, NAMES, settledListing } from "./listing.js";
import { mergeValues } from "./merge.js";
import { isOdd } from "./record.js";
import type { DiskFile, FieldConflict, PathPlan, RecordEntry, Status } from "./types.js";

/** What follows for a path, before decisions of the user. */
export interface PathVerdict {
  readonly status: Status;
  readonly action: PathPlan["action"];
  /** What the record says of the file afterwards. */
  readonly entry: RecordEntry | undefined;
  /** The number of the record's removal afterwards. */
  readonly removals: number;
  readonly why?: string;
  /** What is written in the place of the compiled file: the same with what the user changed in it. */
  readonly written?: OutputFile;
  readonly fields?: readonly FieldConflict[];
  readonly losesComments?: boolean;
  /** Marks of a merge stand in the file: it is nobody's version, so nobody can choose it. */
  readonly isUnsettled?: boolean;
}

export interface Sides {
  readonly path: string;
  readonly known: Known;
  readonly disk: DiskFile | undefined;
  readonly desired: OutputFile | undefined;
}

/** What the verdicts of one run share. */
export interface VerdictContext {
  readonly digester: Digester;
  /** Whether any generation of the directory is known. */
  readonly hasAny: boolean;
}

/** A file that no key opens stays as it is. Which Secret it describes can be read all the same. */
export function closed({ known: { removals }, disk, desired }: Sides): Omit<PathVerdict, "entry"> {
  const [present, compiled] = [disk, desired].map(secretNameIn);
  return present !== undefined && compiled !== undefined && present !== compiled
    ? {
        status: "edited",
        action: "none",
        removals,
        why: "it describes another Secret than the generated file",
      }
    : {
        status: "unverifiable",
        action: "none",
        removals,
        why: "it is encrypted and no available key can decrypt it",
      };
}

/** Namespace and name of the one Secret in a file, where they are not encrypted. */
function secretNameIn(file: Pick<OutputFile, "path" | "data"> | undefined): string | undefined {
  if (file === undefined || !hasLayout(file.path)) return undefined;
  const [root, ...more] = rootsOf(readYaml(decode(file.data) ?? "", file.path).documents);
  const object = root === undefined || more.length > 0 ? undefined : toJson(root);
  const own = isObject(object) ? Object.entries(object).filter(([member]) => member !== "sops") : [];
  const secret = Object.fromEntries(own);
  const metadata = isReadableSecret(secret) ? secret["metadata"] : undefined;
  const { namespace = "", name } = isObject(metadata) ? metadata : {};
  return [namespace, name].every((each) => typeof each === "string" && !isSealedText(each))
    ? `${String(namespace)}/${String(name)}`
    : undefined;
}

/** Undefined when there is nothing to say: neither on disk nor compiled. */
export async function evaluate(
  sides: Sides,
  context: VerdictContext,
  gone: boolean,
): Promise<PathVerdict | undefined> {
  const { known, disk, desired } = sides;
  if (disk === undefined) return evaluateAbsent(sides, context.digester, gone);
  const { removals, copy } = known;
  // Somebody else removed the file, and it is still here: not the same as one that was brought back here.
  const isNews = isOdd(removals) && (copy?.changes ?? 0) < removals;
  const generated = isGenerated(sides, context.digester);
  const isDesired = desired !== undefined && saysSame(disk.path, disk.data, desired.data);
  const entry = desired === undefined ? known.recorded : entryOf(desired, context.digester, known.recorded);
  if (isNews && !isDesired && generated === undefined)
    return { status: "unverifiable", action: "none", entry, removals };
  if (isNews)
    return isDesired || generated === true
      ? { status: "stale", action: "delete", entry, removals, why: "the record lists it as removed" }
      : {
          status: "conflict",
          action: "none",
          entry,
          removals,
          why: "it was edited here, but the record lists it as removed",
        };
  const verdict = await evaluatePresent({ ...sides, disk }, context, isDesired, generated);
  return { ...verdict, removals: isOdd(removals) ? removals + 1 : removals };
}

type Present = Sides & { readonly disk: DiskFile };

async function evaluatePresent(
  { path, known, disk, desired }: Present,
  { digester, hasAny }: VerdictContext,
  isDesired: boolean,
  generated: boolean | undefined,
): Promise<Omit<PathVerdict, "removals">> {
  const { recorded, copy } = known;
  if (isDesired && desired !== undefined)
    return { status: "untouched", action: "none", entry: entryOf(desired, digester, recorded) };
  const marked = generated !== true && hasLayout(path) ? mergeSides(decode(disk.data) ?? "") : undefined;
  if (marked !== undefined)
    return (
      (await evaluateMarkedListing({ path, known, disk, desired }, marked, digester)) ?? {
        status: "conflict",
        action: "none",
        entry: recorded,
        why: "it contains Git merge conflict markers",
        isUnsettled: true,
      }
    );
  // Of a path that is only known from earlier, what stands there now is the user's, unless it is just that.
  const isUnknown = recorded === undefined && copy?.digest === undefined && known.contents.length === 0;
  if (isUnknown && generated !== true)
    return desired === undefined
      ? { status: "added", action: "none", entry: undefined }
      : {
          status: "conflict",
          action: "none",
          entry: undefined,
          why: unknownFile(hasAny),
        };
  if (
    recorded?.compiled !== undefined &&
    (generated === true || hasChanged(recorded, desired, digester) === false)
  )
    return evaluateAdopted(recorded, desired, generated, digester);
  if (generated === true) {
    if (desired === undefined)
      return { status: "stale", action: "delete", entry: undefined, why: "no longer generated" };
    const values = hasLayout(path) ? valuesOf(desired.data) : undefined;
    const kept = values === undefined ? undefined : await keepLayout(disk.data, values);
    return {
      status: "stale",
      action: "write",
      entry: entryOf(desired, digester),
      ...(kept === undefined
        ? {}
        : { written: { ...desired, data: kept.data }, losesComments: !kept.keepsComments }),
    };
  }
  if (generated === undefined) return { status: "unverifiable", action: "none", entry: recorded };
  if (desired === undefined)
    return {
      status: "conflict",
      action: "none",
      entry: recorded,
      why: "it was edited, but is no longer generated",
    };
  return evaluateEdited({ path, known, disk, desired }, digester);
}

/** A file taken over from openshift-install keeps its form until what slipway would write changes. */
function evaluateAdopted(
  recorded: RecordEntry,
  desired: OutputFile | undefined,
  generated: boolean | undefined,
  digester: Digester,
): Omit<PathVerdict, "removals"> {
  if (hasChanged(recorded, desired, digester) === false) {
    const status = generated === undefined ? "unverifiable" : generated ? "untouched" : "edited";
    return { status, action: "none", entry: recorded };
  }
  return desired === undefined
    ? { status: "stale", action: "delete", entry: undefined, why: "no longer generated" }
    : { status: "stale", action: "write", entry: entryOf(desired, digester) };
}

/** Whether the compilation gives something else than when the file was adopted; undefined for a file that was not. */
function hasChanged(
  { compiled }: RecordEntry,
  desired: OutputFile | undefined,
  digester: Digester,
): boolean | undefined {
  if (compiled === undefined) return undefined;
  if (desired === undefined || compiled === null) return (desired === undefined) !== (compiled === null);
  return digester.matches(compiled, desired.data) !== true;
}

/** A file in which the user changed something: what of it stays. */
async function evaluateEdited(
  { path, known, disk, desired }: Present & { readonly desired: OutputFile },
  digester: Digester,
): Promise<Omit<PathVerdict, "removals">> {
  const { recorded, copy } = known;
  const entry = entryOf(desired, digester, recorded);
  const isNow = (digest: string): boolean => digester.matches(digest, desired.data) === true;
  const edited = { status: "edited", action: "none", entry } as const;
  const bases = copy?.digest === undefined ? (recorded?.digests ?? []) : [copy.digest];
  if (bases.some(isNow)) return edited;
  // The file may have come from Git as somebody edited it over what is generated now.
  const cameEdited =
    (recorded?.digests ?? []).some(isNow) &&
    !(copy?.seen !== undefined && digester.matches(copy.seen, disk.data) === true);
  const base = contentOf(known.contents, bases, digester);
  const [yours, now] = [valuesOf(disk.data), valuesOf(desired.data)];
  const isBase: IsKnown = (data) => isOneOf(bases, data, digester) === true;
  const listing =
    base === undefined && isKustomization(path)
      ? baseOfListing(only(yours), only(now), known.listed, isBase)
      : undefined;
  const why = "it was edited and its input changed";
  if (!hasLayout(path) || yours === undefined || now === undefined)
    return cameEdited
      ? edited
      : {
          status: "conflict",
          action: "none",
          entry: recorded,
          why,
        };
  const old = base === undefined ? (listing === undefined ? undefined : [listing]) : valuesOf(base);
  if (old === undefined)
    return cameEdited
      ? edited
      : {
          status: "conflict",
          action: "none",
          entry: recorded,
          why,
        };
  const isSingle = old.length === 1 && yours.length === 1 && now.length === 1;
  const { value, conflicts } = isSingle
    ? mergeValues(old[0], yours[0], now[0], "", isKustomization(path) ? NAMES : [])
    : mergeValues([...old], [...yours], [...now]);
  if (conflicts.length > 0)
    return cameEdited
      ? edited
      : { status: "conflict", action: "none", entry: recorded, why, fields: conflicts };
  const values = isSingle ? [value ?? null] : Array.isArray(value) ? value : [];
  const kept = await keepLayout(disk.data, values);
  if (saysSame(path, kept.data, disk.data)) return edited;
  return {
    status: "stale",
    action: "write",
    entry,
    why: "merged with your changes",
    written: { ...desired, data: kept.data },
    losesComments: !kept.keepsComments,
  };
}

/**
 * True when the disk says what a known generation said, here or elsewhere, in one version or in both that a merge
 * left between its markers; undefined where that needs the key of secret files.
 */
function isGenerated({ known, disk }: Sides, digester: Digester): boolean | undefined {
  if (disk === undefined) return false;
  const { copy } = known;
  const isOne = (data: Uint8Array): boolean | undefined => isOneOf(knownDigests(known), data, digester);
  // What the last run left as the user's stays the user's, also where it is an old version that they keep.
  if (copy?.seen !== undefined && digester.matches(copy.seen, disk.data) === true) return false;
  const whole = isOne(disk.data);
  if (whole !== false) return whole;
  if (known.contents.some((content) => saysSame(disk.path, content, disk.data))) return true;
  const sides = mergeSides(decode(disk.data) ?? "");
  return sides?.every((side) => isOne(encode(side)) === true) ?? false;
}

const knownDigests = ({ recorded, copy }: Known): readonly string[] => [
  ...(recorded?.digests ?? []),
  ...[copy?.digest ?? []].flat(),
  ...(copy?.earlier ?? []),
];

/** Whether one of the digests is of the bytes; undefined where that needs the key of secret files. */
function isOneOf(digests: readonly string[], data: Uint8Array, digester: Digester): boolean | undefined {
  const answers = digests.map((digest) => digester.matches(digest, data));
  return answers.includes(true) ? true : answers.includes(undefined) ? undefined : false;
}

/** A kustomization with marks of a merge whose sides do no more than add to what was generated: both stay. */
async function evaluateMarkedListing(
  { path, known, desired }: Present,
  sides: readonly [string, string],
  digester: Digester,
): Promise<Omit<PathVerdict, "removals"> | undefined> {
  if (desired === undefined || !isKustomization(path)) return undefined;
  const isKnown: IsKnown = (data) => isOneOf(knownDigests(known), data, digester) === true;
  const settled = settledListing(sides, only(valuesOf(desired.data)), known.listed, isKnown);
  if (settled === undefined) return undefined;
  const kept = await keepLayout(encode(sides[0]), [settled]);
  return {
    status: "stale",
    action: "write",
    entry: entryOf(desired, digester, known.recorded),
    why: "merged with the additions of both sides",
    written: { ...desired, data: kept.data },
    losesComments: !kept.keepsComments,
  };
}

const only = (values: readonly Json[] | undefined): Json | undefined =>
  values?.length === 1 ? values[0] : undefined;

const unknownFile = (hasAny: boolean): string =>
  hasAny
    ? "a file that was not written by slipway exists at the path of a generated file"
    : "it differs from the compiled file, and there is no record of earlier runs";

function evaluateAbsent(
  { known, desired }: Sides,
  digester: Digester,
  gone: boolean,
): PathVerdict | undefined {
  if (desired === undefined) return undefined;
  const { recorded, removals, wasHere } = known;
  const entry = entryOf(desired, digester, recorded);
  if (!gone && !isOdd(removals) && recorded !== undefined && wasHere)
    return { status: "removed", action: "none", entry, removals: removals + 1, why: "removed by the user" };
  if (isOdd(removals))
    return { status: "removed", action: "none", entry, removals, why: "removed by the user" };
  return { status: "missing", action: "write", entry, removals };
}

/** A path that cannot be compiled for want of a secret: what can be said from record and disk alone. */
export function evaluateWithoutKey(sides: Sides, digester: Digester): PathVerdict {
  const { known, disk } = sides;
  const { recorded: entry, removals } = known;
  if (disk === undefined && isOdd(removals))
    return { status: "removed", action: "none", entry, removals, why: "removed by the user" };
  if (entry !== undefined && disk !== undefined && isGenerated(sides, digester) === false)
    return { status: "edited", action: "none", entry, removals };
  return {
    status: "unverifiable",
    action: "none",
    entry,
    removals,
    why: "requires a secret that is not available",
  };
}

/** The entry of a file as compiled; a secret one keeps its old entry where the key is missing. */
export function entryOf(desired: OutputFile, digester: Digester, old?: RecordEntry): RecordEntry | undefined {
  const digest = digester.of(desired.data, desired.secret);
  return digest === undefined ? old : { digests: [digest] };
}
