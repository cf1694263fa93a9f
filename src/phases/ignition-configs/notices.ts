/** What a user has to know before a machine is started with these configs (docs/reference/ignition-configs.md §8). */
import { releaseImageProblem } from "../../kubernetes/images.js";
import { isRsaKey } from "../../pki/public-key.js";
import type { IgnitionInput } from "./input.js";

const RECONSTRUCT =
  "the next steps have the commands; where there is infrastructure-manifests/, slipway reconstruct --from FOLDER --dir NEW-FOLDER --installer PATH does the same";

/** The file that the user brings a signing key in. */
const SIGNING_KEY = "tls/bound-service-account-signing-key.key";

/** False when the key cannot be used. */
export function checkSigningKey({ options, report }: IgnitionInput): boolean {
  const key = options.boundServiceAccountKey;
  if (key === undefined || isRsaKey(key)) return true;
  report({
    code: "IGN009",
    kind: "Invalid",
    file: SIGNING_KEY,
    message: "this is no private RSA key in the form PKCS#1",
    hint: "a PEM block RSA PRIVATE KEY, as openssl rsa -traditional writes it",
  });
  return false;
}

export function checkOptions({ options, platform, config, report }: IgnitionInput): void {
  const file = "bootstrap.ign";
  const wrong = options.releaseImage === undefined ? undefined : releaseImageProblem(options.releaseImage);
  if (wrong !== undefined) report({ ...wrong, file: "--release-image" });
  const left = platform.ignition?.leftToInstaller;
  if (left !== undefined) {
    report({
      severity: "warning",
      code: "IGN006",
      kind: "NotSupported",
      file,
      message: `the release's own installer has to complete bootstrap.ign on ${platform.name}: it holds the data alone, and ${left}`,
      hint: RECONSTRUCT,
    });
    return;
  }
  if (options.releaseImage === undefined)
    report({
      code: "IGN001",
      kind: "Required",
      file: "--release-image",
      field: "--release-image",
      message: "the bootstrap node has to know the release that it installs",
      hint: "give the pull specification, by digest: --release-image quay.io/openshift-release-dev/ocp-release@sha256:…",
    });
  report({
    severity: "warning",
    code: "IGN007",
    kind: "NotSupported",
    file,
    message: "bootstrap.ign is experimental: its boot sequence is slipway's own and was never booted",
    hint: RECONSTRUCT,
  });
  if (config.bootstrapInPlace?.installationDisk !== undefined)
    report({
      severity: "warning",
      code: "IGN008",
      kind: "NotSupported",
      field: "bootstrapInPlace",
      message: "bootstrap.ign starts a bootstrap machine of its own and does not install in place",
      hint: "the single-node config of an installation in place comes from openshift-install create single-node-ignition-config",
    });
}
