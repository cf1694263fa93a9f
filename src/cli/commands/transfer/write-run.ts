/** `transfer new` and `transfer approve`: objects into files. */
import { resolve } from "node:path";
import { counted } from "../../../core/counted.js";
import { createReporter, type Reporter } from "../../../core/diagnostics.js";
import type { OutputFile } from "../../../core/files.js";
import { problem } from "../../../core/problem.js";
import { parseDuration } from "../../../core/time.js";
import { TRANSFER_GROUP, transferGroupFault } from "../../../crd/storage-transfer.js";
import type { WriteResult } from "../../../directory/index.js";
import { isDnsLabel, isDnsSubdomain } from "../../../kubernetes/names.js";
import { createRenderer, type Renderer } from "../../../text/render.js";
import { pathWord, shellWord } from "../../../text/shell.js";
import { type Name, nameText, type TransferRequest } from "../../../transfer/api.js";
import { readTransferObjects } from "../../../transfer/read.js";
import type { ClusterState } from "../../../transfer/state.js";
import { statefulSetSpecs } from "../../../transfer/statefulset-specs.js";
import {
  approvalFaults,
  approvalFile,
  claimAsked,
  type RequestView,
  requestFile,
  requestOf,
  sortedRequests,
  specFaults,
  type TransferSpec,
} from "../../../transfer/write.js";
import type { CliContext } from "../../cli-context.js";
import type { Handler } from "../../command.js";
import { EXIT, type ExitCode, UsageError } from "../../exit.js";
import { type Arguments, output } from "../../flags.js";
import { refuseWithout, reportIdle } from "../../idle-flags.js";
import { print } from "../../print.js";
import { readTextInput, STDIN } from "../../read-text.js";
import * as flags from "./flags.js";
import { readDumps, readFolders } from "./input.js";
import { writeObjects } from "./output.js";

export const runNew: Handler = async (args, cli) => {
  const reporter = createReporter();
  const group = groupOf(args.get(flags.group));
  const expiry = expiryOf(args, cli);
  const requestOnly = args.get(flags.requestOnly);
  if (requestOnly && expiry !== undefined)
    throw new UsageError("--expires applies to an approval, and --request-only writes no approval");
  const dump = await readDumps(args.get(flags.state), cli, reporter.report);
  refuseWithout(args, [flags.statefulset], [flags.claimTemplate, flags.replicas]);
  const specs = specsOf(args, dump, reporter);
  specFaults(specs).forEach(reporter.report);
  illegalNames(specs, reporter);
  if (reporter.failed) return finish(args, cli, reporter, [], []);
  const render = await createRenderer(["transfer"], reporter.report);
  const views = specs.map(requestOf).sort((a, b) => (nameText(a) < nameText(b) ? -1 : 1));
  // Without an approval nothing is pinned; a dump still tells whether there is what is asked for.
  if (requestOnly)
    for (const view of views)
      claimAsked(view, dump, (problem) => reporter.report({ ...problem, severity: "warning" }));
  const files = views.flatMap((view) => [
    requestFile(view, group, render),
    ...(requestOnly
      ? []
      : [
          approvalFile(
            { ...view, sourceKind: "PersistentVolumeClaim" },
            { group, expires: expiry, state: dump },
            render,
            reporter.report,
          ),
        ]),
  ]);
  if (!requestOnly && !reporter.failed)
    cli.log.info(
      "request and approval are in one commit, which does not prove consent of both sides; let each side review its own folder",
    );
  return finish(
    args,
    cli,
    reporter,
    files,
    views,
    requestOnly ? nextOf(files, views, args.get(flags.out)) : "",
  );
};

/** What follows on requests alone: the source's side agrees, to one by its file, to several by their namespace. */
function nextOf(files: readonly OutputFile[], views: readonly RequestView[], folder: string): string {
  const out = pathWord(folder);
  const [only, ...more] = files;
  const lines =
    only !== undefined && more.length === 0
      ? [`slipway transfer approve ${pathWord(folder === "." ? only.path : `${folder}/${only.path}`)}`]
      : [...new Set(views.map(({ sourceNamespace }) => sourceNamespace))].map(
          (namespace) =>
            `slipway transfer approve --all-requests ${out} --source-namespace ${shellWord(namespace)}`,
        );
  return `\nNext, the owner of the source approves:\n${lines.map((line) => `  ${line} --state DUMP --out ${out}`).join("\n")}`;
}

