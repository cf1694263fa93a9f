/** A process that works on clusters of a fleet, one job after another, for the process that started it. */
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { API_VERSION } from "../../core/api-version.js";
import { type Diagnostic, diagnostic } from "../../core/diagnostics.js";
import { encode, equalBytes } from "../../core/files.js";
import { isObject, textAt } from "../../core/json.js";
import { problem, warning } from "../../core/problem.js";
import { INSTALL_CONFIG, type WriteResult, writeFiles } from "../../directory/index.js";
import { isEditedByHand } from "../../fleet/read.js";
import { isDnsSubdomain } from "../../kubernetes/names.js";
import { FLAGS } from "../../pipeline/flags.js";
import { readYaml, toJson } from "../../text/yaml-read.js";
import type { CliContext, PoolUse } from "../cli-context.js";
import type { Handler } from "../command.js";
import { apology, EXIT, type ExitCode, UsageError } from "../exit.js";
import { type Arguments, logLevel, type RawFlag } from "../flags.js";
import { readNamed } from "../input-files.js";
import { nodeContext } from "../node-context.js";
import { withInputs } from "../printed-commands.js";
import type { OutStream } from "../streams.js";
import { failure } from "./failure.js";
import {
  type FleetAnswer,
  type FleetCommand,
  type FleetJob,
  type FleetResult,
  isWriting,
} from "./message.js";

/** A run that was just killed may hold a directory for a moment longer. */
const BUSY_TRIES = 30;
const BUSY_PAUSE_MS = 100;

/**
 * What V8 counts down while a function runs, until it thinks of compiling it again; eight times what it is by itself.
 * Clusters are the same code over other texts, and compiling that better again and again costs a tenth to a fifth more
 * than it saves (docs/performance.md). Only the V8 of Node 20 has the flag, and it is the one that was measured.
 */
function compileLess(): void {
  if (process.versions.v8.startsWith("11.")) setFlagsFromString("--interrupt-budget=1000000");
}

/** Works until the other process is gone. */
export function workInFleet(): Promise<ExitCode> {
  compileLess();
  return new Promise((resolve) => {
    process.on("message", (job: FleetJob) => {
      void work(job).then((answer) => {
        // The other process may be gone before the channel knows it: then nobody waits for an answer.
        if (process.connected) process.send?.(answer, undefined, {}, () => undefined);
      });
    });
    // Whatever it is at: every file is either old or new.
    process.on("disconnect", () => {
      resolve(EXIT.interrupted);
      process.exit(EXIT.interrupted);
    });
  });
}

/** A command that can be run for one cluster. */
async function handlerOf(command: FleetCommand): Promise<Handler> {
  switch (command) {
    case "check":
      return (await import("../commands/check/check-run.js")).check;
    case "validate":
      return (await import("../commands/validate/validate-run.js")).validate;
    case "create manifests":
      return (await import("../commands/create/create-run.js")).create("manifests");
    case "create infrastructure-manifests":
      return (await import("../commands/create/create-run.js")).create("infrastructure-manifests");
    case "create ignition-configs":
      return (await import("../commands/create/create-run.js")).create("ignition-configs");
    case "create single-node-ignition-config":
      return (await import("../commands/create/create-run.js")).create("single-node-ignition-config");
    case "create agent-manifests":
      return (await import("../commands/create/create-run.js")).create("agent-manifests");
    case "create agent-config-image":
      return (await import("../commands/create/create-run.js")).create("agent-config-image");
    case "create image-based-config-image":
      return (await import("../commands/create/create-run.js")).create("image-based-config-image");
  }
}

/** The first members of every answer, in this order. */
const HEAD = { apiVersion: API_VERSION, kind: "", ok: false };

/** Arguments whose flags have these values, and whose operands are left out. */
const argumentsFrom = (raw: Readonly<Record<string, RawFlag>>): Arguments => ({
  get: (of) => of.read("required" in of || !Object.hasOwn(raw, of.name) ? undefined : raw[of.name]),
  given: ({ name }) => Object.hasOwn(raw, name),
  complete: (text) =>
    withInputs(
      text,
      new Map(
        Object.values(FLAGS)
          .filter((flag) => "names" in flag && Object.hasOwn(raw, flag.name))
          .map(({ name }) => [name, [raw[name]].flat().map(String)]),
      ),
    ),
  raw,
});

/** Works on one cluster; never throws. */
async function work(job: FleetJob): Promise<FleetAnswer> {
  for (let left = BUSY_TRIES; ; left--) {
    const answer = await once(job);
    const isBusy = answer.result.diagnostics.some(({ code }) => code === "DIR007");
    if (!isBusy || left === 0) return answer;
    await setTimeout(BUSY_PAUSE_MS);
  }
}

