/** The ignition-configs phase over a compiled manifests phase: certificates first, then the configs. */
import { decode, type OutputFile } from "../core/files.js";
import type { DiskFiles } from "../directory/index.js";
import { ignitionConfigs } from "../phases/ignition-configs/index.js";
import type { Certification } from "../pki/cluster.js";
import { gateEnabled } from "../platforms/enabled-gates.js";
import { inForce } from "../platforms/release-changes.js";
import type { CompileFlags } from "./options.js";
import { type Compiled, watched } from "./request.js";

export interface CompiledIgnition {
  readonly files: readonly OutputFile[];
  readonly certification: Certification;
}

export interface IgnitionRequest {
  readonly flags: CompileFlags;
  /** manifests/ and openshift/ as they will be on disk. */
  readonly manifestFiles: readonly OutputFile[];
  /** install-config.yaml and files in tls/. */
  readonly inputs: DiskFiles;
  /** Certificates that end before it are signed again. */
  readonly renewBefore: Date | undefined;
}

const BOUND_KEY = "tls/bound-service-account-signing-key.key";

/** Undefined when an error was reported. */
export async function compileIgnition(
  compiled: Compiled,
  { flags, manifestFiles, inputs, renewBefore }: IgnitionRequest,
): Promise<CompiledIgnition | undefined> {
  const { installConfig, identity, secrets, facts, credentials, platform, context } = compiled;
  const { release } = context;
  const short =
    inForce(release, "shortCertRotation") && gateEnabled(release, installConfig.config, "ShortCertRotation");
  const certification = await secrets.certify({ renewBefore, short });
  const boundKey = inputs.get(BOUND_KEY);
  const { failed, report } = watched(context.report);
  const files = ignitionConfigs.run(
    {
      "install-config": installConfig,
      identity,
      pki: secrets.pki,
      kubeadmin: secrets.kubeadmin,
      facts,
      credentials,
      platform,
      "manifest-files": manifestFiles,
      "cluster-pki": certification.pki,
      "ignition-options": {
        releaseImage: flags.releaseImage,
        ...(boundKey === undefined ? {} : { boundServiceAccountKey: decode(boundKey.data) ?? "" }),
      },
    },
    { ...context, report },
  );
  return failed() ? undefined : { files, certification };
}
