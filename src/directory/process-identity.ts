/**
 * Which process wrote a lock or a temporary file, so that what a killed one left behind can be told from the work
 * of a living one. A process identifier alone is used again and says nothing in another container; so the time of
 * its start and the machine (host, boot and pid namespace) belong to it.
 */
import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { systemCode } from "./fault.js";

export interface ProcessIdentity {
  /** Twelve hexadecimal digits; equal only where a pid means the same process. */
  readonly machine: string;
  readonly pid: number;
  /** Clock ticks from boot to the start of the process; 0 where the system does not tell. */
  readonly start: number;
}

const orEmpty = (read: () => string): string => {
  try {
    return read();
  } catch (error) {
    if (systemCode(error) === "") throw error;
    return "";
  }
};

interface ProcessStat {
  readonly state: string;
  readonly start: number;
}

/** Fields 3 and 22 of /proc/PID/stat; the name in field 2 may hold blanks and brackets, so counting starts after it. */
function statOf(pid: number | "self"): ProcessStat | undefined {
  const stat = orEmpty(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state] = fields;
  const start = Number(fields[19]);
  return state === undefined || !Number.isSafeInteger(start) ? undefined : { state, start };
}

function machine(): string {
  const boot = orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1"));
  const namespace = orEmpty(() => readlinkSync("/proc/self/ns/pid"));
  return createHash("sha256").update(`${hostname()}\n${boot}\n${namespace}`).digest("hex").slice(0, 12);
}

let own: ProcessIdentity | undefined;

export function ownProcess(): ProcessIdentity {
  own ??= { machine: machine(), pid: process.pid, start: statOf("self")?.start ?? 0 };
  return own;
}

/** Whether a process still runs; `unknown` for one of another machine. */
export function lifeOf(other: ProcessIdentity): "alive" | "dead" | "unknown" {
  if (other.machine !== ownProcess().machine) return "unknown";
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    if (systemCode(error) === "ESRCH") return "dead";
    if (systemCode(error) !== "EPERM") throw error;
  }
  const stat = statOf(other.pid);
  if (stat === undefined) return "alive";
  // A killed process whose parent does not wait for it stays in the table as a zombie.
  if (stat.state === "Z" || stat.state === "X") return "dead";
  return other.start !== 0 && stat.start !== other.start ? "dead" : "alive";
}
