/**
 * Before a value counts as lost, every key of every configuration that was given is tried on it: a resource that was
 * dropped from its rule, a key under another name or in another rule, or another server's file, cost one line of
 * configuration, and no object.
 */
import { openCbc, openGcm, openSecretbox } from "./ciphers.js";
import type { ConfigRule, EncryptionConfig } from "./config.js";
import { formatGroupResource, type GroupResource } from "./group-resource.js";
import { PLUGIN_ERROR, readKmsV1, readKmsV2, type Unwrap, type WrappedKey } from "./kms.js";
import { ENCRYPTED, isEncrypted, type KeyedKind, type Provider } from "./providers.js";

/** What would read a value that a server does not read, and where it stands. */
export interface FoundKey {
  /** How the value says that it was written; `identity` for a plain one. */
  readonly kind: Provider["kind"];
  /** Name of the key, or of the plug-in, in the value. */
  readonly asked: string;
  /** Where the key stands. Undefined for a plain value, which needs none. */
  readonly at: KeyPlaceInConfig | undefined;
  /** False where only a plug-in could tell, which was not asked: the key may be the right one. */
  readonly certain: boolean;
}

export interface KeyPlaceInConfig {
  readonly config: EncryptionConfig;
  readonly rule: ConfigRule;
  readonly kind: Provider["kind"];
  readonly name: string;
}

interface Key extends KeyPlaceInConfig {
  readonly secret: Buffer;
}

interface Plugin extends KeyPlaceInConfig {
  readonly version: "v1" | "v2";
}

/** Names are looked for in so many bytes behind the provider: no longer one is usual, and a body may hold colons. */
const LONGEST_NAME = 253;
const COLON = 0x3a;
const OPEN = { aescbc: openCbc, aesgcm: openGcm, secretbox: openSecretbox } as const;

export class KeySearch {
  private readonly keys: readonly Key[];
  private readonly plugins: readonly Plugin[];
  /** Equal findings are one object, since a copy may hold many values of a key. */
  private readonly known = new Map<string, FoundKey>();

  /** `onUnanswered` is told of wrapped keys whose answer would decide. */
  constructor(
    private readonly configs: readonly EncryptionConfig[],
    private readonly unwrap: Unwrap,
    private readonly onUnanswered: (key: WrappedKey) => void,
  ) {
    const places = configs.flatMap((config) =>
      config.rules.flatMap((rule) => rule.providers.map((provider) => ({ config, rule, provider }))),
    );
    this.keys = places.flatMap(({ config, rule, provider }) =>
      provider.kind === "identity" || provider.kind === "kms"
        ? []
        : provider.keys.map(({ name, secret }) => ({ config, rule, kind: provider.kind, name, secret })),
    );
    this.plugins = places.flatMap(({ config, rule, provider }) =>
      provider.kind === "kms"
        ? [{ config, rule, kind: provider.kind, name: provider.name, version: provider.version }]
        : [],
    );
  }

  /**
   * Looks for what reads the value. `accept` says whether plain bytes are an object of the place, since AES-CBC takes a
   * wrong key once in 256 values. `first` is the file whose own keys are preferred.
   */
  find(
    value: Buffer,
    key: string,
    first: EncryptionConfig | undefined,
    accept: (data: Buffer) => boolean,
  ): FoundKey | undefined {
    if (this.configs.length === 0) return undefined;
    if (!isEncrypted(value))
      return accept(value)
        ? this.remember({ kind: "identity", asked: "", at: undefined, certain: true })
        : undefined;
    const [, kind, version] = /^k8s:enc:([a-z]+):(v[0-9]+):/.exec(value.toString("latin1", 0, 32)) ?? [];
    if (kind === undefined || version === undefined) return undefined;
    const start = ENCRYPTED.length + kind.length + version.length + 2;
    if (kind === "kms") return this.byPlugin(value, start, version, key, accept);
    if (version !== "v1" || !isKeyedKind(kind)) return undefined;
    const authenticated = Buffer.from(key, "latin1");
    const found: (Key & { readonly asked: string })[] = [];
    for (const { asked, body } of namesAt(value, start))
      for (const each of this.keys) {
        if (kind === "secretbox" && each.secret.length !== 32) continue;
        const opened = OPEN[kind](each.secret, body, authenticated);
        if (opened.ok && accept(opened.data)) found.push({ ...each, asked });
      }
    const rank = (each: Key & { readonly asked: string }): number =>
      (each.config === first ? 0 : 4) + (each.name === each.asked ? 0 : 2) + (each.kind === kind ? 0 : 1);
    const [best] = found.sort((a, b) => rank(a) - rank(b));
    if (best === undefined) return undefined;
    const { asked, config, rule, name } = best;
    return this.remember({ kind, asked, at: { config, rule, kind: best.kind, name }, certain: true });
  }

