/** Where several asset directories really lie: each of them has to be one of its own. */
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Position, Problem } from "../core/diagnostics.js";
import { problem } from "../core/problem.js";
import { attempt, guarded, systemCode } from "./fault.js";
import { realRoot } from "./targets.js";

export interface Place {
  readonly directory: string;
  /** Where the fleet names it. */
  readonly position: Position;
  /** It has to be there already. */
  readonly mustExist: boolean;
}

/** What is wrong with the places of a fleet: missing, no folder, one that is named twice, or one inside another. */
export async function placeProblems(places: readonly Place[]): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const byPath = new Map<string, Place>();
  for (const place of places) {
    const found = await attempt(() => realPlace(place));
    if (!found.ok) {
      const message = found.problem.message.replace(
        `cannot read ${place.directory}`,
        () => "cannot read the directory",
      );
      problems.push({ ...found.problem, code: "FLEET002", ...place.position, message });
    } else if (typeof found.value !== "string") problems.push(found.value);
    else {
      const other = byPath.get(found.value);
      if (other === undefined) byPath.set(found.value, place);
      else problems.push(overlap(place, `is also the directory of line ${other.position.line}`));
    }
  }
  for (const [path, place] of byPath)
    for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
      const other = byPath.get(above);
      if (other !== undefined)
        problems.push(overlap(place, `is inside the directory of line ${other.position.line}`));
    }
  return problems;
}

/**
 * The path with every link resolved, of what is not there yet too. What is not there is told by its line: a file of
 * secrets that is given in the place of a list must not be shown line by line.
 */
function realPlace({ directory, position, mustExist }: Place): string | Problem {
  const real = realRoot(directory);
  if (real === undefined && mustExist)
    return problem("FLEET002", "NotFound", "", "no such directory", {
      ...position,
      hint: "create it with an install-config.yaml, or remove the line",
    });
  return real ?? guarded("FLEET002", "read", directory, () => realOf(resolve(directory)));
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    return join(realOf(dirname(path)), basename(path));
  }
}

const overlap = ({ directory, position }: Place, what: string): Problem =>
  problem("FLEET002", "Duplicate", "", `${directory} ${what}`, {
    ...position,
    hint: "use a separate directory for each cluster",
  });
