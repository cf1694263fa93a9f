/** What machines are given of the Ignition configs: shims that point to them, and the Secrets of Cluster API. */
import type { Problem } from "../core/diagnostics.js";
import type { OutputFile } from "../core/files.js";
import { dataSecretRenderings } from "../phases/ignition-configs/data-secrets.js";
import { type ShimSources, shimFiles, sizeProblems } from "../phases/ignition-configs/shims.js";
import type { NormalConfig } from "../platforms/config.js";
import { createRenderer } from "../text/render.js";

export interface MachineDataRequest {
  readonly config: NormalConfig;
  readonly infraID: string;
  readonly namespace: string;
  /** Where machines read their config from: a name of the table of limits, such as the platform's. */
  readonly place: string;
  readonly sources: ShimSources;
  readonly dataSecrets: boolean;
  report(problem: Problem): void;
}

/** Files beside the configs. Configs that are too large where they go are reported. */
export async function machineData(
  configs: readonly OutputFile[],
  { config, infraID, namespace, place, sources, dataSecrets, report }: MachineDataRequest,
): Promise<OutputFile[]> {
  const shims = shimFiles(configs, sources, config, report);
  const all = [...configs, ...shims];
  sizeProblems(all, place).forEach(report);
  if (!dataSecrets) return shims;
  const render = await createRenderer(["ignition-configs"], report);
  const secrets = dataSecretRenderings(all, infraID, namespace, report).map(({ template, view, path }) =>
    render.file(template, view, path, { secret: true }),
  );
  return [...shims, ...secrets];
}
