/** Rules of agent-config.yaml by itself (openshift/installer pkg/asset/agent/agentconfig/agent_config.go). */
import type { Problem } from "../../core/diagnostics.js";
import { invalid, required } from "../../core/problem.js";
import type { Release } from "../../core/release.js";
import type { AgentConfig } from "../../generated/types/agent-config.js";
import { isDnsSubdomain } from "../../kubernetes/names.js";
import { parseAddress } from "../../kubernetes/network.js";
import { agentFact } from "../../platforms/agent.js";
import { parseUri } from "../../text/uri.js";

const VERSIONS = ["v1beta1", "v1alpha1"];

/** Every broken rule. A version that cannot be converted leaves the rest to the next run, as the installer does. */
export function agentConfigProblems(config: AgentConfig, release: Release): Problem[] {
  const version = versionProblem(config);
  return version === undefined
    ? [...rendezvousProblems(config), ...timeServerProblems(config, release), ...urlProblems(config)]
    : [version];
}

function versionProblem({ apiVersion = "" }: AgentConfig): Problem | undefined {
  if (VERSIONS.includes(apiVersion)) return undefined;
  const hint = "set apiVersion: v1beta1";
  return apiVersion === ""
    ? required("AGT001", "apiVersion", "", { below: true, hint })
    : invalid("AGT001", "apiVersion", apiVersion, "must be v1beta1 or v1alpha1", hint);
}

const rendezvousProblems = ({ rendezvousIP = "" }: AgentConfig): Problem[] =>
  rendezvousIP === "" || parseAddress(rendezvousIP) !== undefined
    ? []
    : [
        invalid(
          "AGT002",
          "rendezvousIP",
          rendezvousIP,
          "must be an IP address",
          "use the address of a control plane host, such as 192.0.2.20",
        ),
      ];

function timeServerProblems({ additionalNTPSources = [] }: AgentConfig, release: Release): Problem[] {
  const field = agentFact(release, "fieldsInLowerCase") ? "additionalNTPSources" : "AdditionalNTPSources";
  return additionalNTPSources.flatMap((server, index) =>
    parseAddress(server) !== undefined || isDnsSubdomain(server.replace(/\.$/, ""))
      ? []
      : [
          invalid("AGT002", field, server, "must be an IP address or a host name", {
            at: `additionalNTPSources[${index}]`,
            hint: "use a host name such as ntp.example.com",
          }),
        ],
  );
}

function urlProblems({ bootArtifactsBaseURL: url = "" }: AgentConfig): Problem[] {
  return url === "" || (parseUri(url, "reference")?.scheme ?? "") !== ""
    ? []
    : [
        invalid(
          "AGT002",
          "bootArtifactsBaseURL",
          url,
          "must be a URL with a scheme",
          "use a URL such as http://boot.example.com/agent",
        ),
      ];
}
