/** Processes that work on the clusters of a fleet. */
import { type ChildProcess, spawn } from "node:child_process";
import { diagnostic } from "../../core/diagnostics.js";
import { problem } from "../../core/problem.js";
import { EXIT } from "../exit.js";
import { failure } from "./failure.js";
import { FLEET_WORKER, type FleetAnswer, type FleetJob } from "./message.js";

/**
 * Threads that wait for the disk in a process with several clusters at work: the files of one alone are forty flushes,
 * and what waits at the same time is flushed together.
 */
const THREADS = "48";

/** A process that is there when it is needed; one that ended is started anew. */
export class WorkProcess {
  private child: ChildProcess | undefined;
  private readonly waiting = new Map<number, (answer: FleetAnswer | undefined) => void>();

  constructor(private readonly command: readonly string[]) {}

  /** The answer to a job; undefined when the process ended before it answered. */
  run(job: FleetJob): Promise<FleetAnswer | undefined> {
    return new Promise((resolve) => {
      this.waiting.set(job.index, resolve);
      this.child ??= this.start();
      this.child.send(job, (error) => {
        if (error !== null) this.settle(job.index, undefined);
      });
    });
  }

  stop(): void {
    this.child?.disconnect();
    this.child = undefined;
  }

  private start(): ChildProcess {
    const [program = "", ...words] = this.command;
    // Pipes and not "ignore", which opens /dev/null: a root directory may hold nothing but the executable.
    const child = spawn(program, [...words, FLEET_WORKER], {
      stdio: ["pipe", "pipe", "inherit", "ipc"],
      env: { UV_THREADPOOL_SIZE: THREADS, ...process.env },
    });
    // A process that ends at once is told by its end.
    child.stdin?.on("error", () => undefined).end();
    child.stdout?.resume();
    child.on("message", (answer: FleetAnswer) => this.settle(answer.index, answer));
    const end = (): void => {
      if (this.child !== child) return;
      this.child = undefined;
      for (const index of [...this.waiting.keys()]) this.settle(index, undefined);
    };
    child.on("error", end);
    child.on("exit", end);
    return child;
  }

  private settle(index: number, answer: FleetAnswer | undefined): void {
    const resolve = this.waiting.get(index);
    this.waiting.delete(index);
    resolve?.(answer);
  }
}

/**
 * How this program is started: as a file for Node, or as an executable of its own. Without flags of V8: with any of them
 * it takes no code cache, and compiles the whole bundle.
 */
export async function ownCommand(): Promise<readonly string[]> {
  const isExecutable = await import("node:sea").then(
    ({ isSea }) => isSea(),
    () => false,
  );
  return isExecutable ? [process.execPath] : [process.execPath, process.argv[1] ?? ""];
}

/**
 * The answer to a job, whatever becomes of the process: one that ends in the middle may have ended over another
 * cluster, so that the job gets a process for itself.
 */
export async function certainAnswer(
  process: WorkProcess,
  job: FleetJob,
  command: readonly string[],
): Promise<FleetAnswer> {
  const answer = await process.run(job);
  if (answer !== undefined) return answer;
  const own = new WorkProcess(command);
  const again = await own.run(job);
  own.stop();
  return (
    again ?? {
      index: job.index,
      ...failure(
        EXIT.bug,
        diagnostic(
          problem(
            "CLI002",
            "InternalError",
            "",
            "the worker process for this cluster exited unexpectedly, twice",
            "run the command for this directory only; if it fails again, report a bug",
          ),
        ),
      ),
    }
  );
}
