#!/bin/sh
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
