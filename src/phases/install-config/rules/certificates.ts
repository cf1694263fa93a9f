/** additionalTrustBundle and its policy (docs/reference/install-config-and-manifests.md §1.7). */
import { bundleFault } from "../../../pki/trust-bundle.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";
import { quote } from "../../../text/quote.js";

const POLICIES = ["Proxyonly", "Always"];

export function validateTrustBundle(config: NormalConfig, context: RuleContext): void {
  const bundle = config.additionalTrustBundle ?? "";
  const policy = config.additionalTrustBundlePolicy;
  const fault = bundle === "" ? undefined : bundleFault(bundle);
  if (fault !== undefined) {
    const line = bundle.slice(0, fault.offset).split("\n").length;
    context.report({
      code: "IC130",
      kind: "Invalid",
      field: "additionalTrustBundle",
      message: `the bundle is refused: ${fault.fault} (from its line ${line} on)`,
      hint: /^[~./]?[\w./~-]+\.(?:crt|pem|cer|ca)\s*$/.test(bundle)
        ? "this looks like the name of a file; give what is in it, as a block: | and the text below, indented"
        : /-----\\n/.test(bundle)
          ? "the text holds \\n as two characters: put it in double quotes, or write it as a block: | and the text below, indented"
          : "give PEM certificates, one after the other, without anything behind the last one",
    });
  }
  if (!POLICIES.includes(policy))
    context.report({
      code: "IC131",
      kind: "Invalid",
      field: "additionalTrustBundlePolicy",
      message: `there is no policy ${quote(policy)}`,
      hint: `write ${POLICIES.join(" or ")}, in these letters`,
    });
  warnOfUnusedBundle(config, context);
}

/**
 * The machines trust the bundle whatever the policy says (machine-config-operator pkg/operator/sync.go takes the ConfigMap
 * user-ca-bundle); it decides what the Proxy object names, which operators and pods take theirs from
 * (openshift/installer pkg/asset/manifests/proxy.go). For the registry of mirrors the machines are enough.
 */
function warnOfUnusedBundle(config: NormalConfig, { report }: RuleContext): void {
  const bundle = (config.additionalTrustBundle ?? "") !== "";
  const policy = config.additionalTrustBundlePolicy;
  const mirrors = [...(config.imageDigestSources ?? []), ...(config.imageContentSources ?? [])];
  if (
    bundle &&
    mirrors.length === 0 &&
    bundleFault(config.additionalTrustBundle ?? "") === undefined &&
    policy === "Proxyonly" &&
    !hasProxy(config)
  )
    report({
      code: "IC132",
      severity: "warning",
      kind: "Invalid",
      field: "additionalTrustBundle",
      message:
        "the machines will trust these certificates, but no operator and no pod: the policy Proxyonly hands them on where there is a proxy, and there is none",
      hint: "set additionalTrustBundlePolicy to Always, unless the machines alone need them",
    });
  if (!bundle && policy === "Always")
    report({
      code: "IC133",
      severity: "warning",
      kind: "Required",
      field: "additionalTrustBundlePolicy",
      message: "the policy has nothing to act on, since there is no additionalTrustBundle",
      hint: "add the certificates, or leave the policy out",
    });
}

export const hasProxy = ({ proxy }: NormalConfig): boolean =>
  (proxy?.httpProxy ?? "") !== "" || (proxy?.httpsProxy ?? "") !== "";
