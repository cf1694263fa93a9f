/** Inputs that are encrypted and that no available key opens: what can be compiled without them. */
import type { Report } from "../core/diagnostics.js";
import { decode, encode } from "../core/files.js";
import type { JsonObject } from "../core/json.js";
import type { Problem } from "../core/problem.js";
import { type AssetDirectory, INSTALL_CONFIG, isClosed, openInput, summed } from "../directory/index.js";
import { isReadableSecret, placeholderFor, sealedNames, withPlaceholders } from "../text/sealed.js";
import { readYaml, rootsOf, toJson } from "../text/yaml-read.js";
import { writeYaml } from "../text/yaml-write.js";
import type { CompileRequest, CustomFile, CustomSource } from "./request.js";

type Directory = CompileRequest["directory"];

/** True where values of the install-config are encrypted and the state has no copy of it. */
export const hasSealedConfig = ({ inputs, state }: Directory): boolean =>
  isClosed(inputs.get(INSTALL_CONFIG)) && (state?.installConfig?.text ?? "") === "";

/** Recorded files whose values the state, or a stand-in, takes the place of. */
const REPLACEABLE: ReadonlySet<string> = new Set(["credentials", "pull-secret"]);

/** True where an encrypted value decides what is generated, so that nothing can be compiled to compare with. */
export function cannotCompile({ directory, sealedTexts = [] }: CompileRequest): boolean {
  if (sealedTexts.some((name) => !REPLACEABLE.has(name))) return true;
  if (!hasSealedConfig(directory)) return false;
  const text = decode(directory.inputs.get(INSTALL_CONFIG)?.data ?? new Uint8Array()) ?? "";
  return decidesOutput(text, INSTALL_CONFIG);
}

/** True for an install-config with an encrypted value that is not only passed on, so that no rule can judge it. */
export const decidesOutput = (text: string, file: string): boolean =>
  rootsOf(readYaml(text, file).documents)
    .flatMap((root) => sealedNames(root))
    .some((name) => placeholderFor(name, "encrypted") === undefined);

/** What encrypted inputs are that no available key opens: refused where something is written, else unknown. */
export type SealedInputs = "refused" | "unknown";

/** The problem of such an input: that it cannot be opened is no fault where it is only unknown. */
export const ofSealed = (problem: Problem, sealed: SealedInputs): Problem =>
  sealed === "unknown" && problem.code === "SOPS002" ? { ...problem, severity: "warning" } : problem;

/**
 * What forbids an answer: inputs that are encrypted, that no available key opens and of which nothing can be read, and
 * files that were changed or cut off, which is no question of keys.
 */
export const hindrances = ({
  closed,
  inputs,
}: Pick<AssetDirectory, "closed" | "inputs">): readonly Problem[] =>
  closed.filter(({ code, file }) => {
    if (code === "SOPS001") return true;
    const input = file === undefined ? undefined : inputs.get(file);
    // What could be read of a file in spite of its encryption are other bytes.
    return input?.sealed !== undefined && input.data === input.sealed.onDisk;
  });

/** The problems of a directory's closed files. Without a key, that a comparison cannot verify them goes without saying. */
export function closedProblems(
  directory: AssetDirectory,
  identities: readonly string[],
  sealed: SealedInputs,
): readonly Problem[] {
  const { closed } = directory;
  if (sealed === "refused") return summed(closed);
  const errors = hindrances(directory);
  const others = identities.length === 0 ? [] : closed.filter((each) => !errors.includes(each));
  return [...errors, ...summed(others).map((each): Problem => ({ ...each, severity: "warning" }))];
}

/** The files of a folder that a flag names, opened where they are encrypted. */
export interface OpenedFolder {
  readonly files: readonly CustomFile[];
  /** A file stays closed, and it is not only the values of a Secret that cannot be read. */
  readonly isClosed: boolean;
}

/** Opens what is encrypted in a folder; what stays closed is reported, once for all files that require the same key. */
export async function openFolder(
  files: readonly CustomFile[],
  identities: readonly string[],
  sealed: SealedInputs,
  report: Report,
): Promise<OpenedFolder> {
  const problems: Problem[] = [];
  let isLost = false;
  const opened: CustomFile[] = [];
  for (const { file, data } of files) {
    const input = await openInput(file, data, identities);
    problems.push(...input.problems);
    if (!isClosed(input.file)) opened.push({ file, data: input.file.data });
    else if (secretIn(file, input.file.data) !== undefined)
      opened.push({ file, data: input.file.data, isSealed: true });
    else isLost = true;
  }
  for (const problem of summed(problems)) report(ofSealed(problem, sealed));
  return { files: opened, isClosed: isLost };
}

/** The one object of a file, if it is a Secret whose values alone are encrypted. */
function secretIn(file: string, data: Uint8Array): JsonObject | undefined {
  const [root, ...more] = rootsOf(readYaml(decode(data) ?? "", file).documents);
  const object = root === undefined || more.length > 0 ? undefined : toJson(root);
  return isReadableSecret(object) ? object : undefined;
}

export const hasSealedSecrets = ({ custom }: Pick<CompileRequest, "custom">): boolean =>
  custom?.files.some((each) => each.isSealed === true) === true;

/** The folder with a word in the place of what is encrypted. */
export const withPlaceholderSecrets = (custom: CustomSource, word: string): CustomSource => ({
  ...custom,
  files: custom.files.map((each) => {
    const secret = each.isSealed === true ? secretIn(each.file, each.data) : undefined;
    return secret === undefined ? each : { ...each, data: encode(writeYaml(withPlaceholders(secret, word))) };
  }),
});
