/**
 * What `fips: true` requires of who installs (openshift/installer pkg/types/validation/installconfig.go `validateFIPSconfig`,
 * pkg/hostcrypt; the same in every release from 4.18 to 5.0). Its rule about SSH keys is in ssh-keys.ts. Its rule about the
 * host and the binary is a warning here, as slipway is neither the installer's binary nor on the host that installs.
 */
import { formatRelease } from "../../../core/release.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";

export function validateFips({ fips }: NormalConfig, { release, report }: RuleContext): void {
  if (fips !== true) return;
  report({
    code: "IC124",
    severity: "warning",
    kind: "Forbidden",
    field: "fips",
    message: `openshift-install ${formatRelease(release)} refuses fips: true unless its FIPS-capable binary runs on a Linux host in FIPS mode; the keys that slipway generates do not come from a validated cryptographic module`,
    hint: "run openshift-install-fips on such a host for what follows, and fill the file of --keys with a validated module; see docs/deviations.md",
  });
}
