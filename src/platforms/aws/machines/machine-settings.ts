/** Settings that every AWSMachineTemplate of ours has in common (docs/reference/cluster-api.md §5.1, AWSMachine). */
import type { JsonObject } from "../../../core/json.js";
import type { View } from "../../../text/render.js";
import type { PlatformInput } from "../../platform.js";
import { awsOf, isDualStack } from "../config.js";
import { instanceProfile, tagsOf } from "../names.js";
import type { Pool, RootVolume } from "./pools.js";

/** Tags as Cluster API has them: a map. */
export const tagMap = (input: PlatformInput): JsonObject =>
  Object.fromEntries(
    tagsOf(input.identity.infraID, awsOf(input.config).userTags).map(({ name, value }) => [name, value]),
  );

/** A root volume; 0 operations mean the volume type's own number and are left out. */
export const rootVolumeOf = (volume: RootVolume): JsonObject => ({
  encrypted: true,
  ...(volume.kmsKeyARN === undefined ? {} : { encryptionKey: volume.kmsKeyARN }),
  ...(volume.iops === 0 ? {} : { iops: volume.iops }),
  size: volume.size,
  ...(volume.throughput === undefined ? {} : { throughput: volume.throughput }),
  type: volume.type,
});

export function machineSettings(
  input: PlatformInput,
  pool: Pool,
  role: "master" | "worker",
  instanceType: string,
): View {
  const aws = awsOf(input.config);
  const primary = aws.ipFamily === "DualStackIPv6Primary" ? "enabled" : "disabled";
  return {
    tags: tagMap(input),
    amiID: pool.amiID ?? "",
    assignPrimaryIPv6: isDualStack(aws) ? primary : undefined,
    confidentialCompute: pool.confidentialCompute,
    dualStack: isDualStack(aws) ? true : undefined,
    httpTokens: pool.authentication === "Required" ? "required" : "optional",
    instanceProfile: pool.iamProfile ?? instanceProfile(input.identity.infraID, role),
    instanceType,
    rootVolume: rootVolumeOf(pool.rootVolume),
  };
}
