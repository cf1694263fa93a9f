/** Whether credentials that a cluster needs are given (design/product.md, "credentials"). */
import type { PlatformInput, PlatformModule, RuleContext } from "./platform.js";

/** Operators of a cloud need keys unless they are handed them by hand; nothing is made up. */
export function checkCredentials(
  platform: Pick<PlatformModule, "manifests">,
  input: PlatformInput,
  { report }: Pick<RuleContext, "report">,
): void {
  const wanted = platform.manifests.credentialsSecret(input);
  if (wanted === undefined || wanted.data !== undefined || input.config.credentialsMode === "Manual") return;
  report({
    code: "CRED004",
    kind: "Required",
    field: "credentialsMode",
    message: `the operators of the cluster take the cloud's credentials from the Secret kube-system/${wanted.name}, and none are given`,
    hint: "name a file with them (--credentials FILE), or set credentialsMode: Manual",
  });
}
