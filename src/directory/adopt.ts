/**
 * A directory without a record whose state lists what was generated: one that `openshift-install create manifests`
 * made, or one of ours that lost its record. Files that are as the state lists them count as generated, others as
 * the user's edits. The files keep the form that they have; what our compilation gives for the same configuration
 * is remembered beside, so that only a change of the configuration makes them stale.
 */
import { decode, equalBytes } from "../core/files.js";
import type { Digester } from "./digest.js";
import type { StateFile } from "./state.js";
import type { Compilation, RecordEntry } from "./types.js";

export function adoptedBase(
  listed: readonly StateFile[],
  { files, before = files }: Compilation,
  digester: Digester,
): Map<string, RecordEntry> {
  const compiled = new Map(before.map((file) => [file.path, file]));
  const base = new Map<string, RecordEntry>();
  for (const { path, data } of listed) {
    const own = compiled.get(path);
    const isSame = own !== undefined && equalBytes(own.data, data);
    const digest = digester.of(isSame ? own.data : data, own?.secret ?? mayHoldSecret(data));
    if (digest === undefined) continue;
    const digests = [digest];
    if (own === undefined) base.set(path, { digests, compiled: null });
    else if (isSame) base.set(path, { digests });
    else base.set(path, { digests, compiled: digester.of(own.data, own.secret) ?? null });
  }
  return base;
}

const mayHoldSecret = (data: Uint8Array): boolean => !/^kind: (?!Secret)/m.test(decode(data) ?? "");
