/**
 * Golden cases as they are stored (golden/README.md). A stored case holds what is new in it; `expectedTree` restores
 * every byte that the case expects, and `storedForm` is the way back, so that nothing but bytes is ever compared.
 */
import { createHash, createHmac } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { load } from "js-yaml";
import { applyDelta, deltaOf } from "./delta.js";
import { readTree } from "./temp.js";

export interface Step {
  readonly run: string;
  readonly stdin?: string;
  readonly exit?: number;
}

export interface Case {
  readonly about: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  /** The case is to be read from end to end, so no file of it is replaced by the name of another case. */
  readonly whole?: boolean;
  /** Paths (prefixes) of the scratch folder that are not compared, such as files of random keys. */
  readonly ignore?: readonly string[];
  /** Paths (prefixes) of files that are created as a shell would, so that their mode follows the umask. */
  readonly umask?: readonly string[];
  /** Paths (prefixes) that are compared by their digest, since nobody can read a difference of them. */
  readonly digests?: readonly string[];
}

/** What a case ends with: files of the scratch folder under `files/`, and texts about them and the steps. */
export interface Entry {
  /** Octal permissions of a file that slipway wrote; undefined for texts, files as given and what follows the umask. */
  readonly mode?: string | undefined;
  /** How it is compared; `given` is a file of the input that the case leaves alone. */
  readonly kind: "compared" | "given" | "ignored" | "digest";
  /** undefined where only the digest, or nothing, is known. */
  readonly data: Buffer | undefined;
  readonly digest?: string | undefined;
  /** How it is stored, where its bytes are made from files that are not compared and have not been made. */
  readonly kept?: {
    readonly note: string;
    readonly marked: string | undefined;
    readonly wrapping: Buffer | undefined;
  };
}

export type Tree = ReadonlyMap<string, Entry>;

/** The files of golden/<case>/expected, by path. */
export type Stored = ReadonlyMap<string, Buffer>;

export const GOLDEN = join(process.cwd(), "golden");
const INDEX = "index.txt";
const WRAPPING = "wrapping.yaml";
const FILES = "files/";

const isCase = (value: unknown): value is Case =>
  typeof value === "object" && value !== null && "about" in value && "steps" in value;

export function caseNames(): string[] {
  return readdirSync(GOLDEN)
    .filter((name) => existsSync(join(GOLDEN, name, "case.yaml")))
    .sort();
}

export function readCase(name: string): Case {
  const spec: unknown = load(readFileSync(join(GOLDEN, name, "case.yaml"), "utf8"));
  if (!isCase(spec)) throw new Error(`${name}/case.yaml needs "about" and "steps"`);
  return spec;
}

export const digestOf = (data: Uint8Array): string =>
  `sha256:${createHash("sha256").update(data).digest("hex")}`;

/** Cases in the order in which one may stand for another: those that are read from end to end come first. */
export const byPrecedence = (names: readonly string[], isWhole: (name: string) => boolean): string[] => [
  ...names.filter(isWhole),
  ...names.filter((name) => !isWhole(name)),
];

// Texts are bytes, one to a character, so that nothing is lost of what is no UTF-8.
const textOf = (data: Buffer): string => data.toString("latin1");
const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1");

/** Bytes by the key of an entry; undefined where nothing is known of them. */
type Lookup = (key: string) => Buffer | undefined;

/** All that the marks of a file are restored from. */
interface Context {
  /** The key of the file itself. */
  readonly key: string;
  /** Keys of the files of the tree, in order. */
  readonly keys: readonly string[];
  readonly modeOf: (key: string) => string | undefined;
  readonly lookup: Lookup;
  /** A file of the input. */
  readonly given: Lookup;
}

const STATE = ".openshift_install_state.json";
const MARK = /<<<([a-z][a-z0-9-]*) ([^<>\n]+)>>>/g;

/** The first line of a text that is stored as what differs from another, of this case or another. */
const DIFFERS = /^<<<differs from ([^:\n]*):(.*)>>>(?=\n)/;

const base64 = (data: Buffer): string => data.toString("base64");

/** The folder of the asset directory that a file of it is in, as the beginning of a key. */
const directoryOf = (key: string): string => key.replace(/(?:\.slipway\/[^/]*|[^/]*)$/, "");