export const runApprove: Handler = async (args, cli) => {
  const reporter = createReporter();
  const expiry = expiryOf(args, cli);
  const dump = await readDumps(args.get(flags.state), cli, reporter.report);
  const requests = sortedRequests(await requestsOf(args, cli, reporter));
  for (const request of requests) approvalFaults(request).forEach(reporter.report);
  reportDoubles(requests, reporter);
  if (reporter.failed) return finish(args, cli, reporter, [], []);
  // What is approved is listed before anything is written.
  if (args.get(output) === "text")
    for (const request of requests)
      cli.stdout.write(
        `approves  ${nameText(request)}: ${request.sourceNamespace}/${request.sourceName} -> ${request.namespace}/${request.targetName || request.sourceName}  (${request.file}:${request.line})\n`,
      );
  const render: Renderer = await createRenderer(["transfer"], reporter.report);
  const files = requests.map((request) =>
    approvalFile(
      request,
      { group: request.group === "" ? TRANSFER_GROUP : request.group, expires: expiry, state: dump },
      render,
      reporter.report,
    ),
  );
  return finish(args, cli, reporter, files, requests);
};

async function requestsOf(args: Arguments, cli: CliContext, reporter: Reporter): Promise<TransferRequest[]> {
  const file = args.get(flags.request);
  const folder = args.get(flags.allRequests);
  const namespace = args.get(flags.sourceNamespace);
  if ((file === undefined) === (folder === undefined))
    throw new UsageError("specify REQUEST, or --all-requests DIR with --source-namespace NS");
  if ((folder === undefined) !== (namespace === undefined))
    throw new UsageError("--all-requests DIR and --source-namespace NS require each other");
  if (folder !== undefined && namespace !== undefined) {
    const found = readFolders([folder], cli, reporter.report).filter((each) => each.type === "request");
    const chosen = found.filter(({ sourceNamespace }) => sourceNamespace === namespace);
    if (chosen.length === 0)
      reporter.report(
        problem("TRF001", "NotFound", "", `no request in the folder is for the namespace ${namespace}`, {
          file: folder,
          hint: `check --source-namespace; the folder contains ${found.length} requests for other namespaces`,
        }),
      );
    return chosen;
  }
  const name = file ?? "";
  const text = await readTextInput(cli, name, reporter.report);
  if (text === undefined) return [];
  const found = readTransferObjects(text, name === "-" ? STDIN : name, reporter.report).filter(
    (each) => each.type === "request",
  );
  if (found.length === 0 && !reporter.failed)
    reporter.report(
      problem("TRF001", "NotFound", "", "the file contains no StorageTransferRequest", {
        file: name,
        hint: "create one: slipway transfer new --source NAMESPACE/NAME --target OTHER/NAME --request-only",
      }),
    );
  return found;
}

/** Two requests that one approval would have to answer, or that appear twice. */
function reportDoubles(requests: readonly TransferRequest[], reporter: Reporter): void {
  const seen = new Map<string, TransferRequest>();
  for (const request of requests) {
    const approval = `${request.sourceNamespace}/${request.approvalName}`;
    const other = seen.get(approval);
    if (other === undefined) seen.set(approval, request);
    else
      reporter.report(
        problem(
          "TRF005",
          "Duplicate",
          "spec.approvalName",
          `this request and the one in ${other.file}:${other.line} have the same approval ${approval}`,
          {
            ...request.place("partnerName"),
            hint: "set different approvalNames, or remove one of the requests",
          },
        ),
      );
  }
}

const expiryOf = (args: Arguments, cli: CliContext): number | undefined => {
  const text = args.get(flags.expires);
  if (text === undefined) return undefined;
  const duration = parseDuration(text);
  if (duration === undefined)
    throw new UsageError(
      `--expires: invalid value ${JSON.stringify(text)}: must be a duration such as 90m, 1h, 7d or 1d12h`,
    );
  return cli.clock.now().getTime() + duration;
};

function groupOf(group: string | undefined): string {
  const fault = group === undefined ? undefined : transferGroupFault(group);
  if (fault !== undefined) throw new UsageError(`--group: invalid value ${JSON.stringify(group)}: ${fault}`);
  return group ?? TRANSFER_GROUP;
}

