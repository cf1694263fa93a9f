/** MachineConfig (machine-config-operator `ValidateMachineConfig`, `validateIgn3FileModes`, `ValidateMachineConfigSize`). */
import table from "../../../tables/machine-config-rules.json" with { type: "json" };
import { isList, type JsonObject } from "../../core/json.js";
import { type Problem, warning } from "../../core/problem.js";
import { compareReleases, parseRelease } from "../../core/release.js";
import { labelsOf } from "../../kubernetes/labels.js";
import { isLabelValue } from "../../kubernetes/names.js";
import { matchesSelector } from "../../kubernetes/selectors.js";
import { closest } from "../../text/closest.js";
import { quote } from "../../text/quote.js";
import { child } from "../../text/yaml-read.js";
import { newestSpec } from "../boot/manifests.js";
import { dig } from "../context.js";
import { problemAt } from "../documents.js";
import { ignitionProblems } from "../ignition/config.js";
import { listAt, scalarAt } from "../ignition/view.js";
import { type Folders, type KindRules, type Manifest, refused } from "./manifest.js";
import { ROLE_LABEL } from "./pools.js";

export const rules: KindRules = (manifest, folders) => [
  ...poolProblems(manifest, folders),
  ...kernelProblems(manifest),
  ...extensionProblems(manifest, folders),
  ...configProblems(manifest, folders),
  ...sizeProblems(manifest, folders),
];

const takenBy = ({ object }: Manifest, { pools }: Folders) =>
  pools.filter(({ selector }) => selector !== undefined && matchesSelector(selector, labelsOf(object)));

function poolProblems(manifest: Manifest, folders: Folders): Problem[] {
  const role = labelsOf(manifest.object).get(ROLE_LABEL);
  // A value that is no label at all is told as that.
  if (takenBy(manifest, folders).length > 0 || (role !== undefined && !isLabelValue(role))) return [];
  const names = folders.pools.map(({ name }) => name);
  const near = role === undefined ? undefined : closest(role, names);
  return [
    problemAt(
      manifest,
      warning(
        "BOOT007",
        role === undefined ? "Required" : "NotFound",
        role === undefined ? "metadata" : `metadata.labels[${ROLE_LABEL}]`,
        role === undefined
          ? "the MachineConfig matches no MachineConfigPool without the label"
          : `no MachineConfigPool has the role ${quote(role)}`,
        role === undefined
          ? `set ${ROLE_LABEL} to worker or another role`
          : near === undefined
            ? `use one of the pools ${names.join(", ")}, or add a MachineConfigPool for the role`
            : `did you mean ${near}?`,
      ),
    ),
  ];
}

function kernelProblems(manifest: Manifest): Problem[] {
  const type = dig(manifest.object, ["spec", "kernelType"]);
  if (typeof type !== "string" || type === "" || table.kernelTypes.includes(type)) return [];
  const hint = `use one of: ${table.kernelTypes.join(", ")}`;
  return [
    problemAt(
      manifest,
      refused("spec.kernelType", `unsupported kernel type ${quote(type)}`, hint, "NotSupported"),
    ),
  ];
}

/** Without a config the controller does not look at extensions, but the machines fail at them. */
function extensionProblems(manifest: Manifest, { release }: Folders): Problem[] {
  const extensions = dig(manifest.object, ["spec", "extensions"]);
  if (!isList(extensions)) return [];
  const known = Object.entries(table.extensions).flatMap(([name, text]) => {
    const since = parseRelease(text);
    return since === undefined || compareReleases(release, since) >= 0 ? [name] : [];
  });
  const looksAt = (dig(manifest.object, ["spec", "config"]) ?? null) !== null;
  return extensions.flatMap((each, i): Problem[] => {
    if (typeof each !== "string" || known.includes(each)) return [];
    const near = closest(each, known);
    const finding = refused(
      `spec.extensions[${i}]`,
      `unsupported extension ${quote(each)}`,
      near === undefined ? `use one of: ${known.join(", ")}` : `did you mean ${near}?`,
      "NotSupported",
    );
    return [problemAt(manifest, looksAt ? finding : { ...finding, severity: "warning" })];
  });
}

const MOST_MODE = 0o777;

function configProblems(manifest: Manifest, { release }: Folders): Problem[] {
  const config = child(child(manifest.node, "spec"), "config");
  if (config === undefined || (config.type === "scalar" && config.value === null)) return [];
  const problems = ignitionProblems(config, {
    file: manifest.file,
    base: "spec.config",
    newest: newestSpec(release),
    takesVersion2: true,
  });
  const modes = listAt(config, "storage", "files").flatMap(({ node, path }) => {
    const mode = scalarAt(node, "mode");
    const value = typeof mode?.value === "number" ? mode.value : 0;
    return mode === undefined || value <= MOST_MODE
      ? []
      : [{ mode, value, field: `spec.config.${path}.mode` }];
  });
  const refusedModes = modes.filter(
    ({ field }) => !problems.some((each) => each.field === field && each.severity === "error"),
  );
  const fields = new Set(refusedModes.map(({ field }) => field));
  return [
    ...problems.filter(({ code, field = "" }) => code !== "IGN034" || !fields.has(field)),
    ...refusedModes.map(
      ({ mode, value, field }): Problem => ({
        ...refused(
          field,
          `invalid mode 0${value.toString(8)}: must not have special bits`,
          `use at most ${MOST_MODE} (0777)`,
        ),
        file: manifest.file,
        line: mode.line,
        column: mode.column,
      }),
    ),
  ];
}

/** What the pool renders of all its machine configs has to fit into etcd; those of the operator come on top. */
function sizeProblems(manifest: Manifest, folders: Folders): Problem[] {
  const { manifests } = folders;
  const own = sizeOf(manifest.object);
  const alone = own > table.maxSize;
  const pool = takenBy(manifest, folders).find((each) => {
    const all = manifests.filter((other) => isMachineConfig(other) && takenBy(other, folders).includes(each));
    const sizes = all.map(({ object }) => sizeOf(object));
    const sum = sizes.reduce((total, size) => total + size, 0);
    return (
      sum > table.maxSize &&
      own === Math.max(...sizes) &&
      all.find(({ object }) => sizeOf(object) === own) === manifest
    );
  });
  if (!alone && pool === undefined) return [];
  const limit = `more than the limit of ${table.maxSize} for an object in etcd`;
  return [
    problemAt(
      manifest,
      refused(
        "spec",
        alone
          ? `the MachineConfig has ${own} bytes, ${limit}`
          : `all MachineConfigs of the pool ${pool?.name} together have ${limit}; this is the largest`,
        "reference large files by URL, or compress them",
        "TooLong",
      ),
    ),
  ];
}

const isMachineConfig = ({ identity: { group, kind } }: Manifest): boolean =>
  group === "machineconfiguration.openshift.io" && kind === "MachineConfig";

const sizeOf = (object: JsonObject): number => Buffer.byteLength(JSON.stringify(object), "utf8");
