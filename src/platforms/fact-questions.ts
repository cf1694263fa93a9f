/**
 * What a person has to ask the cloud for, as a table of a platform: each fact with the cloud's own commands, in which
 * the names of the install-config are filled in. A facts file to fill in (`create facts`), the collectors and the
 * remedies of a facts file with gaps read it.
 */
import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import type { Release } from "../core/release.js";
import { singleQuoted } from "../text/shell.js";
import type { NormalConfig } from "./config.js";

/**
 * A value of the facts file that only the cloud knows.
 * @param what it is, in words without angle brackets
 * @param example a value that the schema of facts accepts
 */
export type FactBlank = (what: string, example: Json) => Json;

export interface FactQuestion {
  /** Path in the facts file, such as `aws.publicHostedZone`. */
  readonly fact: string;
  /** What it is, for a comment: a sentence or two. */
  readonly about: string;
  /** Commands of the cloud that print the value. */
  readonly commands: readonly string[];
  /** The value in the facts file, with what only the cloud knows as blanks. */
  value(blank: FactBlank): Json;
  /** Required wherever it is listed, although `create manifests` does not ask for it. */
  readonly always?: true;
}

/** What a platform asks for a config. */
export interface FactsAsked {
  /** Members of the platform's section that the config decides, such as the region: what the facts are about. */
  readonly scope: JsonObject;
  readonly questions: readonly FactQuestion[];
}

export interface AskContext {
  readonly release: Release;
  /** The names that something is not known of, such as subnets, by the fact that is missing. */
  names(fact: string): readonly string[];
}

export type AskFacts = (config: NormalConfig, context: AskContext) => FactsAsked;

/** A program that asks a cloud itself, as a POSIX shell script: its output is a facts file. */
export interface FactsCollector {
  /** The program that it calls, such as `aws`. */
  readonly program: string;
  /** What the person has to have set before it runs, for a comment. */
  readonly login: string;
  /** The lines that write the platform's section to standard output. */
  lines(config: NormalConfig, release: Release): readonly string[];
}

/** How a blank stands in a facts file. */
export const unfilledFact: FactBlank = (what, example) =>
  `<${what}, such as ${typeof example === "string" ? example : JSON.stringify(example)}>`;

/** In the place of blanks: values that the schema accepts. */
export const exampleFact: FactBlank = (_what, example) => example;

/** True for a text that a blank left behind. */
export const isUnfilled = (text: string): boolean => /^<[A-Za-z][^<>\n]*, such as [^<>\n]*>$/.test(text);

/** What has to be filled in, in the order of a text. */
export interface Unfilled {
  /** Path in the facts file, such as `aws.images.amd64.id`. */
  readonly field: string;
  /** What stands there. */
  readonly text: string;
}

export function unfilledIn(value: Json, field = ""): readonly Unfilled[] {
  if (typeof value === "string") return isUnfilled(value) ? [{ field, text: value }] : [];
  if (isList(value)) return value.flatMap((each, index) => unfilledIn(each, `${field}[${index}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    unfilledIn(each, field === "" ? key : `${field}.${key}`),
  );
}

/** A word of a command that stands between single quotes in any case, as those of JMESPath and jq. */
export const quotedWord = singleQuoted;

/** The command that prints the release's own CoreOS stream, with a filter of jq. */
export const fromStream = (filter: string): string =>
  `openshift-install coreos print-stream-json | jq ${singleQuoted(filter)}`;

/** The architecture as CoreOS streams spell it. */
export const streamArchitecture = (architecture: string): string =>
  architecture === "arm64" ? "aarch64" : architecture === "amd64" ? "x86_64" : architecture;
