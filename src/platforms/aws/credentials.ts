/**
 * The shared credentials file of AWS (`--credentials`): sections of `key = value` lines, of which the section
 * `default` counts. Nothing is taken from the environment, and no value ever enters a message.
 */
import type { Problem } from "../../core/diagnostics.js";
import { problem } from "../../core/problem.js";
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
      const message =
        section === undefined
          ? "expected a [profile] before this line"
          : "invalid line: must have the form key = value";
      problems.push(
        problem("CRED001", "Parse", "", message, {
          file,
          line,
          column: 1,
          hint: "use the file that aws configure writes",
        }),
      );
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
  const hint = `keep one section [${PROFILE}] with ${KEY} and ${SECRET}`;
  problems.push(
    named.length > 1
      ? problem("CRED001", "Duplicate", "", `duplicate profile ${PROFILE}`, {
          file,
          line: again?.line ?? 0,
          column: 1,
          hint,
        })
      : problem(
          "CRED002",
          "Required",
          "",
          sections.length === 0
            ? "the file contains no profile"
            : `the file contains several profiles, but none named ${PROFILE}`,
          { file, line: 0, column: 0, hint },
        ),
  );
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
      problems.push(
        problem("CRED002", "Required", "", `the profile ${section.name} has no ${name}`, {
          ...at,
          line: section.entries.get(name)?.line ?? section.line,
          hint:
            section.entries.has("role_arn") || section.entries.has("credential_process")
              ? "use the access key of a user; slipway does not evaluate role_arn or credential_process"
              : "use the access key of a user",
        }),
      );
  const token = section.entries.get(TOKEN);
  // Operators cannot renew temporary keys, so the installer takes them with mode Manual only, which writes none.
  if (token !== undefined && token.value !== "" && config.credentialsMode !== "Manual")
    problems.push(
      problem(
        "CRED003",
        "Invalid",
        "credentialsMode",
        `the profile ${section.name} has a session token: a cluster cannot use temporary credentials`,
        {
          ...at,
          line: token.line,
          hint: "use the access key of a user, or set credentialsMode: Manual",
        },
      ),
    );
  const value = (name: string): string => section.entries.get(name)?.value ?? "";
  return {
    [KEY]: value(KEY),
    [SECRET]: value(SECRET),
    ...(value(TOKEN) === "" ? {} : { [TOKEN]: value(TOKEN) }),
  };
}
