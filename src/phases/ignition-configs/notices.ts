/** What a user has to know before a machine is started with these configs (docs/reference/ignition-configs.md §8). */
import { releaseImageProblem } from "../../kubernetes/images.js";
import { isRsaKey } from "../../pki/public-key.js";
import { commandFor, FIRST_CONFIG, type Form } from "./forms.js";
import type { IgnitionInput } from "./input.js";

/** Who writes a config that was booted before. */
const byInstaller = (forms: readonly Form[]): string =>
  `the release's own installer writes it from a copy of .openshift_install_state.json, manifests/ and openshift/: openshift-install ${commandFor(forms)} --dir COPY${
    forms.includes("machines")
      ? "; from infrastructure-manifests/ alone, slipway reconstruct --from FOLDER --dir NEW-FOLDER --installer PATH does the same"
      : ""
  }`;

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
    message: "this is not a private RSA key in the form PKCS#1",
    hint: "a PEM block RSA PRIVATE KEY, as openssl rsa -traditional writes it",
  });
  return false;
}

export function checkOptions({ options, platform, config, report }: IgnitionInput): void {
  const { forms } = options;
  const file = FIRST_CONFIG[forms.includes("machines") ? "machines" : "in place"];
  const wrong = options.releaseImage === undefined ? undefined : releaseImageProblem(options.releaseImage);
  if (wrong !== undefined) report({ ...wrong, file: "--release-image" });
  const left = platform.ignition?.leftToInstaller;
  if (left !== undefined) {
    report({
      severity: "warning",
      code: "IGN006",
      kind: "NotSupported",
      file,
      message: `the release's own installer has to complete ${file} on ${platform.name}: it holds the data alone, and ${left}`,
      hint: byInstaller(forms),
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
    message: `${file} is experimental: its boot sequence is slipway's own and was never booted`,
    hint: byInstaller(forms),
  });
  if (config.bootstrapInPlace?.installationDisk !== undefined && !forms.includes("in place"))
    report({
      severity: "warning",
      code: "IGN008",
      kind: "NotSupported",
      field: "bootstrapInPlace",
      message: "bootstrap.ign starts a bootstrap machine of its own and does not install in place",
      hint: "slipway create single-node-ignition-config writes the config of an installation in place",
    });
}
