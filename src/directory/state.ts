/**
 * `.openshift_install_state.json`: identity, keys and what was generated, for later phases of ours and for
 * upstream's binary. Form and names are upstream's (docs/reference/install-config-and-manifests.md §2.5,
 * docs/reference/ignition-configs.md §7c); what upstream does not know stands under `slipway.dev/…`, which it keeps.
 */
import { decode, encode } from "../core/files.js";
import { equalJson, isObject, type Json, type JsonObject, textAt } from "../core/json.js";
import { type Problem, problem } from "../core/problem.js";
import type { InstallerState as Members } from "../generated/types/installer-state.js";
import { markOfMerge } from "../text/merge-marks.js";
import { STATE_FILE } from "./layout.js";
import { schemaFaults } from "./schema-faults.js";
import type { StateFile } from "./state-files.js";
import { memberOf, readMembers, type StateMember, writeMembers } from "./state-json.js";
import { changedMembers, type StateChanges, type StateView, viewOf } from "./state-members.js";
import {
  memberCertificate,
  membersOfManifests,
  pairMembers,
  pkiMembers,
  withoutDerived,
} from "./state-pki.js";

export type { StateChanges, StateFile, StateView };

/** A state that was read: what we know of it, and the text of every member. */
export interface InstallerState extends StateView {
  readonly members: ReadonlyMap<string, StateMember>;
  readonly bytes: Uint8Array;
}

/** Members that only slipway reads; they are replaced as a whole. */
const OWN_PREFIX = "slipway.dev/";

export type ParsedState =
  | { readonly state: InstallerState; readonly problems: readonly [] }
  | { readonly state: undefined; readonly problems: readonly Problem[] };

/**
 * Reads a state file. Nothing of its content appears in a problem.
 * @param back the way back to it that there is beside a copy, as the beginning of a hint
 */
export async function parseState(bytes: Uint8Array, back = ""): Promise<ParsedState> {
  const hint = `${back}restore the file from a backup; it contains the identity and the keys of the cluster`;
  const text = decode(bytes);
  const members = text === undefined ? undefined : readMembers(text);
  const mark = members !== undefined || text === undefined ? undefined : markOfMerge(text, STATE_FILE);
  if (mark !== undefined) {
    const problem: Problem = {
      ...mark,
      code: "DIR010",
      hint: "use one of the two versions as a whole, with git checkout --ours or --theirs; parts of two states do not match",
    };
    return { state: undefined, problems: [problem] };
  }
  if (members === undefined) {
    const what =
      text === undefined
        ? "is not UTF-8 text"
        : text.trim() === ""
          ? "is empty"
          : "is not a single JSON object; it may be truncated";
    const found = problem("DIR010", "Parse", "", `${STATE_FILE} ${what}`, { file: STATE_FILE, hint });
    return { state: undefined, problems: [found] };
  }
  const { default: validate } = await import("../generated/validators/installer-state.js");
  const isState = (value: unknown): value is Members => validate(value);
  const value: unknown = Object.fromEntries([...members].map(([key, member]) => [key, member.value]));
  if (!isState(value)) {
    const problems = schemaFaults(validate.errors ?? []).map(
      ({ field, message: fault }): Problem =>
        problem("DIR011", "Invalid", field, fault, { file: STATE_FILE, hint }),
    );
    return { state: undefined, problems };
  }
  return { state: { ...viewOf({ value, members }), members, bytes }, problems: [] };
}

const textOf = (base64: string): string => Buffer.from(base64, "base64").toString("utf8");

/**
 * A private key that upstream made in its ignition-configs target, PEM, by the type name of its asset, such as
 * `*tls.KubeletCSRSignerCertKey`. Undefined where the state has none.
 */
export function upstreamKey({ members }: InstallerState, member: string): string | undefined {
  const value = members.get(member)?.value;
  if (!isObject(value)) return undefined;
  // Certificates, key pairs and the SSH key name the same thing differently.
  const raw = value["KeyRaw"] ?? value["Pvt"] ?? value["Priv"];
  const text = typeof raw === "string" ? textOf(raw) : "";
  return text.startsWith("-----BEGIN ") ? text : undefined;
}

/** A certificate of the ignition-configs phase, ours or upstream's, PEM, by the type name of its asset. */
export const upstreamCertificate = ({ members }: InstallerState, member: string): string | undefined =>
  memberCertificate(members.get(member)?.value);

/** User and password that upstream keeps under a type name such as `*tls.IRIRegistryCredentials`. */
export function upstreamLogin(
  { members }: InstallerState,
  member: string,
): { readonly user: string; readonly password: string } | undefined {
  const value = members.get(member)?.value;
  if (!isObject(value)) return undefined;
  const [user, password] = [textAt(value, "Username"), textAt(value, "Password")];
  return user === "" || password === "" ? undefined : { user, password };
}

const INSTALL_CONFIG = "*installconfig.InstallConfig";

/** The install-config as the agent-based installer keeps it, so that it goes on from what was compiled and edited. */
function agentInstallConfig(kept: Json | undefined): [string, JsonObject][] {
  if (!isObject(kept)) return [];
  const { config = null, file = null } = kept;
  return [["*agent.OptionalInstallConfig", { config, file, Supplied: true }]];
}

/** The state as the manifests phase leaves it, without what ignition-configs adds. */
export function stateOfManifests(state: InstallerState): InstallerState {
  const members = membersOfManifests(state.members);
  if (members.size === state.members.size) return state;
  return { ...state, members, bytes: encode(writeMembers(members)) };
}

/**
 * The bytes of a state after a change. Members that are not in `changes`, and members that already say the same,
 * keep their text; unknown members inside of changed ones stay.
 */
export function writeState(old: InstallerState | undefined, changes: StateChanges): Uint8Array {
  const members = new Map(old?.members ?? []);
  const set = (changed: readonly (readonly [key: string, value: JsonObject])[]): number =>
    changed.filter(([key, value]) => {
      const before = members.get(key)?.value;
      const merged = isObject(before) && !key.startsWith(OWN_PREFIX) ? { ...before, ...value } : value;
      if (equalJson(before, merged)) return false;
      members.set(key, memberOf(merged));
      return true;
    }).length;
  set(changedMembers(changes, members));
  if (changes.agentPairs !== undefined)
    set([...pairMembers(changes.agentPairs), ...agentInstallConfig(members.get(INSTALL_CONFIG)?.value)]);
  const certified = changes.pki === undefined ? 0 : set(pkiMembers(changes.pki));
  return encode(writeMembers(certified > 0 ? withoutDerived(members) : members));
}