  private byPlugin(
    value: Buffer,
    start: number,
    version: string,
    key: string,
    accept: (data: Buffer) => boolean,
  ): FoundKey | undefined {
    if (version !== "v1" && version !== "v2") return undefined;
    const authenticated = Buffer.from(key, "latin1");
    let possible: FoundKey | undefined;
    for (const { asked, body } of namesAt(value, start))
      for (const plugin of [...this.plugins].sort(
        (a, b) => Number(b.name === asked) - Number(a.name === asked),
      )) {
        if (plugin.version !== version) continue;
        const found = { kind: "kms", asked, at: plugin } as const;
        const read = version === "v1" ? readKmsV1 : readKmsV2;
        // The answers may name the plug-in as the value does, or as the configuration.
        const ask: Unwrap = (wrapped) => this.unwrap(wrapped) ?? this.unwrap({ ...wrapped, provider: asked });
        const { result, wrapped } = read(plugin.name, body, authenticated, ask);
        if (result.ok) {
          if (accept(result.data)) return this.remember({ ...found, certain: true });
        } else if (wrapped !== undefined && result.errors.some((error) => error.includes(PLUGIN_ERROR))) {
          this.onUnanswered(wrapped);
          possible ??= this.remember({ ...found, certain: false });
        }
      }
    return possible;
  }

  private remember(found: FoundKey): FoundKey {
    const { kind, asked, at, certain } = found;
    const place = at === undefined ? "" : `${at.config.file}\0${at.rule.number}\0${at.kind}\0${at.name}`;
    const id = `${kind}\0${asked}\0${place}\0${certain}`;
    const known = this.known.get(id) ?? found;
    this.known.set(id, known);
    return known;
  }
}

const isKeyedKind = (kind: string): kind is KeyedKind => Object.hasOwn(OPEN, kind);

/** A name may hold colons, and a renamed one stands nowhere else: every colon may be the end of it. */
function* namesAt(
  value: Buffer,
  start: number,
): Generator<{ readonly asked: string; readonly body: Buffer }> {
  const end = Math.min(value.length, start + LONGEST_NAME);
  for (let at = value.indexOf(COLON, start); at >= 0 && at < end; at = value.indexOf(COLON, at + 1))
    yield { asked: value.toString("utf8", start, at), body: value.subarray(at + 1) };
}

/**
 * The change to one server's file after which it reads the value, in words: which rule, which key. `resource` is how
 * the configuration names what the key holds.
 */
export function configurationChange(
  { kind, asked, at, certain }: FoundKey,
  server: EncryptionConfig,
  resource: GroupResource,
): string {
  const label = formatGroupResource(resource);
  const own = rulesOf(server, resource);
  const [rule] = own;
  const where = rule === undefined ? "" : `rule ${rule.number} (line ${rule.line}), which has ${label}`;
  if (at === undefined) return `add identity: {} at the end of the providers of ${where}`;
  const named = (name: string): string => JSON.stringify(name);
  const source = `${at.kind} ${at.kind === "kms" ? "plug-in" : "key"} ${named(at.name)}`;
  const home = `rule ${at.rule.number} (line ${at.rule.line})${at.config === server ? "" : ` of ${at.config.file}`}`;
  const same = at.name === asked && at.kind === kind;
  const inside = at.config === server && (rule === undefined || own.includes(at.rule));
  const list = kind === "kms" ? "a kms provider" : `a key of ${kind}`;
  const entry = `${list} with the name ${named(asked)} and ${kind === "kms" ? "the endpoint" : "the secret"} of the ${source}`;
  const maybe = certain ? "" : ", if the plug-in can still unwrap it (set --kms-answers to its answer)";
  const parts: string[] = [];
  if (inside) {
    if (!same) parts.push(`append ${entry} to ${home}`);
    if (rule === undefined)
      parts.push(`add ${named(label)} to the resources of ${home}${same ? `, which has the ${source}` : ""}`);
  } else if (rule !== undefined) parts.push(`append ${entry} in ${home} to ${where}`);
  else parts.push(`add a rule with the resources [${named(label)}] and ${entry} in ${home}`);
  // The provider is in place: what is missing is the plug-in's answer.
  if (parts.length === 0) return `the ${source} in ${home} may unwrap it (set --kms-answers to its answer)`;
  return `${parts.join(", and ")}${maybe}`;
}

const rulesOf = ({ rules }: EncryptionConfig, { group, resource }: GroupResource): ConfigRule[] => {
  const matching = rules.filter(({ resources }) =>
    resources.some((each) => each.group === group && each.resource === resource),
  );
  if (matching.length > 0) return matching;
  const wild = rules.filter(({ resources }) =>
    resources.some((each) => each.resource === "*" && (each.group === group || each.group === "*")),
  );
  return wild;
};
