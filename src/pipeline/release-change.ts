/**
 * A change of the release: what an earlier run was given for the former one, and nobody has looked at since, would go
 * on silently into a release that it does not belong to. A file that changed meanwhile, and what is named again in
 * this run, counts as looked at.
 */
import type { Flag } from "../core/flags.js";
import { isObject } from "../core/json.js";
import { formatMinor, type Minor } from "../core/minor.js";
import { type Problem, problem } from "../core/problem.js";
import { formatRelease, type Release } from "../core/release.js";
import { type AssetDirectory, createDigester } from "../directory/index.js";
import { asCommitted, valuesOf } from "../text/yaml-content.js";
import { type FileFlag, FLAGS } from "./flags.js";
import type { CompileFlags, NamedInputs } from "./options.js";

export interface ReleaseChange {
  readonly directory: Pick<AssetDirectory, "record" | "state">;
  /** The release of this run. */
  readonly release: Release;
  /** The flags in force, and which of them this run was given. */
  readonly flags: Pick<CompileFlags, "releaseImage">;
  isGiven(flag: Flag<unknown>): boolean;
  readonly named: NamedInputs;
}

/** An error for everything that has to be given for the new release; none where the release is what it was. */
export async function releaseChangeProblems({
  directory,
  release,
  flags,
  isGiven,
  named,
}: ReleaseChange): Promise<Problem[]> {
  const former = formerRelease(directory);
  const now = formatRelease(release);
  if (former === undefined || former === now) return [];
  const { releaseOfImage } = await import("../core/named-release.js");
  const outdatedFlag = (flag: string, what: string, hint: string): Problem =>
    problem(
      "DIR018",
      "Required",
      `--${flag}`,
      `the release changed from ${former} to ${now}, but ${what} ${former}`,
      { file: `--${flag}`, hint },
    );
  const dataOf = (flag: FileFlag): Uint8Array | undefined => {
    const file = named[flag];
    return typeof file === "object" ? file.data : undefined;
  };
  const isStale = (flag: typeof FLAGS.facts | typeof FLAGS.coreosStream): boolean => {
    const data = dataOf(flag.name);
    return data !== undefined && !isGiven(flag) && !hasChanged(directory, flag.name, data);
  };
  const { releaseImage } = flags;
  const problems: Problem[] = [];
  if (
    releaseImage !== undefined &&
    !isGiven(FLAGS.releaseImage) &&
    !isOfRelease(releaseOfImage(releaseImage), release)
  )
    problems.push(
      outdatedFlag(
        "release-image",
        `the release image ${releaseImage} belongs to`,
        `set --release-image to the payload of ${now}`,
      ),
    );
  if (isStale(FLAGS.coreosStream))
    problems.push(
      outdatedFlag(
        "coreos-stream",
        "the CoreOS stream is from",
        `set --coreos-stream to the output of openshift-install ${now} coreos print-stream-json`,
      ),
    );
  if (isStale(FLAGS.facts) && holdsImages(dataOf("facts")))
    problems.push(
      outdatedFlag(
        "facts",
        "the facts contain boot images of",
        `set the images of ${now} in the facts; if the existing images are valid for it, set --facts to the file again`,
      ),
    );
  return problems;
}

function formerRelease({ record, state }: ReleaseChange["directory"]): string | undefined {
  const known = record?.options["release"] ?? state?.options?.["release"];
  return typeof known === "string" ? known : undefined;
}

function hasChanged({ record, state }: ReleaseChange["directory"], flag: string, data: Uint8Array): boolean {
  const digests = record?.inputs[flag] ?? [];
  const { matches } = createDigester(state?.rootCA?.key);
  return digests.length > 0 && digests.every((digest) => matches(digest, asCommitted(data)) === false);
}

const isOfRelease = (image: Minor | undefined, release: Release): boolean =>
  image !== undefined && formatMinor(image) === release.name;

/** True where facts of some platform name images, which belong to a release. */
const holdsImages = (data: Uint8Array | undefined): boolean => {
  const [facts] = data === undefined ? [] : (valuesOf(data) ?? []);
  return isObject(facts) && Object.values(facts).some((each) => isObject(each) && isObject(each["images"]));
};
