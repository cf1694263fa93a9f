/** Which facts an install-config needs and does not have yet, as questions to the cloud. */
import type { MissingFact, Problem } from "../core/diagnostics.js";
import { isJson, isObject, type JsonObject } from "../core/json.js";
import type { NormalConfig } from "../platforms/config.js";
import { exampleFact, type FactQuestion, type FactsAsked } from "../platforms/fact-questions.js";
import type { PlatformModule } from "../platforms/platform.js";
import { compileForFacts, type FactsSubject } from "./config.js";
import { withFacts, withoutUnfilled } from "./facts-file.js";
import type { CompileRequest } from "./request.js";

export interface WantedFacts {
  readonly config: NormalConfig;
  readonly platform: PlatformModule;
  readonly asked: FactsAsked;
  /** Those that are missing. */
  readonly questions: readonly FactQuestion[];
}

/** An answer may raise the next question: a size of machines tells the generation of the image. */
const ROUNDS = 4;

/** Faults of credentials, and of facts that are missing, are not of the facts that there are. */
const CONCERNS_FACTS = /^(?:FACT00[239]|YAML|DIR|TAB|SOPS)/;

/**
 * The questions that a config leaves open. Undefined where the config or the facts that there are cannot be read, or
 * contradict each other, which is reported.
 * @param there the facts file as it is; what is not filled in counts as missing
 */
export async function wantedFacts(
  request: CompileRequest,
  there: JsonObject | undefined,
): Promise<WantedFacts | undefined> {
  const missing = new Map<string, Set<string>>();
  const known = there === undefined ? undefined : withoutUnfilled(there);
  let given = known;
  let real: FactsSubject["facts"];
  let found: WantedFacts | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const problems: Problem[] = [];
    const subject = await compileForFacts({
      ...request,
      texts: { ...request.texts, ...textsOf(request, given) },
      report: (each) => problems.push(each),
    });
    if (round === 0) real = subject?.facts;
    const errors = problems.filter(
      ({ severity = "error", code, fact }) =>
        severity === "error" && fact === undefined && CONCERNS_FACTS.test(code),
    );
    // Examples contradict a config; facts that there are must not.
    if (subject === undefined || (round === 0 && errors.length > 0)) {
      (subject === undefined ? problems : errors).forEach(request.report);
      return undefined;
    }
    const before = sizeOf(missing);
    for (const { path, names } of problems.flatMap(({ fact }) => fact ?? [])) note(missing, path, names);
    found = open({ ...subject, facts: real }, request, missing, known);
    const { state } = request.directory;
    if (found.questions.length > 0 && there === undefined && state?.facts !== undefined) {
      // The file takes the place of the facts that the state keeps, so that it has to have all of them.
      const { facts: _, ...others } = state;
      return wantedFacts({ ...request, directory: { ...request.directory, state: others } }, undefined);
    }
    if (subject.facts !== undefined && before === sizeOf(missing)) return found;
    if (subject.facts === undefined && (round > 0 || found.questions.length === 0)) {
      // Facts are not what the config lacks.
      problems.filter(({ fact }) => fact === undefined).forEach(request.report);
      return undefined;
    }
    given = withFacts(known, subject.platform.name, found.asked, found.questions, exampleFact);
  }
  return found;
}

const sizeOf = (missing: ReadonlyMap<string, ReadonlySet<string>>): number =>
  [...missing.values()].reduce((sum, names) => sum + 1 + names.size, 0);

function note(missing: Map<string, Set<string>>, path: string, names: MissingFact["names"]): void {
  const all = missing.get(path) ?? new Set();
  for (const name of names) all.add(name);
  missing.set(path, all);
}

/** What the platform asks of it: what was found missing, and what is always asked for and not there. */
function open(
  { config, platform, facts }: FactsSubject,
  { release }: CompileRequest,
  missing: ReadonlyMap<string, ReadonlySet<string>>,
  known: JsonObject | undefined,
): WantedFacts {
  const names = (fact: string): readonly string[] => [...(missing.get(fact) ?? [])];
  const asked = platform.askFacts?.(config, { release, names }) ?? { scope: {}, questions: [] };
  const questions = asked.questions.filter(
    ({ fact, always }) =>
      missing.has(fact) || (always === true && !holds(facts, fact) && !holds(known, fact)),
  );
  return { config, platform, asked, questions };
}

/** Whether facts have a value at a path. */
const holds = (facts: object | undefined, path: string): boolean => {
  const plain: unknown = JSON.parse(JSON.stringify(facts ?? {}));
  if (!isJson(plain)) return false;
  const value = path
    .split(".")
    .reduce<unknown>((each, name) => (isJson(each) && isObject(each) ? each[name] : undefined), plain);
  return value !== undefined && value !== null;
};

const textsOf = ({ texts }: CompileRequest, facts: JsonObject | undefined): CompileRequest["texts"] =>
  facts === undefined
    ? {}
    : { facts: { file: texts.facts?.file ?? "facts.yaml", text: JSON.stringify(facts) } };
