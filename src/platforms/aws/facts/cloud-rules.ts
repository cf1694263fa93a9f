/**
 * Rules that the installer checks only once it talks to the cloud, although they need nothing of it
 * (openshift/installer pkg/asset/installconfig/aws/validation.go).
 */
import type { Problem } from "../../../core/diagnostics.js";
import type { NormalConfig } from "../../config.js";
import { awsOf, broughtSubnets, EDGE, isDualStack, poolSection } from "../config.js";
import { mergeSections } from "../install-config/defaults.js";

const refused = (kind: Problem["kind"], field: string, message: string, hint: string): Problem => ({
  code: "FACT008",
  kind,
  field,
  message,
  hint,
});

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
          refused(
            "Forbidden",
            `${path}.platform.aws.iamRole`,
            "iamRole and iamProfile exclude each other: a profile already has its role",
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
          refused(
            "Invalid",
            `compute[${index}].architecture`,
            `all compute pools must have one architecture, and the first has ${first?.architecture}`,
            "add machines of another architecture after the installation",
          ),
        ],
  );
}

const defaultPlacement = (config: NormalConfig): Problem[] =>
  awsOf(config).defaultMachinePlatform?.hostPlacement === undefined
    ? []
    : [
        refused(
          "Invalid",
          "platform.aws.defaultMachinePlatform.hostPlacement",
          "dedicated hosts are given for each pool, not for all",
          "move it to the compute pools",
        ),
      ];

/** A new network has no IPv6 in edge zones. */
function edgeNetworks(config: NormalConfig): Problem[] {
  const aws = awsOf(config);
  if (!isDualStack(aws) || broughtSubnets(aws).length > 0) return [];
  return config.compute.flatMap(({ name }, index) =>
    name === EDGE
      ? [
          refused(
            "Forbidden",
            `compute[${index}].platform.aws`,
            `an edge pool with ipFamily ${aws.ipFamily} needs subnets of your own`,
            "bring subnets along, or leave the pool out",
          ),
        ]
      : [],
  );
}
