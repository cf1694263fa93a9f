#!/bin/sh
# Checks that the objects in etcd are still those of the copy: sh 38_check-revisions.sh REVISIONS-FILE
# Configure etcdctl with ETCDCTL_ENDPOINTS and the like. Exits with 1 if an object was written since.
set -u
ETCDCTL_API=3
export ETCDCTL_API
changed=0
while read -r revision key; do
  case "$revision" in "" | "#"*) continue ;; esac
  answer="$(etcdctl get -w json -- "$key")" || exit 2
  now="$(printf '%s' "$answer" | sed -n 's/.*"mod_revision":\([0-9]*\).*/\1/p')"
  if [ -z "$now" ]; then echo "already deleted: $key"
  elif [ "$now" != "$revision" ]; then echo "CHANGED since the copy (revision $now, not $revision): $key" >&2; changed=1
  fi
done < "${1:?specify the file with the revisions}"
if [ "$changed" -gt 0 ]; then
  echo "take a new copy and compile the plan again; nothing was deleted" >&2
  exit 1
fi
