/** Mirrors of images (docs/reference/install-config-and-manifests.md §1.7). */
import type { MirrorSource } from "../../../generated/types/install-config.js";
import { parseRepository } from "../../../kubernetes/image-repository.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { inForce } from "../../../platforms/release-changes.js";
import { quote } from "../../../text/quote.js";
import { pullSecretRegistries } from "./pull-secret.js";

const POLICIES = ["NeverContactSource", "AllowContactingSource"];

export function validateMirrors(config: NormalConfig, context: RuleContext): void {
  const old = config.imageContentSources ?? [];
  const current = config.imageDigestSources ?? [];
  validateSources(old, "imageContentSources", config, context);
  validateSources(current, "imageDigestSources", config, context);
  if (inForce(context.release, "sourcePolicy")) validatePolicies(current, context);
  if (old.length > 0 && current.length > 0)
    context.report({
      code: "IC200",
      kind: "Invalid",
      field: "imageContentSources",
      message: "imageContentSources and imageDigestSources exclude each other",
      hint: "move every entry to imageDigestSources",
    });
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
    report({
      code: "IC200",
      kind: "Invalid",
      field,
      message: `this is not a repository: ${repository.fault}`,
      hint: 'write a registry with its path, such as "registry.example.com:5000/team/image", or a registry alone',
    });
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
    report({
      code: "IC142",
      severity: "warning",
      kind: "NotFound",
      field,
      message: `the pull secret has no credentials for the mirror ${host}`,
      hint: "add them, unless the mirror asks for none",
    });
}

function validatePolicies(sources: readonly MirrorSource[], context: RuleContext): void {
  warnOfContradictions(sources, context);
  const { report } = context;
  for (const [i, { sourcePolicy, mirrors }] of sources.entries()) {
    if (!sourcePolicy) continue;
    const invalid = (message: string, hint: string) =>
      report({
        code: "IC200",
        kind: "Invalid",
        field: `imageDigestSources[${i}].sourcePolicy`,
        message,
        hint,
      });
    if ((mirrors ?? []).length === 0)
      invalid("a policy for the source needs a mirror", "add mirrors, or leave sourcePolicy out");
    if (!POLICIES.includes(sourcePolicy))
      invalid(`there is no policy ${quote(sourcePolicy)}`, `write ${POLICIES.join(" or ")}`);
  }
}

/** The machines get an entry for each policy, and their reader refuses the whole file for it. */
function warnOfContradictions(sources: readonly MirrorSource[], { report }: RuleContext): void {
  const isBlocked = ({ sourcePolicy }: MirrorSource): boolean => sourcePolicy === "NeverContactSource";
  const used = sources.map((each, i) => ({ ...each, i })).filter(({ mirrors = [] }) => mirrors.length > 0);
  for (const each of used) {
    const other = used.find(({ source, i }) => source === each.source && i < each.i);
    if (other === undefined || isBlocked(other) === isBlocked(each)) continue;
    report({
      code: "IC201",
      severity: "warning",
      kind: "Invalid",
      field: `imageDigestSources[${each.i}].sourcePolicy`,
      message: `imageDigestSources[${other.i}] is for the same source and has another policy; the machines then read none of their mirrors, and pull nothing`,
      hint: "give both the same sourcePolicy, or join the two",
    });
  }
}
