/**
 * Rules that the installer checks only once it talks to the cloud, although they need nothing of it
 * (openshift/installer pkg/asset/installconfig/aws/validation.go).
 */

import type { Problem } from "../../../core/diagnostics.js";
import type { NormalConfig } from "../../config.js";
import { rejected } from "../../fact-problems.js";
import { awsOf, EDGE, existingSubnets, isDualStack, poolSection } from "../config.js";
import { mergeSections } from "../install-config/defaults.js";

export const cloudRules = (config: NormalConfig): Problem[] => [
  ...roleAndProfile(config),
  ...computeArchitectures(config),
  ...defaultPlacement(config),
  ...edgeNetworks(config),
];

/** A profile already has its role. */
function roleAndProfile(config: NormalConfig): Problem[] {
  const fallback = awsOf(config).defaultMachinePlatform ?? {};
  const pools = [
    { path: "controlPlane", pool: config.controlPlane },
    ...config.compute.map((pool, index) => ({ path: `compute[${index}]`, pool })),
  ];
  return pools.flatMap(({ path, pool }) => {
    const { iamRole, iamProfile } = mergeSections(fallback, poolSection(pool) ?? {});
    return iamRole === undefined || iamProfile === undefined
      ? []
      : [
          rejected(
            "Forbidden",
            `${path}.platform.aws.iamRole`,
            "conflicts with iamProfile: an instance profile already has a role",
            "keep one of them",
          ),
        ];
  });
}

function computeArchitectures({ compute }: NormalConfig): Problem[] {
  const [first] = compute;
  return compute.flatMap(({ architecture }, index) =>
    architecture === first?.architecture
      ? []
      : [
          rejected(
            "Invalid",
            `compute[${index}].architecture`,
            `must be ${first?.architecture}, as in the first compute pool`,
            "use one architecture, and add machines of another one after the installation",
          ),
        ],
  );
}

const defaultPlacement = (config: NormalConfig): Problem[] =>
  awsOf(config).defaultMachinePlatform?.hostPlacement === undefined
    ? []
    : [
        rejected(
          "Invalid",
          "platform.aws.defaultMachinePlatform.hostPlacement",
          "forbidden: dedicated hosts can be set only on compute pools",
          "move it to the compute pools",
        ),
      ];

/** A new network has no IPv6 in edge zones. */
function edgeNetworks(config: NormalConfig): Problem[] {
  const aws = awsOf(config);
  if (!isDualStack(aws) || existingSubnets(aws).length > 0) return [];
  return config.compute.flatMap(({ name }, index) =>
    name === EDGE
      ? [
          rejected(
            "Forbidden",
            `compute[${index}].platform.aws`,
            `forbidden: an edge pool with ipFamily ${aws.ipFamily} requires existing subnets`,
            "set platform.aws.vpc.subnets, or remove the pool",
          ),
        ]
      : [],
  );
}
