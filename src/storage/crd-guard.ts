/**
 * What the API server says to a changed CustomResourceDefinition (facts/storage-and-encryption.md §4.3; apiextensions
 * validation). An update keeps the status of the old object and adds the new storage version to its storedVersions;
 * every stored version must then be among spec.versions.
 */
import data from "../../schemas/data/crd-refusals.json" with { type: "json" };
import { compareMinors, type Minor, parseMinor, type Report } from "./compatibility.js";
import { type StorageCrd, storageVersionOf } from "./crd.js";

export interface FieldError {
  readonly field: string;
  readonly message: string;
  /** False where the server prints a value in a form that cannot be known beforehand. */
  readonly exact: boolean;
}

export interface GuardAnswer {
  readonly allowed: boolean;
  readonly errors: readonly FieldError[];
  /** Stored versions after the update, as the server would compute them. */
  readonly storedVersions: readonly string[];
  /** Versions of the old definition that hold objects, or may, and that the new one does not have. */
  readonly dropped: readonly string[];
  readonly storageVersion: { readonly old: string | undefined; readonly new: string | undefined };
}

export function guard(old: StorageCrd, next: StorageCrd, target: Minor, report: Report): GuardAnswer {
  if (old.name !== next.name || old.group !== next.group || old.plural !== next.plural)
    report({
      code: "STO031",
      kind: "Invalid",
      ...next.place,
      field: "metadata.name",
      message: `C2 same-definition: ${next.name} is another definition than ${old.name}`,
      hint: "give two states of one CustomResourceDefinition",
    });
  if (old.storedVersions === undefined)
    report({
      code: "STO032",
      kind: "Required",
      severity: "warning",
      ...old.place,
      field: "status.storedVersions",
      message: "C3 status: the old definition carries no status; only its storage version is taken as stored",
      hint: "take it from the cluster: kubectl get crd NAME -o yaml",
    });
  const oldStorage = storageVersionOf(old);
  // An empty list is filled when the object is read.
  const listed = old.storedVersions ?? [];
  const before = listed.length > 0 || oldStorage === undefined ? listed : [oldStorage];
  // The server notes the first storage version alone; a second one is among the errors.
  const nextStorage = storageVersionOf(next);
  const after = nextStorage === undefined || before.includes(nextStorage) ? before : [...before, nextStorage];
  const errors = [...specErrors(next), ...immutableErrors(old, next), ...storedErrors(after, next, target)];
  const names = new Set(next.versions.map(({ name }) => name));
  return {
    allowed: errors.length === 0,
    errors,
    storedVersions: after,
    dropped: before.filter((version) => !names.has(version)),
    storageVersion: { old: oldStorage, new: nextStorage },
  };
}

/** The rules of spec.versions that a change of the storage version can break. */
function specErrors({ versions }: StorageCrd): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (detail: string): void =>
    void errors.push({
      field: "spec.versions",
      // The server prints its Go value, addresses included.
      message: `Invalid value: ...: ${detail}`,
      exact: false,
    });
  if (new Set(versions.map(({ name }) => name)).size < versions.length) refuse(data.uniqueNames);
  if (versions.filter(({ storage }) => storage).length !== 1) refuse(data.oneStorageVersion);
  return errors;
}

/** What storage depends on is fixed from the moment at which the server has begun to serve the definition. */
function immutableErrors(old: StorageCrd, next: StorageCrd): FieldError[] {
  if (!old.established) return [];
  return [
    { field: "spec.scope", before: old.scope, after: next.scope },
    { field: "spec.names.kind", before: old.kind, after: next.kind },
  ].flatMap(({ field, before, after }) =>
    before === after
      ? []
      : [{ field, message: `Invalid value: ${JSON.stringify(after)}: ${data.immutable}`, exact: true }],
  );
}

function storedErrors(stored: readonly string[], { versions }: StorageCrd, target: Minor): FieldError[] {
  const field = "status.storedVersions";
  if (stored.length === 0) return [{ field, message: `Invalid value: []: ${data.atLeastOne}`, exact: true }];
  const text = missingText(target);
  // A version that is listed twice is looked up by its last place; one that is found is not found again.
  const open = new Map(stored.map((version, i) => [version, i]));
  const unnoted = versions.flatMap(({ name, storage }): FieldError[] => {
    if (open.delete(name) || !storage) return [];
    const message = `Invalid value: ${JSON.stringify(stored)}: ${data.storageVersion.replace("{version}", name)}`;
    return [{ field, message, exact: true }];
  });
  const missing = [...open]
    .sort(([, a], [, b]) => a - b)
    .map(([version, i]): FieldError => {
      const message = `Invalid value: ${JSON.stringify(version)}: ${text.replaceAll("{version}", version)}`;
      return { field: `${field}[${i}]`, message, exact: true };
    });
  return [...unnoted, ...missing];
}

/** The text of the newest entry that is not newer than the release. */
function missingText(target: Minor): string {
  const fitting = data.missingVersion.filter(({ since }) => {
    const from = parseMinor(since);
    return from !== undefined && compareMinors(from, target) <= 0;
  });
  return fitting.at(-1)?.text ?? data.missingVersion[0]?.text ?? "";
}

/** The errors as the server joins them; undefined when there are none. */
export function refusalOf({ errors }: GuardAnswer): string | undefined {
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  if (texts.length === 0) return undefined;
  return texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
}

/** What kubectl prints for it. */
export function kubectlText(name: string, { errors }: GuardAnswer): string {
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  const [only] = texts;
  const head = `The CustomResourceDefinition ${JSON.stringify(name)} is invalid: `;
  return texts.length === 1 ? `${head}${only}` : `${head}\n${texts.map((text) => `* ${text}`).join("\n")}`;
}
