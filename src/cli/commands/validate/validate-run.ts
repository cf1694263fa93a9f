import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  createReporter,
  type Diagnostic,
  diagnostic,
  isError,
  type Report,
} from "../../../core/diagnostics.js";
import { isObject } from "../../../core/json.js";
import { openDirectory } from "../../../directory/index.js";
import { type Crd, loadCel, readCrd } from "../../../kubernetes/crd-schema.js";
import { crdFindings } from "../../../kubernetes/crd-validation.js";
import { hindrances } from "../../../pipeline/check.js";
import { FLAGS as flags } from "../../../pipeline/flags.js";
import { validateDirectory, validateFile as validateInputFile } from "../../../pipeline/validate.js";
import { decodeText } from "../../../text/decode-text.js";
import { readYaml, toJson } from "../../../text/yaml-read.js";
import type { ValidationOptions } from "../../../validate/infrastructure.js";
import { identitiesOf, summed } from "../../age.js";
import type { Handler } from "../../command.js";
import { EXIT, UsageError } from "../../exit.js";
import type { Arguments } from "../../flags.js";
import { type NamedFile, readNamed, textOf } from "../../input-files.js";
import { print } from "../../print.js";
import type { World } from "../../world.js";
import { compileRequest, minValidityOf } from "../create/compile-request.js";
import { crds, file } from "./flags.js";
export const validate: Handler = async (args, world) => {
  const name = args.get(file);
  if (name !== undefined && args.given(flags.dir)) throw new UsageError("give a FILE or --dir, not both");
  const diagnostics =
    name === undefined ? await validateDir(args, world) : await validateFile(name, args, world);
  const ok = !diagnostics.some(isError);
  print(args, world, {
    kind: "ValidateResult",
    json: { ok },
    text: ok ? `${name ?? args.get(flags.dir)}: no errors` : "",
    diagnostics,
  });
  return ok ? EXIT.done : EXIT.wrong;
};

async function validateFile(name: string, args: Arguments, world: World): Promise<readonly Diagnostic[]> {
  for (const flag of [crds, flags.minValidity])
    if (args.given(flag))
      throw new UsageError(`--${flag.name} is about a directory, and has no effect on a FILE`);
  const reporter = createReporter();
  const { report } = reporter;
  const source =
    name === "-"
      ? decoded({ file: "stdin", data: await world.stdin.bytes() }, report)
      : decoded(readNamed(name, world.cwd, report), report);
  const nothing = {
    path: world.cwd,
    state: undefined,
    record: undefined,
    inputs: new Map(),
    files: new Map(),
  };
  const request = await compileRequest(nothing, "manifests", args, world, report);
  const found = source === undefined ? [] : await validateInputFile(source, request);
  return [...reporter.diagnostics, ...found];
}

/** An install-config may come in other encodings too. */
function decoded(named: NamedFile | undefined, report: Report): { file: string; text: string } | undefined {
  if (named === undefined) return undefined;
  const { text, problem } = decodeText(named.data, named.file);
  if (problem !== undefined) report(problem);
  return text === undefined ? undefined : { file: named.file, text };
}

function textNamed(named: NamedFile | undefined, report: Report): { file: string; text: string } | undefined {
  if (named === undefined) return undefined;
  const text = textOf(named, report);
  return text === undefined ? undefined : { file: named.file, text };
}

async function validateDir(args: Arguments, world: World): Promise<readonly Diagnostic[]> {
  const reporter = createReporter();
  const opened = await openDirectory(args.get(flags.dir), {
    write: false,
    identities: identitiesOf(args, world, reporter.report),
  });
  if (!opened.ok) return [diagnostic(opened.problem)];
  const directory = opened.value;
  directory.problems.forEach(reporter.report);
  const closed = new Set(directory.closed.map(({ file }) => file));
  for (const problem of summed(directory.closed))
    reporter.report({
      ...problem,
      ...(hindrances(directory).some(({ file }) => file === problem.file) ? {} : { severity: "warning" }),
    });
  if (reporter.failed) return reporter.diagnostics;
  const request = await compileRequest(directory, "infrastructure-manifests", args, world, reporter.report);
  const options = await validationOptions(args.get(crds), world, reporter.report);
  const found = await validateDirectory({ ...request, directory }, options, minValidityOf(args));
  return [...reporter.diagnostics, ...found.filter(({ file }) => !closed.has(file))];
}

/** Definitions from a folder; a rule in CEL is evaluated where it can be. */
async function validationOptions(
  folder: string | undefined,
  world: World,
  report: Report,
): Promise<ValidationOptions> {
  if (folder === undefined) return {};
  const found: Crd[] = [];
  for (const path of definitionFiles(folder, world, report)) {
    const source = textNamed(readNamed(path, world.cwd, report), report);
    if (source === undefined) continue;
    const { documents, problems } = readYaml(source.text, source.file);
    problems.forEach(report);
    for (const { root } of documents) {
      const value = root === undefined ? undefined : toJson(root);
      const crd = isObject(value) ? readCrd(value) : undefined;
      if (crd === undefined || !isObject(value)) continue;
      found.push(crd);
      // Somebody else's definition: an API server would refuse it, which is worth a word and no more.
      for (const finding of crdFindings(value))
        report({ ...finding, severity: "warning", file: source.file, line: root?.line ?? 0, column: 1 });
    }
  }
  return { crds: found, cel: await loadCel() };
}

function definitionFiles(folder: string, world: World, report: Report): string[] {
  try {
    return readdirSync(resolve(world.cwd, folder))
      .filter((each) => /\.(ya?ml|json)$/.test(each))
      .sort()
      .map((each) => join(folder, each));
  } catch {
    report({
      code: "DIR015",
      kind: "NotFound",
      file: folder,
      message: "the folder of definitions cannot be read",
      hint: "name a folder with CustomResourceDefinitions",
    });
    return [];
  }
}
