/**
 * openshift/99_kube-*-effective-version.yaml: operator configuration that has the control plane emulate another version
 * (`--emulated-version`, `--min-compatibility-version`; docs/reference/compatibility-versions.md §3.6). Each operator
 * has its own member for flags of its operand.
 */
import type { JsonObject } from "../../core/json.js";
import type { Asset } from "./input.js";

export const effectiveVersion: Asset = ({ effectiveVersions }) => {
  if (effectiveVersions === undefined) return [];
  const { emulated, minCompatibility } = effectiveVersions;
  const flags: JsonObject = {
    ...(emulated === undefined ? {} : { "emulated-version": [emulated] }),
    ...(minCompatibility === undefined ? {} : { "min-compatibility-version": [minCompatibility] }),
  };
  return [
    {
      template: "openshift/99_kube-apiserver-effective-version.yaml",
      path: "openshift/99_kube-apiserver-effective-version.yaml",
      view: { flags },
    },
    {
      template: "openshift/99_kube-controller-manager-effective-version.yaml",
      path: "openshift/99_kube-controller-manager-effective-version.yaml",
      view: { flags },
    },
    {
      template: "openshift/99_kube-scheduler-effective-version.yaml",
      path: "openshift/99_kube-scheduler-effective-version.yaml",
      view: { flags },
    },
  ];
};
