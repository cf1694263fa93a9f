/** Keys and tokens of an agent-based installation: those of the state, the rest made now. */
import type { InstallerState } from "../directory/index.js";
import type { AgentAccess } from "../phases/assets.js";
import { uuidOf } from "../phases/identity.js";
import { agentTokens } from "../pki/agent-tokens.js";
import { readCertificate } from "../pki/certificate.js";
import type { Compiled } from "./request.js";

/** Signers before their leaf; everything else the cluster makes itself. */
const CERTIFIED = [
  "admin-kubeconfig-signer",
  "kube-apiserver-localhost-signer",
  "kube-apiserver-service-network-signer",
  "kube-apiserver-lb-signer",
  "admin-kubeconfig-client",
] as const;

/** Undefined when a key of the state is damaged, which is reported. */
export async function agentAccess(
  { secrets, inputs }: Pick<Compiled, "secrets" | "inputs">,
  state: InstallerState | undefined,
): Promise<AgentAccess | undefined> {
  const pairs = await secrets.certifyPart(CERTIFIED);
  if (pairs === undefined) return undefined;
  const signer = pairs.get("admin-kubeconfig-signer");
  return {
    certified: Object.fromEntries(pairs),
    tokens: state?.agentTokens ?? agentTokens(await inputs.keys.generate("ecdsa-p256", "agent-auth")),
    infraEnvID: state?.infraEnvID ?? uuidOf(inputs.random.bytes(16, "infra-env-id")),
    signedAt: signer === undefined ? new Date(0) : readCertificate(signer.certificate).notBefore,
  };
}
