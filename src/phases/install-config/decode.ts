/**
 * A YAML tree to the value of a form, as Go's json package fills its structs: keys of structs matched without regard
 * to case, null as absent, numbers and truth values taken as text where text is expected, integers within their width
 * (docs/reference/install-config-and-manifests.md §1.1). Everything that does not fit is reported, and left out.
 *
 * The walker knows no field: what there is comes from the form alone.
 */

import { holdsAt } from "../../core/by-release.js";
import type { Problem } from "../../core/diagnostics.js";
import { byCodeUnit } from "../../core/files.js";
import { isList, isObject, type Json } from "../../core/json.js";
import { lookup } from "../../core/lookup.js";
import { below, info, warning } from "../../core/problem.js";
import type { Release } from "../../core/release.js";
import { type Form, notesOf, resolveForm, typeOf } from "../../text/form.js";
import { isSecretName } from "../../text/redact.js";
import { isSealedText, placeholderFor } from "../../text/sealed.js";
import {
  child,
  type MappingEntry,
  type MappingNode,
  type ScalarNode,
  setMember,
  type YamlNode,
} from "../../text/yaml-read.js";
import { decodeScalar, type ScalarContext, typeFault } from "./decode-scalars.js";
import { foldKey, type UnknownKey, unknownKeyProblem } from "./decode-unknown.js";
import { placeholderProblem } from "./diagnose-placeholders.js";

export interface DecodeOptions {
  readonly form: Form;
  readonly file: string;
  readonly release: Release;
  /** What a key that the form or the release does not know is. */
  readonly unknown: "error" | "warning";
  /** Fields at the top whose values are not looked at, since they come from elsewhere. */
  readonly replaced?: ReadonlySet<string>;
  /** Stands in for values that are encrypted and only passed on. */
  readonly sealedWord?: string;
  /** What the document is called, for `slipway explain`; an install-config where it is left out. */
  readonly document?: string;
  /** A better word on a value that does not fit than that of its type. */
  misfit?(node: YamlNode, path: string): Problem | undefined;
  report(problem: Problem): void;
}

const platformsIn = (root: YamlNode): ReadonlySet<string> => {
  const platform = root.type === "mapping" ? child(root, "platform") : undefined;
  return new Set(platform?.type === "mapping" ? platform.entries.map(({ name }) => name) : []);
};

/** Where a part of the document was written. */
export interface Written {
  readonly node: YamlNode;
  /** The key that it stands under; absent for the root and the items of lists. */
  readonly key: YamlNode | undefined;
  readonly form: Form;
  readonly notes: ReturnType<typeof notesOf>;
  /** By the form's own spelling, by map key, or by index. */
  readonly members: Map<string, Written>;
}

export interface Decoded {
  /** Undefined when the document as a whole is null or of the wrong type. */
  readonly value: Json | undefined;
  readonly written: Written;
  /** Fields that are there and cannot be read; what is said about their absence would mislead. */
  readonly unreadable: readonly string[];
  /** Fields that are present and encrypted: nothing can be said about their values. */
  readonly sealed: readonly string[];
  /** How many values are placeholders. */
  readonly placeholders: number;
}

export function decode(root: YamlNode, options: DecodeOptions): Decoded {
  const decoder = new Decoder(options, platformsIn(root));
  const written = decoder.place(root, undefined, options.form);
  const value = decoder.value(root, written, "");
  const { unreadable, sealed, placeholders } = decoder;
  return { value, written, unreadable, sealed, placeholders };
}

/** For so many unknown keys the closest one is looked for; with more the file is something else. */
const SUGGESTIONS = 100;

class Decoder {
  readonly unreadable: string[] = [];
  readonly sealed: string[] = [];
  placeholders = 0;
  private readonly foldedNames = new WeakMap<MappingNode, ReadonlyMap<string, number>>();
  private unknown = 0;

  constructor(
    private readonly options: DecodeOptions,
    /** The platforms that the document names. */
    private readonly platforms: ReadonlySet<string>,
  ) {}

  place(node: YamlNode, key: YamlNode | undefined, form: Form): Written {
    const root = this.options.form;
    return { node, key, form: resolveForm(form, root), notes: notesOf(form, root), members: new Map() };
  }

