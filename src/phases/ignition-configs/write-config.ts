/** An Ignition config as one line of JSON, in the form of upstream's (docs/reference/ignition-configs.md §2a). */
import { isList, isObject, type Json, type JsonObject } from "../../core/json.js";
import type { IgnitionFile, IgnitionUnit } from "../../platforms/ignition.js";
import { goJson } from "../pointer-config.js";

export interface ConfigParts {
  readonly files: readonly IgnitionFile[];
  readonly units: readonly IgnitionUnit[];
  readonly users: readonly { readonly name: string; readonly keys: readonly string[] }[];
  /** Members that a platform adds, such as `storage.disks`. */
  readonly additions?: JsonObject;
}

/** A later file takes the place of an earlier one of the same path. */
export function writeConfig({ files, units, users, additions = {} }: ConfigParts): string {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return goJson(
    merged(
      {
        ignition: { version: "3.2.0" },
        passwd: { users: users.map(({ name, keys }) => ({ name, sshAuthorizedKeys: keys })) },
        storage: { files: [...byPath.values()].map(fileJson) },
        systemd: { units: units.map(unitJson) },
      },
      additions,
    ),
  );
}

function fileJson({ path, mode, append = false, data }: IgnitionFile): JsonObject {
  const contents = { source: `data:text/plain;charset=utf-8;base64,${Buffer.from(data).toString("base64")}` };
  return {
    overwrite: !append,
    path,
    user: { name: "root" },
    ...(append ? { append: [contents] } : { contents }),
    mode,
  };
}

/** `enabled` is absent unless true. */
const unitJson = ({ name, enabled = false, contents, dropins }: IgnitionUnit): JsonObject => ({
  ...(contents === undefined ? {} : { contents }),
  ...(dropins === undefined
    ? {}
    : { dropins: dropins.map((dropin) => ({ contents: dropin.contents, name: dropin.name })) }),
  ...(enabled ? { enabled } : {}),
  name,
});

/** Objects member by member, lists one behind the other; what is neither stays as the first has it. */
function merged(a: JsonObject, b: JsonObject): JsonObject {
  const entries = Object.entries(b).map(([key, value]): [string, Json] => {
    const before = a[key];
    if (isObject(before) && isObject(value)) return [key, merged(before, value)];
    if (isList(before) && isList(value)) return [key, [...before, ...value]];
    return [key, before ?? value];
  });
  return { ...a, ...Object.fromEntries(entries) };
}
