import { join, posix, relative } from "node:path";
import { isObject } from "../../../core/json.js";
import { lookup } from "../../../core/lookup.js";
import {
  type AssetDirectory,
  INSTALL_CONFIG,
  lookAt,
  openDirectory,
  readInput,
} from "../../../directory/index.js";
import { describeField, firstSentence } from "../../../explain/describe.js";
import {
  type FoundDocument,
  findDocuments,
  type KnownDocument,
  listDocuments,
} from "../../../explain/documents.js";
import { allFields, expand, findField } from "../../../explain/fields.js";
import type { LineOrigin } from "../../../explain/origin.js";
import { FLAGS } from "../../../pipeline/flags.js";
import type { PlatformName } from "../../../platforms/config.js";
import { PLATFORM_NAMES } from "../../../platforms/registry.js";
import { closest } from "../../../text/closest.js";
import { decodeText } from "../../../text/decode-text.js";
import { readYaml, toJson } from "../../../text/yaml-read.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, type ExitCode, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { refuseWithout } from "../../idle-flags.js";
import { print } from "../../print.js";
import * as command from "./flags.js";

/** True for a word that has the form of a diagnostic code, in letters of either case. */
const isCodeLike = (word: string): boolean => /^[a-z]{2,5}[0-9]{3}$/i.test(word);

export const runExplain: Handler = async (args, cli) => {
  const path = args.get(command.path);
  const file = args.get(command.origin);
  if (file !== undefined && path !== undefined)
    throw new UsageError("--origin and TOPIC are mutually exclusive");
  if (file !== undefined) return explainOrigin(file, args, cli);
  refuseWithout(args, [command.origin], [command.platform, FLAGS.dir]);
  if (path === undefined) return list(args, cli);
  if (isCodeLike(path) && findDocuments(path).length === 0) return explainDiagnostic(path, args, cli);
  const { document, rest } = await choose(path);
  const schema = await document.load();
  const lookup = findField(schema, rest);
  if (!lookup.found) {
    const at = [document.name, ...(lookup.within.path === "" ? [] : [lookup.within.path])].join(".");
    const near = lookup.near.map((each) => `${document.name}.${each}`);
    throw new UsageError(
      `${at} has no field "${lookup.missing}"; ${near.length === 0 ? `slipway explain ${at} lists its fields` : `did you mean ${near.join(" or ")}?`}`,
    );
  }
  const { field } = lookup;
  print(args, cli, {
    kind: "Explanation",
    json: { document: document.name, path: field.path, ...expand(field.node, schema) },
    text: describeField(document, field, schema),
  });
  return EXIT.done;
};

async function explainDiagnostic(word: string, args: Arguments, cli: CliContext): Promise<ExitCode> {
  const { describeCode, explainCode, findCode, nearestCode } = await import(
    "../../../explain/codes/diagnostic.js"
  );
  const code = findCode(word);
  if (code === undefined) {
    const near = nearestCode(word);
    throw new UsageError(
      `${word}: unknown diagnostic code; ${near === undefined ? "docs/reference/diagnostics.md lists all codes" : `did you mean ${near}?`}`,
    );
  }
  const explanation = explainCode(code);
  print(args, cli, {
    kind: "CodeExplanation",
    json: explanation,
    text: describeCode(explanation),
  });
  return EXIT.done;
}

/** Where nobody named a directory, an answer without a platform will do. */
const HERE = ".";

/** `FILE`, `FILE:FIELD` or `FILE:LINE`; a line may be of a file of the bootstrap node: `FILE:/PATH:LINE`. */
async function explainOrigin(asked: string, args: Arguments, cli: CliContext): Promise<ExitCode> {
  const [named = "", rest = ""] = split(asked);
  const [, node, number] = /^(?:(\/.*):)?([0-9]+)$/s.exec(rest) ?? [];
  if (named === "")
    throw new UsageError("--origin requires a file, such as manifests/cluster-proxy-01-config.yaml");
  const folder = args.get(FLAGS.dir);
  const file = belowFolder(named, folder);
  const opened = await openDirectory(folder, { write: false });
  const directory = opened.ok ? opened.value : undefined;
  const platform = args.get(command.platform) ?? platformOf(directory);
  if (platform === undefined && folder !== HERE)
    throw new UsageError(`--dir ${folder}: contains no install-config and no state; set --platform`);
  const { describeOrigins, originOf, originOfLine } = await import("../../../explain/origin.js");
  const place = number === undefined ? rest : node;
  const question = { file, field: place === "" ? undefined : place, platform };
  const line = number === undefined ? undefined : Number(number);
  const answer: LineOrigin =
    line === undefined
      ? originOf(question)
      : originOfLine(question, line, textOnDisk(file, folder, directory));
  if (!answer.found) throw new UsageError(`--origin: ${answer.problem}`);
  const field = answer.field ?? question.field;
  print(args, cli, {
    kind: "OriginAnswer",
    json: {
      file,
      ...(line === undefined ? {} : { line }),
      ...(field === undefined ? {} : { field }),
      ...(platform === undefined ? {} : { platform }),
      origins: answer.origins,
    },
    text: describeOrigins(asked, answer.origins, answer.field),
  });
  return EXIT.done;
}

