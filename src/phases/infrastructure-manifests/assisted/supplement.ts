/** What is left to do beside the objects of a cluster that assisted-service installs. */
import { TABLE } from "../../../generated/data/openshift-assisted-keys.js";
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
  what: "Run assisted-service, its image service and both providers of openshift-assisted in the management cluster.",
  why: "They install the cluster; identity, keys and the password of kubeadmin are theirs, not those of this directory.",
  details: {
    command: "clusterctl init --bootstrap openshift-assisted --control-plane openshift-assisted",
    ...((config.imageDigestSources ?? config.imageContentSources ?? []).length === 0
      ? {}
      : {
          mirrors:
            "assisted-service itself pulls the release: name the mirrors in its AgentServiceConfig too",
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
      what: "Name capabilities in the install-config where the provider's choice is not yours.",
      why: "With virtual IPs it installs the set None with few beside it, where the installer's default is vCurrent.",
      details: {
        capabilities: TABLE.capabilities,
      },
    },
  ];
}
