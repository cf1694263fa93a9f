import { resolve } from "node:path";
import {
  createReporter,
  type Diagnostic,
  diagnostic,
  distinct,
  isError,
  type Report,
} from "../../../core/diagnostics.js";
import { decode, encode } from "../../../core/files.js";
import {
  type AssetDirectory,
  INSTALL_CONFIG,
  openDirectory,
  openInput,
  STATE_FILE,
  summed,
} from "../../../directory/index.js";
import { FLAGS as flags } from "../../../pipeline/flags.js";
import type { NamedText } from "../../../pipeline/request.js";
import { cannotCompile, decidesOutput, hindrances, ofSealed } from "../../../pipeline/sealed-inputs.js";
import { validateDirectory, validateFile as validateInputFile } from "../../../pipeline/validate.js";
import { decodeText } from "../../../text/decode-text.js";
import { withDefinitions } from "../../../validate/crd-files.js";
import { identitiesOf } from "../../age.js";
import { unlessDecrypted } from "../../argo-plugin.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { type NamedFile, readNamed } from "../../input-files.js";
import { print } from "../../print.js";
import { compileRequest, minValidityOf } from "../create/compile-request.js";
import { file } from "./flags.js";
export const validate: Handler = async (args, cli) => {
  const name = args.get(file);
  if (name !== undefined && args.given(flags.dir))
    throw new UsageError("FILE and --dir are mutually exclusive");
  const diagnostics = name === undefined ? await validateDir(args, cli) : await validateFile(name, args, cli);
  const ok = !diagnostics.some(isError);
  print(args, cli, {
    kind: "ValidateResult",
    json: {},
    text: ok ? `${name ?? args.get(flags.dir)}: no errors` : "",
    diagnostics,
    outcome: diagnostics.every(({ severity }) => severity === "info") ? "no problems found" : undefined,
  });
  return ok ? EXIT.done : EXIT.wrong;
};

async function validateFile(name: string, args: Arguments, cli: CliContext): Promise<readonly Diagnostic[]> {
  for (const flag of [flags.crds, flags.customInfrastructure, flags.templates, flags.minValidity])
    if (args.given(flag))
      throw new UsageError(`--${flag.name} applies to a directory and has no effect on FILE`);
  const reporter = createReporter();
  const { report } = reporter;
  const source =
    name === "-"
      ? decoded({ file: "stdin", data: await cli.stdin.bytes() }, report)
      : decoded(readNamed(name, cli.cwd, report), report);
  const nothing = {
    path: cli.cwd,
    state: undefined,
    record: undefined,
    inputs: new Map(),
    files: new Map(),
  };
  const request = await compileRequest(nothing, "manifests", args, cli, report, "unknown");
  const identities = identitiesOf(args, cli, report);
  const readable = source === undefined ? undefined : await readablePart(source, identities, report);
  const found = readable === undefined ? [] : await validateInputFile(readable, request);
  return distinct([...reporter.diagnostics, ...found]);
}

/**
 * The text, opened where it is encrypted. Of one that no key opens, what can be read all the same; undefined where that
 * is nothing that can be judged.
 */
async function readablePart(
  source: NamedText,
  identities: readonly string[],
  report: Report,
): Promise<NamedText | undefined> {
  const { file, problems } = await openInput(source.file, encode(source.text), identities);
  const [hindrance] = hindrances({ closed: problems, inputs: new Map([[source.file, file]]) });
  if (hindrance !== undefined) return void report(hindrance);
  for (const problem of problems) report(ofSealed(problem, "unknown"));
  if (file.sealed === undefined) return source;
  const text = decode(file.data) ?? "";
  return problems.length > 0 && decidesOutput(text, source.file) ? undefined : { ...source, text };
}

/** An install-config may come in other encodings too. */
function decoded(named: NamedFile | undefined, report: Report): NamedText | undefined {
  if (named === undefined) return undefined;
  const { text, problem } = decodeText(named.data, named.file);
  if (problem !== undefined) report(problem);
  return text === undefined ? undefined : { file: named.file, text };
}

async function validateDir(args: Arguments, cli: CliContext): Promise<readonly Diagnostic[]> {
  const reporter = createReporter();
  const opened = await openDirectory(args.get(flags.dir), {
    write: false,
    identities: identitiesOf(args, cli, reporter.report),
    given: cli.given,
  });
  if (!opened.ok) return [diagnostic(opened.problem)];
  const directory = opened.value;
  directory.problems.forEach(reporter.report);
  const closed = new Set(directory.closed.map(({ file }) => file));
  const errors = withoutConfig(directory) ? directory.closed : hindrances(directory);
  summed(errors).forEach(reporter.report);
  for (const problem of summed(directory.closed.filter((each) => !errors.includes(each))))
    reporter.report({ ...problem, severity: "warning" });
  // Of a manifest that is no text nothing more is said; the rest is judged all the same.
  const unread = new Set(directory.problems.flatMap(({ code, file }) => (code === "DIR041" ? [file] : [])));
  if (reporter.diagnostics.some((each) => isError(each) && !unread.has(each.file)))
    return reporter.diagnostics;
  const target = "infrastructure-manifests";
  const request = await compileRequest(directory, target, args, cli, reporter.report, "unknown");
  // What can be read of an install-config is judged. Rules leave out what is encrypted in it.
  if (!cannotCompile(request)) closed.delete(INSTALL_CONFIG);
  const options =
    request.crds === undefined ? {} : await withDefinitions(request.crds, reporter.report, request.release);
  const judged = await validateDirectory({ ...request, directory }, options, minValidityOf(args));
  const found = unlessDecrypted(judged, resolve(cli.cwd, directory.path));
  return distinct([
    ...reporter.diagnostics,
    ...found.filter(({ code, file }) => (!closed.has(file) || IN_THE_OPEN.has(code)) && !unread.has(file)),
  ]);
}

/** What names, labels and annotations say, which are not encrypted with the values of a Secret. */
const IN_THE_OPEN: ReadonlySet<string> = new Set(["CAPI017", "CAPI018"]);

/** True where the install-config is in the state alone, which stays closed. */
const withoutConfig = ({ inputs, state, closed }: AssetDirectory): boolean =>
  !inputs.has(INSTALL_CONFIG) && state === undefined && closed.some(({ file }) => file === STATE_FILE);
