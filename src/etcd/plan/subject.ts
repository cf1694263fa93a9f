/** Who sends the deletions: one named subject, which the roles of the plan are bound to. */

import type { Problem } from "../../core/diagnostics.js";
import { problemList } from "../../core/problem.js";
import { isDnsLabel, isDnsSubdomain } from "../../kubernetes/names.js";

export type RepairSubject =
  | {
      readonly kind: "ServiceAccount";
      readonly namespace: string;
      readonly name: string;
      readonly made: boolean;
    }
  | { readonly kind: "User" | "Group"; readonly name: string };

export const DEFAULT_NAMESPACE = "slipway-etcd-repair";
export const DEFAULT_ACCOUNT = "etcd-repair";

/** Reads `ServiceAccount:NAMESPACE/NAME`, `User:NAME` or `Group:NAME`; without it the plan makes an account. */
export function readSubject(
  text: string | undefined,
  report: (problem: Problem) => void,
): RepairSubject | undefined {
  if (text === undefined)
    return { kind: "ServiceAccount", namespace: DEFAULT_NAMESPACE, name: DEFAULT_ACCOUNT, made: true };
  const refuse = (message: string): undefined =>
    void problemList(report, "--subject").report(
      "ETC048",
      "Invalid",
      message,
      "use ServiceAccount:NAMESPACE/NAME, User:NAME or Group:NAME",
    );
  const colon = text.indexOf(":");
  const kind = text.slice(0, Math.max(0, colon));
  const name = text.slice(colon + 1);
  if (name === "") return refuse(`${JSON.stringify(text)} has no name`);
  if (kind === "ServiceAccount") {
    const [namespace = "", account = "", ...more] = name.split("/");
    if (!isDnsLabel(namespace) || !isDnsSubdomain(account) || more.length > 0)
      return refuse(`${JSON.stringify(name)} is not the namespace and name of a service account`);
    return { kind, namespace, name: account, made: false };
  }
  if (kind !== "User" && kind !== "Group") return refuse(`invalid kind of subject ${JSON.stringify(kind)}`);
  // Everybody is not a named subject.
  if (kind === "Group" && EVERYBODY.has(name)) return refuse(`group ${name} contains all users`);
  return { kind, name };
}

const EVERYBODY = new Set(["system:authenticated", "system:unauthenticated", "system:serviceaccounts"]);

export const subjectText = (subject: RepairSubject): string =>
  subject.kind === "ServiceAccount"
    ? `ServiceAccount ${subject.namespace}/${subject.name}`
    : `${subject.kind} ${subject.name}`;
