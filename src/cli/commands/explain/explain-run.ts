import { describeField, firstSentence } from "../../../explain/describe.js";
import {
  type FoundDocument,
  findDocuments,
  type KnownDocument,
  listDocuments,
} from "../../../explain/documents.js";
import { allFields, expand, findField } from "../../../explain/fields.js";
import { closest } from "../../../text/closest.js";
import type { Handler } from "../../command.js";
import { EXIT, type ExitCode, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { print } from "../../print.js";
import type { World } from "../../world.js";
import * as command from "./flags.js";

export const runExplain: Handler = async (args, world) => {
  const path = args.get(command.path);
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
