/** The script that sends the deletions; the same text in the ConfigMap of the Job and beside the plan. */

export const SEND_SCRIPT = `#!/bin/sh
# Sends the deletions of a plan: sh 41_send.sh REQUESTS-FILE [FOLDER-OF-THE-BODIES]
# Deleting an object that cannot be read skips its finalizers, owner references and dependents. It can break the cluster
# if anything depends on the object. Vendors may end their support of the cluster.
# The API server rejects the deletion of an object that it can read (409, or 422 up to 1.36).
set -u
requests="\${1:?specify the file with the requests}"
folder="\${2:-$(dirname "$0")}"
find_body() {
  for each in "$folder/$1" "$folder/40_$1"; do
    if [ -f "$each" ]; then echo "$each"; return 0; fi
  done
  return 1
}
body="$(find_body delete-options.json)" || { echo "delete-options.json is missing in $folder" >&2; exit 2; }

send() {
  answer="$(kubectl delete --raw "$1" -f "$2" 2>&1)" && return 0
  case "$answer" in
    *"(NotFound)"*) return 4 ;;
    *"(Conflict)"* | *"is exclusively used to delete corrupt object"*) return 5 ;;
    *) return 1 ;;
  esac
}

if dry="$(find_body delete-options-dry-run.json)"; then
  refused=0
  while IFS= read -r path; do
    case "$path" in "" | "#"*) continue ;; esac
    send "$path" "$dry"
    case $? in
      0) echo "would be deleted: $path" ;;
      4) echo "already deleted: $path" ;;
      5) echo "readable, would not be deleted: $path" ;;
      *) echo "REFUSED: $path: $answer" >&2; refused=$((refused + 1)) ;;
    esac
  done < "$requests"
  if [ "$refused" -gt 0 ]; then
    echo "$refused requests were rejected in the dry run; nothing was deleted" >&2
    exit 1
  fi
fi

failed=0
while IFS= read -r path; do
  case "$path" in "" | "#"*) continue ;; esac
  send "$path" "$body"
  case $? in
    0) echo "deleted: $path" ;;
    4) echo "already deleted: $path" ;;
    5) echo "readable or already deleted, not changed: $path" ;;
    *) echo "FAILED: $path: $answer" >&2; failed=$((failed + 1)) ;;
  esac
done < "$requests"
if [ "$failed" -gt 0 ]; then
  echo "$failed requests failed" >&2
  exit 1
fi
`;
