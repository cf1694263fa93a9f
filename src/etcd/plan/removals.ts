/**
 * Objects that end API servers: they are removed in etcd, each with its value saved, before a server starts or reads them.
 */
import { counted } from "../../core/counted.js";
import { codeSpan, markdownTable, markdownText } from "../../text/markdown.js";
import type { Fatal } from "./candidates.js";
import { LIST_FILE, SAVED, SCRIPT_FILE } from "./removal-script.js";
import { code, SHOWN, type Step } from "./runbook-step.js";

export function removeFromEtcd(fatal: readonly Fatal[]): Step | undefined {
  if (fatal.length === 0) return undefined;
  const rows = fatal.slice(0, SHOWN).map(({ key, reason }) => [codeSpan(key), markdownText(reason)]);
  const more = fatal.length > SHOWN ? `\n\n… and ${fatal.length - SHOWN} more in \`plan.json\`.` : "";
  const atStart = fatal.some(({ exits }) => exits === "start")
    ? "Do not start or restart an API server before this step: it would exit after about a minute. "
    : "";
  const atRead = fatal.some(({ exits }) => exits === "read")
    ? "Send no request for these custom resources before this step, not even a DELETE: the API server would exit. "
    : "";
  return {
    title: "Remove the objects from etcd that make API servers exit",
    text: `${atStart}${atRead}The API cannot delete ${fatal.length === 1 ? "this object" : "these objects"}. The script saves ${counted(fatal.length, "value", "values")} in \`${SAVED}\` and removes the keys from etcd. It does not touch values that were written since the copy. API servers create their own roles and priority classes again when they start; create all other objects again at the end.\n\n${markdownTable(["key", "why"], rows)}${more}\n\n${code(`sh ${SCRIPT_FILE} ${LIST_FILE}`)}`,
  };
}
