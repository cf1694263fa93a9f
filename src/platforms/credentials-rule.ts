/** Whether credentials that a cluster needs are given (docs/reference/source-designs.md §6). */

import { holdsAt } from "../core/by-release.js";
import { problem } from "../core/problem.js";
import type { Release } from "../core/release.js";
import { fieldOf, type InstallConfig, type PlatformName } from "./config.js";
import type { PlatformInput, PlatformModule, RuleContext } from "./platform.js";
import { PLATFORMS } from "./registry.js";
import type { CredentialsModes } from "./traits.js";

/** Operators of a cloud need keys unless they are handed them by hand; nothing is made up. */
export function checkCredentials(
  platform: Pick<PlatformModule, "manifests">,
  input: PlatformInput,
  { report }: Pick<RuleContext, "report">,
): void {
  const wanted = platform.manifests.credentialsSecret(input);
  if (wanted === undefined || wanted.data !== undefined || input.config.credentialsMode === "Manual") return;
  report(
    problem(
      "CRED004",
      "Required",
      "credentialsMode",
      `the cluster's operators read the cloud credentials from the Secret kube-system/${wanted.name}, but none were specified`,
      "set --credentials FILE, or set credentialsMode: Manual",
    ),
  );
}

/** The modes of credentials that a platform named by the config has; undefined when it has none. */
export const credentialsModes = (
  config: Pick<InstallConfig, "platform">,
  name: PlatformName,
  release: Release,
): CredentialsModes | undefined =>
  PLATFORMS[name].traits.credentials.find(
    (row) =>
      holdsAt(row, release) &&
      Object.entries(row.where ?? {}).every(([member, value]) => fieldOf(config, name, member) === value),
  );
