/**
 * Requests for APIs that go, as a server recorded them: the metric apiserver_requested_deprecated_apis, and audit logs
 * (JSON lines), which say who asks.
 */

import { kubernetesApis } from "../compatibility/kubernetes.js";
import { counted } from "../core/counted.js";
import { isObject, type Json, type JsonObject, textAt } from "../core/json.js";
import { problem } from "../core/problem.js";
import { type Use, useOf } from "./found.js";
import { judgeKind } from "./kinds.js";
import type { ServedRelease } from "./served.js";

/** Requests of one client for one resource. */
export interface Requested {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Program and user; empty where the record does not say it. */
  readonly client: string;
  readonly count: number | undefined;
  readonly last: string;
  /** The line of the last of them. */
  readonly line: number;
}

const METRIC = /^apiserver_requested_deprecated_apis\{([^}]*)\} (\S+)/;

/** What a dump of /metrics or an audit log records; undefined for a text of another kind. */
export function requestsIn(text: string): readonly Requested[] | undefined {
  if (/^(?:# (?:HELP|TYPE) )?apiserver_requested_deprecated_apis\b/m.test(text)) return ofMetrics(text);
  const start = text.trimStart().slice(0, 2000);
  return start.startsWith("{") && /"apiVersion":\s*"audit\.k8s\.io\//.test(start.split("\n")[0] ?? "")
    ? ofAuditLog(text)
    : undefined;
}

function ofMetrics(text: string): readonly Requested[] {
  return text.split("\n").flatMap((line, i): Requested[] => {
    const [, labels = "", value] = METRIC.exec(line) ?? [];
    if (value === undefined || Number(value) === 0) return [];
    const label = (name: string): string => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? "";
    return [
      {
        group: label("group"),
        version: label("version"),
        resource: label("resource"),
        client: "",
        count: undefined,
        last: "",
        line: i + 1,
      },
    ];
  });
}

function ofAuditLog(text: string): readonly Requested[] {
  const found = new Map<string, { first: Requested; count: number; last: string; line: number }>();
  for (const [i, line] of text.split("\n").entries()) {
    // Most requests are for APIs that stay; those that go are annotated.
    if (!line.includes('"k8s.io/deprecated"')) continue;
    const event = parsed(line);
    const ref = isObject(event) ? event["objectRef"] : undefined;
    if (!isObject(event) || !isObject(ref) || !isDeprecated(event)) continue;
    const [group, version, resource] = [
      textAt(ref, "apiGroup"),
      textAt(ref, "apiVersion"),
      textAt(ref, "resource"),
    ];
    const client = clientOf(event);
    const last = textAt(event, "requestReceivedTimestamp");
    // A request has an event for each of its stages.
    const isEnd = !["RequestReceived", "ResponseStarted"].includes(textAt(event, "stage"));
    const key = [group, version, resource, client].join("|");
    const known = found.get(key) ?? {
      first: { group, version, resource, client, count: undefined, last, line: i + 1 },
      count: 0,
      last,
      line: i + 1,
    };
    found.set(key, { ...known, count: known.count + (isEnd ? 1 : 0), last, line: i + 1 });
  }
  return [...found.values()].map(({ first, count, last, line }) => ({
    ...first,
    count: Math.max(1, count),
    last,
    line,
  }));
}

const isDeprecated = (event: JsonObject): boolean => {
  const { annotations } = event;
  return isObject(annotations) && annotations["k8s.io/deprecated"] === "true";
};

function clientOf(event: JsonObject): string {
  const { user } = event;
  const name = isObject(user) ? textAt(user, "username") : "";
  const program = textAt(event, "userAgent").split(" ")[0] ?? "";
  return [program, name === "" ? "" : `as ${name}`].filter((part) => part !== "").join(" ");
}

function parsed(line: string): Json | undefined {
  try {
    return JSON.parse(line);
  } catch {
    // The last line of a log may be cut off.
    return undefined;
  }
}

/** What becomes of recorded requests in the releases of an upgrade. */
export function judgeRequests(
  requests: readonly Requested[],
  file: string,
  served: readonly ServedRelease[],
): readonly Use[] {
  const { kinds } = kubernetesApis();
  return requests.flatMap((each): Use[] => {
    const { group, version, resource, client, count, last, line } = each;
    const kind = kinds.find(
      (own) => own.group === group && own.version === version && own.resource === resource,
    );
    const verdict = kind && judgeKind(kind, served);
    if (verdict === undefined || verdict.use.effect === "later") return [];
    const name = `${group === "" ? version : `${group}/${version}`} ${resource}`;
    const who = client === "" ? "clients request" : `${client} requests`;
    const often = [
      count === undefined ? "" : counted(count, "time"),
      last === "" ? "" : `last at ${last}`,
    ].filter(Boolean);
    return [
      useOf(
        { ...verdict.use, object: name, ...(client === "" ? {} : { manager: client }) },
        problem(
          "USE012",
          "NotSupported",
          "",
          `${who} ${name}${often.length === 0 ? "" : ` (${often.join(", ")})`}: ${verdict.problem.message}`,
          {
            severity: verdict.problem.severity ?? "warning",
            file,
            line,
            column: 1,
            hint: `${client === "" ? "find the client in the audit log, and update it" : `update ${client}`}${verdict.use.replacement === undefined ? "" : ` to ${verdict.use.replacement}`}`,
          },
        ),
      ),
    ];
  });
}
