/** `etcd extract --as yaml|json`: objects of a copy as files that can be applied. */
import { basename, dirname, join, resolve } from "node:path";
import { counted } from "../../../core/counted.js";
import { createReporter, isError, type Problem, type Report } from "../../../core/diagnostics.js";
import { isList, isObject, type Json } from "../../../core/json.js";
import { problem, warning } from "../../../core/problem.js";
import { tellExposure } from "../../../directory/modes.js";
import { writeNewFile } from "../../../directory/write-new.js";
import { JsonForm } from "../../../etcd/decode/json-form.js";
import { noSuchKey } from "../../../etcd/extract.js";
import { type NotRecovered, recover, selectRows } from "../../../etcd/recover/recover.js";
import type { Survey } from "../../../etcd/scan.js";
import { writeYaml } from "../../../text/yaml-write.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, type ExitCode, UsageError } from "../../exit.js";
import { print } from "../../print.js";
import { readTextFile } from "../../read-text.js";
import { printStream, refuseTwoOutputs, STDOUT } from "../../stdout-file.js";
import * as flags from "./flags.js";
import { openSession } from "./session.js";

/** Where the objects go: one key to a file, whatever else is selected to files of a folder. */
interface Destination {
  /** As the user wrote it. */
  readonly out: string;
  readonly folder: string;
  readonly single: boolean;
}

interface Written {
  readonly key: string;
  readonly file: string;
}

export const extractObjects: Handler = async (args, cli): Promise<ExitCode> => {
  const out = args.get(flags.outFile);
  if (out === undefined)
    throw new UsageError("--out PATH is required: a file, a folder, or - for standard output");
  const toStdout = out === STDOUT;
  if (toStdout) refuseTwoOutputs(args, "--out");
  const key = args.get(flags.key);
  const plan = args.get(flags.planFile);
  const resources = args.get(flags.resource);
  const namespace = args.get(flags.namespace);
  const many = args.get(flags.all) || resources.length > 0 || namespace !== undefined;
  if ([key !== undefined, plan !== undefined, many].filter(Boolean).length !== 1)
    throw new UsageError("specify one of --key, --plan, --all, or --resource and --namespace");
  const as = args.get(flags.as);
  const reporter = createReporter();
  const { report } = reporter;
  const keys = key === undefined ? keysOfPlan(plan, cli, report) : new Set([key]);
  const session = reporter.failed ? undefined : await openSession(args, cli, reporter, { hash: false });
  const path = resolve(cli.cwd, out);
  const single = key !== undefined;
  const destination: Destination = { out, folder: single ? dirname(path) : path, single };
  const files: Written[] = [];
  const documents: string[] = [];
  const failures: NotRecovered[] = [];
  try {
    const survey = await session?.survey();
    if (session !== undefined && survey?.complete === true) {
      const rows = selectRows(survey, { keys, resources, namespace });
      if (keys?.size === 0) report(nothingReadable(plan));
      else if (rows.length < (keys?.size ?? 1)) report(key === undefined ? NOT_ALL : absent(survey, key));
      const options = {
        target: session.target,
        form: new JsonForm(await messages()),
        status: args.get(flags.withStatus),
      };
      for await (const each of recover(survey, rows, session.options, options)) {
        if (!("object" in each)) {
          failures.push(each);
          continue;
        }
        const file = single ? basename(path) : `${each.file}.${as}`;
        const text = as === "yaml" ? writeYaml(each.object) : `${JSON.stringify(each.object, null, 2)}\n`;
        const outcome = toStdout ? "printed" : await write(file, text, destination, report);
        if (outcome === "refused") break;
        if (outcome === "printed") documents.push(text);
        if (outcome === "created") {
          if (files.length === 0) tellExposure(join(destination.folder, file), file, report);
          files.push({ key: each.key, file });
        }
        for (const note of each.notes) report(toLookAt(each.key, note));
      }
      for (const problem of notWritten(failures)) report(problem);
    }
  } finally {
    await session?.close();
  }
  const wrong = reporter.diagnostics.some(isError);
  if (toStdout) {
    printStream(args, cli, "--out", documents.join(as === "yaml" ? "---\n" : ""), reporter.diagnostics);
    if (wrong) return EXIT.wrong;
    return failures.length > 0 ? EXIT.no : documents.length > 0 ? EXIT.done : EXIT.wrong;
  }
  print(args, cli, {
    kind: "EtcdExtractResult",
    json: { files, failures },
    text: files.length === 0 ? "" : `${counted(files.length, "object", "objects")} in ${out}, mode 0600\n`,
    diagnostics: reporter.diagnostics,
    outcome: { files: files.map(() => ({ status: "created" })) },
  });
  if (wrong) return EXIT.wrong;
  if (failures.length > 0) return EXIT.no;
  return files.length > 0 ? EXIT.done : EXIT.wrong;
};

