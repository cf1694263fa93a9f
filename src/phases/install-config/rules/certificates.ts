/** additionalTrustBundle and its policy (docs/reference/install-config-and-manifests.md §1.7). */
import { ignored, problem, unsupported, warning } from "../../../core/problem.js";
import { bundleFault } from "../../../pki/trust-bundle.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { RuleContext } from "../../../platforms/platform.js";

const POLICIES = ["Proxyonly", "Always"];

export function validateTrustBundle(config: NormalConfig, context: RuleContext): void {
  const bundle = config.additionalTrustBundle ?? "";
  const policy = config.additionalTrustBundlePolicy;
  const fault = bundle === "" ? undefined : bundleFault(bundle);
  if (fault !== undefined) {
    const line = bundle.slice(0, fault.offset).split("\n").length;
    context.report(
      problem(
        "IC130",
        "Invalid",
        "additionalTrustBundle",
        `invalid certificate bundle from line ${line} on: ${fault.fault}`,
        /^[~./]?[\w./~-]+\.(?:crt|pem|cer|ca)\s*$/.test(bundle)
          ? "this looks like a file name; use the content of the file, in a literal block: | and the text below, indented"
          : /-----\\n/.test(bundle)
            ? "the value contains \\n as two characters; put it in double quotes, or use a literal block: | and the text below, indented"
            : "use only PEM certificates, one after the other",
      ),
    );
  }
  if (!POLICIES.includes(policy))
    context.report(
      unsupported("IC131", "additionalTrustBundlePolicy", policy, POLICIES, { kind: "Invalid" }),
    );
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
    report(
      warning(
        "IC132",
        "Invalid",
        "additionalTrustBundle",
        "nodes trust these certificates, but operators and pods do not: the policy Proxyonly requires a proxy, and none is set",
        "set additionalTrustBundlePolicy: Always, unless only the nodes need the certificates",
      ),
    );
  if (!bundle && policy === "Always")
    report(
      ignored("IC133", "additionalTrustBundlePolicy", "additionalTrustBundle is not set", {
        kind: "Required",
        hint: "add additionalTrustBundle, or remove the policy",
      }),
    );
}

export const hasProxy = ({ proxy }: NormalConfig): boolean =>
  (proxy?.httpProxy ?? "") !== "" || (proxy?.httpsProxy ?? "") !== "";
