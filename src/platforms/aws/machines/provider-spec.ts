/** The provider part of Machine API objects on aws (docs/reference/install-config-and-manifests.md §3.7, §3.12). */
import { byCodeUnit } from "../../../core/files.js";
import type { View } from "../../../text/render.js";
import type { PlatformInput } from "../../platform.js";
import { awsOf, publishesExternally } from "../config.js";
import {
  copiedImage,
  externalLoadBalancer,
  instanceProfile,
  internalLoadBalancer,
  securityGroup,
  subnetName,
  tagsOf,
} from "../names.js";
import type { Pool, PoolZone } from "./pools.js";

export interface ProviderSpecInput {
  readonly input: PlatformInput;
  readonly pool: Pool;
  readonly role: "master" | "worker";
  /** The zone of the machines; undefined in a control plane machine set, whose failure domains name it. */
  readonly zone: PoolZone | undefined;
  readonly instanceType: string;
}

/** View of templates/openshift/aws/_provider-spec. */
export function providerSpec({ input, pool, role, zone, instanceType }: ProviderSpecInput): View {
  const { infraID } = input.identity;
  const aws = awsOf(input.config);
  const master = role === "master";
  const groups = master ? (["node", "lb", "controlplane"] as const) : (["node", "lb"] as const);
  const loadBalancers = [
    internalLoadBalancer(infraID),
    ...(publishesExternally(input.config) ? [externalLoadBalancer(infraID)] : []),
  ];
  // Compute machines get a public address where a subnet of the user's own is public (docs/reference/cluster-api.md
  // §5.1).
  const open = !master && zone?.subnet?.public === true;
  return {
    amiID: pool.amiID,
    copiedImageName: copiedImage(infraID, aws.region),
    volume: {
      iops: pool.rootVolume.iops,
      kmsKeyARN: pool.rootVolume.kmsKeyARN ?? "",
      throughput: pool.rootVolume.throughput,
      size: pool.rootVolume.size,
      type: pool.rootVolume.type,
    },
    confidentialCompute: pool.confidentialCompute,
    instanceProfile: pool.iamProfile ?? instanceProfile(infraID, role),
    instanceType,
    loadBalancers: master ? loadBalancers : undefined,
    authentication: pool.authentication,
    zone: zone?.name,
    region: aws.region,
    hostID: zone?.hostID,
    publicIP: open ? true : undefined,
    securityGroupNames: groups.map((group) => securityGroup(infraID, group)),
    securityGroupIDs: [...pool.securityGroupIDs].sort(byCodeUnit),
    subnetID: zone?.subnet?.id,
    subnetName: zone === undefined ? undefined : subnetName(infraID, zone.name, false),
    tags: tagsOf(infraID, aws.userTags),
    userDataSecret: `${role}-user-data`,
  };
}
