#!/bin/sh
# Asks whether anything of the plan is still in the way: sh 46_check-deleted.sh REQUESTS-FILE…
# Exit 1 when an object is still there and cannot be read.
set -u
left=0
for file in "$@"; do
  while IFS= read -r path; do
    case "$path" in "" | "#"*) continue ;; esac
    answer="$(kubectl get --raw "$path" 2>&1 >/dev/null)" && continue
    case "$answer" in
      *"(NotFound)"*) ;;
      *) echo "STILL THERE: $path: $answer" >&2; left=$((left + 1)) ;;
    esac
  done < "$file"
done
if [ "$left" -gt 0 ]; then
  echo "$left objects are still there and cannot be read; stop here" >&2
  exit 1
fi
