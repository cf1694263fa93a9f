#!/bin/sh
# Removes versions that hold no object any more from status.storedVersions.
set -eu
crd=widgets.example.com
wanted='["v1"]'
stored=$(kubectl get crd "$crd" -o jsonpath='{.status.storedVersions}')
if [ "$stored" = "$wanted" ]; then
  echo "nothing to do: $crd is stored as $wanted alone"
  exit 0
fi
resource_version=$(kubectl get crd "$crd" -o jsonpath='{.metadata.resourceVersion}')
kubectl patch crd "$crd" --subresource=status --type=json -p '[{"op":"test","path":"/metadata/resourceVersion","value":"'"$resource_version"'"},{"op":"test","path":"/status/storedVersions","value":["v1alpha1","v1"]},{"op":"replace","path":"/status/storedVersions","value":["v1"]}]'
