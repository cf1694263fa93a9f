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
  "the release's own installer goes on from RSA keys only, and those of this directory are made with --key-algorithm ecdsa-p256: to have it write the file, create the cluster anew in another directory, without that flag";

const fromCopy = (forms: readonly Form[]): string =>
  `the release's own installer writes it from a copy of .openshift_install_state.json, manifests/ and openshift/: openshift-install ${commandFor(forms)} --dir COPY${
    forms.includes("machines")
      ? "; from infrastructure-manifests/ alone, slipway reconstruct --from FOLDER --dir NEW-FOLDER --installer PATH does the same"
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
      `this is not a private RSA key in the form PKCS#1${anyForm ? " or PKCS#8" : ""}`,
      { file: SIGNING_KEY, hint: "a PEM block RSA PRIVATE KEY, as openssl rsa -traditional writes it" },
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
    problem(
      "IGN001",
      "Required",
      "--release-image",
      "the bootstrap node has to know the release that it installs",
      {
        file: "--release-image",
        hint: "give the pull specification, by digest: --release-image quay.io/openshift-release-dev/ocp-release@sha256:…",
      },
    ),
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
        `the release's own installer has to complete ${file} on ${platform.name}: it holds the data alone, and ${left}`,
        { file, hint: byInstaller(options) },
      ),
    ];
  const experimental: Problem = warning(
    "IGN007",
    "NotSupported",
    "",
    `${file} is experimental: its boot sequence is slipway's own and was never booted`,
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
      "bootstrap.ign starts a bootstrap machine of its own and does not install in place",
      "slipway create single-node-ignition-config writes the config of an installation in place",
    ),
  ];
}
