/**
 * Files, directories, links and units: paths, modes and what excludes each other (docs/reference/ignition-configs.md
 * §4b).
 */
import type { YamlNode } from "../../text/yaml-read.js";
import { pathFault } from "./paths.js";
import type { ReportAtNode } from "./report.js";
import { at, itemsOf, listAt, scalarAt, textAt } from "./view.js";

const KINDS = ["files", "directories", "links"] as const;

interface Entry {
  readonly kind: (typeof KINDS)[number];
  readonly path: string;
  readonly node: YamlNode;
  /** Field path of the entry. */
  readonly field: string;
}

export function checkStorage(root: YamlNode, minor: number, report: ReportAtNode): void {
  const entries = KINDS.flatMap((kind) =>
    listAt(root, "storage", kind).map(
      ({ node, path: field }): Entry => ({ kind, node, field, path: textAt(node, "path") ?? "" }),
    ),
  );
  const first = new Map<string, Entry>();
  const kinds = new Map(entries.map(({ kind, path }) => [path, kind]));
  const units = unitPaths(root);
  for (const entry of entries) {
    const { node, path, field, kind } = entry;
    const place = scalarAt(node, "path") ?? node;
    const fault = pathFault(path);
    if (fault !== undefined)
      report(
        place,
        `${field}.path`,
        "IGN033",
        "Invalid",
        fault,
        'use an absolute path without ".", ".." and double slashes',
      );
    else {
      const other = first.get(path);
      if (other !== undefined)
        report(
          place,
          `${field}.path`,
          "IGN032",
          "Duplicate",
          `duplicate path ${path}, also in storage.${other.kind} (${other.field})`,
          "remove one of them",
        );
      else first.set(path, entry);
      const [above, what] =
        parents(path)
          .map((each) => [each, kinds.get(each)] as const)
          .find(([, each]) => each === "links" || each === "files") ?? [];
      if (above !== undefined)
        report(
          place,
          `${field}.path`,
          "IGN033",
          "Invalid",
          `${path} is below the ${what === "links" ? "link" : "file"} ${above}`,
          what === "links" ? "use the target path of the link" : "use a directory as its parent",
        );
      if (units.has(path))
        report(
          place,
          `${field}.path`,
          "IGN032",
          "Duplicate",
          `${path} is also the file of a unit or a drop-in with contents`,
          "keep it in systemd.units or in storage",
        );
    }
    checkOwners(node, field, report);
    if (kind !== "links") checkMode(node, field, kind, report);
    if (kind === "files") checkContents(node, field, report);
    if (kind === "links" && minor >= 3 && (textAt(node, "target") ?? "") === "")
      report(node, `${field}.target`, "IGN030", "Required", "a link requires a target", "");
    if (kind === "links" && scalarAt(node, "hard")?.value === true) {
      const target = scalarAt(node, "target");
      if (target !== undefined && kinds.get(target.text) === "directories")
        report(
          target,
          `${field}.target`,
          "IGN038",
          "Invalid",
          `a hard link must not have the directory ${target.text} as its target`,
          "remove hard",
        );
    }
  }
}

function parents(path: string): string[] {
  const parts = path.split("/").slice(1, -1);
  return parts.map((_, i) => `/${parts.slice(0, i + 1).join("/")}`);
}

/** The files that units and drop-ins with contents are written to. */
const unitPaths = (root: YamlNode): ReadonlySet<string> =>
  new Set(
    listAt(root, "systemd", "units").flatMap(({ node }) => {
      const unit = `/etc/systemd/system/${textAt(node, "name") ?? ""}`;
      const withContents = (each: YamlNode): boolean => (textAt(each, "contents") ?? "") !== "";
      return [
        ...(withContents(node) ? [unit] : []),
        ...itemsOf(at(node, "dropins"))
          .filter(withContents)
          .map((each) => `${unit}.d/${textAt(each, "name") ?? ""}`),
      ];
    }),
  );

function checkOwners(node: YamlNode, field: string, report: ReportAtNode): void {
  for (const owner of ["user", "group"]) {
    const [id, name] = [scalarAt(node, owner, "id"), scalarAt(node, owner, "name")];
    if (id !== undefined && name !== undefined && name.text !== "")
      report(
        name,
        `${field}.${owner}`,
        "IGN038",
        "Invalid",
        "id and name are mutually exclusive",
        "remove one of them",
      );
  }
}

/** Modes that somebody wrote in octal digits read as decimal numbers: 644 is 01204. */
const MISREAD: ReadonlySet<number> = new Set([
  400, 440, 444, 555, 600, 640, 644, 660, 664, 666, 700, 744, 750, 755, 770, 775, 777,
]);

function checkMode(node: YamlNode, field: string, kind: "files" | "directories", report: ReportAtNode): void {
  const mode = scalarAt(node, "mode");
  const value = typeof mode?.value === "number" ? mode.value : undefined;
  if (mode === undefined || value === undefined || !Number.isInteger(value)) return;
  const tell = (message: string, hint: string, severity: "error" | "warning" = "error"): void =>
    report(mode, `${field}.mode`, "IGN034", "Invalid", message, hint, severity);
  const octal = value.toString(8).padStart(4, "0");
  if (value < 0 || value > 0o7777)
    tell(`invalid mode ${value}`, "use 0 to 4095; modes are decimal, such as 420 for 0644");
  else if (MISREAD.has(value)) {
    const meant = Number.parseInt(String(value), 8);
    tell(
      `${value} is 0${octal} in octal, which is probably unintended; 0${value} is ${meant} in decimal`,
      `use ${meant}`,
    );
  } else if (value > 0o777)
    tell(`the mode ${octal} has special bits, which older Ignition versions ignore`, "", "warning");
  else if (kind === "directories" && (value & 0o111) === 0)
    tell(`a directory with the mode ${octal} cannot be entered`, "", "warning");
}

function checkContents(node: YamlNode, field: string, report: ReportAtNode): void {
  const overwrite = scalarAt(node, "overwrite");
  const contents = at(node, "contents");
  const hasSource = contents?.type === "mapping" && scalarAt(contents, "source") !== undefined;
  if (overwrite?.value === true && !hasSource)
    report(
      overwrite,
      `${field}.overwrite`,
      "IGN038",
      "Invalid",
      "overwrite requires contents",
      "set contents, or remove overwrite",
    );
}
