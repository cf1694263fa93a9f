/** A store of objects in memory, as the rewrite loop sees etcd: keys in order, revisions, and faults on demand. */
import { byCodeUnit } from "../core/files.js";
import type { Entry, Failed, Page, RewriteStore } from "./rewrite-loop.js";
import type { Fault } from "./scenario.js";

export interface StoredObject {
  readonly key: string;
  readonly version: string;
  readonly fault: Fault | undefined;
  /** The last change of the stored version. */
  changed: { readonly from: string; readonly to: string; readonly server: string } | undefined;
}

interface Held {
  readonly object: StoredObject;
  readonly revision: number;
}

const DOWN: Failed = { failed: "etcd is not available" };

export class MemoryStore implements RewriteStore<StoredObject> {
  available = true;
  /** Resources whose LIST fails. */
  readonly failing = new Set<string>();
  private readonly held = new Map<string, Held>();
  private revision = 0;
  private sorted: readonly StoredObject[] | undefined;

  constructor(objects: readonly (readonly [key: string, version: string, fault: Fault | undefined])[]) {
    for (const [key, version, fault] of objects) this.set({ key, version, fault, changed: undefined });
  }

  private set(object: StoredObject): void {
    this.held.set(object.key, { object, revision: ++this.revision });
    this.sorted = undefined;
  }

  /** In key order, as etcd returns them. */
  objects(): readonly StoredObject[] {
    this.sorted ??= [...this.held.values()]
      .map(({ object }) => object)
      .sort((a, b) => byCodeUnit(a.key, b.key));
    return this.sorted;
  }

  at(key: string): StoredObject | undefined {
    return this.held.get(key)?.object;
  }

  put(key: string, version: string): void {
    const before = this.at(key);
    this.set({ key, version, fault: before?.fault, changed: before?.changed });
  }

  remove(key: string): void {
    this.held.delete(key);
    this.sorted = undefined;
  }

  repair(key: string): void {
    const before = this.at(key);
    if (before !== undefined) this.set({ ...before, fault: undefined });
  }

  async list(prefix: string, after: string | undefined, limit: number): Promise<Page<StoredObject> | Failed> {
    if (!this.available) return DOWN;
    if (this.failing.has(prefix.slice(0, -1))) return { failed: "the LIST fails" };
    const entries = this.objects()
      .filter(({ key }) => key.startsWith(prefix) && (after === undefined || byCodeUnit(key, after) > 0))
      .map((object) => this.entryOf(object));
    return { entries: entries.slice(0, limit), more: entries.length > limit };
  }

  async get(key: string): Promise<Entry<StoredObject> | undefined | Failed> {
    if (!this.available) return DOWN;
    const object = this.at(key);
    return object && this.entryOf(object);
  }

  async replace(entry: Entry<StoredObject>, value: StoredObject): Promise<"written" | "conflict" | Failed> {
    if (!this.available) return DOWN;
    if (String(this.held.get(entry.key)?.revision) !== entry.revision) return "conflict";
    this.set(value);
    return "written";
  }

  private entryOf(object: StoredObject): Entry<StoredObject> {
    return { key: object.key, value: object, revision: String(this.held.get(object.key)?.revision) };
  }
}
