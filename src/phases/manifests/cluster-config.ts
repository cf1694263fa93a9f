/**
 * manifests/cluster-config.yaml: the install-config, for operators that look back at it
 * (docs/reference/install-config-and-manifests.md §3.2).
 */
import { isObject, type Json, type JsonObject } from "../../core/json.js";
import { parseYaml } from "../../text/yaml-parse.js";
import { writeYaml } from "../../text/yaml-write.js";
import type { Asset } from "./input.js";

const DESCRIPTION =
  "The install-config that this cluster was installed with. The cluster may have changed since; for current settings, see the config.openshift.io resources.";

export const clusterConfig: Asset = (input) => {
  const whole = parseYaml(input.normalForm);
  if (!isObject(whole)) throw new Error("the normal form of the install-config is not a mapping");
  const redacted = input.platform.manifests.redact?.(whole, input) ?? whole;
  const installConfig: Json = { ...withoutNullTime(redacted), pullSecret: "" };
  return [
    {
      template: "manifests/cluster-config.yaml",
      path: "manifests/cluster-config.yaml",
      // Fencing credentials, the user-info of a proxy and the sshKey stay in it, as upstream leaves them.
      secret: true,
      view: { description: DESCRIPTION, installConfig: writeYaml(installConfig) },
    },
  ];
};

/** Up to 4.20 the normal form says that the config was never created, which nobody needs to know. */
function withoutNullTime(config: JsonObject): JsonObject {
  const metadata = config["metadata"];
  if (!isObject(metadata) || metadata["creationTimestamp"] !== null) return config;
  const { creationTimestamp: _never, ...rest } = metadata;
  return { ...config, metadata: rest };
}
