/** Tables and generated code: remedies of the diagnostics. */
import type { Remedies } from "./remedy.js";

export const TABLES: Remedies<"TAB" | "GEN"> = {
  TAB001: {
    remedy: "Use a value of the expected type.",
  },
  TAB002: {
    remedy: "Remove the field or correct its spelling.",
    why: "A misspelled field in a table would silently have no effect on the answer.",
    example: `gates:
- name: MyGate
  versionedSpecs:
  - {version: "1.36", default: false, preRelease: Alpha}`,
  },
  TAB003: {
    remedy: "Add the field.",
    why: "Without the field the table cannot answer the question.",
    example: `kind: FeatureGateTable
metadata: {name: my-component}
gates: []`,
  },
  TAB004: {
    remedy: "Use one of the listed values.",
    why: "The values are fixed by the format of the table.",
    example: "preRelease: Beta    # Alpha, Beta, GA or Deprecated",
  },
  TAB005: {
    remedy: "Use a file of the kind that the message shows.",
    why: "Files are recognized by their content, such as apiVersion and kind, not by their names.",
    example: "slipway compat lifecycle --table versioned_feature_list.yaml --current 1.37",
  },
  TAB006: {
    remedy: "Remove one of the two entries.",
  },
  TAB007: {
    remedy: "Use a table with the versions or feature sets that the message lists.",
    why: "Some lists record feature sets but no versions, or end before the release in question.",
    example: "slipway compat gates --table kubernetes --binary-version 1.36",
  },
  TAB008: {
    remedy: "Add the missing data manually, or import with --annotations.",
    why: "Kubernetes' versioned feature list does not contain minimum compatibility versions, so rules about them cannot be checked.",
    example:
      "slipway compat import --from versioned-feature-list list.yaml --annotations annotations.yaml --out gates.yaml",
  },
  TAB009: {
    remedy: "Use one of the supported releases, or specify a file.",
  },
  TAB010: {
    remedy: "Check the answer against the release notes of that version.",
    why: "slipway uses the newest data that it has. A later release may have changed gates, APIs or defaults.",
    example:
      "slipway compat gates --table kubernetes --binary-version 1.38    # answered with the data of 1.37",
  },
  TAB011: {
    remedy: "Use it for test clusters only.",
    why: "The cluster version operator blocks upgrades for as long as such a feature set is configured, and the API server does not allow changing it back.",
    example: "slipway compat gates --table openshift-features.yaml --feature-set TechPreviewNoUpgrade",
  },
  TAB012: {
    remedy: "Remove one of the two.",
  },
  GEN001: {
    remedy: "Correct the syntax at the reported position.",
  },
  GEN002: {
    remedy: "Add the declaration shown, or correct --declaration.",
    why: "--into replaces the value of an existing declaration, so that everything else in the file is kept.",
    example: "slipway generate feature-gates --table gates.yaml --into src/gates.ts --declaration GATES",
  },
  GEN003: {
    remedy: "Use a declaration of a supported type.",
  },
  GEN004: {
    remedy: "Rename one of the declarations.",
  },
  GEN005: {
    remedy: "Set a constant for the gate in the table.",
  },
  GEN006: {
    remedy: "Move the comment elsewhere if it still applies.",
  },
};
