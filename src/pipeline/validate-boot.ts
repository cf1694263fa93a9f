/**
 * The part of `slipway validate` that looks ahead to the bootstrap: manifests as the bootstrap machine will treat
 * them, Ignition configs, what has to agree, and how long it lasts (docs/reference/ignition-configs.md §7b, §8c).
 */
import { decode } from "../core/files.js";
import { type Problem, problem } from "../core/problem.js";
import { type DiskFile, folderOf, type InstallerState, STATE_FILE } from "../directory/index.js";
import { releaseImageProblem } from "../kubernetes/images.js";
import { FIRST_CONFIG, formsAmong } from "../phases/ignition-configs/forms.js";
import { sizeProblems } from "../phases/ignition-configs/shims.js";
import { readCertificate } from "../pki/certificate.js";
import { clusterDomain } from "../platforms/config.js";
import { readYaml } from "../text/yaml-read.js";
import { agreementProblems, domainProblems } from "../validate/boot/agreement.js";
import { bootManifestProblems, newestSpec } from "../validate/boot/manifests.js";
import { type BootMaterial, bootMaterial, type Placed } from "../validate/boot/material.js";
import { mirrorProblems } from "../validate/boot/mirrors.js";
import { ignitionProblems } from "../validate/ignition/config.js";
import type { CheckRequest } from "./check.js";
import { expiryProblems, knownExpiries } from "./expiry.js";
import { manifestFiles } from "./manifest-files.js";
import type { CompiledConfig } from "./request.js";
import { workloadProblems } from "./workloads.js";

/** @param known what the install-config says; undefined where it has errors */
export function bootProblems(
  { directory, release, flags, inputs }: CheckRequest,
  known: CompiledConfig | undefined,
  minValidity: number,
): Problem[] {
  const { files, state } = directory;
  const material = withState(bootMaterial(files), state);
  const ends = expiriesOf(material);
  const forms = formsAmong((path) => files.has(path));
  const [file, expiries] =
    ends.length > 0
      ? ([FIRST_CONFIG[forms.includes("machines") ? "machines" : "in place"], ends] as const)
      : ([STATE_FILE, state === undefined ? [] : knownExpiries(state)] as const);
  return [
    ...bootManifestProblems(manifestFiles(files)),
    ...[...files.values()].flatMap((each) => configFile(each, newestSpec(release))),
    ...agreementProblems(material),
    ...(known === undefined ? [] : domainProblems(material, clusterDomain(known.installConfig.config))),
    ...sizeProblems(
      [...files.values()].map(({ path, data }) => ({ path, data, secret: false })),
      flags.userData ?? known?.platform.name ?? "",
    ),
    ...expiryProblems(expiries, inputs.clock.now(), minValidity, file, forms),
    ...imageProblems(flags, known),
    ...(known === undefined ? [] : workloadProblems(known, manifestFiles(files))),
  ];
}

/** The release image as it is named, and whether the mirrors of the install-config cover it. */
export function imageProblems(
  { releaseImage, controlPlaneProvider }: CheckRequest["flags"],
  known: CompiledConfig | undefined,
): Problem[] {
  if (releaseImage === undefined) return [];
  const wrong = releaseImageProblem(releaseImage);
  if (wrong !== undefined) return [{ ...wrong, file: "--release-image" }];
  // This provider is told a version, and asks for the digest itself.
  if (controlPlaneProvider === "openshift-assisted") return [];
  const sources = known?.installConfig.config.imageDigestSources ?? [];
  return mirrorProblems(
    sources.map(({ source = "", mirrors = [] }) => ({ source, mirrors })),
    releaseImage,
  );
}

/** What the state says of the cluster is held against the files too, behind the manifests. */
function withState(material: BootMaterial, state: InstallerState | undefined): BootMaterial {
  const place = (field: string, text: string | undefined): Placed[] =>
    text === undefined ? [] : [{ file: STATE_FILE, field, text }];
  return {
    ...material,
    rootCAs: [...material.rootCAs, ...place("*tls.RootCA", state?.rootCA?.certificate)],
    clusterIDs: [...material.clusterIDs, ...place("*installconfig.ClusterID", state?.clusterID?.uuid)],
    infraIDs: [...material.infraIDs, ...place("*installconfig.ClusterID", state?.clusterID?.infraID)],
  };
}

function configFile({ path, data }: DiskFile, newest: number): Problem[] {
  if (folderOf(path) !== "" || !path.endsWith(".ign")) return [];
  const { documents, problems } = readYaml(decode(data) ?? "", path);
  const root = documents[0]?.root;
  if (root === undefined || problems.length > 0)
    return problems.length > 0
      ? [...problems]
      : [problem("IGN030", "Invalid", "", "the file contains no Ignition config", { file: path })];
  return ignitionProblems(root, { file: path, base: "", newest, takesVersion2: false });
}

/** When the certificates of bootstrap.ign end, the soonest first. */
const expiriesOf = ({ bootstrapCertificates }: BootMaterial): { name: string; notAfter: Date }[] =>
  [...bootstrapCertificates]
    .flatMap(([name, pem]) => {
      const end = endOf(pem);
      return end === undefined || /-bundle$/.test(name) ? [] : [{ name, notAfter: end }];
    })
    .sort((a, b) => a.notAfter.getTime() - b.notAfter.getTime());

function endOf(pem: string): Date | undefined {
  try {
    return readCertificate(pem).notAfter;
  } catch {
    return undefined;
  }
}