function installConfigOf(data: Buffer): string | undefined {
  try {
    const object: unknown = load(data.toString("utf8"));
    const text: unknown = Reflect.get(Object(Reflect.get(Object(object), "data")), "install-config");
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

const stateOf = (members: ReadonlyMap<string, string>): string =>
  `{\n${[...members].map(([name, text]) => `    "${name}": ${text}`).join(",\n")}\n}`;

/** An earlier state in base64, by what a later one has beyond it; undefined for anything else. */
function earlierState(run: string, later: Buffer | undefined): string | undefined {
  if (later === undefined || run.length < 1000) return undefined;
  const text = textOf(Buffer.from(run, "base64"));
  if (!text.startsWith('{\n    "')) return undefined;
  const [before, after] = [membersOf(text), membersOf(textOf(later))];
  const added = [...after.keys()].filter((name) => !before.has(name));
  return [...before].some(([name, member]) => after.get(name) !== member) ? undefined : added.join(" ");
}

/** The members of a state by name, each as its text. */
function membersOf(state: string): ReadonlyMap<string, string> {
  const starts = [...state.matchAll(/^ {4}"([^"\n]+)": /gm)];
  return new Map(
    starts.map((start, index) => {
      const [head, name = ""] = start;
      const end = starts[index + 1]?.index ?? state.lastIndexOf("\n}");
      return [name, state.slice(start.index + head.length, end).replace(/,?\n?$/, "")];
    }),
  );
}

const recordKeys = new WeakMap<Buffer, Buffer | null>();

/** The key of the digests of secret files in the record, which the root CA of the state gives. */
function recordKey(state: Buffer): Buffer | undefined {
  if (!recordKeys.has(state)) {
    const rootCa: unknown = Reflect.get(Object(JSON.parse(state.toString("utf8"))), "*tls.RootCA");
    const rootKey: unknown = Reflect.get(Object(rootCa), "KeyRaw");
    recordKeys.set(
      state,
      typeof rootKey === "string"
        ? createHash("sha256").update("slipway record\n").update(Buffer.from(rootKey, "base64")).digest()
        : null,
    );
  }
  return recordKeys.get(state) ?? undefined;
}

/** A line of the record about a file; the digest is keyed where only the owner may read the file. */
function recordLine(key: string, context: Context): string | undefined {
  const directory = directoryOf(context.key);
  const data = context.lookup(key);
  if (data === undefined || !key.startsWith(directory)) return undefined;
  const line = (digest: string): string =>
    `{"file":${JSON.stringify(key.slice(directory.length))},"digest":"${digest}"},`;
  if (context.modeOf(key) !== "0600") return line(digestOf(data));
  const state = context.lookup(`${directory}${STATE}`);
  const secret = state && recordKey(state);
  return secret && line(`hmac-sha256:${createHmac("sha256", secret).update(data).digest("hex")}`);
}

/** Files of the tree from one to another. */
function rangeOf(argument: string, { keys }: Context): readonly string[] | undefined {
  const [first = "", last = first] = argument.split(" to ").map((path) => FILES + path);
  const [from, to] = [keys.indexOf(first), keys.indexOf(last)];
  return from < 0 || to < from ? undefined : keys.slice(from, to + 1);
}

const linesOf = (lines: readonly (string | undefined)[] | undefined): string | undefined =>
  lines === undefined || lines.includes(undefined) ? undefined : lines.join("\n");

/** What a mark stands for; undefined where that is not known. */
function restoreMark(name: string, argument: string, indent: string, context: Context): string | undefined {
  const file = context.lookup(FILES + argument);
  const config = (): string | undefined => file && installConfigOf(file);
  switch (name) {
    case "base64":
      return file && base64(file);
    case "base64-without": {
      const [path = "", ...names] = argument.split(" ");
      const state = context.lookup(FILES + path);
      const members = state && [...membersOf(textOf(state))].filter(([name]) => !names.includes(name));
      return members && base64(bytesOf(stateOf(new Map(members))));
    }
    case "file": {
      const directory = directoryOf(context.key);
      const data = context.lookup(directory + argument);
      return (
        data &&
        `{\n${indent}    "Filename": ${JSON.stringify(argument)},\n${indent}    "Data": "${base64(data)}"\n${indent}}`
      );
    }
    case "base64-install-config": {
      const text = config();
      return text === undefined ? undefined : base64(Buffer.from(text));
    }
    case "json-install-config": {
      const text = config();
      return text === undefined ? undefined : textOf(Buffer.from(JSON.stringify(text)));
    }
    case "given": {
      const given = context.given(context.key);
      return given && membersOf(textOf(given)).get(argument);
    }
    case "recorded":
      return linesOf(rangeOf(argument, context)?.map((key) => recordLine(key, context)));
    case "created":
      return linesOf(rangeOf(argument, context)?.map((key) => `created  ${key.slice(FILES.length)}`));
    default:
      return `<<<${name} ${argument}>>>`;
  }
}

/** The text that a stored text stands for; undefined where that is not known. */
export function restoreText(stored: string, context: Context): string | undefined {
  let isKnown = true;
  const text = stored.replace(MARK, (mark, name: string, argument: string, at: number) => {
    const line = stored.slice(stored.lastIndexOf("\n", at) + 1, at);
    const restored = restoreMark(name, argument, /^ */.exec(line)?.[0] ?? "", context);
    if (restored === undefined) isKnown = false;
    return restored ?? mark;
  });
  return isKnown ? text : undefined;
}

/** Replaces runs of at least three lines that `markOf` knows, one for each file of the tree in order. */
function foldRuns(
  text: string,
  context: Context,
  name: string,
  keyOf: (line: string) => string | undefined,
  least: number,
): string {
  const lines = text.split("\n");
  const folded: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const first = keyOf(lines[at] ?? "");
    let end = at + 1;
    if (first !== undefined) {
      const from = context.keys.indexOf(first);
      const isNext = (key: string | undefined): boolean =>
        key !== undefined && key === context.keys[from + end - at];
      while (end < lines.length && isNext(keyOf(lines[end] ?? ""))) end += 1;
    }
    const last = keyOf(lines[end - 1] ?? "");
    if (first !== undefined && last !== undefined && end - at >= least)
      folded.push(
        `<<<${name} ${first.slice(FILES.length)}${last === first ? "" : ` to ${last.slice(FILES.length)}`}>>>`,
      );
    else folded.push(...lines.slice(at, end));
    at = end;
  }
  return folded.join("\n");
}

/** Known bytes in base64, with the mark for each; files first by their place in the tree. */
export function knownTexts(keys: readonly string[], lookup: Lookup): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  const add = (text: string, mark: string): void => {
    if (!known.has(text)) known.set(text, mark);
  };
  for (const key of keys) {
    const data = lookup(key);
    if (data === undefined || data.length < 24) continue;
    const path = key.slice(FILES.length);
    add(base64(data), `<<<base64 ${path}>>>`);
    if (!/(?:^|\/)manifests\/cluster-config\.yaml$/.test(path)) continue;
    const config = installConfigOf(data);
    if (config !== undefined) add(base64(Buffer.from(config)), `<<<base64-install-config ${path}>>>`);
  }
  return known;
}

