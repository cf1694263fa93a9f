/** Units and users (docs/reference/ignition-configs.md §4b). */
import type { YamlNode } from "../../text/yaml-read.js";
import type { ReportAtNode } from "./report.js";
import { at, itemsOf, listAt, scalarAt, textAt } from "./view.js";

const SUFFIXES = /\.(?:service|socket|device|mount|automount|swap|target|path|timer|snapshot|slice|scope)$/;

export function checkUnits(root: YamlNode, report: ReportAtNode): void {
  const names = new Set<string>();
  for (const { node, path } of listAt(root, "systemd", "units")) {
    const name = scalarAt(node, "name");
    if (name === undefined) continue;
    if (!SUFFIXES.test(name.text))
      report(
        name,
        `${path}.name`,
        "IGN036",
        "Invalid",
        `invalid unit name ${JSON.stringify(name.text)}: unknown suffix`,
        "use a suffix such as .service or .mount",
      );
    if (names.has(name.text))
      report(name, `${path}.name`, "IGN032", "Duplicate", `duplicate unit ${name.text}`, "merge them");
    names.add(name.text);
    const contents = textAt(node, "contents") ?? "";
    const place = scalarAt(node, "contents") ?? node;
    const fault = unitFault(contents);
    if (fault !== undefined)
      report(place, `${path}.contents`, "IGN036", "Invalid", fault.message, "", fault.severity);
    else if (
      scalarAt(node, "enabled")?.value === true &&
      contents !== "" &&
      !/^[ \t]*\[Install\][ \t\r]*$/m.test(contents)
    )
      report(
        place,
        `${path}.contents`,
        "IGN036",
        "Invalid",
        `${name.text} is enabled, but has no [Install] section, so it is never started`,
        "add an [Install] section with WantedBy=",
        "warning",
      );
    checkDropins(node, path, report);
  }
}

function checkDropins(node: YamlNode, path: string, report: ReportAtNode): void {
  const names = new Set<string>();
  itemsOf(at(node, "dropins")).forEach((dropin, i) => {
    const name = scalarAt(dropin, "name");
    const field = `${path}.dropins[${i}]`;
    if (name !== undefined && !name.text.endsWith(".conf"))
      report(
        name,
        `${field}.name`,
        "IGN036",
        "Invalid",
        `${JSON.stringify(name.text)} is ignored by systemd: its name does not end with .conf`,
        "",
      );
    if (name !== undefined && names.has(name.text))
      report(name, `${field}.name`, "IGN032", "Duplicate", `duplicate drop-in ${name.text}`, "");
    if (name !== undefined) names.add(name.text);
    const fault = unitFault(textAt(dropin, "contents") ?? "");
    if (fault !== undefined)
      report(
        scalarAt(dropin, "contents") ?? dropin,
        `${field}.contents`,
        "IGN036",
        "Invalid",
        fault.message,
        "",
        fault.severity,
      );
  });
}

interface UnitFault {
  readonly message: string;
  readonly severity: "error" | "warning";
}

/** What Ignition refuses of the text of a unit, and what systemd passes over. */
function unitFault(contents: string): UnitFault | undefined {
  const error = (message: string): UnitFault => ({ message, severity: "error" });
  let section = false;
  let continued = false;
  for (const [i, line] of contents.split("\n").entries()) {
    const text = line.trim();
    const goesOn = line.endsWith("\\");
    const isRest = continued;
    continued = goesOn;
    if (isRest || text === "" || text.startsWith("#") || text.startsWith(";")) continue;
    if (text.startsWith("[")) {
      if (!/^\[[^\]]+\]$/.test(text)) return error(`line ${i + 1} is not a section header`);
      section = true;
    } else if (!section)
      return {
        message: `line ${i + 1} is outside of a section, so systemd ignores it`,
        severity: "warning",
      };
    else if (!text.includes("=")) return error(`line ${i + 1} is not NAME=VALUE`);
  }
  return undefined;
}

export function checkUsers(root: YamlNode, report: ReportAtNode): void {
  for (const kind of ["users", "groups"]) {
    const names = new Set<string>();
    for (const { node, path } of listAt(root, "passwd", kind)) {
      const name = scalarAt(node, "name");
      if (name !== undefined && names.has(name.text))
        report(
          name,
          `${path}.name`,
          "IGN032",
          "Duplicate",
          `duplicate name ${name.text} in passwd.${kind}`,
          "merge them",
        );
      if (name !== undefined) names.add(name.text);
      const keys = new Set<string>();
      itemsOf(at(node, "sshAuthorizedKeys")).forEach((key, i) => {
        if (key.type !== "scalar") return;
        const field = `${path}.sshAuthorizedKeys[${i}]`;
        if (keys.has(key.text))
          report(
            key,
            field,
            "IGN032",
            "Duplicate",
            "duplicate SSH key, which Ignition rejects",
            "remove one of them",
          );
        keys.add(key.text);
      });
    }
  }
}
