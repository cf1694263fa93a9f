/** `slipway create facts`: the facts file that an install-config needs, to fill in, or a script that asks the cloud. */
import { join } from "node:path";
import { createReporter, isError, type Report } from "../../../core/diagnostics.js";
import { encode, textFile } from "../../../core/files.js";
import { isObject, type JsonObject } from "../../../core/json.js";
import { problem } from "../../../core/problem.js";
import { openDirectory, summed } from "../../../directory/index.js";
import { wantedFacts } from "../../../pipeline/facts.js";
import { completedFacts, newFactsFile } from "../../../pipeline/facts-file.js";
import { FLAGS as common } from "../../../pipeline/flags.js";
import type { CompileRequest } from "../../../pipeline/request.js";
import { hindrances } from "../../../pipeline/sealed-inputs.js";
import { FACTS_FILE } from "../../../platforms/cloud-facts.js";
import { unfilledIn } from "../../../platforms/fact-questions.js";
import { quote } from "../../../text/quote.js";
import { pathWord, wordIn } from "../../../text/shell.js";
import { valuesOf } from "../../../text/yaml-content.js";
import { identitiesOf } from "../../age.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { print } from "../../print.js";
import { printStream, refuseTwoOutputs, STDOUT } from "../../stdout-file.js";
import { writeNamed } from "../../write-named.js";
import { compileRequest } from "./compile-request.js";
import { script } from "./facts-flags.js";
import { factsScript } from "./facts-script.js";

/** What a run did with the facts file. */
interface Outcome {
  readonly path: string;
  readonly status: "created" | "updated" | "unchanged";
  /** For people. */
  readonly text: string;
}

export const runCreateFacts: Handler = async (args, cli) => {
  const reporter = createReporter();
  const { report } = reporter;
  const target = args.get(script);
  if (target === STDOUT) refuseTwoOutputs(args, "--script");
  const opened = await openDirectory(args.get(common.dir), {
    write: false,
    identities: identitiesOf(args, cli, report),
    given: cli.given,
  });
  let outcome: Outcome | undefined;
  let streamed: string | undefined;
  if (!opened.ok) report(opened.problem);
  else
    try {
      const directory = opened.value;
      directory.problems.forEach(report);
      summed(hindrances(directory)).forEach(report);
      if (!reporter.failed) {
        const request = await compileRequest(directory, "manifests", args, cli, report, "unknown");
        if (target !== undefined) {
          const text = await scriptOf(request, args, report);
          if (target === STDOUT) streamed = text;
          else if (text !== undefined) outcome = await writeScript(target, text, args, cli, report);
        } else if (!reporter.failed) outcome = await factsOf(request, args, cli, report);
      }
    } finally {
      opened.value.close();
    }
  const ok = !reporter.diagnostics.some(isError);
  if (target === STDOUT) printStream(args, cli, "--script", streamed ?? "", reporter.diagnostics);
  else
    print(args, cli, {
      kind: "CreateResult",
      json: {
        dryRun: false,
        files: outcome === undefined ? [] : [{ path: outcome.path, status: outcome.status }],
        nextSteps: [],
      },
      text: ok ? (outcome?.text ?? "") : "",
      diagnostics: reporter.diagnostics,
      outcome: outcome?.status === "unchanged" ? "none" : { files: outcome === undefined ? [] : [outcome] },
    });
  return ok ? EXIT.done : EXIT.wrong;
};

/** The script for a config; whatever a facts file says already is asked again. */
async function scriptOf(
  request: CompileRequest,
  args: Arguments,
  report: Report,
): Promise<string | undefined> {
  const { facts: _, ...texts } = request.texts;
  const found = await wantedFacts({ ...request, texts }, undefined);
  if (found === undefined) return undefined;
  const { collector, name } = found.platform;
  if (collector === undefined) {
    report(
      problem("FLAG001", "NotSupported", "--script", `no script is available for the platform ${name}`, {
        file: "--script",
        hint: `use the commands in the facts file instead: slipway create facts --dir ${pathWord(args.get(common.dir))}`,
      }),
    );
    return undefined;
  }
  return factsScript(collector, found.config, request.release);
}

