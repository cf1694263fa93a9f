/** Keys that the form or the target release does not know: what was probably meant, and where it belongs. */

import { holdsAt, isSince } from "../../core/by-release.js";
import type { Problem } from "../../core/diagnostics.js";
import { lookup } from "../../core/lookup.js";
import { below, problem } from "../../core/problem.js";
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
  /** What the document is called, where it is not an install-config. */
  readonly document: string | undefined;
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
  const place = { line: key.line, column: key.column };
  const target = formatRelease(release);
  if (field !== undefined) {
    const { since, before, replacedBy } = notes;
    const early = since !== undefined && !isSince(release, since);
    const known = problem(
      "IC011",
      "NotSupported",
      below(path, field),
      early
        ? `unsupported field in ${target}: added in ${since}`
        : `unsupported field in ${target}: removed in ${before}`,
      {
        ...place,
        hint: early
          ? `remove it, or use --release ${since} or newer if slipway supports it`
          : replacedBy === undefined
            ? REMOVE
            : `use ${below(path, replacedBy)}`,
      },
    );
    return { problem: known, meant: undefined };
  }
  const removed = lookup(given.holder.notes.removed, foldKey(name));
  const manifest = given.document === undefined ? BY_MANIFEST.get(foldKey(below(path, name))) : undefined;
  const meant = removed === undefined && manifest === undefined ? nearField(given) : undefined;
  const unknown = problem(
    "IC010",
    "NotSupported",
    below(path, showKey(name)),
    removed === undefined
      ? "unknown field"
      : `unsupported field: removed${removed.before === undefined ? "" : ` in ${removed.before}`}`,
    {
      ...place,
      hint: removed === undefined ? (manifest ?? suggestion(given, meant)) : successorOf(removed),
    },
  );
  return { problem: unknown, meant };
}

const REMOVE = "remove it";
const NETWORK_MANIFEST =
  "this is not set in the install-config: after create manifests, write a Network (operator.openshift.io/v1) to manifests/cluster-network-03-config.yml";
const machineConfig = (what: string): string =>
  `this is not set in the install-config: after create manifests, add ${what} to openshift/`;
const CHRONY = machineConfig("a MachineConfig with the file /etc/chrony.conf");

/** Settings that are looked for in an install-config and that a manifest sets instead, by folded path. */
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

const successorOf = ({ instead }: { readonly instead?: string }): string =>
  instead === undefined ? REMOVE : `use ${instead}`;

function nearField({ name, holder, root, release, suggest }: UnknownKey): string | undefined {
  if (!suggest) return undefined;
  const known = Object.entries(holder.form.properties ?? {})
    .filter(([, form]) => holdsAt(notesOf(form, root), release))
    .map(([each]) => each);
  return closest(name, known);
}

function suggestion(
  { name, path, root, release, platforms, document = "install-config", suggest }: UnknownKey,
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
    return `move it ${[best, ...others].map((each) => (each === "" ? "to the top level" : `below ${each}`)).join(" or ")}`;
  const near = closest(name, new Set(places.map(({ member }) => member)));
  if (near !== undefined && path === "") {
    const [where] = places.filter(({ member }) => member === near);
    if (where !== undefined) return `did you mean ${below(where.path, near)}?`;
  }
  return `to list the fields, run: slipway explain ${document}`;
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
