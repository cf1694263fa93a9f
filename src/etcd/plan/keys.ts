/** Which keys unreadable values ask for. A key that is found again makes a deletion needless. */
import type { OutputFile } from "../../core/files.js";
import type { Renderer } from "../../text/render.js";
import { changesFor, failureOf, rowKey } from "../audit.js";
import { providersOf } from "../encryption/config.js";
import { formatGroupResource } from "../encryption/group-resource.js";
import { PLUGIN_ERROR } from "../encryption/kms.js";
import { AND_MORE } from "../encryption/providers.js";
import { encryptedAs } from "../key-layout.js";
import type { Survey } from "../scan.js";
import type { Judge } from "../verdict.js";

export type Cause = "lost" | "other-material" | "not-answered" | "structure";

export interface MissingKey {
  readonly provider: string;
  readonly keyName: string;
  objects: number;
  readonly resources: Map<string, number>;
  readonly error: string;
  readonly cause: Cause;
  readonly example: string;
}

export interface ConfigurationChange {
  readonly file: string;
  readonly change: string;
  objects: number;
  readonly example: string;
}

export interface Keys {
  readonly missing: readonly MissingKey[];
  /** Resources with plain values, whose rule has no identity provider. */
  readonly identity: readonly string[];
  /** Changes that make values readable whose key a given configuration has. */
  readonly changes: readonly ConfigurationChange[];
  readonly files: readonly OutputFile[];
}

const ACTIONS: Readonly<Record<Cause, string>> = {
  lost: "restore the key in the configuration of every API server, after the key that encrypts; nothing needs to be deleted then",
  "other-material":
    "compare the key with the one that was in use when the value was written; if it is the same, the value is damaged or was moved",
  "not-answered": "have the plug-in unwrap the keys and set --kms-answers to the answers",
  structure: "the value is damaged; no key makes it readable",
};

/** What each missing key asks the administrator to do. */
export const actionOf = ({ cause, keyName }: MissingKey): string =>
  keyName.endsWith(AND_MORE)
    ? `${ACTIONS[cause]}; its name starts with ${JSON.stringify(keyName.slice(0, -1))}`
    : ACTIONS[cause];

/** False where the value itself is damaged, so that no configuration reads it. */
export const mayComeBack = ({ cause }: MissingKey): boolean => cause !== "structure";

export function compileKeys(
  survey: Survey,
  judge: Judge,
  namespace: string | undefined,
  render: Renderer,
): Keys {
  const { table, configs } = survey;
  const missing = new Map<string, MissingKey>();
  const identity = new Set<string>();
  const changes = new Map<string, ConfigurationChange>();
  for (const row of survey.order()) {
    const resource = table.resourceOf(row);
    const name = encryptedAs(resource);
    if (namespace !== undefined && table.restOf(row)[0] !== namespace) continue;
    const provider = table.provider(row);
    const failure = failureOf(table, row, judge.of(table, row));
    const fixes = provider === undefined ? [] : changesFor(survey, row);
    for (const { file, change } of fixes) {
      const id = `${file}\0${change}`;
      const entry = changes.get(id) ?? { file, change, objects: 0, example: rowKey(table, row) };
      entry.objects++;
      changes.set(id, entry);
    }
    if (fixes.length > 0) continue;
    if (provider === undefined) {
      if (failure?.kind !== "untransformable") continue;
      const listed = configs.some((config) => {
        const list = providersOf(config, name);
        return list !== undefined && !list.some(({ kind }) => kind === "identity");
      });
      if (listed) identity.add(formatGroupResource(name));
      continue;
    }
    if (failure?.kind !== "untransformable") continue;
    const keyName = table.keyName(row) ?? "";
    const id = [provider, keyName, failure.error].join("\0");
    const entry = missing.get(id) ?? {
      provider,
      keyName,
      objects: 0,
      resources: new Map<string, number>(),
      error: failure.error,
      cause: causeOf(failure.error),
      example: rowKey(table, row),
    };
    entry.objects++;
    const label = formatGroupResource(name);
    entry.resources.set(label, (entry.resources.get(label) ?? 0) + 1);
    missing.set(id, entry);
  }
  const list = [...missing.values()];
  const names = [...identity].sort();
  const fixes = [...changes.values()];
  if (list.length + names.length + fixes.length === 0)
    return { missing: list, identity: names, changes: fixes, files: [] };
  const keys = list.map((each) => ({
    provider: each.provider,
    keyName: each.keyName,
    objects: each.objects,
    resources: Object.fromEntries([...each.resources].sort(([a], [b]) => (a < b ? -1 : 1))),
    error: each.error,
    cause: each.cause,
    action: actionOf(each),
    example: each.example,
  }));
  const view = {
    keys,
    identity: names.length === 0 ? undefined : names,
    configuration: fixes.length === 0 ? undefined : fixes.map((each) => ({ ...each })),
  };
  return {
    missing: list,
    identity: names,
    changes: fixes,
    files: [render.file("etcd/keys-to-restore.yaml", view, "10_keys-to-restore.yaml")],
  };
}

const LOST = [
  "no matching prefix found",
  "identity transformer tried to read encrypted data",
  "no matching key was found for the provided AES transformer",
  "no matching key was found for the provided Secretbox transformer",
];

function causeOf(error: string): Cause {
  if (LOST.includes(error)) return "lost";
  if (error.includes(PLUGIN_ERROR) || error.startsWith("failed to decrypt DEK")) return "not-answered";
  if (
    /shorter than|multiple of the block|validate|is empty|unknown encryptedDEKSourceType|uint16|proto:/.test(
      error,
    )
  )
    return "structure";
  return "other-material";
}
