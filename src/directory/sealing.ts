/**
 * Files that are encrypted on disk (SOPS). They are opened when the directory is read and sealed when it is written,
 * so that everything between sees plain bytes; what no key opens is known to be there and is left alone.
 */
import { decode, encode, type OutputFile } from "../core/files.js";
import type { Inputs } from "../core/inputs.js";
import { isObject } from "../core/json.js";
import { type Problem, problem } from "../core/problem.js";
import { formatMoment } from "../core/time.js";
import type { Recipients } from "../sops/creation-rules.js";
import type { Opened } from "../sops/file.js";
import { sidesOfMerge } from "../text/merge-marks.js";
import { isSealedText } from "../text/sealed.js";
import { wordIn } from "../text/shell.js";
import { readYaml, rootsOf, toJson } from "../text/yaml-read.js";
import { writeYaml } from "../text/yaml-write.js";
import { Fault } from "./fault.js";
import { INPUT_FILES } from "./layout.js";
import type { DiskFile } from "./types.js";

/** For whom a new file is encrypted, or why that cannot be said. */
export interface Sealing {
  recipientsOf(path: string): Recipients | Problem;
  readonly inputs: Pick<Inputs, "clock" | "random">;
}

/** True for a file that no key at hand opens. */
export const isClosed = (file: DiskFile | undefined): boolean =>
  file?.sealed !== undefined && file.sealed.opened === undefined;

/**
 * Stands in for a closed file where its object is read: the file itself, as long as the object's kind and name are not
 * encrypted, else a Secret named after the file.
 */
export function placeholderOf({ path, data }: DiskFile): Uint8Array {
  const roots = rootsOf(readYaml(decode(data) ?? "", path).documents);
  const isReadable = roots.every((root) => {
    const object = toJson(root);
    const named = isObject(object) && isObject(object["metadata"]) ? object["metadata"]["name"] : undefined;
    return (
      isObject(object) &&
      [object["apiVersion"], object["kind"], named].every(
        (value) => typeof value === "string" && !isSealedText(value),
      )
    );
  });
  if (isReadable && roots.length > 0) return data;
  const name = path.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return encode(writeYaml({ apiVersion: "v1", kind: "Secret", metadata: { name } }));
}

/**
 * Opens what is sealed, in place. The answer names each file that stays closed, and why.
 * @param folder in which the files lie, from where the user is
 * @param what whether they are those of an asset directory, or an input that lies anywhere
 */
export async function openSealed<File extends DiskFile>(
  files: Map<string, File>,
  identities: readonly string[],
  folder: string,
  what: "directory" | "input" = "directory",
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const [path, file] of files) {
    if (!maySeal(file.data)) continue;
    const isInput = what === "input" || INPUT_FILES.some((each) => each === path);
    const place = { path, word: wordIn(folder, path), isInput };
    const { isSealed, isTorn, open, readablePart, tornProblem } = await import("../sops/file.js");
    if (!isSealed(path, file.data)) {
      if (!isTorn(path, file.data)) continue;
      const sides = place.isInput ? undefined : await openSides(path, file.data, identities);
      problems.push(tornProblem(place, sides !== undefined));
      const sealed = { opened: undefined, onDisk: file.data, ...(sides === undefined ? {} : { sides }) };
      files.set(path, { ...file, sealed });
      continue;
    }
    const add = (problem: Problem): void => void problems.push(problem);
    const opened = await open(path, file.data, identities, add, place.word);
    const readable = opened === undefined && place.isInput ? readablePart(path, file.data) : undefined;
    const onDisk = file.data;
    files.set(path, { ...file, data: opened?.data ?? readable ?? onDisk, sealed: { opened, onDisk } });
  }
  return problems;
}

/** Both versions of a file with the marks of a merge, where each is whole. */
async function openSides(
  path: string,
  data: Uint8Array,
  identities: readonly string[],
): Promise<readonly [Opened, Opened] | undefined> {
  const { open } = await import("../sops/file.js");
  const texts = sidesOfMerge(decode(data) ?? "");
  if (texts === undefined) return undefined;
  const [ours, theirs] = await Promise.all(
    texts.map((text) => open(path, encode(text), identities, () => undefined)),
  );
  return ours === undefined || theirs === undefined ? undefined : [ours, theirs];
}

