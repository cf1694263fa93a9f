#!/bin/sh
# Removes versions that no object is stored in from status.storedVersions.
set -eu
crd=widgets.example.com
wanted='["v1"]'
stored=$(kubectl get crd "$crd" -o jsonpath='{.status.storedVersions}')
if [ "$stored" = "$wanted" ]; then
  echo "nothing to do: $crd is stored only as $wanted"
  exit 0
fi
resource_version=$(kubectl get crd "$crd" -o jsonpath='{.metadata.resourceVersion}')
migration=storageversionmigrations.storagemigration.k8s.io/widgets.example.com-v1
began=$(kubectl get "$migration" -o jsonpath='{.metadata.creationTimestamp}')
succeeded=$(kubectl get "$migration" -o jsonpath='{.status.conditions[?(@.type=="Succeeded")].status}')
if [ "$succeeded" != True ]; then
  echo "the migration has not succeeded; run it again before you continue" >&2
  exit 1
fi
changes=$(kubectl get crd "$crd" --show-managed-fields -o jsonpath='{range .metadata.managedFields[*]}{.time} {.subresource}{"\n"}{end}')
last=$(printf '%s\n' "$changes" | sed -n 's/ $//p' | sort | tail -n 1)
newest=$(printf '%s\n' "$began" "$last" | sort | tail -n 1)
if [ -z "$last" ] || [ "$newest" != "$began" ]; then
  echo "$crd was changed at ${last:-an unknown time}, after the migration was started at $began; run the migration again, then this script" >&2
  exit 1
fi
kubectl patch crd "$crd" --subresource=status --type=json -p '[{"op":"test","path":"/metadata/resourceVersion","value":"'"$resource_version"'"},{"op":"test","path":"/status/storedVersions","value":["v1alpha1","v1"]},{"op":"replace","path":"/status/storedVersions","value":["v1"]}]'
