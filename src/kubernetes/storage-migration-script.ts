/** Commands that run a storage migration: an earlier one of the name is forgotten, and a failure ends the wait. */
import { pathWord, shellWord } from "../text/shell.js";

/** `storageversionmigrations.GROUP/NAME`, as kubectl names the object. */
export const migrationRef = (apiVersion: string, name: string): string =>
  `storageversionmigrations.${apiVersion.split("/")[0]}/${name}`;

/**
 * A script that makes the migration of a file anew and waits for its end: exit 0 when it has succeeded, 1 when it has
 * failed, 2 when it is not there.
 * @param file as it is named in the folder of the script
 */
export const migrationScript = (file: string, ref: string): string => `#!/bin/sh
# Rewrites the objects of a resource, and waits until the migration has succeeded or failed.
set -eu
cd "$(dirname "$0")"
migration=${shellWord(ref)}
kubectl delete --ignore-not-found "$migration"
kubectl create -f ${pathWord(file)}
until [ "$(kubectl get "$migration" -o jsonpath='{.status.conditions[?(@.type=="Succeeded")].status}')" = True ]; do
  kubectl get "$migration" >/dev/null || exit 2
  if [ "$(kubectl get "$migration" -o jsonpath='{.status.conditions[?(@.type=="Failed")].status}')" = True ]; then
    echo "the migration failed; do not continue:" >&2
    kubectl get "$migration" -o jsonpath='{range .status.conditions[*]}{.type}: {.message}{"\\n"}{end}' >&2
    exit 1
  fi
  sleep 1
done
echo "migrated: $migration"
`;
