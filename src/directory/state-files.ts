/**
 * Which member of the state lists which generated file.
 *
 * Upstream keeps the files of `manifests/` in `*manifests.Manifests`, those of machines in `*machines.Master`,
 * `Worker` and `Arbiter`, and the rest of `openshift/` in `*manifests.Openshift`
 * (docs/reference/install-config-and-manifests.md §2.4, members as in a state that release 4.22 wrote).
 */
import { byCodeUnit } from "../core/files.js";
import type { Json, JsonObject } from "../core/json.js";

/** A file as the state lists it. */
export interface StateFile {
  readonly path: string;
  readonly data: Uint8Array;
}

interface MachineMember {
  readonly member: string;
  readonly names: RegExp;
  /** The member holds one file instead of a list. */
  readonly single?: boolean;
}

const of = (member: string, names: RegExp, single = false): MachineMember => ({ member, names, single });
const api = (rest: string): RegExp => new RegExp(`^99_openshift-cluster-api_${rest}\\.yaml$`);
const claims = (kind: string, role: string): RegExp =>
  new RegExp(`^99_openshift-machine-api_${kind}-(?=.*${role}).*\\.yaml$`);
const configs = (role: string): RegExp => new RegExp(`^99_openshift-machineconfig_(?=.*${role}).*\\.yaml$`);

/** Members of each machines asset, in the order of upstream's structs. */
export const MACHINE_MEMBERS: Readonly<Record<string, readonly MachineMember[]>> = {
  "*machines.Master": [
    of("UserDataFile", api("master-user-data-secret"), true),
    of("MachineConfigFiles", configs("master")),
    of("MachineFiles", api("master-machines-.*")),
    of("ControlPlaneMachineSet", /^99_openshift-machine-api_master-control-plane-machine-set\.yaml$/, true),
    of("IPClaimFiles", claims("claim", "master")),
    of("IPAddrFiles", claims("address", "master")),
    of("SecretFiles", api("host-bmc-secrets-.*")),
    of("NetworkConfigSecretFiles", api("host-network-config-secrets-.*")),
    of("HostFiles", api("hosts-.*")),
    of("FencingCredentialsSecretFiles", /^99_openshift-etcd_fencing-credentials-secrets-.*\.yaml$/),
  ],
  "*machines.Worker": [
    of("UserDataFile", api("worker-user-data-secret"), true),
    of("MachineConfigFiles", configs("worker")),
    of("MachineSetFiles", api("worker-machineset-.*")),
    of("MachineTemplateFiles", api("worker-machinetemplate-.*")),
    of("CAPIMachineSetFiles", api("worker-capi-machineset-.*")),
    of("MachineFiles", api("worker-machines-.*")),
    of("IPClaimFiles", claims("claim", "worker")),
    of("IPAddrFiles", claims("address", "worker")),
  ],
  "*machines.Arbiter": [
    of("UserDataFile", api("arbiter-user-data-secret"), true),
    of("MachineConfigFiles", configs("arbiter")),
    of("MachineFiles", api("arbiter-machines-.*")),
    of("IPClaimFiles", claims("claim", "arbiter")),
    of("IPAddrFiles", claims("address", "arbiter")),
    of("SecretFiles", api("arbiter_host-bmc-secrets-.*")),
    of("NetworkConfigSecretFiles", api("arbiter_host-network-config-secrets-.*")),
    of("HostFiles", api("arbiter_hosts-.*")),
  ],
};

export const fileJson = ({ path, data }: StateFile): JsonObject => ({
  Filename: path,
  Data: Buffer.from(data).toString("base64"),
});

const inOrder = (files: readonly StateFile[]): StateFile[] =>
  [...files].sort((a, b) => byCodeUnit(a.path, b.path));

/**
 * The lists as the state's members: `*manifests.Manifests` (FileList only), `*manifests.Openshift`, and the machines
 * that have files or are in `present` already.
 */
export function fileMembers(
  files: readonly StateFile[],
  present: readonly string[] = [],
): Map<string, JsonObject> {
  const members = new Map<string, JsonObject>();
  const manifests = files.filter(({ path }) => path.startsWith("manifests/"));
  let openshift = files.filter(({ path }) => path.startsWith("openshift/"));
  for (const [key, table] of Object.entries(MACHINE_MEMBERS)) {
    const own = new Map(table.map((each) => [each.member, openshift.filter((file) => belongs(file, each))]));
    const taken = new Set([...own.values()].flat());
    if (taken.size === 0 && !present.includes(key)) continue;
    openshift = openshift.filter((file) => !taken.has(file));
    members.set(key, machinesJson(table, own));
  }
  members.set("*manifests.Manifests", { FileList: inOrder(manifests).map(fileJson) });
  members.set("*manifests.Openshift", { FileList: inOrder(openshift).map(fileJson) });
  return members;
}

const MACHINES_FOLDER = "cluster-api/machines/";

/** The files of cluster-api/ as the state's members: those of machines, and the others. */
export function clusterApiMembers(files: readonly StateFile[]): Map<string, JsonObject> {
  const isMachine = ({ path }: StateFile): boolean => path.startsWith(MACHINES_FOLDER);
  const listOf = (own: readonly StateFile[]): JsonObject => ({ FileList: inOrder(own).map(fileJson) });
  return new Map([
    ["*machines.ClusterAPI", listOf(files.filter(isMachine))],
    ["*clusterapi.Cluster", listOf(files.filter((file) => !isMachine(file)))],
  ]);
}

const belongs = ({ path }: StateFile, { names }: MachineMember): boolean =>
  names.test(path.slice("openshift/".length));

function machinesJson(table: readonly MachineMember[], own: ReadonlyMap<string, StateFile[]>): JsonObject {
  const json: Record<string, Json> = {};
  for (const { member, single } of table) {
    const files = inOrder(own.get(member) ?? []);
    const [first] = files;
    json[member] = single === true ? (first === undefined ? null : fileJson(first)) : files.map(fileJson);
  }
  return json;
}
