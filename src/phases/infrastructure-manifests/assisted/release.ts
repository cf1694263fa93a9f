/**
 * The release that assisted-service installs. The provider names its image itself, REPOSITORY:VERSION-ARCHITECTURE
 * (docs/reference/cluster-api.md §8).
 */
import type { Problem } from "../../../core/diagnostics.js";
import { problem } from "../../../core/problem.js";
import { formatRelease, type Release } from "../../../core/release.js";
import { releaseImageProblem } from "../../../kubernetes/images.js";

/** Where the provider looks without being told. */
const OCP = "quay.io/openshift-release-dev/ocp-release";
const OKD = "quay.io/okd/scos-release";
const REPOSITORY_ANNOTATION = "cluster.x-k8s.io/release-image-repository-override";

const ARCHITECTURES = "x86_64|aarch64|ppc64le|s390x|multi";
const TAG = new RegExp(
  `^([^@]+):([0-9]+\\.[0-9]+\\.[0-9]+(?![0-9])[-A-Za-z0-9_.]*?)(?:-(${ARCHITECTURES}))?$`,
);

export interface Distribution {
  readonly version: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Version and repository that a pull specification stands for; undefined when the provider cannot name the image. */
export function distributionOf(
  image: string | undefined,
  architecture: string,
  release: Release,
  report: (problem: Problem) => void,
): Distribution | undefined {
  const minor = formatRelease(release);
  const example = `--release-image ${OCP}:${minor}.0-${architecture}`;
  const refuse = (kind: Problem["kind"], message: string, hint: string): undefined =>
    void report(problem("CAPI042", kind, "--release-image", message, hint));
  if (image === undefined)
    return refuse(
      "Required",
      "the control plane provider openshift-assisted has to be told which version it installs",
      `name the release by its tag, such as ${example}`,
    );
  const wrong = releaseImageProblem(image);
  if (wrong !== undefined) return void report(wrong);
  const [, repository, version, tagged] = TAG.exec(image) ?? [];
  if (repository === undefined || version === undefined)
    return refuse(
      "NotSupported",
      "the provider makes the name of the image of a version and an architecture, so that it can be told none by digest or by another tag",
      `name the release as REPOSITORY:VERSION-ARCHITECTURE, such as ${example}`,
    );
  if (!version.startsWith(`${minor}.`))
    return refuse(
      "Invalid",
      `the image is of ${version}, and the install-config is compiled for ${minor}`,
      `add --release ${/^[0-9]+\.[0-9]+/.exec(version)?.[0]}, or name an image of ${minor}`,
    );
  const isOkd = /-okd-scos\b/.test(version);
  const expected = isOkd && repository === OKD ? undefined : architecture;
  if (tagged !== expected && tagged !== "multi")
    return refuse(
      "Invalid",
      `with machines of ${architecture} the provider asks for ${repository}:${version}-${architecture}`,
      `name that image, if it is the one, with --release-image`,
    );
  return {
    version,
    annotations: repository === (isOkd ? OKD : OCP) ? {} : { [REPOSITORY_ANNOTATION]: repository },
  };
}