/** A text with marks in the place of what other files of the tree hold. */
export function foldText(text: string, context: Context, known: ReadonlyMap<string, string>): string {
  let folded = text;
  const { key } = context;
  const directory = directoryOf(key);
  if (key.endsWith(`/${STATE}`)) {
    const given = context.given(key);
    const givenMembers = given === undefined ? new Map<string, string>() : membersOf(textOf(given));
    for (const [name, member] of membersOf(folded))
      if (member.length > 80 && givenMembers.get(name) === member)
        folded = folded.replace(`    "${name}": ${member}`, () => `    "${name}": <<<given ${name}>>>`);
    const config = `${directory}manifests/cluster-config.yaml`;
    const data = context.lookup(config);
    const installConfig = data && installConfigOf(data);
    if (installConfig !== undefined)
      folded = folded.replaceAll(
        textOf(Buffer.from(JSON.stringify(installConfig))),
        () => `<<<json-install-config ${config.slice(FILES.length)}>>>`,
      );
  }
  folded = folded.replace(/[A-Za-z0-9+/]{32,}={0,2}/g, (run) => {
    const mark = known.get(run);
    if (mark === undefined && !key.endsWith(`/${STATE}`)) {
      // A Secret is in a folder of the directory.
      const state = `${key.replace(/[^/]*\/[^/]*$/, "")}${STATE}`;
      const added = earlierState(run, context.lookup(state));
      if (added !== undefined) return `<<<base64-without ${state.slice(FILES.length)} ${added}>>>`;
    }
    return mark === `<<<base64 ${key.slice(FILES.length)}>>>` ? run : (mark ?? run);
  });
  if (key.endsWith(`/${STATE}`))
    folded = folded.replace(
      /\{\n +"Filename": "([^"\n]+)",\n +"Data": "(?:<<<base64 ([^<>\n]+)>>>|[A-Za-z0-9+/]*={0,2})"\n +\}/g,
      (object, path: string) => {
        const data = context.lookup(directory + path);
        return data !== undefined && object.includes(known.get(base64(data)) ?? base64(data))
          ? `<<<file ${path}>>>`
          : object;
      },
    );
  if (/\/\.slipway\/record\.json$/.test(key)) {
    const lines = new Map(
      context.keys.flatMap((each) => {
        const line = recordLine(each, context);
        return line === undefined ? [] : [[line, each]];
      }),
    );
    folded = foldRuns(folded, context, "recorded", (line) => lines.get(line), 1);
  }
  if (/^step-\d+\.txt$/.test(key))
    folded = foldRuns(
      folded,
      context,
      "created",
      (line) => {
        const created = /^created {2}(\S+)$/.exec(line)?.[1];
        return created !== undefined && context.keys.includes(FILES + created) ? FILES + created : undefined;
      },
      3,
    );
  // Two marks may be no way back, for instance where a text has them already: then it is stored as it is.
  return restoreText(folded, context) === text ? folded : text;
}

