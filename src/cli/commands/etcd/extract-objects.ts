/** `etcd extract --as yaml|json`: objects of a copy as files that can be applied. */
import { basename, dirname, join, resolve } from "node:path";
import { counted } from "../../../core/counted.js";
import { createReporter, isError } from "../../../core/diagnostics.js";
import { isList, isObject, type Json } from "../../../core/json.js";
import { tellExposure } from "../../../directory/modes.js";
import { writeNewFile } from "../../../directory/write-new.js";
import { JsonForm } from "../../../etcd/decode/json-form.js";
import { noSuchKey } from "../../../etcd/extract.js";
import { recover, selectRows } from "../../../etcd/recover/recover.js";
import { writeYaml } from "../../../text/yaml-write.js";
import type { Handler } from "../../command.js";
import { EXIT, type ExitCode, UsageError } from "../../exit.js";
import { readNamed, textOf } from "../../input-files.js";
import { print } from "../../print.js";
import type { World } from "../../world.js";
import * as flags from "./flags.js";
import { openSession } from "./session.js";

export const extractObjects: Handler = async (args, world): Promise<ExitCode> => {
  const out = args.get(flags.outFile);
  const key = args.get(flags.key);
  const plan = args.get(flags.planFile);
  const resources = args.get(flags.resource);
  const namespace = args.get(flags.namespace);
  if (out === undefined || out === "-") throw new UsageError("give a file or a folder with --out");
  const ways = [
    key,
    plan,
    resources.length > 0 || namespace !== undefined || args.get(flags.all) || undefined,
  ];
  if (ways.filter((each) => each !== undefined).length !== 1)
    throw new UsageError("give one of --key, --plan, --all, or --resource and --namespace");
  const reporter = createReporter();
  const keys = key === undefined ? keysOfPlan(plan, world, reporter.report) : new Set([key]);
  const session = reporter.failed ? undefined : await openSession(args, world, reporter, { hash: false });
  const files: { key: string; file: string }[] = [];
  const failures: { key: string; reason: string }[] = [];
  try {
    const survey = await session?.survey();
    if (session !== undefined && survey?.complete === true) {
      const rows = selectRows(survey, { keys, resources, namespace });
      if (rows.length < (keys?.size ?? 1))
        reporter.report(
          key === undefined
            ? {
                code: "ETC050",
                kind: "NotFound",
                field: "",
                message: "the copy has not every object that is asked for",
                hint: "slipway etcd audit --objects-out FILE lists the keys; --revision reads an older state",
              }
            : noSuchKey(
                key,
                selectRows(survey, { keys: new Set([`/${key}`]), resources, namespace }).length > 0,
              ),
        );
      if (keys?.size === 0)
        reporter.report({
          code: "ETC050",
          kind: "NotFound",
          ...(plan === undefined ? {} : { file: plan }),
          field: "deletions",
          message: "nothing that the plan deletes can be read from the copy, so there is nothing to extract",
          hint: "slipway etcd audit says of each key why; an older copy, or a configuration with more keys, may have more",
        });
      const { default: table } = await import("../../../../schemas/data/kubernetes-messages.json", {
        with: { type: "json" },
      });
      const options = {
        target: session.target,
        form: new JsonForm(table),
        status: args.get(flags.withStatus),
      };
      const as = args.get(flags.as);
      const folder = resolve(world.cwd, out);
      for await (const each of recover(survey, rows, session.options, options)) {
        if (!("object" in each)) {
          failures.push(each);
          continue;
        }
        const name = key === undefined ? `${each.file}.${as}` : basename(folder);
        const text = as === "yaml" ? writeYaml(each.object) : `${JSON.stringify(each.object, null, 2)}\n`;
        const file = { path: name, data: Buffer.from(text), secret: true };
        const written = await writeNewFile(key === undefined ? folder : dirname(folder), file, {
          privateRoot: key === undefined,
        });
        if (!written.ok) {
          reporter.report(written.problem);
          break;
        }
        if (written.value === "exists")
          reporter.report({
            code: "ETC053",
            kind: "Duplicate",
            file: key === undefined ? `${out}/${name}` : out,
            field: "--out",
            message: "the file exists, and is not overwritten",
            hint: "name another one, or remove it",
          });
        else {
          if (files.length === 0)
            tellExposure(key === undefined ? join(folder, name) : folder, name, reporter.report);
          files.push({ key: each.key, file: name });
        }
        for (const note of each.notes)
          reporter.report({
            code: "ETC055",
            kind: "Invalid",
            severity: "warning",
            field: each.key,
            message: note,
            hint: "look at the file before it is applied",
          });
      }
      for (const [reason, list] of byReason(failures))
        reporter.report({
          code: "ETC051",
          kind: "Invalid",
          severity: "warning",
          field: list[0] ?? "",
          message: `${list.length === 1 ? "it cannot be written as an object" : `this and ${list.length - 1} more cannot be written as objects`}: ${reason}`,
          hint: "where a key is missing, give the configuration that has it; --as raw writes the plain bytes of what decrypts",
        });
    }
  } finally {
    await session?.close();
  }
  const ok = files.length > 0 && failures.length === 0 && !reporter.diagnostics.some(isError);
  print(args, world, {
    kind: "EtcdExtractResult",
    json: { files, failures },
    text: files.length === 0 ? "" : `${counted(files.length, "object", "objects")} in ${out}, mode 0600\n`,
    diagnostics: reporter.diagnostics,
  });
  if (ok) return EXIT.done;
  return failures.length > 0 && !reporter.diagnostics.some(isError) ? EXIT.no : EXIT.wrong;
};

function byReason(failures: readonly { key: string; reason: string }[]): Map<string, string[]> {
  const reasons = new Map<string, string[]>();
  for (const { key, reason } of failures) reasons.set(reason, [...(reasons.get(reason) ?? []), key]);
  return reasons;
}

/** Keys of the deletions of a plan whose content can be read from the copy. */
function keysOfPlan(
  path: string | undefined,
  world: World,
  report: Parameters<typeof readNamed>[2],
): ReadonlySet<string> | undefined {
  if (path === undefined) return undefined;
  const named = readNamed(path, world.cwd, report);
  const text = named === undefined ? undefined : textOf(named, report);
  if (text === undefined) return undefined;
  let plan: Json = null;
  try {
    plan = JSON.parse(text);
  } catch {
    // Said below.
  }
  const deletions = isObject(plan) && plan["kind"] === "EtcdRepairPlan" ? plan["deletions"] : undefined;
  if (!isList(deletions)) {
    report({
      code: "ETC056",
      kind: "Invalid",
      file: path,
      field: `--${flags.planFile.name}`,
      message: "the file is not the plan.json of etcd plan",
      hint: "name plan.json in the folder of the plan",
    });
    return undefined;
  }
  const misplaced = isObject(plan) && isList(plan["misplaced"]) ? plan["misplaced"] : [];
  const readable = deletions.filter((each) => isObject(each) && each["recoverable"] === true);
  return new Set(
    [...readable, ...misplaced].flatMap((each) =>
      isObject(each) && typeof each["key"] === "string" ? [each["key"]] : [],
    ),
  );
}
