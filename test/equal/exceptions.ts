/**
 * What may differ between the files of openshift-install and those of slipway: data with a reason each. `row` is the
 * text of a row of docs/deviations.md; without one, chance decides about the value.
 */
import type { Difference } from "./compare.js";

export interface Exception {
  readonly file: RegExp;
  readonly field: RegExp;
  /** What the installer has there, as JSON; any value where it is left out. */
  readonly installer?: RegExp;
  /** The same for slipway. */
  readonly slipway?: RegExp;
  readonly reason: string;
  readonly row?: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    file: /./,
    field: /(^|\.)creationTimestamp$/,
    installer: /^null$/,
    reason: "null says nothing",
    row: "`metadata.creationTimestamp: null`",
  },
  {
    file: /./,
    field: /^status$/,
    installer: /^\{\}$/,
    reason: "an empty status says nothing",
    row: "empty `status: {}`",
  },
  {
    file: /^manifests\/cluster-config\.yaml$/,
    field: /^metadata\.annotations/,
    reason: "a sentence of slipway's",
    row: "`kubernetes.io/description` of `cluster-config-v1`",
  },
  {
    file: /^openshift\/openshift-install-manifests\.yaml$/,
    field: /^data\./,
    reason: "names who made the files",
    row: "`openshift/openshift-install-manifests.yaml`",
  },
  {
    file: /^manifests\/machine-config-server-/,
    field: /^data\.(tls\.(crt|key)|ca-bundle\.crt)$/,
    reason: "random keys",
  },
  {
    file: /^manifests\/cluster-config\.yaml$/,
    field: /\.(external|provisioning)MACAddress$/,
    installer: /^"52:54:00(:[0-9a-f]{2}){3}"$/,
    slipway: /^"52:54:00(:[0-9a-f]{2}){3}"$/,
    reason: "drawn where the install-config names none",
  },
];

const fits = (pattern: RegExp | undefined, value = ""): boolean => pattern?.test(value) ?? true;

export const exceptionFor = (found: Difference): Exception | undefined =>
  EXCEPTIONS.find(
    ({ file, field, installer, slipway }) =>
      file.test(found.file) &&
      field.test(found.field) &&
      fits(installer, found.installer) &&
      fits(slipway, found.slipway),
  );