/** The file, and what is asked of it; a line of an absolute path is of the bootstrap node, as the path alone is. */
const split = (asked: string): readonly string[] =>
  (/^\/[^:]*:[0-9]+$/.test(asked) ? `bootstrap.ign:${asked}` : asked).split(/:(.*)/s);

/** A path below the folder, which a shell completes with the folder in front. */
function belowFolder(path: string, folder: string): string {
  const below = relative(folder, path);
  return folder !== HERE && below !== "" && !below.startsWith("..") ? below : path;
}

/** The text of a file of a directory, which a path in it names, or a name alone. */
function textOnDisk(file: string, folder: string, directory: AssetDirectory | undefined): string {
  const path = posix.normalize(file.replaceAll("\\", "/"));
  const known = [...(directory?.files.values() ?? [])];
  const found = known.filter((each) => each.path === path || posix.basename(each.path) === path);
  if (found.length > 1)
    throw new UsageError(
      `--origin: ambiguous file ${file}; use ${found.map((each) => each.path).join(" or ")}`,
    );
  const data = found[0]?.data ?? fileAt(join(folder, path));
  if (data === undefined)
    throw new UsageError(
      `--origin: ${file} does not exist in ${folder}, and a line requires the file on disk; set --dir to the asset directory, or use FILE:FIELD`,
    );
  const { text, problem } = decodeText(data, path);
  if (text === undefined) throw new UsageError(`--origin: ${file}: ${problem?.message}`);
  return text;
}

/** Where nobody is to be told why a file cannot be read. */
const fileAt = (path: string): Uint8Array | undefined =>
  lookAt(path)?.isFile() === true ? readInput(path) : undefined;

/** The platform that the install-config of a directory names, else its state; undefined where neither is there. */
function platformOf(directory: AssetDirectory | undefined): PlatformName | undefined {
  if (directory === undefined) return undefined;
  const { inputs, state } = directory;
  const file = inputs.get(INSTALL_CONFIG);
  const text = file === undefined ? undefined : decodeText(file.data, INSTALL_CONFIG).text;
  const root =
    text === undefined ? undefined : readYaml(text, INSTALL_CONFIG, { firstOnly: true }).documents[0]?.root;
  const config = root === undefined ? (state?.installConfig?.config ?? {}) : toJson(root);
  const names = Object.keys(Object(lookup(isObject(config) ? config : {}, "platform")));
  return PLATFORM_NAMES.find((name) => names.some((each) => each.toLowerCase() === name));
}

/** The one document that a path names; a path without one is looked for in the install-config. */
async function choose(path: string): Promise<FoundDocument> {
  const found = findDocuments(path);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined)
    throw new UsageError(
      `${path}: ambiguous document; use ${found.map(({ document }) => document.name).join(" or ")}`,
    );
  const documents = listDocuments();
  const [config] = documents.filter(({ name }) => name === "install-config");
  if (config !== undefined && findField(await config.load(), path).found)
    return { document: config, rest: path };
  throw new UsageError(`${path}: unknown document; ${await hintFor(path, documents)}`);
}

async function hintFor(path: string, documents: readonly KnownDocument[]): Promise<string> {
  if (/\.(?:ya?ml|json|ign)$/.test(path))
    return "document names have no extension; use --origin FILE for the origin of a file";
  const [first = ""] = path.split(".");
  const near = closest(
    first,
    documents.flatMap(({ name, kind }) => [name, kind]),
  );
  if (near !== undefined) return `did you mean ${[near, ...path.split(".").slice(1)].join(".")}?`;
  const last = path.split(".").at(-1) ?? "";
  for (const document of documents.filter(({ group }) => group === "inputs")) {
    const field = allFields(await document.load()).find(
      ({ name }) => name.toLowerCase() === last.toLowerCase(),
    );
    if (field !== undefined) return `did you mean ${document.name}.${field.path}?`;
  }
  return "run slipway explain to list the documents";
}

function list(args: Arguments, cli: CliContext): ExitCode {
  const documents = listDocuments();
  const width = Math.max(...documents.map(({ name }) => name.length)) + 2;
  const groups = [...new Set(documents.map(({ group }) => group))];
  const text = groups.map((group) => {
    const lines = documents
      .filter((each) => each.group === group)
      .map(({ name, apiVersion, summary }) =>
        `  ${name.padEnd(width)}${firstSentence(summary) || apiVersion}`.trimEnd(),
      );
    return `${HEADINGS[group] ?? group}\n${lines.join("\n")}\n`;
  });
  print(args, cli, {
    kind: "DocumentList",
    json: {
      documents: documents.map(({ name, group, kind, apiVersion, summary }) => ({
        name,
        group,
        kind,
        apiVersion,
        summary,
      })),
    },
    text: `${text.join("\n")}\nslipway explain NAME.FIELD documents a field.\nslipway explain CODE, such as IC110, describes a diagnostic.\n`,
  });
  return EXIT.done;
}

const HEADINGS: { readonly [group: string]: string } = {
  inputs: "Files that slipway reads",
  emitted: "Objects that slipway writes",
  outputs: "Output with --output json",
};