  value(node: YamlNode, written: Written, path: string): Json | undefined {
    const { form } = written;
    if (node.type === "scalar") return this.scalar(node, written, path);
    switch (typeOf(form)) {
      case "object":
        return node.type === "mapping" ? this.object(node, written, path) : this.misfit(node, form, path);
      case "array":
        return node.type === "sequence"
          ? this.list(node.items, written, path)
          : this.misfit(node, form, path);
      case "any":
        return this.free(node, written, path);
      default:
        return this.misfit(node, form, path);
    }
  }

  private scalar(node: ScalarNode, written: Written, path: string): Json | undefined {
    const { form, notes } = written;
    if (isSealedText(node.text)) return this.sealedValue(form, path);
    const context = this.scalarContext(path);
    const placeholder = placeholderProblem(node, form, notes);
    if (placeholder?.severity === "warning") context.report({ ...placeholder, field: path });
    else if (placeholder !== undefined) {
      this.placeholders++;
      context.refuse({ ...placeholder, field: path });
      return undefined;
    }
    const type = typeOf(form);
    if (type === "any") return this.free(node, written, path);
    if (node.kind === "null") return undefined;
    if (type === "object" || type === "array") return this.misfit(node, form, path);
    return decodeScalar(node, form, context);
  }

  private sealedValue(form: Form, path: string): Json | undefined {
    this.sealed.push(path);
    // Without a pull secret in the file, that of another source counts.
    if (path === "pullSecret" || !["string", "any"].includes(typeOf(form))) return undefined;
    return placeholderFor(/[^.[\]]*$/.exec(path)?.[0] ?? "", this.options.sealedWord ?? "encrypted");
  }

  private scalarContext(path: string): ScalarContext {
    const { file, report } = this.options;
    return {
      path,
      refuse: (problem) => {
        this.unreadable.push(path);
        report({ file, ...problem });
      },
      report: (problem) => report({ file, ...problem }),
    };
  }

  private misfit(node: YamlNode, form: Form, path: string): undefined {
    const { form: root, misfit } = this.options;
    this.scalarContext(path).refuse(misfit?.(node, path) ?? typeFault(node, form, root, path));
  }

  /** Of a map Go sorts the keys when it writes the state. */
  private object(node: MappingNode, written: Written, path: string): Json {
    const { properties, additionalProperties } = written.form;
    if (properties !== undefined) return this.struct(node, written, path);
    const object: Record<string, Json> = {};
    const members = typeof additionalProperties === "object" ? additionalProperties : {};
    for (const { name, key, value } of inKeyOrder(node)) {
      const field = typeof additionalProperties === "object" ? `${path}[${name}]` : `${path}.${name}`;
      const child = this.place(value, key, members);
      written.members.set(name, child);
      setMember(object, name, this.value(value, child, field) ?? zero(child.form));
    }
    return object;
  }

  /** Keys in the order in which Go meets them: of two spellings of one field the later one wins. */
  private struct(node: MappingNode, written: Written, path: string): Json {
    const object: Record<string, Json> = {};
    const spelled = new Map<string, MappingEntry>();
    for (const entry of inKeyOrder(node)) {
      const name = this.fieldOf(entry, written, path, node);
      if (name === undefined) continue;
      const before = spelled.get(name);
      if (before !== undefined) this.reportSpellings(before, entry, path);
      spelled.set(name, entry);
      const child = this.place(entry.value, entry.key, lookup(written.form.properties, name) ?? {});
      written.members.set(name, child);
      if (path === "" && this.options.replaced?.has(name)) continue;
      const value = this.value(entry.value, child, path === "" ? name : `${path}.${name}`);
      if (value !== undefined) setMember(object, name, merge(object[name], value));
    }
    return object;
  }

  /** How often a mapping has a name, whatever its case; counted once, since a mapping may have many unknown fields. */
  private namesIn(holder: MappingNode): ReadonlyMap<string, number> {
    const known = this.foldedNames.get(holder);
    if (known !== undefined) return known;
    const counts = new Map<string, number>();
    for (const { name } of holder.entries) {
      const folded = foldKey(name);
      counts.set(folded, (counts.get(folded) ?? 0) + 1);
    }
    this.foldedNames.set(holder, counts);
    return counts;
  }

