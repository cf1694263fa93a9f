/** The networks of the cluster in the manifests that say more than the install-config, or something else. */

import { warning } from "../../core/problem.js";
import { goneNetworkPlugin } from "../../phases/install-config/rules/networking.js";
import { dig } from "../context.js";
import { problemAt } from "../documents.js";
import type { KindRules } from "./manifest.js";

const FIELDS = ["spec.networkType", "spec.defaultNetwork.type"];

export const rules: KindRules = (manifest, { release }) =>
  FIELDS.flatMap((field) => {
    const type = dig(manifest.object, field.split("."));
    const gone = typeof type === "string" ? goneNetworkPlugin(type, release) : undefined;
    if (gone === undefined) return [];
    return [
      problemAt(
        manifest,
        warning(
          "IC150",
          "NotSupported",
          field,
          `the network plug-in ${gone} was removed in 4.15`,
          "use OVNKubernetes, and move the settings to ovnKubernetesConfig",
        ),
      ),
    ];
  });
