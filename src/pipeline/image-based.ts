/**
 * The image-based-config-image phase: install-config.yaml and image-based-config.yaml to the image that configures a node.
 * Every problem of both files is reported in one run.
 */
import { type Problem, placed } from "../core/diagnostics.js";
import type { OutputFile } from "../core/files.js";
import { info, problem } from "../core/problem.js";
import {
  EXTRA_MANIFESTS,
  folderOf,
  IMAGE_BASED_CONFIG,
  IMAGE_BASED_INSTALLATION_CONFIG,
  INSTALL_CONFIG,
  isClosed,
} from "../directory/index.js";
import type { ImageBasedConfig } from "../generated/types/image-based-config.js";
import { keyfilesOf } from "../phases/agent/keyfiles.js";
import type { ImageBasedAccess } from "../phases/assets.js";
import { imageBasedConfigImage, networkText } from "../phases/image-based/config-image.js";
import { imageBasedConfigProblems, installationConfigProblems } from "../phases/image-based/config-rules.js";
import { readImageBasedConfig, readInstallationConfig } from "../phases/image-based/read.js";
import type { ReadInput, ReadInputOptions } from "../phases/read-input.js";
import { readCertificate } from "../pki/certificate.js";
import { ingressSigner } from "../pki/ingress-signer.js";
import { agentFact } from "../platforms/agent.js";
import { decodeText } from "../text/decode-text.js";
import { withSecrets } from "./compile.js";
import { compileConfig } from "./config.js";
import { type Compiled, type CompiledConfig, type CompileRequest, watched } from "./request.js";

export interface ImageBasedConfigs {
  readonly known: CompiledConfig;
  readonly node: ImageBasedConfig;
}

export interface CompiledImage extends Compiled {
  readonly access: ImageBasedAccess;
}

/** Both configs, judged. Undefined when one has an error. */
export async function compileImageBasedConfigs(
  request: CompileRequest,
): Promise<ImageBasedConfigs | undefined> {
  const { failed, report } = watched(request.report);
  const { directory } = request;
  const read = inputOf(request, IMAGE_BASED_CONFIG, readImageBasedConfig, imageBasedConfigProblems, report);
  if (!directory.inputs.has(IMAGE_BASED_CONFIG))
    report(missing(IMAGE_BASED_CONFIG, "create image-based-config"));
  // The state has defaults in it that the image must not have.
  if (!directory.inputs.has(INSTALL_CONFIG)) {
    report(missing(INSTALL_CONFIG, "create install-config --platform none --name NAME --base-domain DOMAIN"));
    return undefined;
  }
  const known = await compileConfig({ ...request, method: "image-based", report });
  if (read !== undefined) await judgeNetwork(read, { ...request, report });
  return failed() || known === undefined || read === undefined ? undefined : { known, node: read.config };
}

/** image-based-installation-config.yaml, which openshift-install makes an image of. */
export function judgeInstallationConfig(request: CompileRequest): void {
  inputOf(
    request,
    IMAGE_BASED_INSTALLATION_CONFIG,
    readInstallationConfig,
    installationConfigProblems,
    request.report,
  );
}

const missing = (file: string, command: string): Problem =>
  problem("IBI004", "Required", "", `the directory contains no ${file}`, {
    file,
    hint: `to create one with comments, run: slipway ${command}`,
  });

