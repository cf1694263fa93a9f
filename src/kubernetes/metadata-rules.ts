/** Rules of the API server for the metadata of every object (apimachinery `validation.ValidateObjectMeta`). */

import { isList, isObject, type Json, type JsonObject } from "../core/json.js";
import { forbidden, problem, problemList, required } from "../core/problem.js";
import { isGoTime } from "../core/time.js";
import { AUTHORIZATION_GROUP } from "./authorization-rules.js";
import type { Refuse } from "./finding.js";
import { identityOf } from "./identity.js";
import {
  DNS_LABEL_HINT,
  DNS_SUBDOMAIN_HINT,
  isDns1035Label,
  isDnsLabel,
  isDnsSubdomain,
  isLabelValue,
  isPathSegment,
  isQualifiedName,
  PATH_SEGMENT_HINT,
} from "./names.js";
import { RBAC_GROUP } from "./rbac-rules.js";
import { ANNOTATIONS_LIMIT } from "./secrets.js";

interface NameRule {
  readonly legal: (name: string) => boolean;
  readonly hint: string;
}

const SUBDOMAIN: NameRule = { legal: isDnsSubdomain, hint: DNS_SUBDOMAIN_HINT };
const LABEL: NameRule = { legal: isDnsLabel, hint: DNS_LABEL_HINT };
const LABEL_1035: NameRule = { legal: isDns1035Label, hint: `${DNS_LABEL_HINT}, and start with a letter` };
/** The controller adds eleven characters to the name of a CronJob for its Jobs (batch `ValidateCronJobCreate`). */
const CRON_JOB: NameRule = {
  legal: (name) => isDnsSubdomain(name) && name.length <= 52,
  hint: `${DNS_SUBDOMAIN_HINT}, at most 52 characters`,
};
const SEGMENT: NameRule = { legal: isPathSegment, hint: PATH_SEGMENT_HINT };

/** Kinds whose names are not subdomains, by group; `*` stands for every kind of the group. */
const NAMES: ReadonlyMap<string, ReadonlyMap<string, NameRule>> = new Map([
  [
    "",
    new Map([
      ["Namespace", LABEL],
      ["Service", LABEL_1035],
    ]),
  ],
  [RBAC_GROUP, new Map([["*", SEGMENT]])],
  [AUTHORIZATION_GROUP, new Map([["*", SEGMENT]])],
  // User names, image names and the like have rules of their own there.
  ["user.openshift.io", new Map([["*", SEGMENT]])],
  ["image.openshift.io", new Map([["*", SEGMENT]])],
  ["oauth.openshift.io", new Map([["*", SEGMENT]])],
  ["apps", new Map([["StatefulSet", LABEL]])],
  ["batch", new Map([["CronJob", CRON_JOB]])],
]);

const nameRule = (group: string, kind: string): NameRule => {
  const kinds = NAMES.get(group);
  return kinds?.get(kind) ?? kinds?.get("*") ?? SUBDOMAIN;
};

/** Kinds that the API server has built in hold finalizers to more than those of definitions (core `validateKubeFinalizerName`). */
const isBuiltIn = (group: string): boolean => /^[a-z]*$/.test(group) || group === RBAC_GROUP;
const STANDARD_FINALIZERS: readonly string[] = ["kubernetes", "orphan", "foregroundDeletion"];

/** Members of metadata that are no texts are refused before any rule is looked at. */
const TEXTS = ["generateName", "uid", "resourceVersion", "selfLink"] as const;
const TIMES = ["creationTimestamp", "deletionTimestamp"] as const;
const WHOLE_NUMBERS = ["generation", "deletionGracePeriodSeconds"] as const;

export interface MetadataOptions {
  /** The object is created, not applied, so that the API server may make its name from `generateName`. */
  readonly mayBeNamedByServer?: boolean;
}

const bytesOf = (text: string): number => Buffer.byteLength(text, "utf8");
const isAbsent = (value: Json | undefined): value is undefined | null =>
  value === undefined || value === null;

