/** What holds a claim, or is being done to it: the same list for the checks of a plan and for the gate before the delete. */
import type { JsonObject } from "../core/json.js";
import { goString } from "./go-template.js";
import { at, listAt, objectAt, textAt, textsAt } from "./object.js";

/** Goes by itself once no pod uses the claim. */
export const PROTECTION = "kubernetes.io/pvc-protection";

/** Conditions of a claim that is being resized or whose attributes are being changed. */
const CHANGES = [
  "Resizing",
  "FileSystemResizePending",
  "ControllerResizeError",
  "NodeResizeError",
  "ModifyingVolume",
  "ModifyVolumeError",
] as const;
export const isChange = (type: string): boolean => CHANGES.some((each) => each === type);

/** What is expected of a claim that is at rest. */
export interface Busy {
  /** Finalizers that it may have beside the protection of claims in use. */
  readonly waived: readonly string[];
}

/** Everything that holds the claim or is under way on it. */
export const busyWith = (claim: JsonObject, { waived }: Busy): string[] => [
  ...textsAt(claim, "metadata", "finalizers").filter((name) => name !== PROTECTION && !waived.includes(name)),
  ...listAt(claim, "status", "conditions")
    .filter((each) => isChange(textAt(each, "type")) && textAt(each, "status") === "True")
    .map((each) => textAt(each, "type")),
  ...Object.keys(objectAt(claim, "status", "allocatedResourceStatuses")),
  ...(at(claim, "status", "modifyVolumeStatus") === undefined ? [] : ["modifyVolumeStatus"]),
];

const LINE = '{{"\\n"}}';

/** Prints the same, a line each. */
export function busyTemplate({ waived }: Busy): string {
  const held = [PROTECTION, ...waived].map((name) => `(ne . ${goString(name)})`).join(" ");
  const change = CHANGES.map((type) => `(eq .type ${goString(type)})`).join(" ");
  return [
    `go-template={{range .metadata.finalizers}}{{if and ${held}}}{{.}}${LINE}{{end}}{{end}}`,
    `{{range .status.conditions}}{{if and (eq .status "True") (or ${change})}}{{.type}}${LINE}{{end}}{{end}}`,
    `{{range $name, $_ := .status.allocatedResourceStatuses}}{{$name}}${LINE}{{end}}`,
    `{{if .status.modifyVolumeStatus}}modifyVolumeStatus${LINE}{{end}}`,
  ].join("");
}
