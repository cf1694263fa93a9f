/** agent-config.yaml and hosts as the installer's state has them (openshift/installer pkg/types/agent). */
import { isJson, isObject, type JsonObject } from "../../core/json.js";
import type { AgentConfig } from "../../generated/types/agent-config.js";
import type { AgentHost } from "../../platforms/agent.js";
import { configHost } from "./hosts.js";

/** The config with every member that the installer writes. */
export function keptAgentConfig({ hosts = [], ...config }: AgentConfig): JsonObject {
  const plain: unknown = JSON.parse(JSON.stringify(config));
  return {
    ...(isJson(plain) && isObject(plain) ? plain : {}),
    ...(hosts.length === 0 ? {} : { hosts: hosts.map((host) => keptHost(configHost(host))) }),
  };
}

export const keptHost = ({
  hostname,
  role,
  rootDeviceHints,
  interfaces,
  networkConfig,
  bmc,
}: AgentHost): JsonObject => ({
  ...(hostname === "" ? {} : { hostname }),
  ...(role === "" ? {} : { role }),
  rootDeviceHints,
  ...(interfaces.length === 0
    ? {}
    : { interfaces: interfaces.map(({ name, macAddress }) => ({ name, macAddress })) }),
  networkConfig: networkConfig ?? null,
  BMC: {
    username: bmc.username ?? "",
    password: bmc.password ?? "",
    address: bmc.address ?? "",
    disableCertificateVerification: bmc.disableCertificateVerification ?? false,
  },
});
