import { relative } from "node:path";
import { isObject } from "../../../core/json.js";
import { lookup } from "../../../core/lookup.js";
import { INSTALL_CONFIG, openDirectory } from "../../../directory/index.js";
import { describeField, firstSentence } from "../../../explain/describe.js";
import {
  type FoundDocument,
  findDocuments,
  type KnownDocument,
  listDocuments,
} from "../../../explain/documents.js";
import { allFields, expand, findField } from "../../../explain/fields.js";
import { FLAGS } from "../../../pipeline/flags.js";
import type { PlatformName } from "../../../platforms/config.js";
import { PLATFORM_NAMES } from "../../../platforms/registry.js";
import { closest } from "../../../text/closest.js";
import { decodeText } from "../../../text/decode-text.js";
import { readYaml, toJson } from "../../../text/yaml-read.js";
import type { Handler } from "../../command.js";
import { EXIT, type ExitCode, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { print } from "../../print.js";
import type { World } from "../../world.js";
import * as command from "./flags.js";

export const runExplain: Handler = async (args, world) => {
  const path = args.get(command.path);
  const file = args.get(command.origin);
  if (file !== undefined && path !== undefined)
    throw new UsageError("--origin asks about a file; leave PATH out");
  if (file !== undefined) return explainOrigin(file, args, world);
  if (args.get(command.platform) !== undefined) throw new UsageError("--platform belongs to --origin");
  if (path === undefined) return list(args, world);
  const { document, rest } = await choose(path);
  const schema = await document.load();
  const lookup = findField(schema, rest);
  if (!lookup.found) {
    const at = [document.name, ...(lookup.within.path === "" ? [] : [lookup.within.path])].join(".");
    const near = lookup.near.map((each) => `${document.name}.${each}`);
    throw new UsageError(
      `${at} has no field ${lookup.missing}; ${near.length === 0 ? `slipway explain ${at} lists its fields` : `did you mean ${near.join(" or ")}?`}`,
    );
  }
  const { field } = lookup;
  print(args, world, {
    kind: "Explanation",
    json: { document: document.name, path: field.path, ...expand(field.node, schema) },
    text: describeField(document, field, schema),
  });
  return EXIT.done;
};

/** Where nobody named a directory, an answer without a platform will do. */
const HERE = ".";

/** `FILE` or `FILE:FIELD`. */
async function explainOrigin(asked: string, args: Arguments, world: World): Promise<ExitCode> {
  const [named = "", field] = asked.split(/:(.*)/s);
  if (named === "")
    throw new UsageError("--origin: name a file, such as manifests/cluster-proxy-01-config.yaml");
  const folder = args.get(FLAGS.dir);
  const file = belowFolder(named, folder);
  const platform = args.get(command.platform) ?? (await platformOf(folder));
  if (platform === undefined && folder !== HERE)
    throw new UsageError(
      `--dir ${folder}: neither an install-config nor a state there names a platform; --platform names one`,
    );
  const { describeOrigins, originOf } = await import("../../../explain/origin.js");
  const answer = originOf({ file, field: field === "" ? undefined : field, platform });
  if (!answer.found) throw new UsageError(`--origin: ${answer.problem}`);
  print(args, world, {
    kind: "OriginAnswer",
    json: {
      file,
      ...(field === undefined || field === "" ? {} : { field }),
      ...(platform === undefined ? {} : { platform }),
      origins: answer.origins,
    },
    text: describeOrigins(asked, answer.origins),
  });
  return EXIT.done;
}

/** A path below the folder, which a shell completes with the folder in front. */
function belowFolder(path: string, folder: string): string {
  const below = relative(folder, path);
  return folder !== HERE && below !== "" && !below.startsWith("..") ? below : path;
}

/** The platform that the install-config of a directory names, else its state; undefined where neither is there. */
async function platformOf(path: string): Promise<PlatformName | undefined> {
  const opened = await openDirectory(path, { write: false });
  if (!opened.ok) return undefined;
  const { inputs, state } = opened.value;
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
      `${path}: there is more than one such document; name ${found.map(({ document }) => document.name).join(" or ")}`,
    );
  const documents = listDocuments();
  const [config] = documents.filter(({ name }) => name === "install-config");
  if (config !== undefined && findField(await config.load(), path).found)
    return { document: config, rest: path };
  throw new UsageError(`${path}: there is no such document; ${await hintFor(path, documents)}`);
}

async function hintFor(path: string, documents: readonly KnownDocument[]): Promise<string> {
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
  return "slipway explain lists the documents";
}

function list(args: Arguments, world: World): ExitCode {
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
  print(args, world, {
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
    text: `${text.join("\n")}\nslipway explain NAME.FIELD documents a field.\n`,
  });
  return EXIT.done;
}

const HEADINGS: { readonly [group: string]: string } = {
  inputs: "What slipway reads",
  emitted: "Objects that slipway writes",
  outputs: "Answers with --output json",
};