/**
 * Takes one version of a generated file that two branches changed: whatever nobody edited is compiled again in any case.
 * A file that both branches edited stays closed. The answer names the files that are settled.
 * @param isGenerated whether an earlier run wrote these bytes to the path
 */
export function settleMerged<File extends DiskFile>(
  files: Map<string, File>,
  isGenerated: (path: string, data: Uint8Array) => boolean,
): ReadonlySet<string> {
  const settled = new Set<string>();
  for (const [path, file] of files) {
    const { sides } = file.sealed ?? {};
    if (file.sealed === undefined || sides === undefined) continue;
    const [ours, theirs] = sides;
    const taken = isGenerated(path, theirs.data) ? ours : isGenerated(path, ours.data) ? theirs : undefined;
    if (taken === undefined) continue;
    files.set(path, { ...file, data: taken.data, sealed: { ...file.sealed, opened: taken } });
    settled.add(path);
  }
  return settled;
}

/** True for a file that is settled and has the marks of the merge on disk. */
export const hasMergeMarks = (file: DiskFile | undefined): boolean => file?.sealed?.sides !== undefined;

/** One problem for all files that require the same key. */
export function summed(problems: readonly Problem[]): readonly Problem[] {
  const groups = new Map<string, { readonly first: Problem; count: number }>();
  for (const each of problems) {
    const key = each.code === "SOPS002" ? each.message : `${each.file}: ${each.message}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: each, count: 0 });
    else group.count++;
  }
  return [...groups.values()].map(({ first, count }) =>
    count === 0
      ? first
      : {
          ...first,
          message: `${first.message}; ${count} more ${count === 1 ? "file has" : "files have"} the same problem`,
        },
  );
}

/** An input as it lies on disk, and opened where it is encrypted. */
export interface OpenedInput {
  readonly file: DiskFile;
  /** Why it stays closed. */
  readonly problems: readonly Problem[];
}

/** Opens one file that lies anywhere, and may be encrypted as those of the directory are. */
export async function openInput(
  path: string,
  data: Uint8Array,
  identities: readonly string[],
): Promise<OpenedInput> {
  const file: DiskFile = { path, data, mode: 0 };
  const files = new Map([[path, file]]);
  const problems = await openSealed(files, identities, ".", "input");
  return { file: files.get(path) ?? file, problems };
}

/** The words that every sealed file has, and what is left of one; spares the others a reader. */
const maySeal = (data: Uint8Array): boolean => {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return bytes.includes("ENC[AES256_GCM,") || bytes.includes("BEGIN AGE ENCRYPTED FILE");
};

/** Which values of a Secret are encrypted, so that its name and kind can be read in Git; of other files, all. */
const SECRET_RULE = { encrypted_regex: "^(data|stringData)$" } as const;
const WHOLE = { unencrypted_suffix: "_unencrypted" } as const;
const isSecretObject = (data: Uint8Array): boolean => /^kind: Secret$/m.test(Buffer.from(data).toString());

/** The file as it is written: sealed, where that is asked for and it is secret. A `Fault` where it cannot be. */
export async function sealedFile(
  file: OutputFile,
  old: DiskFile | undefined,
  sealing: Sealing,
): Promise<OutputFile> {
  const { path, data } = file;
  const { seal } = await import("../sops/file.js");
  const previous = old?.sealed?.opened;
  const target = previous === undefined ? sealing.recipientsOf(path) : { recipients: [] };
  if (!("recipients" in target)) throw new Fault(target);
  const { recipients, rule } = target;
  const sealed = await seal({
    path,
    data,
    previous,
    recipients,
    rules: [...(rule === undefined ? [] : [rule]), isSecretObject(data) ? SECRET_RULE : WHOLE],
    now: formatMoment(sealing.inputs.clock.now().getTime()),
    random: sealing.inputs.random,
  });
  return { ...file, data: sealed ?? refuse(path) };
}

function refuse(path: string): never {
  throw new Fault(
    problem(
      "SOPS003",
      "Invalid",
      "",
      `cannot encrypt ${path}: invalid recipient, or the file is not a single YAML mapping`,
      {
        file: path,
        hint: "check the recipients (--age-recipient, .sops.yaml); split a file with several documents",
      },
    ),
  );
}