async function once({
  index,
  command,
  flags,
  directory,
  installConfig,
  called,
}: FleetJob): Promise<FleetAnswer> {
  const args = argumentsFrom({ ...flags, dir: directory, output: "json" });
  let said: object = {};
  let pool: PoolUse | undefined;
  try {
    const config = installConfig === undefined ? undefined : encode(installConfig);
    const writes = isWriting(command, args);
    const { drift, status, before } =
      config === undefined ? SETTLED : await settle(directory, config, writes);
    const cli = {
      ...silentContext(args, (document) => {
        said = document;
      }),
      ...(config === undefined || writes ? {} : { given: new Map([[INSTALL_CONFIG, config]]) }),
      usesPool: (use: PoolUse) => {
        pool = use;
      },
    };
    const hinders = writes || (drift?.code === EDITED.code && command.startsWith("create"));
    if (hinders && drift !== undefined) return { index, ...failure(EXIT.wrong, drift) };
    const exit = await (await handlerOf(command))(args, cli);
    // A run that fails writes nothing, the file that it was given included.
    if (writes && exit !== EXIT.done && before !== undefined) await putBack(directory, before);
    const answer: FleetResult = JSON.parse(JSON.stringify({ ...HEAD, ...said, ok: exit === EXIT.done }));
    const diagnostics = config === undefined ? answer.diagnostics : answer.diagnostics.map(inTable);
    const told = { ...answer, diagnostics: [...diagnostics, ...misnamed(directory, called)] };
    const isListed = command.startsWith("create") && status !== "unchanged";
    const result = isListed
      ? { ...told, files: [{ path: INSTALL_CONFIG, status }, ...(told.files ?? [])] }
      : told;
    if (command !== "check" || drift === undefined) return { index, exit, result, pool };
    const drifted = { ...result, ok: false, clean: false, diagnostics: [drift, ...result.diagnostics] };
    return { index, exit: exit === EXIT.done ? EXIT.no : exit, result: drifted };
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const { name = "", message = "", stack = "" } = error instanceof Error ? error : {};
    const hint = !isUsage && args.get(logLevel) === "debug" ? stack : "";
    const found = isUsage
      ? problem("CLI001", "Invalid", "", message, hint)
      : problem("CLI002", "InternalError", "", apology(name), hint);
    return { index, ...failure(isUsage ? EXIT.usage : EXIT.bug, diagnostic(found)) };
  }
}

/** A secret in an install-config that comes from a table is mended in the table: the file is written anew from it. */
const inTable = (each: Diagnostic): Diagnostic =>
  each.code === "CAPI008" && each.file === INSTALL_CONFIG
    ? {
        ...each,
        hint:
          each.field === "pullSecret"
            ? "move it to a file, which may be encrypted, and set the file in the table: flags: {pull-secret: FILE}"
            : "do not commit install-config.yaml; the table, which may be encrypted, has the same content",
      }
    : each;

/** That a table calls a cluster otherwise than its own install-config does. */
function misnamed(directory: string, called: string | undefined): readonly Diagnostic[] {
  const file =
    called === undefined ? undefined : readNamed(join(directory, INSTALL_CONFIG), ".", () => undefined);
  if (file === undefined) return [];
  const [document] = readYaml(Buffer.from(file.data).toString(), INSTALL_CONFIG).documents;
  const config = document?.root === undefined ? undefined : toJson(document.root);
  const metadata = isObject(config) ? config["metadata"] : undefined;
  const name = isObject(metadata) ? textAt(metadata, "name") : "";
  // An encrypted name is no name.
  if (name === "" || name === called || !isDnsSubdomain(name)) return [];
  return [
    diagnostic(
      warning(
        "FLEET003",
        "Invalid",
        "metadata.name",
        `the cluster is named ${called} in the fleet table, but ${name} in its install-config`,
        {
          file: INSTALL_CONFIG,
          hint: "use the same name in both; reports and shards use the name in the table, generated files the name in the install-config",
        },
      ),
    ),
  ];
}

/** A context without a reader of its output, and without a dialogue. */
function silentContext(args: Arguments, answer: CliContext["answer"]): CliContext {
  const nobody: OutStream = {
    isTerminal: false,
    columns: undefined,
    fault: undefined,
    write: () => undefined,
  };
  const options = { logLevel: args.get(logLevel), noColor: true };
  return nodeContext({ stdout: nobody, stderr: nobody }, options, answer);
}

interface Settled {
  /** What hinders the writing; without writing, that the file is not what the table says. */
  readonly drift: Diagnostic | undefined;
  /** What became of the file, or would. */
  readonly status: WriteResult["status"];
  /** What was written over. */
  readonly before?: Uint8Array | undefined;
}

const SETTLED: Settled = { drift: undefined, status: "unchanged" };

const isSecret = (config: Uint8Array): boolean => /^pullSecret:/m.test(Buffer.from(config).toString());

async function putBack(directory: string, config: Uint8Array): Promise<void> {
  await writeFiles(directory, [{ path: INSTALL_CONFIG, data: config, secret: isSecret(config) }], {
    replace: true,
  });
}

const EDITED = problem(
  "FLEET004",
  "Invalid",
  "",
  "the file was generated from the fleet table and has been edited; the edit is kept and nothing is written",
  {
    file: INSTALL_CONFIG,
    hint: "make the change in the table, then delete the file; run create with the same --fleet to write it again",
  },
);

/**
 * Brings install-config.yaml to what the table says, or says that it is something else. A file that did not come from
 * a table is not replaced.
 */
async function settle(directory: string, config: Uint8Array, write: boolean): Promise<Settled> {
  const file = join(directory, INSTALL_CONFIG);
  const onDisk = readNamed(file, ".", () => undefined);
  if (onDisk !== undefined && equalBytes(onDisk.data, config)) return SETTLED;
  if (onDisk !== undefined && isEditedByHand(Buffer.from(onDisk.data).toString()))
    return { drift: diagnostic(EDITED), status: "unchanged" };
  if (write) {
    const written = await writeFiles(directory, [
      { path: INSTALL_CONFIG, data: config, secret: isSecret(config) },
    ]);
    return written.ok
      ? { drift: undefined, status: written.value[0]?.status ?? "unchanged", before: onDisk?.data }
      : { drift: diagnostic(written.problem), status: "unchanged" };
  }
  const drift = diagnostic(
    warning(
      "FLEET003",
      onDisk === undefined ? "NotFound" : "Invalid",
      "",
      onDisk === undefined
        ? "the file has not been generated from the fleet table yet"
        : "the file differs from the fleet table",
      { file: INSTALL_CONFIG, hint: "run create with the same --fleet to write it" },
    ),
  );
  return { drift, status: onDisk === undefined ? "created" : "updated" };
}
