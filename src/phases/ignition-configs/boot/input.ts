/** What the boot sequence of the bootstrap node depends on (docs/reference/ignition-configs.md §2d, §2f). */
import type { Release } from "../../../core/release.js";
import type { Topology } from "../../manifests/topology.js";

export interface BootInput {
  readonly release: Release;
  /** Pull spec of the release image, by digest as a rule. */
  readonly releaseImage: string;
  /** `NAME.baseDomain`; the API is at `api.` and `api-int.` of it. */
  readonly clusterDomain: string;
  /** `status.controlPlaneTopology` of Infrastructure/cluster; HighlyAvailable waits for a second API server. */
  readonly controlPlaneTopology: Topology;
  /** Handed to the cluster version operator's render; without it that program's own default holds. */
  readonly clusterProfile?: string;
  /** The node's address for the kubelet (upstream: OPENSHIFT_INSTALL_BOOTSTRAP_NODE_IP). */
  readonly nodeAddress?: string;
  /** The first service network is IPv6: without a node address the kubelet takes an IPv6 address of its own. */
  readonly ipv6First: boolean;
  /**
   * Every file that the config puts below /opt/openshift, as a path relative to it, such as
   * `manifests/image-digest-mirror-set.yaml`, `openshift/99_feature-gate.yaml`, `tls/root-ca.crt` and
   * `original_cvo_overrides.patch`. Flags that depend on a file follow from it, and a step's inputs are checked
   * against it.
   */
  readonly files: readonly string[];
  /** The machine installs itself to this disk and restarts from it; undefined where it brings up other machines. */
  readonly installationDisk?: string;
}
