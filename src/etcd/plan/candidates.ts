/**
 * Which objects a plan may delete: those that no server decrypts or decodes, that the API of the release can name, and
 * whose key is not merely missing from what was given here (docs/reference/storage-and-encryption.md §3.2).
 */
import { isSince } from "../../core/by-release.js";
import { isDnsLabel, isDnsSubdomain } from "../../kubernetes/names.js";
import { changesFor, failureOf, rowKey } from "../audit.js";
import { PLUGIN_ERROR } from "../encryption/kms.js";
import { type KeyPlace, restOf } from "../key-layout.js";
import { ODDITY } from "../object-table.js";
import type { CopyForm } from "../read/copies.js";
import { keyText } from "../read/record.js";
import { hasUnsafeDeletion, releaseName } from "../releases.js";
import { objectPath, type Served, servedAs } from "../requests.js";
import type { Survey } from "../scan.js";
import { type Failure, FEATURE_SINCE } from "../status.js";
import type { Judge, ObjectVerdict } from "../verdict.js";

export interface Candidate {
  readonly row: number;
  readonly failure: Failure;
  readonly served: Served;
  readonly namespace: string | undefined;
  readonly name: string;
  /** Path of the object in the API. */
  readonly path: string;
  readonly createRevision: bigint;
  /** True when an older release, or slipway here, still decodes the value: its content can be kept. */
  readonly recoverable: boolean;
}

/** An unreadable object that the plan leaves alone, and why. */
export interface LeftAlone {
  readonly row: number;
  readonly key: string;
  readonly why:
    | "undetermined"
    | "mangled"
    | "configuration"
    | "split"
    | "version"
    | "before-upgrade"
    | "no-definition"
    | "unaddressable"
    | "unsupported";
  readonly reason: string;
}

/** A readable object that is not the one of its key: it is deleted as any other, and written again. */
export interface Misplaced {
  readonly row: number;
  readonly key: string;
  readonly path: string;
  readonly modRevision: bigint;
  readonly reason: string;
}

/** An object that ends API servers: no request removes it, so that it is removed from etcd, before any of them starts. */
export interface Fatal {
  readonly row: number;
  readonly key: string;
  readonly modRevision: bigint;
  /** `start`: a server that is started exits; `read`: one that reads the object does. */
  readonly exits: "start" | "read";
  readonly reason: string;
  /** True when the copy has its content. */
  readonly recoverable: boolean;
}

export interface Candidates {
  readonly deletions: readonly Candidate[];
  readonly misplaced: readonly Misplaced[];
  readonly leftAlone: readonly LeftAlone[];
  readonly fatal: readonly Fatal[];
}

export interface CandidateOptions {
  readonly namespace: string | undefined;
  /** True when encrypted values are read as the servers read them: a configuration was given. */
  readonly configured: boolean;
  /** Forms of the copies: what went through a shell may be whole in etcd. */
  readonly forms: readonly CopyForm[];
  /** True when a wrapped key without an answer counts as refused by its plug-in. */
  readonly unansweredIsLost: boolean;
}

/** Sorts every unreadable object, in byte order of the keys. */
export function findCandidates(survey: Survey, judge: Judge, options: CandidateOptions): Candidates {
  const { table } = survey;
  const deletions: Candidate[] = [];
  const misplaced: Misplaced[] = [];
  const leftAlone: LeftAlone[] = [];
  const fatal: Fatal[] = [];
  for (const row of survey.order()) {
    const verdict = judge.of(table, row);
    const failure = failureOf(table, row, verdict);
    if (failure === undefined && verdict.server !== "misplaced") continue;
    const place = placeOf(survey, row);
    if (options.namespace !== undefined && place.namespace !== options.namespace) continue;
    if ((table.oddity(row) & ODDITY.bare) !== 0 && verdict.server === "misplaced") {
      fatal.push({
        row,
        key: rowKey(table, row),
        modRevision: table.modRevision(row),
        exits: "read",
        reason: verdict.reason,
        recoverable: true,
      });
      continue;
    }
    if (failure === undefined) {
      const served = servedAs(table.resourceOf(row), survey.cluster, judge.target);
      const key = rowKey(table, row);
      if (served === undefined || !isNameable(served, place))
        leftAlone.push({ row, key, why: "unaddressable", reason: verdict.reason });
      else
        misplaced.push({
          row,
          key,
          path: objectPath(served, place.namespace, place.name),
          modRevision: table.modRevision(row),
          reason: verdict.reason,
        });
      continue;
    }
    const why = reasonToLeave(survey, judge, row, verdict, failure, options);
    if (verdict.exits !== undefined && (why === undefined || BEYOND_API.has(why.why))) {
      fatal.push({
        row,
        key: failure.key,
        modRevision: failure.modRevision,
        exits: "start",
        reason: `${failure.error}; ${verdict.exits}`,
        recoverable: table.result(row) === "ok",
      });
      continue;
    }
    if (why !== undefined) {
      leftAlone.push({ row, key: rowKey(table, row), ...why });
      continue;
    }
    const served = servedAs(table.resourceOf(row), survey.cluster, judge.target);
    if (served === undefined) continue;
    if (!isNameable(served, place)) {
      leftAlone.push({
        row,
        key: rowKey(table, row),
        why: "unaddressable",
        reason: "the API does not accept its namespace or name; remove the key from etcd",
      });
      continue;
    }
    deletions.push({
      row,
      failure,
      served,
      ...place,
      path: objectPath(served, place.namespace, place.name),
      createRevision: table.createRevision(row),
      recoverable: table.result(row) === "ok",
    });
  }
  return { deletions, misplaced, leftAlone, fatal };
}