/** The Secret that wraps a manifest, by the form of those of the case. */
function wrapWith(form: string, manifest: string, { lookup }: Context): string | undefined {
  const data = lookup(manifest);
  if (data === undefined) return undefined;
  const path = /(?:manifests|openshift)\/[^/]*$/.exec(manifest)?.[0] ?? manifest;
  return form
    .replaceAll("<<<base64>>>", () => base64(data))
    .replaceAll("<<<path>>>", () => path)
    .replaceAll("<<<name>>>", () => basename(path))
    .replaceAll("<<<folder>>>", () => dirname(path))
    .replaceAll("<<<object>>>", () => objectOf(path));
}

/** The manifest that a Secret wraps, and the form of such Secrets; undefined for any other text. */
function unwrap(text: string, context: Context): { form: string; manifest: string } | undefined {
  const path = /^ {4}cluster\.openshift\.io\/manifest-path: (\S+)$/m.exec(text)?.[1];
  if (path === undefined) return undefined;
  const manifest = `${context.key.replace(/[^/]*\/[^/]*$/, "")}${path}`;
  const data = context.lookup(manifest);
  if (data === undefined) return undefined;
  const form = text
    .replace(`  ${basename(path)}: ${base64(data)}\n`, "  <<<name>>>: <<<base64>>>\n")
    .replace(`manifest-path: ${path}\n`, "manifest-path: <<<path>>>\n")
    .replace(`manifest-folder: ${dirname(path)}\n`, "manifest-folder: <<<folder>>>\n")
    .replace(`-${objectOf(path)}\n`, "-<<<object>>>\n");
  return wrapWith(form, manifest, context) === text ? { form, manifest } : undefined;
}

/** One line of the index. */
interface Line {
  readonly key: string;
  readonly mode: string | undefined;
  readonly note: string;
}

const isFile = (key: string): boolean => key.startsWith(FILES);
/** Under its own name it would tell Git to ignore what is expected. */
const storedName = (key: string): string => key.replace(/\.gitignore$/, "gitignore");

/** The index of a tree, where files are that other files stand for as `noteOf` says. */
function indexText(tree: Tree, noteOf: (key: string) => string | undefined): string {
  const lines = [...tree].flatMap(([key, { mode, kind, digest }]) => {
    const note =
      kind === "given"
        ? "as given"
        : kind === "ignored"
          ? "not compared"
          : kind === "digest"
            ? (noteOf(key) ?? digest ?? "")
            : noteOf(key);
    const words = [isFile(key) ? (mode ?? "----") : "text", isFile(key) ? key.slice(FILES.length) : key];
    return [[...words, ...(note === undefined ? [] : [note])].join(" ")];
  });
  return `${withWrapLine(lines, tree, noteOf).join("\n")}\n`;
}

const objectOf = (path: string): string =>
  path
    .replace(/\.yaml$/, "")
    .replaceAll("/", "-")
    .replaceAll("_", "--");

/** Files that are manifests of an asset directory, given as the beginning of their keys. */
const manifestsOf = (directory: string, keys: Iterable<string>): string[] =>
  [...keys].filter((key) =>
    ["manifests/", "openshift/"].some((folder) => key.startsWith(directory + folder)),
  );