/** A file as it is on disk, with what is wrong with it by itself. */
function inputOf<Config>(
  { directory, release, flags, sealedWord }: CompileRequest,
  name: string,
  read: (
    text: string,
    file: string,
    options: ReadInputOptions,
    report: (problem: Problem) => void,
  ) => ReadInput<Config> | undefined,
  problemsOf: (config: Config, release: CompileRequest["release"]) => readonly Problem[],
  report: (problem: Problem) => void,
): ReadInput<Config> | undefined {
  const file = directory.inputs.get(name);
  if (file === undefined) return undefined;
  const { text, problem: fault } = decodeText(file.data, name);
  if (fault !== undefined) report(fault);
  if (text === undefined) return undefined;
  const word = sealedWord ?? (isClosed(file) ? "encrypted" : undefined);
  const found = read(
    text,
    name,
    { release, lenient: flags.lenient === true, ...(word === undefined ? {} : { sealedWord: word }) },
    report,
  );
  if (found === undefined) return undefined;
  for (const { at, below: _below, inFile: _inFile, ...each } of problemsOf(found.config, release)) {
    const place = at ?? each.field ?? "";
    if (!found.isUnreadable(place)) report(found.redact(placed(each, found.position(place))));
  }
  return found;
}

/** What nmstatectl says about the node's network; the image has it as text, so that it can do without. */
async function judgeNetwork(
  { config, position, redact }: ReadInput<ImageBasedConfig>,
  { nmstate, report }: CompileRequest,
): Promise<void> {
  const text = networkText(config);
  if (text === undefined) return;
  const field = "networkConfig";
  if (nmstate === undefined) {
    report(
      placed(
        info("IBI007", "Invalid", field, "only nmstatectl checks the content of networkConfig", {
          hint: "to check it, set --nmstatectl to the program, of the package nmstate or installed with: cargo install nmstatectl",
        }),
        position(field),
      ),
    );
    return;
  }
  const answer = await nmstate(text);
  if (answer === undefined || (answer.ok && keyfilesOf(answer.text) !== undefined)) return;
  report(
    redact(
      placed(
        problem(
          "IBI006",
          "Invalid",
          field,
          `nmstatectl refuses the network: ${answer.ok ? "no connection results from it" : answer.text}`,
          "correct networkConfig",
        ),
        position(field),
      ),
    ),
  );
}

/** Signers before their leaf; everything else the node makes itself. */
const CERTIFIED = [
  "admin-kubeconfig-signer",
  "kube-apiserver-localhost-signer",
  "kube-apiserver-service-network-signer",
  "kube-apiserver-lb-signer",
  "admin-kubeconfig-client",
] as const;

/** Undefined when an error was reported. */
export async function compileImageBased(request: CompileRequest): Promise<CompiledImage | undefined> {
  const { failed, report } = watched(request.report);
  const configs = await compileImageBasedConfigs({ ...request, report });
  if (configs === undefined) return undefined;
  const { known, node } = configs;
  const prepared = await withSecrets(request, known, report);
  if (prepared === undefined) return undefined;
  const { installConfig, identity, secrets, inputs, context } = prepared;
  const pairs = await secrets.certifyPart(CERTIFIED);
  const signer = pairs?.get("admin-kubeconfig-signer");
  if (pairs === undefined || signer === undefined) return undefined;
  const access: ImageBasedAccess = {
    certified: Object.fromEntries(pairs),
    ingressSigner:
      request.directory.state?.ingressSigner ??
      ingressSigner(await inputs.keys.generate("rsa-2048", "ingress-operator-signer"), inputs.clock.now()),
    signedAt: readCertificate(signer.certificate).notBefore,
  };
  const files = imageBasedConfigImage.run(
    {
      "install-config": installConfig,
      "image-based-config": node,
      identity,
      kubeadmin: secrets.kubeadmin,
      "image-based-access": access,
      "extra-manifests": extraManifests(request),
    },
    context,
  );
  return failed() ? undefined : { ...prepared, access, files };
}

/** Manifests of the user's for the cluster. */
const extraManifests = ({ directory, release }: CompileRequest): readonly OutputFile[] => {
  const taken = agentFact(release, "imageBasedJson") ? /\.(?:ya?ml|json)$/ : /\.ya?ml$/;
  return [...directory.files.values()]
    .filter(({ path }) => folderOf(path) === EXTRA_MANIFESTS && taken.test(path))
    .map(({ path, data }) => ({ path, data, secret: false }));
};
