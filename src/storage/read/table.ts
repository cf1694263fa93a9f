/** What `--table` takes: explicit behaviours, or API lifecycles to derive them from; told apart by content. */

import type { Report } from "../../core/diagnostics.js";
import { type ApiTable, apiTableOf, ownKind, readDocument } from "../compatibility.js";
import type { BehaviorTable } from "../model.js";
import type { StoragePolicy } from "../policy.js";
import { behaviorsOf } from "./behaviors.js";

export type TableSource =
  | { readonly kind: "lifecycle"; readonly lifecycle: ApiTable }
  | { readonly kind: "behaviors"; readonly table: BehaviorTable; readonly policy: StoragePolicy | undefined };

export function readTableSource(text: string, file: string, report: Report): TableSource | undefined {
  const document = readDocument(text, file, report);
  if (document === undefined) return undefined;
  if (ownKind(document.root) === "StorageBehaviors") {
    const read = behaviorsOf(document);
    return read && { kind: "behaviors", ...read };
  }
  const lifecycle = apiTableOf(document);
  return lifecycle && { kind: "lifecycle", lifecycle };
}