async function writeScript(
  path: string,
  text: string,
  args: Arguments,
  cli: CliContext,
  report: Report,
): Promise<Outcome | undefined> {
  const status = await writeNamed(cli, textFile(path, text), report, { replace: true });
  if (status === undefined) return undefined;
  const facts = wordIn(args.get(common.dir), FACTS_FILE);
  return {
    path,
    status: status === "created" ? "created" : "updated",
    text: `${status}  ${path}\n\nRun it where the cloud can be reached, then compile:\n  sh ${pathWord(path)} > ${facts}\n  slipway create manifests --dir ${pathWord(args.get(common.dir))}\n`,
  };
}

/** Creates the facts file, or adds what is missing to it. */
async function factsOf(
  request: CompileRequest,
  args: Arguments,
  cli: CliContext,
  report: Report,
): Promise<Outcome | undefined> {
  const dir = args.get(common.dir);
  const { facts } = request.texts;
  const path = facts?.file ?? join(dir, FACTS_FILE);
  const there = facts === undefined ? undefined : documentOf(facts.text, facts.file, report);
  if (facts !== undefined && there === undefined) return undefined;
  const found = await wantedFacts(request, there);
  if (found === undefined) return undefined;
  const { platform, asked, questions } = found;
  const done = (status: Outcome["status"], lines: readonly string[]): Outcome => ({
    path,
    status,
    text: `${lines.join("\n")}\n`,
  });
  const offer =
    platform.collector === undefined
      ? []
      : [
          `A script that calls ${platform.collector.program} can ask the cloud instead:`,
          `  slipway create facts --dir ${pathWord(dir)} --script ${wordIn(dir, "facts.sh")}`,
        ];
  const next = ["Then run", `  slipway create manifests --dir ${pathWord(dir)}`];
  if (facts === undefined) {
    if (questions.length === 0)
      return done("unchanged", [
        `No facts are missing for platform ${platform.name}; no file is required.`,
        ...(platform.collector === undefined
          ? []
          : ["Optional facts find mistakes before the installation.", ...offer]),
      ]);
    const about = `the cluster ${quote(found.config.metadata.name)} (${platform.name})`;
    const text = newFactsFile(about, platform.name, asked, questions);
    const status = await writeNamed(cli, textFile(path, text), report);
    if (status === undefined) return undefined;
    return done("created", [
      `created  ${path}`,
      "",
      `Fill in ${listed(questions.map(({ fact }) => fact))}: the file has the commands.`,
      ...offer,
      ...next,
    ]);
  }
  const completed = await completedFacts(encode(facts.text), there ?? {}, platform.name, asked, questions);
  if (completed === undefined) {
    const left = unfilledIn(there ?? {});
    return done(
      "unchanged",
      left.length === 0
        ? [`${path} is complete: no facts are missing.`]
        : [`Fill in these values in ${path}:`, ...left.map(({ field }) => `  ${field}`), ...offer, ...next],
    );
  }
  const status = await writeNamed(cli, { path, data: completed.data, secret: false }, report, {
    replace: true,
  });
  if (status === undefined) return undefined;
  return done("updated", [
    `updated  ${path}: added ${listed(completed.added)}; your values and comments are unchanged.`,
    "",
    "Fill in the values in angle brackets.",
    ...offer,
    ...next,
  ]);
}

/** The document of a facts file; a fault is reported. */
function documentOf(text: string, file: string, report: Report): JsonObject | undefined {
  const [document, second] = valuesOf(encode(text)) ?? [];
  if (isObject(document) && second === undefined) return document;
  report(
    problem("FACT003", "Invalid", "", "the file is not one YAML document with facts", {
      file,
      hint: "correct the file, or move it away and run the command again",
    }),
  );
  return undefined;
}

const listed = (names: readonly string[]): string => [...new Set(names)].join(", ");
