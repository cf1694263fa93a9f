/**
 * The Secrets that Cluster API's Machines get their config from: `<infraID>-<role>`, keys `format` and `value`
 * (docs/reference/ignition-configs.md §4d, docs/reference/cluster-api.md §2.2). The Machine names it in
 * `spec.bootstrap.dataSecretName`.
 */
import { encode, type OutputFile } from "../../core/files.js";
import { type Problem, problem } from "../../core/problem.js";
import { CLUSTER_NAME_LABEL, MOVE_LABEL } from "../../kubernetes/labels.js";
import { DATA_LIMIT, encodeBase64 } from "../../kubernetes/secrets.js";
import type { Rendering } from "../../platforms/platform.js";
import { configFile, MACHINE_ROLES, type MachineRole, shimFile } from "./shims.js";

/** Folder of the Secrets; mode 0700, never committed. */
export const DATA_SECRETS_FOLDER = "data-secrets";

const FORMAT = encode("ignition");

export const dataSecretName = (infraID: string, role: MachineRole): string => `${infraID}-${role}`;

/**
 * One Secret for each config; where a role has a shim, the shim. What does not fit into a Secret is reported.
 * @param namespace the namespace of the Cluster
 */
export function dataSecretRenderings(
  configs: readonly OutputFile[],
  infraID: string,
  namespace: string,
  report: (problem: Problem) => void,
): Rendering[] {
  const find = (path: string): OutputFile | undefined => configs.find((each) => each.path === path);
  return MACHINE_ROLES.flatMap((role): Rendering[] => {
    const config = find(shimFile(role)) ?? find(configFile(role));
    if (config === undefined) return [];
    const size = config.data.length + FORMAT.length;
    if (size > DATA_LIMIT) {
      report(
        problem(
          "IGN052",
          "TooLong",
          "",
          `a Secret with the config would have ${size} bytes; must have at most ${DATA_LIMIT}`,
          {
            file: config.path,
            hint: `upload the file to where the machine can fetch it, and generate a Secret that points to it: --shim-source ${role}=URL`,
          },
        ),
      );
      return [];
    }
    return [
      {
        template: "ignition-configs/data-secret.yaml",
        path: `${DATA_SECRETS_FOLDER}/${role}.yaml`,
        view: {
          name: dataSecretName(infraID, role),
          namespace,
          labels: { [CLUSTER_NAME_LABEL]: infraID, [MOVE_LABEL]: "" },
          data: { format: encodeBase64(FORMAT), value: encodeBase64(config.data) },
        },
        secret: true,
      },
    ];
  });
}