/** Every broken rule of the metadata of an object. */
export function metadataFindings(object: JsonObject, refuse: Refuse, options: MetadataOptions = {}): void {
  const metadata = object["metadata"] ?? {};
  if (!isObject(metadata)) {
    refuse(problem("KUB001", "Invalid", "metadata", "must be a mapping"));
    return;
  }
  const { group, kind } = identityOf(object);
  nameFindings(metadata, nameRule(group, kind), options, refuse);
  namespaceFindings(metadata["namespace"], group === "" && kind === "Namespace", refuse);
  mapFindings(metadata["labels"], "metadata.labels", isQualifiedName, isLabelValue, refuse);
  // Keys of annotations are looked at in lower case.
  const isKey = (key: string): boolean => isQualifiedName(key.toLowerCase());
  const size = mapFindings(metadata["annotations"], "metadata.annotations", isKey, () => true, refuse);
  if (size > ANNOTATIONS_LIMIT)
    problemList(refuse, "metadata.annotations").report(
      "KUB001",
      "TooLong",
      `must have at most ${ANNOTATIONS_LIMIT} bytes, has ${size}`,
    );
  finalizerFindings(metadata["finalizers"], isBuiltIn(group), refuse);
  ownerFindings(metadata["ownerReferences"], refuse);
  typeFindings(metadata, refuse);
}

function nameFindings(
  { name, generateName: prefix }: JsonObject,
  rule: NameRule,
  { mayBeNamedByServer = false }: MetadataOptions,
  refuse: Refuse,
): void {
  const isPrefixed = typeof prefix === "string" && prefix !== "";
  // What the server adds to a prefix does not count against the shorter names of a CronJob.
  const ofPrefix = rule === CRON_JOB ? SUBDOMAIN : rule;
  if (isPrefixed && !ofPrefix.legal(withoutDash(prefix)))
    problemList(refuse, "metadata.generateName").invalid(
      "KUB001",
      prefix,
      "must be the prefix of a name",
      `${ofPrefix.hint}; it may end with '-'`,
    );
  if (isAbsent(name) || name === "") {
    if (!isPrefixed || !mayBeNamedByServer) refuse(required("KUB001", "metadata.name"));
  } else if (typeof name !== "string" || !rule.legal(name))
    refuse(problem("KUB001", "Invalid", "metadata.name", `invalid name ${JSON.stringify(name)}`, rule.hint));
}

/** The server puts letters and digits behind a dash at the end (apimachinery `maskTrailingDash`). */
export const withoutDash = (prefix: string): string =>
  prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix;

/** Members of a type that Go's reader refuses. */
function typeFindings(metadata: JsonObject, refuse: Refuse): void {
  const wrong = (member: string, message: string, hint = ""): void =>
    refuse(problem("KUB001", "Invalid", `metadata.${member}`, message, hint));
  for (const member of TEXTS) {
    const value = metadata[member];
    if (!isAbsent(value) && typeof value !== "string") wrong(member, "must be a string", textHint(value));
  }
  for (const member of TIMES) {
    const value = metadata[member];
    if (!isAbsent(value) && !(typeof value === "string" && isGoTime(value)))
      wrong(member, "must be a time", "remove it; the API server sets it");
  }
  for (const member of WHOLE_NUMBERS) {
    const value = metadata[member];
    if (isAbsent(value)) continue;
    if (!Number.isInteger(value)) wrong(member, "must be an integer", "remove it");
    else if (member === "generation" && Number(value) < 0) wrong(member, "must not be negative", "remove it");
  }
  if (!isAbsent(metadata["managedFields"]) && !isList(metadata["managedFields"]))
    wrong("managedFields", "must be a list", "remove it; the API server maintains it");
}