const EVERY = "30_* wraps every manifest";

/** One line of the index where a folder wraps every manifest, each in the file of its name. */
function withWrapLine(
  lines: readonly string[],
  tree: Tree,
  noteOf: (key: string) => string | undefined,
): readonly string[] {
  const [, folder, directory = ""] =
    [...tree.keys()].map((key) => /^((.*\/)[^/]+\/)30_[^/]*$/.exec(key)).find((match) => match !== null) ??
    [];
  if (folder === undefined) return lines;
  const expected = manifestsOf(directory, tree.keys()).map((manifest) => {
    const path = manifest.slice(directory.length);
    const key = `${folder}30_manifest-${objectOf(path)}.yaml`;
    const isOwn = tree.get(key)?.mode === "0600" && noteOf(key) === `wraps ${manifest.slice(FILES.length)}`;
    return isOwn ? `0600 ${key.slice(FILES.length)} wraps ${manifest.slice(FILES.length)}` : undefined;
  });
  const wrapped = new Set(expected);
  if (wrapped.size < 2 || wrapped.has(undefined)) return lines;
  const at = lines.findIndex((line) => wrapped.has(line));
  return [
    ...lines.slice(0, at),
    `0600 ${folder.slice(FILES.length)}${EVERY}`,
    ...lines.slice(at).filter((line) => !wrapped.has(line)),
  ];
}

/** The index without what stands for a file: paths, modes and how each is compared. */
export const listingOf = (tree: Tree): string => indexText(tree, () => undefined);

function parseIndex(text: string): Line[] {
  const lines = parseLines(text);
  const every = lines.find(({ key }) => key.endsWith(`/${EVERY}`));
  if (every === undefined) return lines;
  const folder = every.key.slice(0, -EVERY.length);
  const directory = folder.replace(/[^/]+\/$/, "");
  const wrapping = manifestsOf(
    directory,
    lines.map(({ key }) => key),
  ).map((manifest) => ({
    key: `${folder}30_manifest-${objectOf(manifest.slice(directory.length))}.yaml`,
    mode: every.mode,
    note: `wraps ${manifest.slice(FILES.length)}`,
  }));
  const all = [...lines.filter((line) => line !== every), ...wrapping];
  const byKey = (a: Line, b: Line): number => (a.key < b.key ? -1 : 1);
  return [...all.filter(({ key }) => !isFile(key)), ...all.filter(({ key }) => isFile(key)).sort(byKey)];
}

function parseLines(text: string): Line[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [, first = "", path = "", note = ""] =
        /^(\S+) (.*?)(?: (as given|not compared|sha256:\S+|= .*|wraps (?!every ).*))?$/.exec(line) ?? [];
      const isText = first === "text";
      return {
        key: isText ? path : FILES + path,
        mode: isText || first === "----" ? undefined : first,
        note,
      };
    });
}

const readStored = (name: string): Stored => {
  const folder = join(GOLDEN, name, "expected");
  return existsSync(folder) ? readTree(folder) : new Map();
};

const givenOf = (name: string): Lookup => {
  const read = new Map<string, Buffer | undefined>();
  return (key) => {
    if (!isFile(key)) return undefined;
    if (!read.has(key)) {
      const path = join(GOLDEN, name, "input", key.slice(FILES.length));
      read.set(key, existsSync(path) ? readFileSync(path) : undefined);
    }
    return read.get(key);
  };
};

/** What the entries of a case are restored from. */
interface Source {
  readonly stored: Stored;
  /** The text of a stored file, with its marks. */
  readonly marked: (key: string) => string;
  readonly lines: ReadonlyMap<string, Line>;
  /** Bytes of an entry, as far as they are known. */
  readonly lookup: Lookup;
}

/**
 * What a case expects. Of files that are not compared, `actual` gives the bytes, since others are made from them;
 * with `follow` that holds for every file, which shows whether a file differs only as those do that it is made from.
 */
