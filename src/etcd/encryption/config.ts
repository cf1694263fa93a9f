/**
 * The configuration of encryption at rest, as an API server loads it: rules in the order written, resolved to the
 * list of providers of each resource (docs/reference/storage-and-encryption.md §1.4).
 */

import type { Problem } from "../../core/diagnostics.js";
import { problem, problemList } from "../../core/problem.js";
import { readYaml } from "../../text/yaml-read.js";
import { readRules } from "./config-rules.js";
import {
  ANY,
  formatGroupResource,
  type GroupResource,
  parseGroupResource,
  ruleKey,
} from "./group-resource.js";
import type { Provider } from "./providers.js";

/** What `--encryption-provider-config` says, or would say. */
export interface EncryptionConfig {
  readonly file: string;
  /** `group/resource` to the providers that read it, in order; `*` stands for every resource or every group. */
  readonly providers: ReadonlyMap<string, readonly Provider[]>;
  /** As written, for telling where something stands. */
  readonly rules: readonly ConfigRule[];
}

/** One element of `resources`. */
export interface ConfigRule {
  /** Counted from 1. */
  readonly number: number;
  readonly line: number;
  readonly resources: readonly GroupResource[];
  readonly providers: readonly Provider[];
}

/** The first line from `start` on that holds more than a marker or a comment. */
function contentFrom(text: string, start: number): number | undefined {
  const index = text
    .split(/\r\n|\r|\n/)
    .findIndex((line, i) => i + 1 >= start && !/^(?:---|\.\.\.)?\s*(?:#.*)?$/.test(line));
  return index < 0 ? undefined : index + 1;
}

/** Reads and validates a configuration; undefined when a server would refuse it. */
export function readEncryptionConfig(
  text: string,
  file: string,
  report: (problem: Problem) => void,
): EncryptionConfig | undefined {
  // As the server's strict reader does: the first document alone, and a merge key does not set what is set already.
  const { documents, problems } = readYaml(text, file, { firstOnly: true, merge: "refuse" });
  for (const each of problems) report(each);
  if (problems.some(({ severity }) => severity === undefined || severity === "error")) return undefined;
  const refuse = (message: string, hint: string): undefined =>
    void report(problem("ETC020", "Invalid", "", message, { file, hint }));
  const [first] = documents;
  if (first?.root === undefined) return refuse("the file is empty", "add an EncryptionConfiguration");
  const line = first.next === 0 ? undefined : contentFrom(text, first.next);
  if (line !== undefined)
    problemList(report, "", { file, line, column: 1 }).warnings.report(
      "ETC020",
      "Invalid",
      "the file contains more than one document; an API server reads only the first",
      "keep one document",
    );
  let faults = 0;
  const rules = readRules(first.root, (problem) => {
    if (problem.severity === undefined || problem.severity === "error") faults++;
    report({ file, ...problem });
  });
  if (rules === undefined || faults > 0) return undefined;
  const providers = new Map<string, readonly Provider[]>();
  for (const rule of rules)
    for (const { text: written, line, column, field } of rule.resources) {
      const resource = parseGroupResource(written);
      const mask = [{ group: resource.group, resource: "*" }, ANY].find((each) =>
        providers.has(ruleKey(each)),
      );
      if (mask !== undefined) {
        faults++;
        problemList(report, field, { file, line, column }).report(
          "ETC020",
          "Invalid",
          `resource ${JSON.stringify(formatGroupResource(resource))} is masked by earlier rule ${JSON.stringify(formatGroupResource(mask))}`,
          "move this rule before the rule with the wildcard",
        );
        continue;
      }
      const key = ruleKey(resource);
      providers.set(key, [...(providers.get(key) ?? []), ...rule.providers]);
    }
  if (faults > 0) return undefined;
  return {
    file,
    providers,
    rules: rules.map(({ line, resources, providers }, i) => ({
      number: i + 1,
      line,
      resources: resources.map(({ text }) => parseGroupResource(text)),
      providers,
    })),
  };
}

/** The providers that read a resource; undefined when nothing is configured for it. */
export function providersOf(
  config: EncryptionConfig,
  { group, resource }: GroupResource,
): readonly Provider[] | undefined {
  return (
    config.providers.get(ruleKey({ group, resource })) ??
    config.providers.get(ruleKey({ group, resource: "*" })) ??
    config.providers.get(ruleKey(ANY))
  );
}
