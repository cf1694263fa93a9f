#!/bin/sh
# Asks etcd whether the objects are still those of the copy: sh 38_check-revisions.sh REVISIONS-FILE
# etcdctl finds its servers by ETCDCTL_ENDPOINTS and the like. Exit 1 when something was written since.
set -u
ETCDCTL_API=3
export ETCDCTL_API
changed=0
while read -r revision key; do
  case "$revision" in "" | "#"*) continue ;; esac
  answer="$(etcdctl get -w json -- "$key")" || exit 2
  now="$(printf '%s' "$answer" | sed -n 's/.*"mod_revision":\([0-9]*\).*/\1/p')"
  if [ -z "$now" ]; then echo "is gone already: $key"
  elif [ "$now" != "$revision" ]; then echo "CHANGED since the copy (revision $now, not $revision): $key" >&2; changed=1
  fi
done < "${1:?name the file with the revisions}"
if [ "$changed" -gt 0 ]; then
  echo "take a new copy and compile the plan again; nothing was deleted" >&2
  exit 1
fi
