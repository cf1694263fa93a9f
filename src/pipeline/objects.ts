/** The files of a phase as objects for an API server: what somebody applies who takes them from a stream. */
import { byCodeUnit, type OutputFile } from "../core/files.js";
import { isOutputOf, type PhaseName } from "../directory/index.js";
import { KUSTOMIZATION_FILE } from "../phases/infrastructure-manifests/layout.js";

/** Files of the folders that hold no object: what lists the others, and what Git reads. */
const NO_OBJECT = new RegExp(`/(?:${KUSTOMIZATION_FILE.replace(".", "\\.")}|\\.[^/]*)$`);

/**
 * The files with objects of a phase. Those of Cluster API come in the order of their names, whichever folder holds them:
 * the namespace, which is in the open, before the Secrets, which lie apart.
 */
export function objectFiles(files: readonly OutputFile[], phase: PhaseName): readonly OutputFile[] {
  const isOwn = (path: string): boolean =>
    isOutputOf(phase, path) || (phase === "manifests" && isOutputOf("cluster-api", path));
  const own = files.filter(({ path }) => isOwn(path) && !NO_OBJECT.test(path));
  return phase === "infrastructure-manifests"
    ? own.toSorted((a, b) => byCodeUnit(nameOf(a), nameOf(b)))
    : own;
}

const nameOf = ({ path }: OutputFile): string => path.slice(path.lastIndexOf("/") + 1);
