/**
 * An Ignition config, checked as far as that goes without the machine: what Ignition refuses at boot, and what it
 * takes although it cannot be meant (docs/reference/ignition-configs.md §4).
 */
import { type Problem, problem } from "../../core/problem.js";
import type { YamlNode } from "../../text/yaml-read.js";
import { checkDevices } from "./devices.js";
import { checkMembers } from "./members.js";
import type { ReportAtNode } from "./report.js";
import { CONFIG, NEWEST_MINOR } from "./shape.js";
import { checkSources } from "./sources.js";
import { checkStorage } from "./storage.js";
import { checkUnits, checkUsers } from "./units.js";
import { scalarAt } from "./view.js";

export interface ConfigPlace {
  readonly file: string;
  /** Field path of the config in its document, such as `spec.config`; empty for a file of its own. */
  readonly base: string;
  /** Minor number of the newest spec version that the reader of the config takes. */
  readonly newest: number;
  /** True where the reader converts configs of version 2, as the machine config operator does. */
  readonly takesVersion2: boolean;
}

/** Every fault of a config. */
export function ignitionProblems(
  root: YamlNode,
  { file, base, newest, takesVersion2 }: ConfigPlace,
): Problem[] {
  const problems: Problem[] = [];
  const report: ReportAtNode = (node, path, code, kind, message, hint, severity = "error") => {
    const field = base === "" ? path : path === "" ? base : `${base}.${path}`;
    problems.push(
      problem(code, kind, field, message, { severity, file, line: node.line, column: node.column, hint }),
    );
  };
  if (root.type !== "mapping") {
    report(root, "", "IGN030", "Invalid", "an Ignition config must be an object", "");
    return problems;
  }
  const version = scalarAt(root, "ignition", "version");
  const place = version ?? root;
  if (version === undefined || version.text === "") {
    report(
      place,
      "ignition.version",
      "IGN031",
      "Required",
      "required value is missing: version",
      `use at most "3.${newest}.0"`,
    );
    return problems;
  }
  const [, major, minor] = /^([0-9]+)\.([0-9]+)\.0$/.exec(version.text) ?? [];
  if (typeof version.value !== "string" || major === undefined || minor === undefined) {
    report(
      place,
      "ignition.version",
      "IGN031",
      "NotSupported",
      `invalid spec version ${JSON.stringify(version.text)}`,
      `"3.0.0" to "3.${newest}.0"`,
    );
    return problems;
  }
  if (major === "2" && takesVersion2) {
    report(
      place,
      "ignition.version",
      "IGN031",
      "NotSupported",
      "spec version 2 is converted if possible; slipway does not check it",
      "rewrite the config for 3.2.0",
      "warning",
    );
    return problems;
  }
  if (major !== "3" || Number(minor) > NEWEST_MINOR) {
    report(
      place,
      "ignition.version",
      "IGN031",
      "NotSupported",
      `unknown spec version ${version.text}`,
      `"3.0.0" to "3.${newest}.0"`,
    );
    return problems;
  }
  if (Number(minor) > newest)
    report(
      place,
      "ignition.version",
      "IGN031",
      "NotSupported",
      `spec version ${version.text} is not supported by the target release, which supports up to 3.${newest}.0`,
      `use the version 3.${newest}.0`,
    );
  checkMembers(root, CONFIG, Number(minor), "", report);
  checkSources(root, Number(minor), report);
  checkStorage(root, Number(minor), report);
  checkDevices(root, Number(minor), report);
  checkUnits(root, report);
  checkUsers(root, report);
  return problems;
}
