/**
 * CoreOS stream metadata (`--coreos-stream`): which boot images a release has. The form is that of the file that
 * `openshift-install coreos print-stream-json` prints: `architectures.<arch>.images.<platform>`.
 */

import type { Problem } from "../core/diagnostics.js";
import { isJson, isObject, type Json, type JsonObject } from "../core/json.js";
import { lookup } from "../core/lookup.js";
import { problem, warning } from "../core/problem.js";
import { readYaml, toJson } from "../text/yaml-read.js";
import { osImageStreamOf } from "./os-stream.js";
import type { PlatformInput } from "./platform.js";

/** The stream of a JSON text; undefined when it is not stream metadata, which is reported. */
export function readCoreosStream(
  text: string,
  file: string,
  report: (problem: Problem) => void,
): JsonObject | undefined {
  const quick = parseJson(text);
  if (isObject(quick) && isObject(quick["architectures"])) return quick;
  const { documents, problems } = readYaml(text, file);
  problems.forEach(report);
  if (problems.length > 0) return undefined;
  const [document] = documents;
  const value = document?.root === undefined ? null : toJson(document.root);
  if (isObject(value) && isObject(value["architectures"])) return value;
  report(
    problem("FACT006", "Invalid", "architectures", "not CoreOS stream metadata: architectures is missing", {
      file,
      line: document?.root?.line ?? 0,
      column: document?.root?.column ?? 0,
      hint: "use the output of: openshift-install coreos print-stream-json",
    }),
  );
  return undefined;
}

/** The value of a JSON text; undefined for any other text, which is then read with positions. */
function parseJson(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Names of architectures as the kernel, RPM and stream metadata have them, by the name in an install-config. */
const KERNEL_NAMES: Readonly<Record<string, string>> = {
  amd64: "x86_64",
  arm64: "aarch64",
  ppc64le: "ppc64le",
  s390x: "s390x",
};

/** The kernel's name of an architecture. */
export const kernelName = (architecture: string): string =>
  lookup(KERNEL_NAMES, architecture) ?? architecture;

const member = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) ? value[name] : undefined;

/** What a path leads to below an architecture. */
export const streamPart = (
  stream: JsonObject,
  architecture: string,
  ...path: readonly string[]
): Json | undefined =>
  ["architectures", kernelName(architecture), ...path].reduce<Json | undefined>(member, stream);

/** The images of an architecture for a platform, such as `{ regions: { "eu-west-1": { release, image } } }`. */
export const imagesOf = (stream: JsonObject, architecture: string, platform: string): Json | undefined =>
  streamPart(stream, architecture, "images", platform);

/**
 * The location of the one disk image that an architecture has for a platform, for those that take a file; undefined when
 * there is none, or several.
 */
export function diskImage(
  stream: JsonObject,
  architecture: string,
  platform: string,
): { readonly location: string; readonly release: string } | undefined {
  const artifacts = streamPart(stream, architecture, "artifacts", platform);
  const formats = member(artifacts, "formats");
  const disks = isObject(formats)
    ? Object.values(formats).flatMap((format) => {
        const location = member(member(format, "disk"), "location");
        return typeof location === "string" ? [location] : [];
      })
    : [];
  const [location, ...more] = disks;
  if (location === undefined || more.length > 0) return undefined;
  const release = member(artifacts, "release");
  return { location, release: typeof release === "string" ? release : "" };
}

export interface RegionalImage {
  readonly id: string;
  /** Version of the image, such as 9.8.20260428-0. */
  readonly release: string;
}

/** The image of a region for platforms whose images are regional; undefined when the region has none. */
export function regionalImage(
  stream: JsonObject,
  architecture: string,
  platform: string,
  region: string,
): RegionalImage | undefined {
  const found = member(member(imagesOf(stream, architecture, platform), "regions"), region);
  const [id, release] = [member(found, "image"), member(found, "release")];
  if (typeof id !== "string" || id === "") return undefined;
  return { id, release: typeof release === "string" ? release : "" };
}

/** A release with several streams of the operating system has a file of images for each: a warning for the wrong one. */
export function otherSystem(
  given: Pick<PlatformInput, "config" | "release">,
  stream: JsonObject | undefined,
  imageOf: (stream: JsonObject, architecture: string) => { readonly release: string } | undefined,
): Problem[] {
  const system = osImageStreamOf(given);
  const wanted = /^rhel-(\d+)$/.exec(system)?.[1];
  if (stream === undefined || wanted === undefined) return [];
  const found = imageOf(stream, given.config.controlPlane.architecture);
  // Older releases number images by their own version, such as 418.94.
  const version = /^(\d{1,2})\./.exec(found?.release ?? "")?.[1];
  if (version === undefined || version === wanted) return [];
  return [
    warning(
      "FACT007",
      "Invalid",
      "osImageStream",
      `the stream file has images of version ${version}, but osImageStream is ${system}`,
      `use the stream file of ${system}`,
    ),
  ];
}
