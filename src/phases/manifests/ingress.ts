/**
 * manifests/cluster-ingress-02-config.yml, and the default ingress controller where it cannot be the default
 * (docs/reference/install-config-and-manifests.md §3.2).
 */
import type { NormalConfig } from "../../platforms/config.js";
import { PLATFORMS } from "../../platforms/registry.js";
import type { Asset } from "./input.js";
import { controlPlaneTopology } from "./topology.js";

/**
 * Where nothing would balance the load, a single control plane machine takes the ingress traffic itself, also when
 * compute machines are added later.
 */
export const ingress: Asset = (input) => [
  {
    template: "manifests/cluster-ingress-02-config.yml",
    path: "manifests/cluster-ingress-02-config.yml",
    view: {
      domain: `apps.${input.domain}`,
      platform: { type: "", ...input.platform.manifests.ingressPlatform(input) },
      defaultPlacement:
        PLATFORMS[input.platform.name].traits.ingressOnSingleNode === true &&
        controlPlaneTopology(input) === "SingleReplica"
          ? "ControlPlane"
          : "Workers",
    },
  },
];

/** The ingress operator makes an external controller by itself; everything else is written out. */
export const ingressController: Asset = (input) => {
  const given = input.platform.manifests.ingressController?.(input);
  const loadBalancer = given ?? (publicIngress(input.config) ? undefined : { scope: "Internal" });
  if (loadBalancer === undefined) return [];
  return [
    {
      template: "manifests/cluster-ingress-default-ingresscontroller.yaml",
      path: "manifests/cluster-ingress-default-ingresscontroller.yaml",
      view: { loadBalancer },
    },
  ];
};

/** Publishing strategies are compared without regard to case where the operator's own is asked. */
const publicIngress = ({ publish, operatorPublishingStrategy }: NormalConfig): boolean =>
  publish === "" ||
  publish === "External" ||
  operatorPublishingStrategy?.ingress?.toLowerCase() === "external";
