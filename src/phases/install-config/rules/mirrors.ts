/** Mirrors of images (docs/reference/install-config-and-manifests.md §1.7). */
import { conflict, invalid, required, unsupported, warning } from "../../../core/problem.js";
import type { MirrorSource } from "../../../generated/types/install-config.js";
import { parseRepository } from "../../../kubernetes/image-repository.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { inForce } from "../../../platforms/release-changes.js";

import { pullSecretRegistries } from "./pull-secret.js";

const CODE = "IC200";
const POLICIES = ["NeverContactSource", "AllowContactingSource"];

export function validateMirrors(config: NormalConfig, context: RuleContext): void {
  const old = config.imageContentSources ?? [];
  const current = config.imageDigestSources ?? [];
  validateSources(old, "imageContentSources", config, context);
  validateSources(current, "imageDigestSources", config, context);
  if (inForce(context.release, "sourcePolicy")) validatePolicies(current, context);
  if (old.length > 0 && current.length > 0)
    context.report(
      conflict(
        CODE,
        "imageContentSources",
        "imageDigestSources",
        "only one of them can be set",
        "move every entry to imageDigestSources",
      ),
    );
}

function validateSources(
  sources: readonly MirrorSource[],
  list: string,
  config: NormalConfig,
  { report }: RuleContext,
): void {
  const registries = pullSecretRegistries(config.pullSecret);
  const missing = new Map<string, string>();
  const hostOf = (text: string, field: string): string | undefined => {
    const repository = parseRepository(text);
    if (repository.kind !== "fault") return repository.host;
    report(
      invalid(
        CODE,
        field,
        text,
        `must be a repository: ${repository.fault}`,
        'use a registry with a path, such as "registry.example.com:5000/team/image", or only a registry',
      ),
    );
    return undefined;
  };
  for (const [i, { source, mirrors }] of sources.entries()) {
    hostOf(source ?? "", `${list}[${i}].source`);
    for (const [j, mirror] of (mirrors ?? []).entries()) {
      const field = `${list}[${i}].mirrors[${j}]`;
      const host = hostOf(mirror, field);
      if (host !== undefined && registries?.includes(host) === false && !missing.has(host))
        missing.set(host, field);
    }
  }
  for (const [host, field] of missing)
    report(
      warning(
        "IC142",
        "NotFound",
        field,
        `the pull secret has no credentials for the mirror registry ${host}`,
        "add them, unless the registry does not require credentials",
      ),
    );
}

function validatePolicies(sources: readonly MirrorSource[], context: RuleContext): void {
  warnOfContradictions(sources, context);
  const { report } = context;
  for (const [i, { sourcePolicy, mirrors }] of sources.entries()) {
    if (!sourcePolicy) continue;
    const field = `imageDigestSources[${i}].sourcePolicy`;
    if ((mirrors ?? []).length === 0)
      report(
        required(CODE, field, "mirrors, which sourcePolicy requires", {
          kind: "Invalid",
          hint: "add mirrors, or remove sourcePolicy",
        }),
      );
    if (!POLICIES.includes(sourcePolicy))
      report(unsupported(CODE, field, sourcePolicy, POLICIES, { kind: "Invalid" }));
  }
}

/** The machines get an entry for each policy, and their reader refuses the whole file for it. */
function warnOfContradictions(sources: readonly MirrorSource[], { report }: RuleContext): void {
  const isBlocked = ({ sourcePolicy }: MirrorSource): boolean => sourcePolicy === "NeverContactSource";
  const used = sources.map((each, i) => ({ ...each, i })).filter(({ mirrors = [] }) => mirrors.length > 0);
  for (const each of used) {
    const other = used.find(({ source, i }) => source === each.source && i < each.i);
    if (other === undefined || isBlocked(other) === isBlocked(each)) continue;
    report(
      warning(
        conflict(
          "IC201",
          `imageDigestSources[${each.i}].sourcePolicy`,
          `imageDigestSources[${other.i}]`,
          "both entries have the same source but different policies, so the nodes ignore all mirrors and cannot pull images",
          "set the same sourcePolicy in both, or merge the two",
        ),
      ),
    );
  }
}
