/**
 * The ignition-configs phase: the configs that the machines are started with, the credentials of the administrator and
 * metadata.json (docs/reference/ignition-configs.md).
 */
import { placed } from "../../core/diagnostics.js";
import { type OutputFile, textFile } from "../../core/files.js";
import { clusterDomain } from "../../platforms/config.js";
import { inForce } from "../../platforms/release-changes.js";
import { definePhase, type KubeadminPassword } from "../assets.js";
import { hasArbiter } from "../manifests/topology.js";
import { pointerConfig } from "../pointer-config.js";
import { bootSequence } from "./boot/index.js";
import { type Boot, bootstrapConfig } from "./bootstrap.js";
import type { IgnitionInput } from "./input.js";
import { KUBECONFIGS, kubeconfig } from "./kubeconfigs.js";
import { metadataFile } from "./metadata.js";
import { optionProblems, preventsConfigs } from "./notices.js";

/** The phase with a boot sequence; another one than ours stands in where that does not matter. */
export const ignitionConfigsWith = (boot: Boot) =>
  definePhase({
    name: "ignition-configs",
    needs: [
      "install-config",
      "identity",
      "pki",
      "kubeadmin",
      "facts",
      "credentials",
      "platform",
      "manifest-files",
      "cluster-pki",
      "ignition-options",
    ],
    summary: "Write the Ignition configs of the machines",
    run(needs, { release, report }) {
      const { config, position } = needs["install-config"];
      const input: IgnitionInput = {
        config,
        domain: clusterDomain(config),
        identity: needs.identity,
        facts: needs.facts,
        credentials: needs.credentials,
        platform: needs.platform,
        release,
        pki: needs["cluster-pki"],
        internalReleaseImage: needs.pki.internalReleaseImage,
        manifestFiles: needs["manifest-files"],
        options: needs["ignition-options"],
        report: (problem) => report(placed(problem, position(problem.field ?? ""))),
      };
      const problems = optionProblems(input);
      for (const problem of problems) input.report(problem);
      if (preventsConfigs(problems)) return [];
      return [
        ...administrator(input, needs.kubeadmin),
        ...input.options.forms.map((form) => bootstrapConfig(input, boot, form)),
        ...pointerConfigs(input),
        metadataFile(input),
      ];
    },
  });

export const ignitionConfigs = ignitionConfigsWith(bootSequence);

/** What the first administrator logs in with (docs/reference/ignition-configs.md §3b, §3c). */
const administrator = (
  { config, domain, pki }: IgnitionInput,
  kubeadmin: KubeadminPassword,
): OutputFile[] => [
  textFile("auth/kubeadmin-password", kubeadmin.password, { secret: true }),
  textFile("auth/kubeconfig", kubeconfig(KUBECONFIGS.external, config.metadata.name, domain, pki), {
    secret: true,
  }),
];

/** ROLE.ign, which holds nothing but an address and a public certificate. */
function pointerConfigs(input: IgnitionInput): OutputFile[] {
  const { config, domain, options, pki, platform, release } = input;
  // A machine that installs itself gets its own config from the machine config server.
  const own = options.forms.includes("machines");
  const arbiter = own && inForce(release, "arbiterPool") && hasArbiter(config);
  return (["arbiter", "master", "worker"] as const)
    .filter((role) => (role === "arbiter" ? arbiter : role === "worker" || own))
    .map((role) =>
      textFile(
        `${role}.ign`,
        pointerConfig(role, {
          domain,
          apiVips: platform.manifests.apiVips?.(input) ?? [],
          rootCA: pki.certified["root-ca"].certificate,
          additions: platform.manifests.pointerAdditions?.(input, role) ?? {},
        }),
      ),
    );
}