function namespaceFindings(namespace: Json | undefined, isNamespace: boolean, refuse: Refuse): void {
  if (isAbsent(namespace)) return;
  if (isNamespace) refuse(forbidden("KUB001", "metadata.namespace", "a Namespace is cluster-scoped"));
  else if (typeof namespace !== "string" || (namespace !== "" && !isDnsLabel(namespace)))
    problemList(refuse, "metadata.namespace").report(
      "KUB001",
      "Invalid",
      `invalid namespace ${JSON.stringify(namespace)}`,
      DNS_LABEL_HINT,
    );
}

/** Checks a map of labels or annotations; answers the bytes of its keys and values. */
function mapFindings(
  map: Json | undefined,
  field: string,
  isKey: (key: string) => boolean,
  legal: (value: string) => boolean,
  refuse: Refuse,
): number {
  if (isAbsent(map)) return 0;
  if (!isObject(map)) {
    refuse(problem("KUB001", "Invalid", field, "must be a mapping of strings"));
    return 0;
  }
  let size = 0;
  for (const [key, value] of Object.entries(map)) {
    const at = `${field}[${key}]`;
    if (!isKey(key))
      problemList(refuse, at).report(
        "KUB001",
        "Invalid",
        `invalid key ${JSON.stringify(key)}`,
        "use at most 63 letters, digits, '-', '_' or '.', with an optional DNS name and '/' in front",
      );
    // A null counts as the empty text.
    const text = value === null ? "" : value;
    if (typeof text !== "string")
      refuse(problem("KUB001", "Invalid", at, "must be a string", textHint(value)));
    else if (!legal(text))
      problemList(refuse, at).report(
        "KUB001",
        "Invalid",
        `invalid label value ${JSON.stringify(text.slice(0, 80))}`,
        "use at most 63 letters, digits, '-', '_' or '.'; start and end with a letter or digit",
      );
    size += bytesOf(key) + (typeof text === "string" ? bytesOf(text) : 0);
  }
  return size;
}

/** What makes a text of a value that is none. */
export const textHint = (value: Json | undefined): string =>
  isObject(value) || isList(value) ? "use a block scalar: | followed by indented lines" : "quote the value";

function finalizerFindings(list: Json | undefined, isStrict: boolean, refuse: Refuse): void {
  if (isAbsent(list)) return;
  if (!isList(list)) refuse(problem("KUB001", "Invalid", "metadata.finalizers", "must be a list of strings"));
  else {
    list.forEach((each, i) => {
      const isLegal = typeof each === "string" && isQualifiedName(each);
      if (!isLegal || (isStrict && !each.includes("/") && !STANDARD_FINALIZERS.includes(each)))
        problemList(refuse, `metadata.finalizers[${i}]`).report(
          "KUB001",
          "Invalid",
          "invalid name of a finalizer",
          "add the domain of its controller, such as example.org/cleanup",
        );
    });
    if (list.includes("orphan") && list.includes("foregroundDeletion"))
      problemList(refuse, "metadata.finalizers").report(
        "KUB001",
        "Invalid",
        "orphan and foregroundDeletion cannot both be set",
        "remove one of the two",
      );
  }
}

const OWNER_MEMBERS = ["apiVersion", "kind", "name", "uid"] as const;

function ownerFindings(list: Json | undefined, refuse: Refuse): void {
  if (isAbsent(list)) return;
  const field = "metadata.ownerReferences";
  if (!isList(list)) {
    refuse(problem("KUB001", "Invalid", field, "must be a list of mappings"));
    return;
  }
  for (const [i, each] of list.entries()) {
    const at = `${field}[${i}]`;
    if (!isObject(each)) {
      refuse(problem("KUB001", "Invalid", at, "must be a mapping"));
      continue;
    }
    for (const member of OWNER_MEMBERS) {
      const value = each[member];
      if (isAbsent(value) || value === "") refuse(required("KUB001", `${at}.${member}`));
      else if (typeof value !== "string")
        refuse(problem("KUB001", "Invalid", `${at}.${member}`, "must be a string"));
    }
  }
}
