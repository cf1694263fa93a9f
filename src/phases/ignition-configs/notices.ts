/** What a user has to know before a machine is started with these configs (docs/reference/ignition-configs.md §8). */
import { diagnostic, isError, type Problem } from "../../core/diagnostics.js";
import { problem, warning } from "../../core/problem.js";
import { releaseImageProblem } from "../../kubernetes/images.js";
import { isTraditional } from "../../pki/key-form.js";
import { isRsaKey } from "../../pki/public-key.js";
import { inForce } from "../../platforms/release-changes.js";
import { commandFor, FIRST_CONFIG, type Form } from "./forms.js";
import type { IgnitionInput } from "./input.js";

/** Who writes a config that was booted before; from keys that are not RSA, nobody. */
const byInstaller = ({ forms, notForInstaller }: IgnitionInput["options"]): string =>
  notForInstaller === true ? NOT_FROM_THESE_KEYS : fromCopy(forms);

/** The installer up to 4.22 reads PKCS#1 alone (docs/reference/ignition-configs.md §1e). */
const NOT_FROM_THESE_KEYS =
  "openshift-install requires RSA keys, but this directory has ECDSA keys (--key-algorithm ecdsa-p256); to use it, create the cluster in another directory without that flag";

const fromCopy = (forms: readonly Form[]): string =>
  `generate it with openshift-install from a copy of .openshift_install_state.json, manifests/ and openshift/: openshift-install ${commandFor(forms)} --dir COPY${
    forms.includes("machines")
      ? "; if you only have infrastructure-manifests/, run slipway reconstruct --from FOLDER --dir NEW-FOLDER --installer PATH"
      : ""
  }`;

/** The file that the user brings a signing key in. */
const SIGNING_KEY = "tls/bound-service-account-signing-key.key";

type Judged = Pick<IgnitionInput, "options" | "platform" | "config" | "release">;

/**
 * What is wrong with the options of the phase and what has to be said of them, errors first. They need no keys and no
 * manifests, so that a caller can ask before it makes any.
 */
export const optionProblems = (judged: Judged): Problem[] => [
  ...signingKeyProblems(judged),
  ...releaseImageProblems(judged),
  ...notices(judged),
];

/** True when no config can be written. */
export const preventsConfigs = (problems: readonly Problem[]): boolean =>
  problems.some((each) => isError(diagnostic(each)));

function signingKeyProblems({ options, release }: Judged): Problem[] {
  const key = options.boundServiceAccountKey;
  const anyForm = inForce(release, "keysInPkcs8");
  if (key === undefined || (isRsaKey(key) && (anyForm || isTraditional(key)))) return [];
  return [
    problem(
      "IGN009",
      "Invalid",
      "",
      `must be an RSA private key in PKCS#1${anyForm ? " or PKCS#8" : ""} format`,
      { file: SIGNING_KEY, hint: "convert it with openssl rsa -traditional" },
    ),
  ];
}

const isCompletedElsewhere = ({ platform }: Judged): boolean =>
  platform.ignition?.leftToInstaller !== undefined;

function releaseImageProblems(judged: Judged): Problem[] {
  const { releaseImage } = judged.options;
  if (releaseImage !== undefined) {
    const wrong = releaseImageProblem(releaseImage);
    return wrong === undefined ? [] : [{ ...wrong, file: "--release-image" }];
  }
  if (isCompletedElsewhere(judged)) return [];
  return [
    problem("IGN001", "Required", "--release-image", "the bootstrap node requires the release image", {
      file: "--release-image",
      hint: "set the pull specification, by digest: --release-image quay.io/openshift-release-dev/ocp-release@sha256:…",
    }),
  ];
}

function notices({ options, platform, config }: Judged): Problem[] {
  const { forms } = options;
  const file = FIRST_CONFIG[forms.includes("machines") ? "machines" : "in place"];
  const left = platform.ignition?.leftToInstaller;
  if (left !== undefined)
    return [
      warning(
        "IGN006",
        "NotSupported",
        "",
        `${file} is incomplete on ${platform.name}: it contains certificates and manifests only; ${left}`,
        { file, hint: byInstaller(options) },
      ),
    ];
  const experimental: Problem = warning(
    "IGN007",
    "NotSupported",
    "",
    `${file} is experimental: its boot sequence is from slipway and has never been tested on a machine`,
    { file, hint: byInstaller(options) },
  );
  if (config.bootstrapInPlace?.installationDisk === undefined || forms.includes("in place"))
    return [experimental];
  return [
    experimental,
    warning(
      "IGN008",
      "NotSupported",
      "bootstrapInPlace",
      "bootstrap.ign starts a separate bootstrap machine; it does not install in place",
      "for bootstrap in place, run slipway create single-node-ignition-config",
    ),
  ];
}