export function openCase(
  name: string,
  { actual, follow = false }: { readonly actual?: Lookup | undefined; readonly follow?: boolean } = {},
  others: (name: string) => Source = (other) => openCase(other),
): Source {
  const stored = readStored(name);
  const lines = new Map(
    parseIndex(textOf(stored.get(INDEX) ?? Buffer.alloc(0))).map((line) => [line.key, line]),
  );
  const keys = [...lines.keys()].filter(isFile);
  const given = givenOf(name);
  const done = new Map<string, Buffer | undefined>();
  const marked = (key: string): string => {
    const data = stored.get(storedName(key));
    if (data === undefined) throw new Error(`golden/${name}/expected/${storedName(key)} is missing`);
    const text = textOf(data);
    const [head, other = "", base = key] = DIFFERS.exec(text) ?? [];
    if (head === undefined) return text;
    const made = applyDelta((other === "" ? marked : others(other).marked)(base), text.slice(head.length));
    if (made === undefined)
      throw new Error(
        `golden/${name}/expected/${storedName(key)} does not fit ${other}; run npm run golden:update`,
      );
    return made;
  };
  const restore = (line: Line): Buffer | undefined => {
    const { key, note } = line;
    if (note === "as given") return given(key);
    if (note === "not compared" || note.startsWith("sha256:")) return actual?.(key);
    const context: Context = {
      key,
      keys,
      modeOf: (each) => lines.get(each)?.mode,
      lookup: follow && actual !== undefined ? actual : lookup,
      given,
    };
    const [how, what = ""] = [note.slice(0, note.indexOf(" ")), note.slice(note.indexOf(" ") + 1)];
    if (how === "=") {
      const [, other = "", path = key] = /^([^:]*)(?::(.*))?$/.exec(what) ?? [];
      const data = (other === "" ? lookup : others(other).lookup)(path);
      if (data === undefined)
        throw new Error(
          `golden/${name}/expected/${INDEX}: ${other} has no ${path} any more; run npm run golden:update`,
        );
      return data;
    }
    if (how === "wraps") {
      const form = stored.get(WRAPPING);
      if (form === undefined) throw new Error(`golden/${name}/expected/${WRAPPING} is missing`);
      const text = wrapWith(textOf(form), FILES + what, context);
      return text === undefined ? undefined : bytesOf(text);
    }
    const text = restoreText(marked(key), context);
    return text === undefined ? undefined : bytesOf(text);
  };
  const lookup: Lookup = (key) => {
    const line = lines.get(key);
    if (line === undefined) return undefined;
    if (!done.has(key)) done.set(key, restore(line));
    return done.get(key);
  };
  return { stored, marked, lines, lookup };
}

/** Every entry that a case expects. */
export function expectedTree(name: string, actual?: Lookup): Tree {
  const opened = new Map<string, Source>();
  const others = (other: string): Source => {
    const known = opened.get(other) ?? openCase(other, {}, others);
    opened.set(other, known);
    return known;
  };
  const { stored, marked, lines, lookup } = openCase(name, { actual }, others);
  const entryOf = (key: string, mode: string | undefined, note: string): Entry => {
    if (note.startsWith("sha256:")) return { kind: "digest", mode, data: undefined, digest: note };
    const data = lookup(key);
    if (note === "as given") return { kind: "given", mode, data };
    if (note === "not compared") return { kind: "ignored", mode, data };
    if (data !== undefined) return { kind: "compared", mode, data };
    const kept = {
      note,
      marked: note === "" ? marked(key) : undefined,
      wrapping: note.startsWith("wraps ") ? stored.get(WRAPPING) : undefined,
    };
    return { kind: "compared", mode, data, kept };
  };
  return new Map([...lines].map(([key, { mode, note }]) => [key, entryOf(key, mode, note)]));
}

/** The files that a case is expected to end with, as far as their bytes are known, by path. */
export function expectedFiles(name: string): ReadonlyMap<string, Buffer> {
  return new Map(
    [...expectedTree(name)].flatMap(([key, { kind, data }]) =>
      isFile(key) && kind === "compared" && data !== undefined
        ? [[key.slice(FILES.length), data] as const]
        : [],
    ),
  );
}

/** The tree of a case for people: marks in the place of what other files hold. */
export function readableTexts(name: string, tree: Tree): (key: string) => string {
  const keys = [...tree.keys()].filter(isFile);
  const lookup: Lookup = (key) => tree.get(key)?.data;
  const known = knownTexts(keys, lookup);
  const given = givenOf(name);
  return (key) => {
    const data = lookup(key);
    const context = { key, keys, modeOf: (each: string) => tree.get(each)?.mode, lookup, given };
    return data === undefined ? "" : foldText(textOf(data), context, known);
  };
}

/** Where bytes were first, by their digest, with the key and without. */
type First = Map<string, { readonly name: string; readonly key: string }>;

