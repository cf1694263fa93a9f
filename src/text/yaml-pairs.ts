/** The pairs of a mapping: keys to strings, a key that appears twice refused, merge keys spread. */
import { cut } from "./yaml-cursor.js";
import type { MappingEntry, MappingNode, ScalarNode, YamlNode } from "./yaml-nodes.js";
import { formatFloat32 } from "./yaml-scalars.js";

/** What happens when a merge key sets what is set already; see `ReadOptions`. */
export type MergeRule = "own-wins" | "refuse";
export type PairCode = "YAML001" | "YAML002" | "YAML004";

/** The pairs of one mapping while it is read: keys to strings, twice the same key refused, merge keys spread. */
export class Pairs {
  private readonly own: MappingEntry[] = [];
  private merged: MappingEntry[] = [];
  private readonly seen = new Map<string, ScalarNode>();
  /** True once another object seems to have begun, whose other keys say nothing new. */
  private runsOn = false;

  constructor(
    private readonly merge: MergeRule,
    private readonly refuse: (code: PairCode, at: YamlNode, message: string, hint: string) => void,
  ) {}

  add(key: YamlNode, value: YamlNode): void {
    if (key.type !== "scalar") {
      this.refuse("YAML004", key, "keys must be strings", "use a string as the key");
    } else if (isMergeKey(key)) {
      this.spread(value);
    } else {
      const name = keyName(key);
      if (name === undefined) this.refuse("YAML004", key, "the key is not a string", "put the key in quotes");
      else this.set(name, key, value);
    }
  }

  private set(name: string, key: ScalarNode, value: YamlNode): void {
    const first = this.seen.get(name);
    if (first !== undefined && this.runsOn) return;
    if (first !== undefined) {
      this.runsOn = name === "apiVersion" && this.seen.has("kind");
      this.refuse(
        "YAML002",
        key,
        `duplicate key ${JSON.stringify(cut(name))}`,
        this.runsOn
          ? `remove one of them; the first is on line ${first.line}; if another object starts here, put --- before it`
          : `remove one of them; the first is on line ${first.line}`,
      );
      return;
    }
    if (this.merge === "refuse") this.refuseOverride(name, key);
    this.seen.set(name, key);
    this.own.push({ key, name, value });
  }

  /** In the order written, what is merged in last. */
  get entries(): readonly MappingEntry[] {
    if (this.merged.length === 0) return this.own;
    const entries = [...this.own];
    const names = new Set(this.seen.keys());
    for (const entry of this.merged) {
      if (names.has(entry.name)) continue;
      names.add(entry.name);
      entries.push(entry);
    }
    return entries;
  }

  private spread(value: YamlNode): void {
    const sources: readonly YamlNode[] = value.type === "sequence" ? value.items : [value];
    const mappings = sources.filter((source): source is MappingNode => source.type === "mapping");
    if (mappings.length < sources.length)
      this.refuse(
        "YAML001",
        value,
        "the value of a merge key (<<) must be a mapping or a list of mappings",
        "",
      );
    for (const entry of mappings.flatMap(({ entries }) => entries)) {
      const set = this.seen.get(entry.name);
      if (this.merge === "refuse" && set !== undefined) this.overridden(entry.name, set);
      if (this.merge === "refuse") this.refuseOverride(entry.name, entry.key);
      this.merged.push(entry);
    }
  }

  private refuseOverride(name: string, at: ScalarNode): void {
    if (this.merged.some((entry) => entry.name === name)) this.overridden(name, at);
  }

  private overridden(name: string, at: ScalarNode): void {
    this.refuse(
      "YAML002",
      at,
      `duplicate key ${JSON.stringify(cut(name))}, also set by a merge key (<<), which the installer rejects`,
      "remove it here or from the merged mapping",
    );
  }
}

/** A plain `<<`. */
const isMergeKey = ({ text, style, tag }: ScalarNode): boolean =>
  text === "<<" && style === "plain" && (tag === "" || tag === "!" || tag === "!!merge");

/** A key as a string, as sigs.k8s.io/yaml converts it; undefined for null and for integers beyond 63 bits. */
function keyName(key: ScalarNode): string | undefined {
  switch (key.kind) {
    case "null":
      return undefined;
    case "int":
      return BigInt(Number(key.value)) < 1n << 63n ? String(key.value) : undefined;
    case "float":
      return floatName(Number(key.value));
    default:
      return String(key.value);
  }
}

function floatName(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  const text = formatFloat32(value);
  return text === "+Inf" ? ".inf" : text === "-Inf" ? "-.inf" : text;
}
