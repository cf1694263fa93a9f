/** What aws adds to the ignition phase (docs/reference/ignition-configs.md §1c, §2e, §3d, §8b). */
import type { JsonObject } from "../../core/json.js";
import { clusterDomain } from "../config.js";
import type { IgnitionParts } from "../ignition.js";
import type { PlatformIgnition, PlatformInput } from "../platform.js";
import { awsOf } from "./config.js";
import { partitionOf } from "./tables.js";

export const ignition: PlatformIgnition = {
  metadata,
  bootstrap,
  leftToInstaller:
    "the boot scripts, the upload to a bucket and the API address, which is known only after the load balancers are created, come from openshift-install",
};

/** What finds the resources of the cluster again: the tags that they carry. */
function metadata({ config, identity }: PlatformInput): JsonObject {
  const { region, serviceEndpoints = [], hostedZoneRole = "" } = awsOf(config);
  const { infraID, clusterID } = identity;
  return {
    aws: {
      region,
      ...(serviceEndpoints.length === 0
        ? {}
        : { serviceEndpoints: serviceEndpoints.map(({ name = "", url = "" }) => ({ name, url })) }),
      identifier: [
        { [`kubernetes.io/cluster/${infraID}`]: "owned" },
        { openshiftClusterID: clusterID },
        { [`sigs.k8s.io/cluster-api-provider-aws/cluster/${infraID}`]: "owned" },
      ],
      clusterDomain: clusterDomain(config),
      ...(hostedZoneRole === "" ? {} : { hostedZoneRole }),
    },
  };
}

/** Endpoints of secret regions have certificates of their own, which the trust bundle vouches for. */
function bootstrap({ config }: PlatformInput): IgnitionParts {
  const bundle = config.additionalTrustBundle ?? "";
  if (bundle === "" || !partitionOf(awsOf(config).region).secret) return { files: [], units: [] };
  return {
    files: [{ path: "/opt/openshift/tls/cloud-ca-cert.pem", mode: 0o600, data: bundle }],
    units: [],
  };
}
