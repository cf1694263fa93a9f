/**
 * The shared credentials file of AWS (`--credentials`): sections of `key = value` lines, of which the section
 * `default` counts. Nothing is taken from the environment, and no value ever enters a message.
 */
import type { Problem } from "../../core/diagnostics.js";
import type { NormalConfig } from "../config.js";
import type { Credentials, RuleContext } from "../platform.js";

const PROFILE = "default";
const KEY = "aws_access_key_id";
const SECRET = "aws_secret_access_key";
const TOKEN = "aws_session_token";

export const CREDENTIAL_NAMES: readonly string[] = [KEY, SECRET];

interface Entry {
  readonly value: string;
  readonly line: number;
}

interface Section {
  readonly name: string;
  readonly line: number;
  readonly entries: Map<string, Entry>;
}

/**
 * The keys of the profile `default`, or of the only profile there is. Undefined when they cannot be used; what is
 * wrong is reported with its line.
 */
export function readCredentials(
  text: string,
  file: string,
  { report }: Pick<RuleContext, "report">,
  config: NormalConfig,
): Credentials | undefined {
  const problems: Problem[] = [];
  const sections = readSections(text, file, problems);
  const section = chooseSection(sections, file, problems);
  const credentials = section === undefined ? undefined : keysOf(section, file, config, problems);
  problems.forEach(report);
  return problems.length > 0 ? undefined : credentials;
}

function readSections(text: string, file: string, problems: Problem[]): Section[] {
  const sections: Section[] = [];
  for (const [index, raw] of text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .entries()) {
    const line = index + 1;
    const content = raw.trim();
    if (content === "" || /^[#;]/.test(content)) continue;
    const header = /^\[([^\]]*)\]\s*([#;].*)?$/.exec(content);
    if (header !== null) {
      sections.push({ name: (header[1] ?? "").trim(), line, entries: new Map() });
      continue;
    }
    const at = content.indexOf("=");
    const section = sections.at(-1);
    if (section === undefined || at <= 0) {
      problems.push({
        code: "CRED001",
        kind: "Parse",
        file,
        line,
        column: 1,
        message:
          section === undefined ? "a line comes before the first [profile]" : "the line is not a key = value",
        hint: "aws configure writes a file in the right form",
      });
      if (section === undefined) break;
      continue;
    }
    // A line that is indented continues a nested block of the line before it, such as `s3 =`; none is ours.
    if (/^\s/.test(raw)) continue;
    section.entries.set(content.slice(0, at).trim().toLowerCase(), {
      value: content.slice(at + 1).trim(),
      line,
    });
  }
  return sections;
}

function chooseSection(sections: readonly Section[], file: string, problems: Problem[]): Section | undefined {
  const named = sections.filter(({ name }) => name === PROFILE);
  const [chosen, again] = named.length > 0 ? named : sections;
  if (chosen !== undefined && (named.length === 1 || (named.length === 0 && again === undefined)))
    return chosen;
  if (problems.length > 0) return undefined;
  const several = named.length > 1;
  problems.push({
    code: several ? "CRED001" : "CRED002",
    kind: several ? "Duplicate" : "Required",
    file,
    line: several ? (again?.line ?? 0) : 0,
    column: several ? 1 : 0,
    message: several
      ? `the profile ${PROFILE} appears twice`
      : sections.length === 0
        ? "the file holds no profile"
        : `the file holds several profiles, and none is named ${PROFILE}`,
    hint: `keep one section [${PROFILE}] with ${KEY} and ${SECRET}`,
  });
  return undefined;
}

function keysOf(
  section: Section,
  file: string,
  config: NormalConfig,
  problems: Problem[],
): Credentials | undefined {
  const at = { file, column: 1 };
  for (const name of [KEY, SECRET])
    if ((section.entries.get(name)?.value ?? "") === "")
      problems.push({
        ...at,
        code: "CRED002",
        kind: "Required",
        line: section.entries.get(name)?.line ?? section.line,
        message: `the profile ${section.name} has no ${name}`,
        hint:
          section.entries.has("role_arn") || section.entries.has("credential_process")
            ? "a role or a process is not followed offline; give the keys of a user"
            : "give the keys of a user",
      });
  const token = section.entries.get(TOKEN);
  // Operators cannot renew temporary keys, so the installer takes them with mode Manual only, which writes none.
  if (token !== undefined && token.value !== "" && config.credentialsMode !== "Manual")
    problems.push({
      ...at,
      code: "CRED003",
      kind: "Invalid",
      line: token.line,
      field: "credentialsMode",
      message: `the profile ${section.name} has a session token: its keys are temporary and cannot be given to the cluster`,
      hint: "give the keys of a user, or set credentialsMode: Manual",
    });
  const value = (name: string): string => section.entries.get(name)?.value ?? "";
  return {
    [KEY]: value(KEY),
    [SECRET]: value(SECRET),
    ...(value(TOKEN) === "" ? {} : { [TOKEN]: value(TOKEN) }),
  };
}
