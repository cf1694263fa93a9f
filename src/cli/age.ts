/** Keys and recipients for files that are encrypted with SOPS, from where sops itself takes them. */
import { dirname, join, relative, resolve, sep } from "node:path";
import { decode, encode } from "../core/files.js";
import { type Problem, problem } from "../core/problem.js";
import {
  type DiskFile,
  isClosed,
  lookAt,
  openInput,
  openSealed,
  type Sealing,
  summed,
} from "../directory/index.js";
import { FLAGS } from "../pipeline/flags.js";
import { RECIPIENT, readIdentities } from "../sops/age.js";
import { recipientsByRule, SOPS_CONFIG } from "../sops/creation-rules.js";
import type { CliContext } from "./cli-context.js";
import type { Arguments } from "./flags.js";
import { type NamedFile, readNamed, textOf } from "./input-files.js";
import type { ManifestText } from "./manifest-texts.js";

/** The private keys at hand; none is not a fault, a file that holds something else is. */
export function identitiesOf(
  args: Arguments,
  cli: CliContext,
  report: (problem: Problem) => void,
): readonly string[] {
  const { ageKey, ageKeyFile: fromEnvironment } = cli.environment;
  const path = args.get(FLAGS.ageKeyFile) ?? fromEnvironment;
  const named = (problem: Problem): void =>
    report(args.given(FLAGS.ageKeyFile) ? problem : { ...problem, field: "SOPS_AGE_KEY_FILE" });
  const file = path === undefined ? undefined : readNamed(path, cli.cwd, named);
  const sources = [
    ...(file === undefined ? [] : [{ file: file.file, text: textOf(file, report) ?? "" }]),
    ...(ageKey === undefined ? [] : [{ file: "SOPS_AGE_KEY", text: ageKey }]),
  ];
  return sources.flatMap(({ file: name, text: keys }) => {
    const { identities, other } = readIdentities(keys);
    if (other !== undefined)
      report(
        problem("SOPS003", "Invalid", "", "a line is not an age private key", {
          file: name,
          ...(name === file?.file ? { line: other, column: 1 } : {}),
          hint: "use the output of age-keygen: AGE-SECRET-KEY-1…, one key per line",
        }),
      );
    return identities;
  });
}

/** A file as it lies on disk, and what it says. */
export type OpenedFile = NamedFile & { readonly plain: Uint8Array };

/**
 * A file that the command line names, which may be encrypted as those of the directory are. What no key opens is
 * reported, and is not there.
 */
export async function openedFile(
  named: NamedFile | undefined,
  identities: readonly string[],
  report: (problem: Problem) => void,
): Promise<OpenedFile | undefined> {
  if (named === undefined) return undefined;
  const { file, problems } = await openInput(named.file, named.data, identities);
  problems.forEach(report);
  return isClosed(file) ? undefined : { ...named, plain: file.data };
}

/** Texts of manifests with those opened that are encrypted; what no key opens is reported, and left out. */
export async function openedTexts(
  texts: readonly ManifestText[],
  identities: readonly string[],
  report: (problem: Problem) => void,
): Promise<readonly ManifestText[]> {
  const files = texts.map(
    ({ file, text: content }) => [file, { path: file, data: encode(content), mode: 0 }] as const,
  );
  const opened = new Map<string, DiskFile>(files);
  summed(await openSealed(opened, identities, ".")).forEach(report);
  return texts.flatMap((each) => {
    const file = opened.get(each.file);
    if (file?.sealed === undefined) return [each];
    return isClosed(file) ? [] : [{ file: each.file, text: decode(file.data) ?? "" }];
  });
}

/** Recipients that the command line or an earlier run named, else those of the `.sops.yaml` that sops would find. */
export function sealingFor(directory: string, recipients: readonly string[], cli: CliContext): Sealing {
  const bad = recipients.find((each) => !RECIPIENT.test(each));
  const config = recipients.length > 0 ? undefined : findConfig(resolve(cli.cwd, directory));
  return {
    inputs: cli,
    recipientsOf(path) {
      if (bad !== undefined)
        return problem(
          "SOPS003",
          "Invalid",
          "",
          `invalid value ${JSON.stringify(bad)}: must be an age recipient`,
          {
            file: "--age-recipient",
            hint: "use the output of age-keygen -y: age1…",
          },
        );
      if (recipients.length > 0) return { recipients };
      if (config === undefined)
        return problem("SOPS003", "Required", "", "no age recipient is set for this file", {
          file: path,
          hint: `set --age-recipient, or add an age recipient to the creation rules in ${SOPS_CONFIG}`,
        });
      const place = relative(config.folder, resolve(cli.cwd, directory, path))
        .split(sep)
        .join("/");
      const problems: Problem[] = [];
      const report = (problem: Problem): void => void problems.push(problem);
      const file = readNamed(config.file, cli.cwd, report);
      const text = file === undefined ? undefined : textOf(file, report);
      const found = text === undefined ? undefined : recipientsByRule(text, config.file, place, report);
      const [refused] = problems;
      if (found === undefined && refused === undefined)
        throw new Error("a rule was refused without a problem");
      return found ?? refused ?? { recipients };
    },
  };
}

/** The configuration of sops in a folder or above; a pipe of that name is none. */
function findConfig(folder: string): { readonly folder: string; readonly file: string } | undefined {
  const file = join(folder, SOPS_CONFIG);
  if (lookAt(file)?.isFile() === true) return { folder, file };
  return dirname(folder) === folder ? undefined : findConfig(dirname(folder));
}
