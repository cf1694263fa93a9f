import { decode, encode } from "../../core/files.js";
import { type Problem, problem } from "../../core/problem.js";
import { INSTALL_CONFIG_KEY, STATE_KEY } from "../../crd/openshift-control-plane.js";
import { CLUSTER_NAME_LABEL, MOVE_LABEL } from "../../kubernetes/labels.js";
import { DATA_LIMIT, encodeBase64 } from "../../kubernetes/secrets.js";
import type { Rendering } from "../../platforms/platform.js";
import { topLevelMembers } from "../../text/json-text.js";
import type { Assets } from "../assets.js";
import { INSTALL_STATE_FILE, installStateSecret } from "./layout.js";

/** What to do about a state that is too large: by the part that takes most of it. */
function tooLarge(state: Uint8Array): string {
  const text = decode(state) ?? "";
  const members = text.startsWith("{") ? [...topLevelMembers(text)] : [];
  const machines = members
    .filter(([key]) => key.startsWith("*machines."))
    .reduce((sum, [, start, end]) => sum + end - start, 0);
  return machines * 2 > state.length
    ? `the manifests of machines and hosts take ${machines} bytes of the state; create the cluster with fewer hosts, and add the others to the running cluster`
    : "reduce the size of large files in manifests/ and openshift/ or of the trust bundle, which the state contains";
}

type Needs = Pick<Assets, "install-config" | "install-config-file" | "identity" | "state">;

/**
 * The Secret from which the ignition phase goes on. It holds both files, byte for byte: the state alone carries
 * identity and keys, and custom manifests without a state are thrown away by the installer
 * (docs/reference/ignition-configs.md §7c; docs/reference/source-designs.md §1.3).
 */
export function installStateRendering(
  { "install-config": installConfig, "install-config-file": onDisk, identity, state }: Needs,
  namespace: string,
  report: (problem: Problem) => void,
): Rendering | undefined {
  const config = onDisk ?? encode(installConfig.normalForm);
  const size = config.length + state.length;
  if (size > DATA_LIMIT)
    return void report(
      problem(
        "CAPI003",
        "TooLong",
        "",
        `the state (${state.length} bytes) and the install-config (${config.length} bytes) exceed the ${DATA_LIMIT} bytes of a Secret`,
        {
          file: STATE_KEY,
          hint: tooLarge(state),
        },
      ),
    );
  return {
    template: "infrastructure-manifests/20_install-state.yaml",
    path: INSTALL_STATE_FILE,
    view: {
      name: installStateSecret(identity.infraID),
      namespace,
      labels: { [CLUSTER_NAME_LABEL]: identity.infraID, [MOVE_LABEL]: "" },
      data: { [INSTALL_CONFIG_KEY]: encodeBase64(config), [STATE_KEY]: encodeBase64(state) },
    },
    secret: true,
  };
}