/** Texts with their marks, in the order in which they are stored. */
type Texts = {
  readonly name: string;
  readonly key: string;
  readonly text: string;
  readonly lines: ReadonlySet<string>;
}[];

/** A text as what differs from that which it shares most lines with; undefined where that is not much shorter. */
function shortest(name: string, key: string, text: string, texts: Texts): string | undefined {
  const lines = text.split("\n");
  if (lines.length < 10) return undefined;
  const isNear = (other: Texts[number]): boolean =>
    other.key === key || (other.name === name && dirname(other.key) === dirname(key));
  let best: Texts[number] | undefined;
  let most = lines.length / 2;
  for (const other of texts.filter(isNear)) {
    const shared = lines.filter((line) => other.lines.has(line)).length;
    if (shared > most) [best, most] = [other, shared];
  }
  const delta = best && deltaOf(best.text, text, Math.floor(lines.length * 0.6) - 2);
  if (best === undefined || delta === undefined) return undefined;
  return `<<<differs from ${best.name === name ? "" : best.name}:${best.key}>>>${delta}\n`;
}

/** How every case is stored, given the trees of all. */
export function storedForms(
  trees: ReadonlyMap<string, Tree>,
  isWhole: (name: string) => boolean,
): ReadonlyMap<string, Stored> {
  const first: First = new Map();
  const texts: Texts = [];
  const forms = new Map<string, Stored>();
  for (const name of byPrecedence([...trees.keys()], isWhole)) {
    const tree = trees.get(name) ?? new Map<string, Entry>();
    forms.set(name, storedForm(name, tree, isWhole(name), first, texts));
  }
  return forms;
}

function storedForm(name: string, tree: Tree, isWhole: boolean, first: First, texts: Texts): Stored {
  const keys = [...tree.keys()].filter(isFile);
  const lookup: Lookup = (key) => tree.get(key)?.data;
  const given = givenOf(name);
  const contextOf = (key: string): Context => ({
    key,
    keys,
    modeOf: (each) => tree.get(each)?.mode,
    lookup,
    given,
  });
  // A file that is not compared says nothing of another that is, so only what a case compares stands for bytes of it.
  const compared: Lookup = (key) => {
    const entry = tree.get(key);
    return entry?.kind === "compared" || entry?.kind === "given" ? entry.data : undefined;
  };
  const known = knownTexts(keys, compared);
  const notes = new Map<string, string>();
  const stored = new Map<string, Buffer>();
  const store = (key: string, text: string): void => {
    const delta = isWhole ? undefined : shortest(name, key, text, texts);
    texts.push({ name, key, text, lines: new Set(text.split("\n")) });
    stored.set(storedName(key), bytesOf(delta ?? text));
  };
  for (const [key, { kind, data, kept }] of tree) {
    if (kept !== undefined) {
      if (kept.note !== "") notes.set(key, kept.note);
      if (kept.marked !== undefined) store(key, kept.marked);
      if (kept.wrapping !== undefined) stored.set(WRAPPING, kept.wrapping);
    }
    if (data === undefined || kind === "given" || kind === "ignored") continue;
    const isCompared = kind === "compared";
    const wrapped = unwrap(textOf(data), contextOf(key));
    if (wrapped !== undefined && isCompared) {
      if (!stored.has(WRAPPING)) stored.set(WRAPPING, bytesOf(wrapped.form));
      if (stored.get(WRAPPING)?.equals(bytesOf(wrapped.form)) === true) {
        notes.set(key, `wraps ${wrapped.manifest.slice(FILES.length)}`);
        continue;
      }
    }
    const digest = digestOf(data);
    const places = [`${digest} ${key}`, digest].map((place) => first.get(place));
    const same = places.find((place) => place !== undefined);
    const isWorthIt = data.length >= 64 && !(isWhole && same?.name !== name);
    if (same !== undefined && isWorthIt) {
      const where = same.name === name ? "" : same.name;
      notes.set(key, `= ${where}${same.key === key ? "" : `:${same.key}`}`);
      continue;
    }
    if (!isCompared) continue;
    for (const place of [`${digest} ${key}`, digest]) if (!first.has(place)) first.set(place, { name, key });
    store(key, foldText(textOf(data), { ...contextOf(key), lookup: compared }, known));
  }
  stored.set(INDEX, bytesOf(indexText(tree, (key) => notes.get(key))));
  return stored;
}
