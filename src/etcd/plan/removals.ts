/**
 * Objects that end API servers: they are removed in etcd, each with its value saved, before a server starts or reads them.
 */
import { counted } from "../../core/counted.js";
import { type OutputFile, textFile } from "../../core/files.js";
import { codeSpan, markdownTable, markdownText } from "../../text/markdown.js";
import type { Fatal } from "./candidates.js";
import type { RepairPlan } from "./compile.js";
import { code, SHOWN, type Step } from "./runbook-step.js";

const SCRIPT_FILE = "15_remove-from-etcd.sh";
const LIST_FILE = "15_remove-from-etcd.txt";
const SAVED = "removed-from-etcd";

/** Lines of the list: REVISION KEY. */
const SCRIPT = `#!/bin/sh
# Saves values and removes their keys from etcd: sh ${SCRIPT_FILE} ${LIST_FILE}
# Configure etcdctl with ETCDCTL_ENDPOINTS and the like. Exits with 1 if a value was written since the copy; it stays.
# To restore a value: sed -n 's/.*"value":"\\([^"]*\\)".*/\\1/p' FILE | base64 -d | etcdctl put -- KEY
set -u
umask 077
ETCDCTL_API=3
export ETCDCTL_API
mkdir -p ${SAVED} || exit 2
changed=0
number=0
while read -r revision key; do
  case "$revision" in "" | "#"*) continue ;; esac
  number=$((number + 1))
  saved=${SAVED}/$number.json
  answer="$(etcdctl get -w json -- "$key")" || exit 2
  now="$(printf '%s' "$answer" | sed -n 's/.*"mod_revision":\\([0-9]*\\).*/\\1/p')"
  if [ -z "$now" ]; then echo "already removed: $key"; continue; fi
  if [ "$now" != "$revision" ]; then
    echo "CHANGED since the copy (revision $now, not $revision), not removed: $key" >&2
    changed=1
    continue
  fi
  printf '%s\\n' "$answer" > "$saved" || exit 2
  etcdctl del -- "$key" >/dev/null || exit 2
  echo "saved in $saved and removed: $key"
done < "\${1:?specify the file with the keys}"
exit "$changed"
`;

/** The script and its list; none where nothing ends a server. */
export const compileRemovals = (fatal: readonly Fatal[]): OutputFile[] =>
  fatal.length === 0
    ? []
    : [
        textFile(SCRIPT_FILE, SCRIPT),
        textFile(LIST_FILE, fatal.map(({ modRevision, key }) => `${modRevision} ${key}\n`).join("")),
      ];

export function removeFromEtcd({ input }: RepairPlan): Step | undefined {
  const { fatal } = input.candidates;
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
