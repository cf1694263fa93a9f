/** The ignition-configs phase over a compiled manifests phase: certificates first, then the configs. */
import type { OutputFile } from "../core/files.js";
import { ignitionConfigs } from "../phases/ignition-configs/index.js";
import { shortRotation } from "../phases/ignition-configs/short-rotation.js";
import type { Certification } from "../pki/cluster.js";
import { machineData } from "./machine-data.js";
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
}

/** Undefined when an error was reported. */
export async function compileIgnition(
  compiled: Compiled,
  { flags, manifestFiles }: IgnitionRequest,
): Promise<CompiledIgnition | undefined> {
  const { installConfig, identity, secrets, facts, credentials, platform, context } = compiled;
  const { release } = context;
  const short = shortRotation(release, installConfig.config);
  const certification = await secrets.certify({ short });
  if (certification === undefined) return undefined;
  const signingKey = secrets.boundServiceAccountKey;
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
        ...(signingKey === undefined ? {} : { boundServiceAccountKey: signingKey }),
      },
    },
    { ...context, report },
  );
  const data = await machineData(files, {
    config: installConfig.config,
    infraID: identity.infraID,
    namespace: flags.namespace ?? identity.infraID,
    place: flags.userData ?? platform.name,
    sources: flags.shimSources ?? new Map(),
    dataSecrets: flags.dataSecrets === true,
    report,
  });
  return failed() ? undefined : { files: [...files, ...data], certification };
}
