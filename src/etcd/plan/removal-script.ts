/** The script that saves values and removes their keys from etcd, and the list that it reads. */
import { type OutputFile, textFile } from "../../core/files.js";
import type { Fatal } from "./candidates.js";

export const SCRIPT_FILE = "15_remove-from-etcd.sh";
export const LIST_FILE = "15_remove-from-etcd.txt";
/** The folder that the script saves values in. */
export const SAVED = "removed-from-etcd";

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