function specsOf(args: Arguments, dump: ClusterState | undefined, reporter: Reporter): TransferSpec[] {
  const [from, to, set] = [args.get(flags.sources), args.get(flags.targets), args.get(flags.statefulset)];
  if (set.length > 0) {
    if (from.length + to.length > 0) throw new UsageError("specify --statefulset, or --source and --target");
    return setSpecs(set, args, dump, reporter);
  }
  if (from.length === 0 || to.length === 0)
    throw new UsageError(
      "--source NS/NAME and --target NS/NAME are required, or --statefulset old=NS/NAME new=NS/NAME",
    );
  const [first = ""] = to;
  // One namespace takes all sources under their own names.
  const places = to.length === 1 && !first.includes("/") ? from.map(() => first) : to;
  if (places.length !== from.length)
    throw new UsageError(
      `${counted(from.length, "source")} and ${counted(to.length, "target")}: each --source requires a --target`,
    );
  return from.map((text, index): TransferSpec => {
    const source = nameOf("--source", text);
    const place = places[index] ?? "";
    return {
      source,
      target: place.includes("/") ? nameOf("--target", place) : { namespace: place, name: source.name },
    };
  });
}

function setSpecs(
  words: readonly string[],
  args: Arguments,
  dump: ClusterState | undefined,
  reporter: Reporter,
): TransferSpec[] {
  const wordOf = (key: string): string => {
    const found = words
      .filter((word) => word.startsWith(`${key}=`))
      .map((word) => word.slice(key.length + 1));
    const [only] = found;
    if (only === undefined || found.length > 1 || words.length !== 2)
      throw new UsageError("use --statefulset old=NS/NAME new=NS/NAME");
    return only;
  };
  const [from, to] = [
    nameOf("--statefulset old=", wordOf("old")),
    nameOf("--statefulset new=", wordOf("new")),
  ];
  const templates = args.get(flags.claimTemplate);
  const count = args.get(flags.replicas);
  const replicas = count === undefined ? undefined : Number(count);
  if (count !== undefined && !/^[0-9]{1,6}$/.test(count))
    throw new UsageError(`--replicas: invalid value ${JSON.stringify(count)}: must be a whole number`);
  if (
    dump === undefined &&
    args.get(flags.state).length === 0 &&
    (templates.length === 0 || replicas === undefined)
  )
    throw new UsageError("--statefulset requires --state DUMP, or --claim-template NAME and --replicas N");
  if (dump?.statefulSets.has(nameText(from)) === true)
    reportIdle(
      args,
      `the dump contains the StatefulSet ${nameText(from)} with its templates and replicas`,
      [flags.claimTemplate, flags.replicas],
      reporter.report,
    );
  return statefulSetSpecs({ from, to }, dump, { templates, replicas }, reporter.report);
}

function nameOf(flag: string, text: string): Name {
  const [namespace = "", name = "", ...rest] = text.split("/");
  if (namespace === "" || name === "" || rest.length > 0)
    throw new UsageError(`${flag}: invalid value ${JSON.stringify(text)}: must be NAMESPACE/NAME`);
  return { namespace, name };
}

function illegalNames(specs: readonly TransferSpec[], reporter: Reporter): void {
  for (const { source, target } of specs)
    for (const [flag, { namespace, name }] of [
      ["--source", source],
      ["--target", target],
    ] as const)
      if (!isDnsLabel(namespace) || !isDnsSubdomain(name))
        reporter.report(
          problem(
            "TRF071",
            "Invalid",
            flag,
            `${JSON.stringify(`${namespace}/${name}`.slice(0, 80))} is not a claim name`,
            "use a DNS label of at most 63 characters as namespace and a DNS subdomain of at most 253 characters as name",
          ),
        );
}

async function finish(
  args: Arguments,
  cli: CliContext,
  reporter: Reporter,
  files: readonly OutputFile[],
  requests: readonly (RequestView | TransferRequest)[],
  next = "",
): Promise<ExitCode> {
  const folder = args.get(flags.out);
  let written: readonly WriteResult[] = [];
  if (!reporter.failed && files.length > 0) {
    written = await writeObjects(resolve(cli.cwd, folder), folder, files, reporter.report);
  }
  const ok = !reporter.failed;
  print(args, cli, {
    kind: "TransferFilesResult",
    json: {
      requests: ok ? requests.map(nameText) : [],
      files: written.map(({ path, status }) => ({ path, status })),
    },
    text: ok
      ? written
          .map(({ path, status }) => `${status.padEnd(9)} ${folder === "." ? path : `${folder}/${path}`}`)
          .join("\n") + next
      : "",
    diagnostics: reporter.diagnostics,
    outcome: { files: written },
  });
  return ok ? EXIT.done : EXIT.wrong;
}
