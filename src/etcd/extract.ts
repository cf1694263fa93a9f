/** One value in plain, for the recovery of an object that no API shows. */

import type { Problem } from "../core/diagnostics.js";
import { problem, problemList } from "../core/problem.js";
import { decodeValue } from "./decode/decode.js";
import { encryptedBy } from "./encryption/providers.js";
import { WrappedKeys } from "./encryption/wrapped-keys.js";
import { KeyLayout, shownKey } from "./key-layout.js";
import { CopyFault } from "./read/copy-file.js";
import { keyOfText } from "./read/record.js";
import { Readers } from "./readers.js";
import type { ScanOptions } from "./scan.js";

export interface Extracted {
  /** The plain bytes; undefined when there are none. */
  readonly data: Buffer | undefined;
  /** True when the key is there and its value cannot be decrypted. */
  readonly refused: boolean;
  /** What is known of the value, without its content. */
  readonly facts: { readonly [name: string]: string };
}

/** @param withSlash the copy has the key with a slash before it */
export const noSuchKey = (key: string, withSlash: boolean): Problem =>
  problem(
    "ETC050",
    "NotFound",
    "--key",
    `key ${JSON.stringify(key)} is not in the copy`,
    withSlash
      ? `use ${JSON.stringify(shownKey(`/${key}`))}; keys start with a slash`
      : "list the keys with slipway etcd audit --objects-out FILE, or set --revision to an earlier revision",
  );

const NOTHING: Extracted = { data: undefined, refused: false, facts: {} };

/** Looks for a key in the copies, the newest record counting, and decrypts its value with the first configuration that can. */
export async function extract(
  text: string,
  { copies, at, prefixes, configs, answers, report, pause }: ScanOptions,
): Promise<Extracted> {
  const key = keyOfText(text);
  // Keys that come before may show a prefix that this one alone does not.
  const layout = new KeyLayout(prefixes);
  let found: { value: Buffer; modRevision: bigint } | undefined;
  let withSlash = false;
  let left = 1024;
  for (const copy of copies)
    try {
      for (const record of copy.live(at)) {
        layout.place(record.key);
        if (record.key === key && (found === undefined || record.modRevision > found.modRevision))
          found = { value: Buffer.from(record.value), modRevision: record.modRevision };
        else if (record.key === keyOfText(`/${text}`)) withSlash = true;
        if (--left > 0) continue;
        left = 1024;
        await pause?.();
      }
    } catch (error) {
      if (!(error instanceof CopyFault)) throw error;
      report(error.problem);
      return NOTHING;
    }
  if (found === undefined) {
    report(noSuchKey(text, withSlash));
    return NOTHING;
  }
  const { value, modRevision } = found;
  const reader = new Readers(configs, answers, new WrappedKeys(answers)).of(layout.place(key).resource);
  const by = encryptedBy(value, reader.providers);
  const facts = {
    key: shownKey(text),
    modRevision: modRevision.toString(),
    ...(by === undefined ? {} : { provider: by.provider, keyName: by.keyName }),
  };
  const errors = new Set<string>();
  for (const { transformer } of reader.servers) {
    const read = transformer.read(value, key);
    if (!read.ok) {
      errors.add(read.error);
      continue;
    }
    const { type, media } = decodeValue(read.data, reader.codec);
    return {
      data: read.data,
      refused: false,
      facts: {
        ...facts,
        ...(media === undefined ? {} : { media }),
        ...(type.apiVersion === undefined ? {} : { objectApiVersion: type.apiVersion }),
        ...(type.kind === undefined ? {} : { objectKind: type.kind }),
      },
    };
  }
  problemList(report, "--key").report(
    "ETC051",
    "Invalid",
    `the value cannot be decrypted: ${[...errors].join("; ")}`,
    "set --encryption-config to a file that contains the key of this value",
  );
  return { data: undefined, refused: true, facts };
}
