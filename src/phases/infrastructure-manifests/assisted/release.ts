/**
 * The release that assisted-service installs. The provider names its image itself, REPOSITORY:VERSION-ARCHITECTURE
 * (docs/reference/cluster-api.md §8).
 */
import { type Problem, problem } from "../../../core/problem.js";
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
      "the control plane provider openshift-assisted requires the version to install",
      `specify the release by tag, such as ${example}`,
    );
  const wrong = releaseImageProblem(image);
  if (wrong !== undefined) return void report(wrong);
  const [, repository, version, tagged] = TAG.exec(image) ?? [];
  if (repository === undefined || version === undefined)
    return refuse(
      "NotSupported",
      "the provider derives the image name from version and architecture, so a digest or another tag is not supported",
      `specify the release as REPOSITORY:VERSION-ARCHITECTURE, such as ${example}`,
    );
  if (!version.startsWith(`${minor}.`))
    return refuse(
      "Invalid",
      `the image has version ${version}, but the install-config is compiled for ${minor}`,
      `set --release ${/^[0-9]+\.[0-9]+/.exec(version)?.[0]}, or use an image of ${minor}`,
    );
  const isOkd = /-okd-scos\b/.test(version);
  const expected = isOkd && repository === OKD ? undefined : architecture;
  if (tagged !== expected && tagged !== "multi")
    return refuse(
      "Invalid",
      `for ${architecture} machines, the provider uses ${repository}:${version}-${architecture}`,
      `set --release-image to that image if it is correct`,
    );
  return {
    version,
    annotations: repository === (isOkd ? OKD : OCP) ? {} : { [REPOSITORY_ANNOTATION]: repository },
  };
}
