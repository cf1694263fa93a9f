/** Gates of the runbook: what has to hold at the moment of a step, asked of the servers then. */

/** Before the deletions: nobody has written the objects since the copy was taken. Lines of the file: REVISION KEY. */
export const REVISION_SCRIPT = `#!/bin/sh
# Checks that the objects in etcd are still those of the copy: sh 38_check-revisions.sh REVISIONS-FILE
# Configure etcdctl with ETCDCTL_ENDPOINTS and the like. Exits with 1 if an object was written since.
set -u
ETCDCTL_API=3
export ETCDCTL_API
changed=0
while read -r revision key; do
  case "$revision" in "" | "#"*) continue ;; esac
  answer="$(etcdctl get -w json -- "$key")" || exit 2
  now="$(printf '%s' "$answer" | sed -n 's/.*"mod_revision":\\([0-9]*\\).*/\\1/p')"
  if [ -z "$now" ]; then echo "already deleted: $key"
  elif [ "$now" != "$revision" ]; then echo "CHANGED since the copy (revision $now, not $revision): $key" >&2; changed=1
  fi
done < "\${1:?specify the file with the revisions}"
if [ "$changed" -gt 0 ]; then
  echo "take a new copy and compile the plan again; nothing was deleted" >&2
  exit 1
fi
`;

/** Before migrations, which would wait for ever: what was to be deleted is gone, or can be read. */
export const GONE_SCRIPT = `#!/bin/sh
# Checks that the objects of the plan are deleted or readable: sh 46_check-deleted.sh REQUESTS-FILE…
# Exits with 1 if an object still exists and cannot be read.
set -u
left=0
for file in "$@"; do
  while IFS= read -r path; do
    case "$path" in "" | "#"*) continue ;; esac
    answer="$(kubectl get --raw "$path" 2>&1 >/dev/null)" && continue
    case "$answer" in
      *"(NotFound)"*) ;;
      *) echo "STILL UNREADABLE: $path: $answer" >&2; left=$((left + 1)) ;;
    esac
  done < "$file"
done
if [ "$left" -gt 0 ]; then
  echo "$left objects still exist and cannot be read; do not continue" >&2
  exit 1
fi
`;