/** Reasons that concern requests to the API only. */
const BEYOND_API: ReadonlySet<LeftAlone["why"]> = new Set(["unaddressable", "unsupported"]);

function placeOf({ table }: Survey, row: number): { namespace: string | undefined; name: string } {
  const { prefix, path, family } = table.resourceOf(row);
  const at: KeyPlace["at"] = family === "none" ? 0 : prefix.length + path.length + 2;
  const rest = restOf(table.key(row), { at }).map(keyText);
  return { namespace: rest.length > 1 ? rest[0] : undefined, name: rest.at(-1) ?? "" };
}

/** False for what is damaged or hostile: such a name reaches no manifest and no request. */
function isNameable(
  { group, version, resource }: Served,
  { namespace, name }: { namespace: string | undefined; name: string },
): boolean {
  return (
    (group === "" || isDnsSubdomain(group)) &&
    isDnsLabel(version) &&
    isDnsLabel(resource) &&
    (namespace === undefined || isDnsLabel(namespace)) &&
    name !== "." &&
    name !== ".." &&
    name.length <= LONGEST_NAME &&
    !/[/%\p{C}\ufffd]/u.test(name)
  );
}

const LONGEST_NAME = 253;

type Why = Pick<LeftAlone, "why" | "reason">;

function reasonToLeave(
  survey: Survey,
  judge: Judge,
  row: number,
  verdict: ObjectVerdict,
  { kind, error }: Failure,
  options: CandidateOptions,
): Why | undefined {
  const { table, cluster } = survey;
  const { target, from } = judge;
  const resource = table.resourceOf(row);
  if (judge.survivesOnlyBefore(table, row))
    return {
      why: "before-upgrade",
      reason: `${releaseName(from ?? target)} can still read it: migrate it before the upgrade`,
    };
  if (resource.family === "custom" && table.result(row) === "ok" && verdict.server === "fails-list")
    return {
      why: "version",
      reason: "restoring the version in the definition makes it readable",
    };
  if (kind === "untransformable" && !options.configured)
    return {
      why: "undetermined",
      reason:
        "no encryption configuration is specified, so it is unknown whether the API servers can read it",
    };
  const mangled = table.mangled.get(row);
  if (mangled !== undefined && options.forms[table.copy(row)] === "dump")
    return { why: "mangled", reason: `the value was corrupted in the dump (${mangled}), not in etcd` };
  if (kind === "untransformable" && !options.unansweredIsLost && error.includes(PLUGIN_ERROR))
    return {
      why: "undetermined",
      reason: "its wrapped key has no answer, so it is unknown whether the plug-in can unwrap it",
    };
  const readable = table.result(row) === "ok";
  for (let server = 0; server < table.servers && !readable; server++)
    if (table.outcome(row, server).result === "ok")
      return {
        why: "split",
        reason:
          "an API server with another configuration can read it; use that configuration on every server",
      };
  const found = kind === "untransformable" ? table.found.get(row) : undefined;
  if (found?.certain === true)
    return {
      why: "configuration",
      reason: `a configuration contains its key: ${changesFor(survey, row)
        .map(({ file, change }) => `in ${file}, ${change}`)
        .join("; ")}`,
    };
  if (found !== undefined && !options.unansweredIsLost)
    return {
      why: "undetermined",
      reason: `a plug-in may be able to unwrap its key, but has no answer: ${changesFor(survey, row)
        .map(({ file, change }) => `in ${file}, ${change}`)
        .join("; ")}`,
    };
  if (resource.family === "foreign")
    return {
      why: "unaddressable",
      reason: "it is stored by another API server, whose own feature gate and options apply",
    };
  const served = servedAs(resource, cluster, target);
  if (resource.family === "custom" && cluster.definition(resource.group, resource.resource) === undefined) {
    const missing = cluster.withoutDefinition(resource);
    if (missing !== "gone")
      return {
        why: "no-definition",
        reason:
          missing === "unread"
            ? "the definition of its resource cannot be read; repair that first"
            : "the copies do not show whether its resource has a definition",
      };
  }
  if (served === undefined || verdict.server === "orphaned" || verdict.server === "not-served")
    return {
      why: "unaddressable",
      reason: `no API of ${releaseName(target)} serves it; remove the key from etcd`,
    };
  if (!hasUnsafeDeletion(served.group, served.resource))
    return {
      why: "unaddressable",
      reason: `API servers do not support unsafe deletion of ${served.resource} and return "no unsafe deleter provided"; restore the encryption key or the version, or remove the key from etcd`,
    };
  if (!isSince(target, FEATURE_SINCE))
    return {
      why: "unsupported",
      reason: `API servers before ${FEATURE_SINCE} cannot delete objects that they cannot read; upgrade first, or remove the key from etcd`,
    };
  return undefined;
}
