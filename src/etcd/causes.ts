/** Why objects of a copy cannot be read or used, each cause once: what it hits, and what helps. */

import { byCodeUnit } from "../core/files.js";
import type { JsonObject } from "../core/json.js";
import { changesFor, failureOf, rowKey } from "./audit.js";
import { ODDITY } from "./object-table.js";
import type { Survey } from "./scan.js";
import type { ObjectVerdict, ServerVerdict } from "./verdict.js";

export interface Remedy {
  readonly text: string;
  /** A command of slipway that the text ends with. */
  readonly command?: string;
}

export interface Cause {
  readonly verdict: ServerVerdict;
  /** The server's words, or what the verdict means. */
  readonly error: string;
  readonly remedy: Remedy;
  readonly count: number;
  /** Objects by resource, most first. */
  readonly resources: readonly (readonly [resource: string, count: number])[];
  /** The first keys, in byte order. */
  readonly keys: readonly string[];
}

/** So many keys of a cause are named. */
const KEYS = 3;

/** Verdicts of what cannot be read, then of what is in the way or stays behind. */
export const UNREADABLE = ["unreadable", "fails-list"] as const;
export const OTHERS = ["misplaced", "unwritable", "orphaned", "not-served"] as const;
const SHOWN: readonly ServerVerdict[] = [...UNREADABLE, ...OTHERS];

interface Collected {
  readonly verdict: ServerVerdict;
  readonly error: string;
  readonly remedy: Remedy;
  readonly resources: Map<string, number>;
  readonly keys: string[];
  count: number;
}

/** Collects causes while rows pass in byte order. */
export class Causes {
  private readonly found = new Map<string, Collected>();

  /** @param configured whether a configuration of encryption was given */
  constructor(
    private readonly survey: Survey,
    private readonly configured: boolean,
  ) {}

  add(row: number, verdict: ObjectVerdict): void {
    if (!SHOWN.includes(verdict.server)) return;
    const { table } = this.survey;
    const error = failureOf(table, row, verdict)?.error || verdict.reason;
    const remedy = remedyOf(this.survey, row, verdict, this.configured);
    // What differs by the object, as the offset of a damage, does not make another cause.
    const id = JSON.stringify([verdict.server, error.replace(/[0-9]+/g, "0"), remedy]);
    const cause: Collected = this.found.get(id) ?? {
      verdict: verdict.server,
      error,
      remedy,
      resources: new Map(),
      keys: [],
      count: 0,
    };
    this.found.set(id, cause);
    const { group, resource } = table.resourceOf(row);
    const name = group === "" ? resource : `${resource}.${group}`;
    cause.resources.set(name, (cause.resources.get(name) ?? 0) + 1);
    if (cause.keys.length < KEYS) cause.keys.push(rowKey(table, row));
    cause.count++;
  }

  /** In the order of the verdicts, the cause with most objects first. */
  get list(): Cause[] {
    return [...this.found.values()]
      .map((cause) => ({
        ...cause,
        resources: [...cause.resources].sort(([a, m], [b, n]) => n - m || byCodeUnit(a, b)),
      }))
      .sort(
        (a, b) =>
          SHOWN.indexOf(a.verdict) - SHOWN.indexOf(b.verdict) ||
          b.count - a.count ||
          byCodeUnit(a.keys[0] ?? "", b.keys[0] ?? ""),
      );
  }
}

/** The last resort; a repair plan says what it costs. */
const orPlan = (text: string): Remedy => ({
  text: `${text}; if it is lost, compile a repair plan`,
  command: "slipway etcd plan --out NEW-FOLDER",
});

/** What helps with an object. */
function remedyOf(survey: Survey, row: number, { server }: ObjectVerdict, configured: boolean): Remedy {
  switch (server) {
    case "unreadable":
      return remedyOfUnreadable(survey, row, configured);
    case "fails-list":
      return orPlan(
        "rewrite the objects while a release or a definition that still has their version serves them",
      );
    case "misplaced":
      return {
        text: "check whether the value was copied from another key; write the object that belongs there again",
      };
    case "unwritable":
      return { text: "extract the content with etcd extract, then restore the last good revision" };
    case "orphaned":
      return { text: "create the definition again to use the objects; until then only etcd shows them" };
    default:
      return { text: "if the objects are still needed, export them with a release that serves the resource" };
  }
}

function remedyOfUnreadable(survey: Survey, row: number, configured: boolean): Remedy {
  const { table, wrapped } = survey;
  const { result, approximate } = table.outcome(row, table.worstServer(row));
  if (result === "untransformable") {
    if (!configured) return { text: "set --encryption-config FILE to the configuration of the API server" };
    if (approximate && wrapped.list.some(({ answered }) => !answered))
      return {
        text: "have the wrapped keys unwrapped, and set --kms-answers FILE to the answers; list the keys with",
        command: "slipway etcd inventory --kms-requests-out FILE",
      };
    const changes = changesFor(survey, row);
    return changes.length > 0
      ? {
          text: `${changes.map(({ file, change }) => `in ${file}, ${change}`).join("; ")}; nothing needs to be deleted`,
        }
      : orPlan("find the key in a backup of the configuration and add it, --encryption-config FILE");
  }
  if (table.mangled.has(row))
    return {
      text: "make the copy again as a snapshot, or redirect the output of etcdctl get -w json into a file",
    };
  if ((table.oddity(row) & ODDITY.probablyWrongKey) !== 0)
    return {
      text: "compare the key with the one that was in use; the value decrypts to something other than an object",
    };
  return orPlan("look for the object in an older copy, or with --revision R");
}

/** A cause as it is printed in JSON. */
export const causeJson = ({ verdict, error, remedy, count, resources, keys }: Cause): JsonObject => ({
  verdict,
  error,
  remedy: remedy.command === undefined ? remedy.text : `${remedy.text}: ${remedy.command}`,
  count,
  resources: Object.fromEntries(resources),
  keys: [...keys],
});
