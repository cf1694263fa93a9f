/** Keys that the form or the target release does not know: what was probably meant, and where it belongs. */

import { holdsAt, isSince } from "../../core/by-release.js";
import type { Problem } from "../../core/diagnostics.js";
import { lookup } from "../../core/lookup.js";
import { formatRelease, type Release } from "../../core/release.js";
import { closest } from "../../text/closest.js";
import { type Form, type FormNotes, notesOf, resolveForm } from "../../text/form.js";
import { showKey } from "../../text/redactor.js";
import type { YamlNode } from "../../text/yaml-read.js";

/** Go compares keys without regard to case, and takes the Kelvin sign for k and the long s for s. */
export const foldKey = (key: string): string =>
  key.toLowerCase().replaceAll("\u212a", "k").replaceAll("\u017f", "s");

export interface UnknownKey {
  readonly name: string;
  readonly key: YamlNode;
  /** Path of the mapping that the key stands in. */
  readonly path: string;
  /** The field, where another release knows it. */
  readonly field: string | undefined;
  readonly notes: FormNotes;
  readonly holder: { readonly form: Form; readonly notes: FormNotes };
  readonly root: Form;
  readonly release: Release;
  /** The platforms that the document names. */
  readonly platforms: ReadonlySet<string>;
  /** Whether to look for what was meant; that costs more than the reading. */
  readonly suggest: boolean;
}

/** What is said of an unknown key, and the field of the same mapping that it is nearly. */
export interface UnknownKeyAnswer {
  readonly problem: Problem;
  readonly meant: string | undefined;
}

export function unknownKeyProblem(given: UnknownKey): UnknownKeyAnswer {
  const { name, key, path, field, notes, release } = given;
  const place = { kind: "NotSupported", line: key.line, column: key.column } as const;
  const target = formatRelease(release);
  const at = (member: string): string => (path === "" ? member : `${path}.${member}`);
  if (field !== undefined) {
    const { since, before, replacedBy } = notes;
    const early = since !== undefined && !isSince(release, since);
    const hint = replacedBy !== undefined ? `write ${at(replacedBy)}` : "leave it out";
    const problem: Problem = {
      ...place,
      code: "IC011",
      field: at(field),
      message: early
        ? `${target} does not know this field; it is new in ${since}`
        : `${target} no longer knows this field; ${before} removed it`,
      hint: early ? `leave it out, or choose --release ${since} or newer where slipway has it` : hint,
    };
    return { problem, meant: undefined };
  }
  const removed = lookup(given.holder.notes.removed, foldKey(name));
  const manifest = byManifest(at(name));
  const meant = removed === undefined && manifest === undefined ? nearField(given) : undefined;
  const problem: Problem = {
    ...place,
    code: "IC010",
    field: at(showKey(name)),
    message:
      removed === undefined
        ? `there is no field ${showKey(name)} ${path === "" ? "at the top" : `in ${path}`}`
        : `${showKey(name)} is gone${removed.before === undefined ? " since the first releases" : `; ${removed.before} removed it`}`,
    hint: removed === undefined ? (manifest ?? suggestion(given, meant)) : successorOf(removed),
  };
  return { problem, meant };
}

const NETWORK_MANIFEST =
  "no field of an install-config sets it: write a Network of operator.openshift.io/v1 into manifests/cluster-network-03-config.yml once the manifests are there";
const machineConfig = (what: string): string =>
  `no field of an install-config sets it: add ${what} to openshift/ once the manifests are there`;
const CHRONY = machineConfig("a MachineConfig with the file /etc/chrony.conf");

/** What people look for in an install-config and what a manifest sets instead, by folded path. */
const BY_MANIFEST: ReadonlyMap<string, string> = new Map([
  ["ntpservers", CHRONY],
  ["ntp", CHRONY],
  ["timeservers", CHRONY],
  ["networking.ntpservers", CHRONY],
  ["networking.defaultnetwork", NETWORK_MANIFEST],
  ["networking.mtu", NETWORK_MANIFEST],
  ["networking.additionalnetworks", NETWORK_MANIFEST],
  ["networking.kubeproxyconfig", NETWORK_MANIFEST],
  ["kubeletconfig", machineConfig("a KubeletConfig")],
  ["kernelarguments", machineConfig("a MachineConfig with kernelArguments")],
]);

const byManifest = (path: string): string | undefined => BY_MANIFEST.get(foldKey(path));

const successorOf = ({ instead }: { readonly instead?: string }): string =>
  instead === undefined ? "leave it out" : `write ${instead}`;

function nearField({ name, holder, root, release, suggest }: UnknownKey): string | undefined {
  if (!suggest) return undefined;
  const known = Object.entries(holder.form.properties ?? {})
    .filter(([, form]) => holdsAt(notesOf(form, root), release))
    .map(([each]) => each);
  return closest(name, known);
}

function suggestion(
  { name, path, root, release, platforms, suggest }: UnknownKey,
  meant: string | undefined,
): string {
  if (!suggest) return "";
  if (meant !== undefined) return `did you mean ${meant}?`;
  const places = placesOf(root, release).filter(({ path: where }) => {
    const platform = /(?:^|\.)platform\.(\w+)/.exec(where)?.[1];
    return platform === undefined || platforms.size === 0 || platforms.has(platform);
  });
  const elsewhere = places.filter(({ member }) => foldKey(member) === foldKey(name));
  const [best, ...others] = elsewhere.filter((each) => each.path !== path).map((each) => each.path);
  if (best !== undefined && others.length < 4)
    return `it belongs ${[best, ...others].map((each) => (each === "" ? "to the top" : `below ${each}`)).join(" or ")}`;
  const misspelt = closest(name, new Set(places.map(({ member }) => member)));
  if (misspelt !== undefined && path === "") {
    const [where] = places.filter(({ member }) => member === misspelt);
    if (where !== undefined)
      return `did you mean ${where.path === "" ? misspelt : `${where.path}.${misspelt}`}?`;
  }
  return "slipway explain install-config lists the fields";
}

interface FieldPlace {
  readonly path: string;
  readonly member: string;
}

/** Every field of a form with the path of its holder, `[]` for "each item"; outer fields first. */
function placesOf(root: Form, release: Release): FieldPlace[] {
  const places: FieldPlace[] = [];
  let level: { form: Form; path: string }[] = [{ form: root, path: "" }];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { form, path } of level)
      for (const [member, child] of Object.entries(form.properties ?? {})) {
        if (child.deprecated === true || !holdsAt(notesOf(child, root), release)) continue;
        places.push({ path, member });
        const target = resolveForm(child, root);
        const field = path === "" ? member : `${path}.${member}`;
        if (target.items !== undefined)
          next.push({ form: resolveForm(target.items, root), path: `${field}[]` });
        else next.push({ form: target, path: field });
      }
    level = next;
  }
  return places;
}
