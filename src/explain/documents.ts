/** The documents that `slipway explain` knows: every schema of inputs, emitted objects and results, by its names. */
import { byCodeUnit } from "../core/files.js";
import type { JsonObject } from "../core/json.js";
import { ABOUT_SCHEMAS, SCHEMAS } from "../generated/schemas/index.js";

export interface KnownDocument {
  /** How it is called here: `install-config`, `OpenShiftControlPlane`, `Cluster.v1beta2`. */
  readonly name: string;
  /** Folder of its schema: inputs, emitted … */
  readonly group: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly summary: string;
  load(): Promise<JsonObject>;
}

export interface FoundDocument {
  readonly document: KnownDocument;
  /** What follows the document's name in the path. */
  readonly rest: string;
}

/** Documents in name order, those that a user writes first. */
export function listDocuments(): KnownDocument[] {
  const all = Object.entries(SCHEMAS).map(([path, load]) => {
    const { kind, apiVersion, summary } = ABOUT_SCHEMAS[path] ?? { kind: "", apiVersion: "", summary: "" };
    const slash = path.lastIndexOf("/");
    return { group: path.slice(0, slash), file: path.slice(slash + 1), kind, apiVersion, summary, load };
  });
  const alone = (kind: string): boolean => all.filter((each) => each.kind === kind).length === 1;
  return all
    .map(({ file, ...each }) => ({
      ...each,
      name: each.group === "emitted" && alone(each.kind) ? each.kind : file,
    }))
    .sort((a, b) => rank(a) - rank(b) || byCodeUnit(a.group, b.group) || byCodeUnit(a.name, b.name));
}

const rank = ({ group }: { group: string }): number => (group === "inputs" ? 0 : 1);

/** Names without case, dashes and underscores. */
export const foldName = (name: string): string => name.toLowerCase().replace(/[-_]/g, "");

/** The documents whose name, kind or versioned kind begins a path; several when the name fits several kinds. */
export function findDocuments(path: string): FoundDocument[] {
  let best: FoundDocument[] = [];
  let length = 0;
  for (const document of listDocuments())
    for (const alias of aliasesOf(document)) {
      const words = alias.split(".").length;
      const steps = path.split(".");
      const head = steps
        .slice(0, words)
        .join(".")
        .replace(/\[[^[\]]*\]$/, "");
      if (foldName(head) !== foldName(alias) || words < length) continue;
      if (words > length) best = [];
      length = words;
      if (!best.some((each) => each.document.name === document.name))
        best.push({ document, rest: steps.slice(words).join(".") });
    }
  return best;
}

function aliasesOf({ name, kind, apiVersion }: KnownDocument): string[] {
  const version = apiVersion.slice(apiVersion.lastIndexOf("/") + 1);
  return [name, kind, ...(version === "" ? [] : [`${kind}.${version}`])].filter((alias) => alias !== "");
}
