#!/bin/sh
# Rewrites the objects of a resource, and waits until the migration has succeeded or failed.
set -eu
cd "$(dirname "$0")"
migration=storageversionmigrations.storagemigration.k8s.io/widgets.example.com-v1
kubectl delete --ignore-not-found "$migration"
kubectl create -f 20-migrate.yaml
until [ "$(kubectl get "$migration" -o jsonpath='{.status.conditions[?(@.type=="Succeeded")].status}')" = True ]; do
  kubectl get "$migration" >/dev/null || exit 2
  if [ "$(kubectl get "$migration" -o jsonpath='{.status.conditions[?(@.type=="Failed")].status}')" = True ]; then
    echo "the migration failed; do not continue:" >&2
    kubectl get "$migration" -o jsonpath='{range .status.conditions[*]}{.type}: {.message}{"\n"}{end}' >&2
    exit 1
  fi
  sleep 1
done
echo "migrated: $migration"
