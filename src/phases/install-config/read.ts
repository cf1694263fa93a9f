/**
 * Reading an install-config: text to a typed value with the position of every field, as the installer of the target
 * release reads it (facts/install-config-and-manifests.md §1.1).
 */
import type { Position, Problem } from "../../core/diagnostics.js";
import { atLeast, type Release } from "../../core/release.js";
import form from "../../generated/forms/install-config.js";
import type { InstallConfig } from "../../generated/types/install-config.js";
import { conforms } from "../../text/form.js";
import { readYaml } from "../../text/yaml-read.js";
import { decode } from "./decode.js";
import { createPositions } from "./read-positions.js";

export interface ReadOptions {
  readonly release: Release;
  /** A key that the installer would refuse is a warning, and left out. */
  readonly lenient: boolean;
}

export interface ReadConfig {
  /** What was written, keys in their own spelling; nothing converted and no default filled in. */
  readonly config: InstallConfig;
  /** Where the value of a field (Kubernetes path) stands, or what stands for it, or its nearest ancestor. */
  position(field: string): Position;
  /** Where its key stands. */
  keyPosition(field: string): Position;
  /** True when the field was written in just this spelling, be it as null. */
  isWritten(field: string): boolean;
  /** True for a field that is there but could not be read, which is reported; that it is missing is no news. */
  isUnreadable(field: string): boolean;
}

/** The config of a text; undefined when there is none to go on with, which is reported. */
export function readInstallConfig(
  text: string,
  file: string,
  { release, lenient }: ReadOptions,
  report: (problem: Problem) => void,
): ReadConfig | undefined {
  const { documents, problems } = readYaml(text, file, { firstOnly: true, merge: "refuse" });
  for (const problem of problems) report(problem);
  const root = documents[0]?.root;
  if (root === undefined || problems.length > 0) return undefined;
  const unknown = atLeast(release, "4.22") && !lenient ? "error" : "warning";
  const { value, written, unreadable } = decode(root, { form, file, release, unknown, report });
  if (value === undefined) return undefined;
  if (!isInstallConfig(value)) throw new Error("the decoded value does not conform to the form");
  const positions = createPositions(written, file);
  return {
    config: value,
    ...positions,
    isUnreadable: (field) =>
      unreadable.some(
        (each) => each === field || field.startsWith(`${each}.`) || field.startsWith(`${each}[`),
      ),
  };
}

const isInstallConfig = (value: unknown): value is InstallConfig => conforms(value, form, form);
