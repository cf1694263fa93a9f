/** What storage commands read: flags to typed inputs. */

import { isKubernetes } from "../../../compatibility/kubernetes-name.js";
import type { Report } from "../../../core/diagnostics.js";
import { problem } from "../../../core/problem.js";
import {
  kubernetesMeant,
  meansNothing,
  NEWEST_TARGET,
  OLDEST_TARGET,
  releaseInWords,
} from "../../../kubernetes/releases.js";
import { compareMinors, formatMinor, type Minor } from "../../../storage/compatibility.js";
import { LARGEST, PRESETS, presetPolicy, type StoragePolicy } from "../../../storage/policy.js";
import { readStoragePolicy } from "../../../storage/read/policy.js";
import { readTableSource, type TableSource } from "../../../storage/read/table.js";
import type { CliContext } from "../../cli-context.js";
import { UsageError } from "../../exit.js";
import type { Arguments, Flag } from "../../flags.js";
import { readTextFile } from "../../read-text.js";
import { releaseIn } from "../../release-flag.js";
import { apiTable } from "../compat/inputs.js";
import { policy } from "./flags.js";

/** The policy of `--policy`: a preset or a document; undefined without the flag or when it cannot be read. */
export function policyOf(
  args: Arguments,
  cli: CliContext,
  report: Report,
  flag: Flag<string | undefined> = policy,
): StoragePolicy | undefined {
  const name = args.get(flag);
  const preset = PRESETS.find((each) => each === name);
  if (name === undefined) return undefined;
  if (preset !== undefined) return presetPolicy(preset);
  const text = readTextFile(cli, name, report);
  return text === undefined ? undefined : readStoragePolicy(text, name, report);
}

/** What `--table` names: a file with behaviours or lifecycles, or the lifecycles of Kubernetes' own kinds. */
export async function readTable(
  name: string,
  cli: CliContext,
  report: Report,
): Promise<TableSource | undefined> {
  if (isKubernetes(name)) {
    const lifecycle = await apiTable(name, cli, report);
    return lifecycle && { kind: "lifecycle", lifecycle };
  }
  const text = readTextFile(cli, name, report);
  return text === undefined ? undefined : readTableSource(text, name, report);
}

/** A whole number of a flag. */
export function numberOf(args: Arguments, flag: Flag<string | undefined>): number | undefined {
  const text = args.get(flag);
  if (text === undefined) return undefined;
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : undefined;
  if (value === undefined || value > LARGEST)
    throw new UsageError(
      `--${flag.name}: invalid value ${JSON.stringify(text)}: must be a whole number from 0 to ${LARGEST}`,
    );
  return value;
}

/** The release of Kubernetes that a flag means, asked of tables that have the releases `counted`. */
export function kubernetesReleaseOf(
  args: Arguments,
  flag: Flag<string | undefined>,
  counted: readonly (Minor | undefined)[],
  report: Report,
): Minor | undefined {
  const named = releaseIn(args, flag);
  const meant = named && kubernetesMeant(named, counted);
  if (named !== undefined && meant === undefined) report(meansNothing(named, { field: `--${flag.name}` }));
  return meant;
}

/** A release of a flag in words: as it was typed, and the release of Kubernetes that it means. */
export const flagInWords = (args: Arguments, flag: Flag<string | undefined>, meant: Minor): string =>
  releaseInWords(releaseIn(args, flag) ?? meant, meant);

/** Reports a release that a table does not have. */
export function requireRelease(
  args: Arguments,
  flag: Flag<string | undefined>,
  release: Minor,
  releases: readonly Minor[],
  report: Report,
): boolean {
  if (releases.some((each) => compareMinors(each, release) === 0)) return true;
  const [first, last] = [releases[0], releases.at(-1)];
  report(
    problem(
      "TAB007",
      "NotFound",
      `--${flag.name}`,
      `the table does not contain the release ${flagInWords(args, flag, release)}`,
      first === undefined || last === undefined
        ? "use a table that contains releases"
        : `use a release from ${formatMinor(first)} to ${formatMinor(last)}`,
    ),
  );
  return false;
}

/**
 * The release of an API server: Kubernetes', or the one inside an OpenShift 4 release. The newest one that is known
 * unless the flag says otherwise; one that is not known is not guessed.
 */
export function targetOf(args: Arguments, flag: Flag<string | undefined>, report: Report): Minor | undefined {
  const given = releaseIn(args, flag);
  if (given === undefined) return NEWEST_TARGET;
  const found = kubernetesMeant(given);
  if (
    found !== undefined &&
    compareMinors(found, OLDEST_TARGET) >= 0 &&
    compareMinors(found, NEWEST_TARGET) <= 0
  )
    return found;
  report(
    problem(
      "STO042",
      "NotSupported",
      `--${flag.name}`,
      `slipway has no data for the release ${formatMinor(given)}`,
      `use Kubernetes ${formatMinor(OLDEST_TARGET)} to ${formatMinor(NEWEST_TARGET)}, or an OpenShift release based on one of these`,
    ),
  );
  return undefined;
}
