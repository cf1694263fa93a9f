/**
 * What `fips: true` requires of the installation host (openshift/installer pkg/types/validation/installconfig.go `validateFIPSconfig`,
 * pkg/hostcrypt; the same in every release from 4.18 to 5.0). Its rule about SSH keys is in ssh-keys.ts. Its rule about the
 * host and the binary is a warning here, as slipway is neither the installer's binary nor on the host that installs.
 */
import { warning } from "../../../core/problem.js";
import { formatRelease } from "../../../core/release.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";

export function validateFips({ fips }: NormalConfig, { release, report }: RuleContext): void {
  if (fips !== true) return;
  report(
    warning(
      "IC124",
      "Forbidden",
      "fips",
      `openshift-install ${formatRelease(release)} rejects fips: true unless its FIPS-capable binary runs on a Linux host in FIPS mode; slipway does not generate keys with a validated cryptographic module`,
      "run openshift-install-fips on such a host for the next steps, and create the file for --keys with a validated module; see docs/deviations.md",
    ),
  );
}
