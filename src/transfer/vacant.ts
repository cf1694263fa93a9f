/**
 * Volumes whose claim is gone: Released and kept, or Available and reserved for a name that nobody has. They can be
 * handed over as if their claim were still there; what the claim said is read off the volume.
 */
import type { JsonObject } from "../core/json.js";
import { CLAIM_KIND } from "../crd/storage-transfer.js";
import { shellWord } from "../text/shell.js";
import { type Name, nameText } from "./api.js";
import { at, listAt, objectAt, textAt } from "./object.js";
import { policyOf } from "./patches.js";
import { isReleased } from "./reference.js";
import { type ClusterState, having, type KeysOf, type Observed } from "./state.js";
import { storageClassOf, volumeModeOf } from "./target-claim.js";

const claimNamed: KeysOf = (volume) => {
  const { namespace, name } = referred(volume);
  return name === "" ? [] : [nameText({ namespace, name })];
};

const referred = (volume: JsonObject): Name => ({
  namespace: textAt(volume, "spec", "claimRef", "namespace"),
  name: textAt(volume, "spec", "claimRef", "name"),
});

/**
 * The volumes that a claim which is gone has left. One that names nobody could have been anybody's, so that it only
 * counts when the approval names it.
 *
 * @param pinned the volume that an approval names; undefined when it names none
 */
export function vacatedBy(
  source: Name,
  pinned: string | undefined,
  state: Pick<ClusterState, "volumes">,
): readonly Observed[] {
  // One that is Bound has a claim, which the dump does not show.
  const left = having(state.volumes, claimNamed, nameText(source)).filter(
    ({ object }) => textAt(object, "status", "phase") !== "Bound",
  );
  if (pinned === undefined) return left;
  const named = state.volumes.get(pinned);
  const isFree = named !== undefined && at(named.object, "spec", "claimRef") === undefined;
  return isFree ? [named] : left.filter(({ object }) => textAt(object, "metadata", "name") === pinned);
}

/** The claim that a volume would fit, in the place of the one that is gone; its uid is empty where no uid is noted. */
export function claimOfVacant(source: Name, { object, ...place }: Observed): Observed {
  const storageClass = storageClassOf(object);
  return {
    ...place,
    object: {
      apiVersion: "v1",
      kind: CLAIM_KIND,
      metadata: { ...source, uid: textAt(object, "spec", "claimRef", "uid") },
      spec: {
        accessModes: listAt(object, "spec", "accessModes"),
        resources: { requests: { storage: textAt(object, "spec", "capacity", "storage") } },
        storageClassName: storageClass ?? "",
        volumeMode: volumeModeOf(object),
        volumeName: textAt(object, "metadata", "name"),
        ...(at(object, "spec", "volumeAttributesClassName") === undefined
          ? {}
          : { volumeAttributesClassName: textAt(object, "spec", "volumeAttributesClassName") }),
      },
      status: {
        phase: "Lost",
        ...(at(object, "spec", "volumeAttributesClassName") === undefined
          ? {}
          : { currentVolumeAttributesClassName: textAt(object, "spec", "volumeAttributesClassName") }),
      },
    },
  };
}

/** Why such a volume cannot be handed over; undefined when it can. */
export function vacantFault(
  volume: JsonObject,
): { readonly message: string; readonly hint: string } | undefined {
  const name = textAt(volume, "metadata", "name");
  const phase = textAt(volume, "status", "phase");
  if (isReleased(volume) && policyOf(volume) !== "Retain")
    return {
      message: `volume ${name} is ${phase} with reclaim policy ${policyOf(volume)}: it may be destroyed at any time`,
      hint: `immediately run kubectl patch persistentvolume ${shellWord(name)} --type=merge --patch '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}', then take a new dump`,
    };
  if (phase === "Released") return undefined;
  if (phase === "Available" && textAt(objectAt(volume, "spec", "claimRef"), "uid") === "") return undefined;
  return {
    message: `volume ${name} is ${phase === "" ? "without a phase" : phase}, although its claim does not exist`,
    hint:
      phase === "Failed"
        ? "check its status.message and its data before using it; deleting or recycling its storage was attempted"
        : "wait for the PersistentVolume controller, then take a new dump of all namespaces",
  };
}
