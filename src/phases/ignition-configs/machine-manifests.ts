/**
 * Which files of openshift/ the installer counts among the machines, by their names (docs/reference/ignition-configs.md
 * §7a). They reach the cluster like all others, but the cluster version is not told to leave their objects alone.
 */
import type { Release } from "../../core/release.js";
import { inForce } from "../../platforms/release-changes.js";

const fileName = (pattern: string): RegExp =>
  new RegExp(`^openshift/${pattern.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`);

/** The same in every release; an arbiter's machines and Cluster API machine sets are not among them. */
const NAMES: readonly RegExp[] = [
  "99_openshift-cluster-api_master-user-data-secret.yaml",
  "99_openshift-cluster-api_worker-user-data-secret.yaml",
  "99_openshift-machine-api_master-control-plane-machine-set.yaml",
  "99_openshift-machineconfig_*.yaml",
  "99_openshift-cluster-api_host-bmc-secrets-*.yaml",
  "99_openshift-cluster-api_host-network-config-secrets-*.yaml",
  "99_openshift-cluster-api_hosts-*.yaml",
  "99_openshift-cluster-api_master-machines-*.yaml",
  "99_openshift-cluster-api_worker-machineset-*.yaml",
  "99_openshift-machine-api_address-*master*.yaml",
  "99_openshift-machine-api_claim-*master*.yaml",
].map(fileName);

/** Since there are such files. */
const FENCING_NAME = fileName("99_openshift-etcd_fencing-credentials-secrets-*.yaml");
const FENCING = /99_openshift-etcd_fencing-credentials-secrets-[0-9]+.yaml/;

export const isMachineManifest = (path: string, release: Release): boolean =>
  NAMES.some((name) => name.test(path)) || (inForce(release, "fencingSecrets") && FENCING_NAME.test(path));

/** A file with the credentials of a host's management controller, which root alone may read. */
export const isFencingSecret = (path: string, release: Release): boolean =>
  inForce(release, "fencingSecrets") && FENCING.test(path);