  /** The form's spelling of a key; undefined when form or release do not know it, which is reported. */
  private fieldOf(
    entry: MappingEntry,
    written: Written,
    path: string,
    holder: MappingNode,
  ): string | undefined {
    const { name, key } = entry;
    const { properties = {} } = written.form;
    const { file, form: root, release, unknown, document, report } = this.options;
    const exact = Object.hasOwn(properties, name);
    const folded = foldKey(name);
    const field = exact ? name : Object.keys(properties).find((each) => foldKey(each) === folded);
    const notes = field === undefined ? {} : notesOf(properties[field] ?? {}, root);
    if (field === undefined || !holdsAt(notes, release)) {
      const given: UnknownKey = {
        name,
        key,
        path,
        field,
        notes,
        holder: written,
        root,
        release,
        platforms: this.platforms,
        document,
        suggest: this.unknown++ < SUGGESTIONS,
      };
      const { problem, meant } = unknownKeyProblem(given);
      report({ file, severity: unknown, ...problem });
      // The field that was meant is there, under another name: what follows from its absence tells nobody anything new.
      const wanted = foldKey(meant ?? "");
      const isThere = (this.namesIn(holder).get(wanted) ?? 0) > (folded === wanted ? 1 : 0);
      if (unknown === "error" && meant !== undefined && !isThere) this.unreadable.push(below(path, meant));
      return undefined;
    }
    if (!exact)
      report(
        info("IC012", "Invalid", below(path, field), `${name} is read as ${field}`, {
          file,
          line: key.line,
          column: key.column,
          hint: `use ${field}`,
        }),
      );
    return field;
  }

  private reportSpellings(before: MappingEntry, entry: MappingEntry, path: string): void {
    const { line, column } = before.key;
    const message = `set again as ${entry.name} on line ${entry.key.line}, which takes precedence`;
    this.options.report(
      warning("IC012", "Duplicate", below(path, before.name), message, {
        file: this.options.file,
        line,
        column,
        hint: "remove one of the two",
      }),
    );
  }

  private list(items: readonly YamlNode[], written: Written, path: string): Json {
    return items.map((item, i) => {
      const child = this.place(item, undefined, written.form.items ?? {});
      written.members.set(String(i), child);
      return this.value(item, child, `${path}[${i}]`) ?? zero(child.form);
    });
  }

  /** A part that the form says nothing about, taken as it is; JSON has no infinity and no NaN. */
  private free(node: YamlNode, written: Written, path: string): Json | undefined {
    const inner = (name: string, value: YamlNode, key: YamlNode | undefined, field: string): Json => {
      // Nothing is known of the member but its name; a secret may be any text.
      const child = this.place(value, key, isSecretName(name) ? SECRET : ANYTHING);
      written.members.set(name, child);
      return (
        (value.type === "scalar" ? this.scalar(value, child, field) : this.free(value, child, field)) ?? null
      );
    };
    switch (node.type) {
      case "scalar":
        if (node.kind === "float") return decodeScalar(node, { type: "number" }, this.scalarContext(path));
        return typeof node.value === "bigint" ? Number(node.value) : node.value;
      case "sequence":
        return node.items.map((item, i) => inner(String(i), item, undefined, `${path}[${i}]`));
      case "mapping": {
        const object: Record<string, Json> = {};
        for (const { name, key, value } of inKeyOrder(node))
          setMember(object, name, inner(name, value, key, `${path}.${name}`));
        return object;
      }
    }
  }
}

const inKeyOrder = ({ entries }: MappingNode): readonly MappingEntry[] =>
  [...entries].sort((a, b) => byCodeUnit(a.name, b.name));

const ANYTHING: Form = {};
const SECRET: Form = { writeOnly: true, "x-slipway": { placeholders: "anywhere" } };

/** What stands in a list or a map for null. */
function zero(form: Form): Json {
  switch (typeOf(form)) {
    case "object":
      return {};
    case "array":
      return [];
    case "string":
      return "";
    case "boolean":
      return false;
    case "integer":
    case "number":
      return 0;
    default:
      return null;
  }
}

/** Go fills the members of a struct, and the items of a list, that is given twice one after the other. */
function merge(before: Json | undefined, value: Json): Json {
  if (isList(before) && isList(value)) return value.map((item, i) => merge(before[i], item));
  if (!isObject(before) || !isObject(value)) return value;
  const merged: Record<string, Json> = { ...before };
  for (const [name, member] of Object.entries(value)) setMember(merged, name, merge(before[name], member));
  return merged;
}
