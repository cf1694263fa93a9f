/** The ignition-configs phase over a compiled manifests phase: certificates first, then the configs. */
import { type Problem, placed } from "../core/diagnostics.js";
import type { OutputFile } from "../core/files.js";
import type { IgnitionOptions } from "../phases/assets.js";
import { type Form, inPlaceProblems } from "../phases/ignition-configs/forms.js";
import { ignitionConfigs } from "../phases/ignition-configs/index.js";
import { optionProblems, preventsConfigs } from "../phases/ignition-configs/notices.js";
import { shortRotation } from "../phases/ignition-configs/short-rotation.js";
import type { Certification } from "../pki/cluster.js";
import { isRsaKey } from "../pki/public-key.js";
import { machineData } from "./machine-data.js";
import type { CompileFlags } from "./options.js";
import { type Compiled, watched } from "./request.js";

export interface CompiledIgnition {
  readonly files: readonly OutputFile[];
  readonly certification: Certification;
}

export interface IgnitionRequest {
  readonly flags: CompileFlags;
  /** The way of installing that is asked for; undefined where what is there is compared. */
  readonly asked?: Form | undefined;
  /** Ways that configs were written for by earlier runs. */
  readonly known: readonly Form[];
  /** manifests/ and openshift/ as they will be on disk. */
  readonly manifestFiles: readonly OutputFile[];
}

/** Undefined when an error was reported. */
export async function compileIgnition(
  compiled: Compiled,
  { flags, manifestFiles, asked, known }: IgnitionRequest,
): Promise<CompiledIgnition | undefined> {
  const { installConfig, identity, secrets, facts, credentials, platform, context } = compiled;
  const { release } = context;
  const refuse = (problems: readonly Problem[]): void => {
    for (const problem of problems)
      context.report(placed(problem, installConfig.position(problem.field ?? "")));
  };
  const faults = inPlaceProblems(installConfig.config);
  if (asked === "in place" && faults.length > 0) {
    refuse(faults);
    return undefined;
  }
  // What the install-config no longer allows goes, as everything that is not compiled any more.
  const forms = (["machines", "in place"] as const).filter(
    (form) => form === asked || (known.includes(form) && (form === "machines" || faults.length === 0)),
  );
  const signingKey = secrets.boundServiceAccountKey;
  const options: IgnitionOptions = {
    forms,
    releaseImage: flags.releaseImage,
    ...(signingKey === undefined ? {} : { boundServiceAccountKey: signingKey }),
    ...(isRsaKey(secrets.pki.rootCA.key) ? {} : { notForInstaller: true }),
  };
  // The phase says the same, but after all keys of the cluster were made for nothing.
  const early = optionProblems({ options, platform, config: installConfig.config, release: context.release });
  if (preventsConfigs(early)) {
    refuse(early);
    return undefined;
  }
  const certification = await secrets.certify({ short: shortRotation(release, installConfig.config) });
  if (certification === undefined) return undefined;
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
      "ignition-options": options,
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
