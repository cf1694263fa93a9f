/**
 * Findings as a report of tests, in the form of the JUnit task of Ant (JUnit.xsd), which GitLab, Jenkins and Azure
 * Pipelines read: a test for each finding, and one for the command as a whole.
 */
import { terminalText } from "../../text/terminal.js";
import { isAtLeast, textOfFinding } from "./finding.js";
import type { RunReport } from "./run.js";

export function junit(run: RunReport): string {
  const { kept, accepted, fails, command, exit } = run;
  const failing = kept.filter(({ severity }) => isAtLeast(severity, fails));
  const others = kept.filter((each) => !failing.includes(each));
  // A run that ends otherwise without a finding is not to look like a success.
  const isUnexplained = exit !== 0 && failing.length === 0;
  const cases = [
    testCase(
      `slipway ${command}`,
      command,
      isUnexplained ? tag("error", "exit", `exit code ${exit}`, "") : "",
    ),
    ...failing.map((each) =>
      testCase(nameOf(each), each.file || command, tag("failure", each.rule, each.message, lineOf(each))),
    ),
    ...others.map((each) => testCase(nameOf(each), each.file || command, "")),
    ...accepted.map(({ finding, by }) =>
      testCase(
        nameOf(finding),
        finding.file || command,
        `<skipped message="${attribute(`accepted until ${by.until}: ${by.reason}`)}"/>`,
      ),
    ),
  ];
  // The form has no place for warnings, so that they are what the tests printed.
  const printed = others.map((each) => `${lineOf(each)}\n`).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="${attribute(`slipway ${command}`)}" package="slipway" id="0" timestamp="${run.now.toISOString().slice(0, 19)}" hostname="localhost" tests="${cases.length}" failures="${failing.length}" errors="${isUnexplained ? 1 : 0}" skipped="${accepted.length}" time="0">
    <properties/>
${cases.join("")}    <system-out>${content(printed)}</system-out>
    <system-err/>
  </testsuite>
</testsuites>
`;
}

type Found = RunReport["kept"][number];

const placeOf = ({ file, line, column }: Found): string =>
  file === "" || line === 0 ? file : `${file}:${line}:${column}`;

const nameOf = (each: Found): string => {
  const { rule, field, line } = each;
  return [rule, ...(field === "" ? [] : [field]), ...(line > 0 ? [`line ${line}`] : [])].join(" ");
};

const lineOf = (each: Found): string => {
  const place = placeOf(each);
  return `${place === "" ? "" : `${place}: `}${each.severity} ${each.rule}: ${textOfFinding(each)}`;
};

const testCase = (name: string, group: string, outcome: string): string =>
  `    <testcase name="${attribute(name)}" classname="${attribute(group)}" time="0"${outcome === "" ? "/>" : `>${outcome}</testcase>`}\n`;

const tag = (name: "error" | "failure", type: string, message: string, text: string): string =>
  `<${name} type="${attribute(type)}" message="${attribute(message)}">${content(text)}</${name}>`;

/** What XML 1.0 has no character for, besides controls. */
const OUTSIDE = /[\p{Cs}\ufffe\uffff]/gu;
const SIGNS: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const content = (text: string): string =>
  terminalText(text)
    .replace(OUTSIDE, "\ufffd")
    .replace(/[&<>"]/g, (sign) => SIGNS[sign] ?? sign);
/** A value without breaks of lines: the form takes names as tokens. */
const attribute = (text: string): string => content(text.replace(/\s+/g, " ").trim());
