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
    file: /^manifests\/machine-config-server-(tls|ca)-secret\.yaml$/,
    field: /^metadata\.annotations\.auth\.openshift\.io\/certificate-not-(after|before)$/,
    reason: "the moment of the run",
  },
  {
    file: /^manifests\/cluster-config\.yaml$/,
    field:
      /^data\.install-config\.metadata\.annotations(\.install\.openshift\.io\/hostcrypt-check-bypassed)?$/,
    installer: /^(\{"install\.openshift\.io\/hostcrypt-check-bypassed":"true"\}|"true")$/,
    slipway: /^$/,
    reason: "a note that the comparison lets the installer skip its look at the host's FIPS module",
  },
  {
    file: /^manifests\/cluster-config\.yaml$/,
    field: /^data\.install-config\.platform\.baremetal\.hosts\[\d+\]\.bmc\.(username|password)$/,
    slipway: /^""$/,
    reason: "installers before 4.22 leave the logins of BMCs in",
    row: "BMC logins in `cluster-config-v1`",
  },
  {
    file: /^openshift\/99_kubeadmin-password-secret\.yaml$/,
    field: /^data\.kubeadmin$/,
    reason: "a drawn password",
  },
  {
    file: /^manifests\/cluster-config\.yaml$/,
    field: /\.(external|provisioning)MACAddress$/,
    installer: /^"52:54:00(:[0-9a-f]{2}){3}"$/,
    slipway: /^"52:54:00(:[0-9a-f]{2}){3}"$/,
    reason: "drawn where the install-config names none",
  },
  {
    file: /^cluster-api\/machines\//,
    field: /^$/,
    installer: /^$/,
    reason: "the installer asks the vCenter before it writes the machines, and none answers here",
    row: "`cluster-api/machines/` on vsphere",
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

interface Refused {
  readonly files: unknown;
  readonly refusal: string;
}

interface Excuse {
  /** The problem of slipway's: code, field and message. */
  readonly slipway: RegExp;
  readonly reason: string;
  /** What a page says of it. */
  readonly row: string;
  /** The page; docs/deviations.md where it is left out. */
  readonly page?: string;
}

/** Why slipway may refuse what the installer accepts. */
export const EXCUSES: readonly Excuse[] = [
  {
    slipway: /^MAN004 /,
    reason: "the name of a fencing credential's host cannot name a Secret",
    row: "a host name of a fencing credential that cannot name a Secret",
  },
  {
    slipway: /^IC158 networking\.machineNetwork\[\d+\]: /,
    reason: "a machine network without a CIDR, which the Infrastructure would list",
    row: "a machine network without `cidr`",
  },
  {
    slipway: /^FACT008 platform\.vsphere\.vcenters\[\d+\]\.port: /,
    reason: "a port of a vCenter that the Infrastructure cannot have",
    row: "a port of a vCenter above 32767",
  },
  {
    slipway: /^FACT008 platform\.vsphere\.failureDomains\[\d+\]\.topology\.networks: /,
    reason: "a failure domain without a network",
    row: "a failure domain without a network",
    page: "docs/platforms/vsphere.md",
  },
];

export function excuseFor(
  installer: Refused & { readonly crashed: boolean },
  slipway: Refused,
): string | undefined {
  if (installer.crashed) return "the installer crashed";
  if (installer.files === undefined) return undefined;
  return EXCUSES.find((each) => slipway.refusal.split("\n").every((line) => each.slipway.test(line)))?.reason;
}
