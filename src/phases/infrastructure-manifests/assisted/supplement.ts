/** What is left to do beside the objects of a cluster that assisted-service installs. */
import { TABLE } from "../../../generated/tables/openshift-assisted-keys.js";
import type { PlatformInput, PlatformModule } from "../../../platforms/platform.js";
import type { SupplementItem } from "../../../platforms/supplement.js";
import { leftToUser } from "./keys.js";

export const assistedSupplement = (
  input: PlatformInput,
  { assisted }: PlatformModule,
): readonly SupplementItem[] => [
  service(input),
  ...(assisted?.supplement(input) ?? []),
  ...capabilities(input),
  ...leftToUser(input.config),
];

const service = ({ config }: PlatformInput): SupplementItem => ({
  area: "assisted-service",
  when: "before",
  what: "Run assisted-service, its image service and both openshift-assisted providers in the management cluster.",
  why: "They install the cluster with their own identity, keys and kubeadmin password, not those in this directory.",
  details: {
    command: "clusterctl init --bootstrap openshift-assisted --control-plane openshift-assisted",
    ...((config.imageDigestSources ?? config.imageContentSources ?? []).length === 0
      ? {}
      : {
          mirrors:
            "assisted-service pulls the release image itself: set the mirrors in its AgentServiceConfig too",
        }),
  },
});

/** The provider's own choice where the install-config makes none (docs/reference/cluster-api.md §8). */
function capabilities({ config }: PlatformInput): SupplementItem[] {
  if (config.capabilities !== undefined) return [];
  return [
    {
      area: "capabilities",
      when: "before",
      what: "Set capabilities in the install-config if you do not want the provider's default.",
      why: "With virtual IPs, the provider installs the capability set None with a few additions; the installer's default is vCurrent.",
      details: {
        capabilities: TABLE.capabilities,
      },
    },
  ];
}