/** Form of the messages of built-in kinds. Big, and needed here alone. */
const messages = async () =>
  (
    await import("../../../../tables/kubernetes-messages.json", {
      with: { type: "json" },
    })
  ).default;

/** Writes a file of its own for its owner alone; what hinders it is reported. */
async function write(
  file: string,
  text: string,
  { out, folder, single }: Destination,
  report: Report,
): Promise<"created" | "exists" | "refused"> {
  const written = await writeNewFile(
    folder,
    { path: file, data: Buffer.from(text), secret: true },
    { privateRoot: !single },
  );
  if (!written.ok) {
    report(written.problem);
    return "refused";
  }
  if (written.value === "exists")
    report(
      problem("ETC053", "Duplicate", "--out", "the file already exists and is not overwritten", {
        file: single ? out : `${out}/${file}`,
        hint: "specify another path, or move it away",
      }),
    );
  return written.value;
}

const NOT_ALL: Problem = problem(
  "ETC050",
  "NotFound",
  "",
  "some of the requested objects are not in the copy",
  "list the keys with slipway etcd audit --objects-out FILE, or read an older state with --revision",
);

/** That a key is not there; one that lacks its first slash is said to be. */
const absent = (survey: Survey, key: string): Problem =>
  noSuchKey(
    key,
    selectRows(survey, { keys: new Set([`/${key}`]), resources: [], namespace: undefined }).length > 0,
  );

const nothingReadable = (plan: string | undefined): Problem =>
  problem(
    "ETC050",
    "NotFound",
    "deletions",
    "none of the objects that the plan deletes can be read from the copy",
    {
      ...(plan === undefined ? {} : { file: plan }),
      hint: "run slipway etcd audit for the reason of each key; try an older copy, or a configuration with more keys",
    },
  );

const toLookAt = (key: string, note: string): Problem =>
  warning("ETC055", "Invalid", key, note, "review the file before you apply it");

/** One problem for all keys that have the same reason. */
function notWritten(failures: readonly NotRecovered[]): Problem[] {
  const reasons = new Map<string, string[]>();
  for (const { key, reason } of failures) reasons.set(reason, [...(reasons.get(reason) ?? []), key]);
  return [...reasons].map(([reason, [first = "", ...others]]) =>
    warning(
      "ETC051",
      "Invalid",
      first,
      `${others.length === 0 ? "the value cannot be written as an object" : `this value and ${others.length} more cannot be written as objects`}: ${reason}`,
      "if a key is missing, set --encryption-config FILE to the EncryptionConfiguration that contains it; to write the decrypted bytes, use --as raw",
    ),
  );
}

/** Keys of the deletions of a plan whose content can be read from the copy. */
function keysOfPlan(
  path: string | undefined,
  cli: CliContext,
  report: Report,
): ReadonlySet<string> | undefined {
  if (path === undefined) return undefined;
  const text = readTextFile(cli, path, report);
  if (text === undefined) return undefined;
  let plan: Json = null;
  try {
    plan = JSON.parse(text);
  } catch {
    // Said below.
  }
  const deletions = isObject(plan) && plan["kind"] === "EtcdRepairPlan" ? plan["deletions"] : undefined;
  if (!isList(deletions)) {
    report(
      problem(
        "ETC056",
        "Invalid",
        `--${flags.planFile.name}`,
        "the file is not a plan.json written by etcd plan",
        {
          file: path,
          hint: "specify plan.json in the plan's folder",
        },
      ),
    );
    return undefined;
  }
  const misplaced = isObject(plan) && isList(plan["misplaced"]) ? plan["misplaced"] : [];
  const removals = isObject(plan) && isList(plan["removals"]) ? plan["removals"] : [];
  const readable = [...deletions, ...removals].filter(
    (each) => isObject(each) && each["recoverable"] === true,
  );
  return new Set(
    [...readable, ...misplaced].flatMap((each) =>
      isObject(each) && typeof each["key"] === "string" ? [each["key"]] : [],
    ),
  );
}
