// The protobuf messages of stored built-in kinds as a table: which field number is which member of the JSON form. Read
// are generated.proto for the messages, the tags of the Go structs beside it for the names in JSON, generated.pb.go for the
// names that its errors use, and register.go for the group. Kinds and fields that a newer release no longer has stay as an older one had them.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const MODULES = ["api", "apimachinery", "apiextensions-apiserver", "kube-aggregator"];

const SCALARS = { string: "s", bool: "b", bytes: "y", int32: "i", int64: "l", double: "d" };
/** Messages whose JSON form is not an object of their fields; src/etcd/decode/json-form.ts writes them. */
const SPECIAL =
  /^(?:resource\.Quantity|intstr\.IntOrString|meta\.v1\.(?:MicroTime|Time|FieldsV1)|runtime\.RawExtension|apiextensions\.v1(?:beta1)?\.JSON(?:SchemaPropsOr\w+)?)$/;

const shortName = (name) =>
  name.replace(
    /^k8s\.io\.(?:api|apimachinery\.pkg\.(?:apis|api|util)|apimachinery\.pkg|\w+\.pkg\.apis)\./,
    "",
  );

/** Structs of the Go files of a folder: name → number → { json, pointer, omitempty, inline }. */
function goStructs(folder) {
  const structs = new Map();
  for (const file of readdirSync(folder)) {
    if (!file.endsWith(".go") || /^(?:zz_|generated)|_test\.go$/.test(file)) continue;
    let fields;
    for (const line of readFileSync(join(folder, file), "utf8").split("\n")) {
      const start = /^type (\w+) struct \{/.exec(line);
      if (start !== null) {
        fields = new Map();
        structs.set(start[1], fields);
      } else if (line === "}") fields = undefined;
      const tagged = /^\s+(\S+)(?:\s+(\S.*?))?\s+`(.*)`/.exec(line);
      if (fields === undefined || tagged === null) continue;
      const [, first, type, tags] = tagged;
      const number = /protobuf:"[^",]*,(\d+)/.exec(tags)?.[1];
      if (number === undefined) continue;
      const [json = "", ...options] = (/json:"([^"]*)"/.exec(tags)?.[1] ?? "").split(",");
      fields.set(Number(number), {
        json,
        pointer: (type ?? first).startsWith("*"),
        omitempty: options.includes("omitempty") || options.includes("omitzero"),
        inline: type === undefined && json === "",
      });
    }
  }
  return structs;
}

/** Names of the fields in the errors of the generated decoder: message → number → name. */
function namesInErrors(folder) {
  const names = new Map();
  let fields;
  let number;
  for (const line of readFileSync(join(folder, "generated.pb.go"), "utf8").split("\n")) {
    if (line.startsWith("func ")) {
      const message = /^func \(m \*(\w+)\) Unmarshal\(/.exec(line)?.[1];
      fields = message === undefined ? undefined : new Map();
      if (message !== undefined) names.set(message, fields);
    } else if (fields !== undefined && line.startsWith("\t\tcase ")) number = Number(line.slice(7, -1));
    else if (fields !== undefined) {
      const name = /"proto: wrong wireType = %d for field (\w+)"/.exec(line)?.[1];
      if (name !== undefined) fields.set(number, name);
    }
  }
  return names;
}

/** The name that a field has in errors unless the table says otherwise. */
const usualName = (name, type) =>
  name === "" ? type.slice(type.lastIndexOf(".") + 1) : name[0].toUpperCase() + name.slice(1);

/**
 * Names in errors that are not the usual ones: under "" by member, with the most frequent name of each, then by message
 * and member. A field of which no source was read has none, and goes by the others of its name.
 */
function goNamesOf(packages, reached) {
  const counts = new Map();
  const fields = [...reached].sort().flatMap((full) => {
    const at = full.lastIndexOf(".");
    const { fields } = packages.get(full.slice(0, at)).get(full.slice(at + 1));
    return [...fields.values()].map((field) => ({ full, ...field }));
  });
  for (const { name, type, go } of fields) {
    if (go === undefined || name === "") continue;
    const known = counts.get(name) ?? new Map([[usualName(name, type), 0]]);
    counts.set(name, known.set(go, (known.get(go) ?? 0) + 1));
  }
  const common = new Map(
    [...counts].map(([name, known]) => [name, [...known].sort(([, a], [, b]) => b - a)[0][0]]),
  );
  const names = { "": {} };
  for (const { full, name, type, go } of fields) {
    const expected = common.get(name) ?? usualName(name, type);
    if (expected !== usualName(name, type)) names[""][name] = expected;
    if (go === undefined || go === expected) continue;
    names[full] ??= {};
    names[full][name] = go;
  }
  names[""] = Object.fromEntries(Object.entries(names[""]).sort(([a], [b]) => (a < b ? -1 : 1)));
  return names;
}

/**
 * The messages of a package, and the apiVersion of its kinds. A field is `{ name, flags, type, go }`, `type` with the
 * package where it is a message, `go` its name in errors.
 */
export function packageOf(file) {
  const text = readFileSync(file, "utf8");
  const folder = dirname(file);
  const name = shortName(/^package ([\w.]+);/m.exec(text)[1]);
  const structs = goStructs(folder);
  const inErrors = namesInErrors(folder);
  const messages = new Map();
  const qualified = (type) =>
    SCALARS[type] ?? (type.includes(".") ? shortName(type.replace(/^\./, "")) : `${name}.${type}`);
  for (const [, message, body] of text.matchAll(/^message (\w+) \{\n(.*?)^\}/gms)) {
    const known = { fields: new Map(), list: false };
    messages.set(message, known);
    const struct = structs.get(message);
    for (const line of body.split("\n")) {
      const field =
        /^ {2}(?:(optional|repeated|required) ([\w.]+)|map<string, ([\w.]+)>) (\w+) = (\d+);/.exec(line);
      if (field === null) continue;
      const [, label, type, value, protoName, number] = field;
      const go = struct?.get(Number(number));
      const flags = `${label === "repeated" ? "[" : ""}${value === undefined ? "" : "{"}${go?.pointer ? "*" : ""}${go !== undefined && !go.omitempty && !go.inline ? "!" : ""}`;
      if (struct === undefined && protoName === "items") known.list = true;
      known.fields.set(Number(number), {
        name: go?.inline ? "" : go?.json || protoName,
        flags,
        type: qualified(value ?? type),
        go: inErrors.get(message)?.get(Number(number)),
      });
    }
  }
  const register = readdirSync(folder).includes("register.go")
    ? readFileSync(join(folder, "register.go"), "utf8")
    : "";
  const group = /GroupName\s*=\s*"([^"]*)"/.exec(register)?.[1] ?? groupNameOf(folder);
  const version = name.split(".").at(-1);
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return { name, messages, apiVersion: group === undefined ? undefined : apiVersion };
}

/** Some registrations take the group's name from the folder above. */
function groupNameOf(folder) {
  try {
    const above = readFileSync(join(folder, "../register.go"), "utf8");
    return /GroupName\s*=\s*"([^"]*)"/.exec(above)?.[1];
  } catch {
    return undefined;
  }
}

/** Packages by name, and apiVersion → package. */
export function readMessages(kubernetes) {
  const packages = new Map();
  const apiVersions = new Map();
  for (const module of MODULES) {
    const folder = kubernetes.place(`k8s.io/${module}`);
    for (const each of readdirSync(folder, { recursive: true }).sort()) {
      if (!each.endsWith("generated.proto")) continue;
      const { name, messages, apiVersion } = packageOf(join(folder, each));
      packages.set(name, messages);
      if (apiVersion !== undefined) apiVersions.set(apiVersion, name);
    }
  }
  return { packages, apiVersions };
}

/** The same of a table. */
function messagesIn(table) {
  const packages = new Map();
  for (const [name, messages] of Object.entries(table.messages)) {
    const read = new Map();
    packages.set(name, read);
    for (const [message, text] of Object.entries(messages)) {
      const fields = new Map();
      for (const each of text.replace(/^=/, "").split("|").filter(Boolean)) {
        const [, number, member, flags, type] = /^(\d+) (\S*) ([[{*!~]*)(.*)$/.exec(each);
        const full = type.length === 1 || type.includes(".") ? type : `${name}.${type}`;
        const go =
          table.goNames?.[`${name}.${message}`]?.[member] ??
          (table.goNames && (table.goNames[""][member] ?? usualName(member, full)));
        fields.set(Number(number), { name: member, flags, type: full, go });
      }
      read.set(message, { fields, list: text.startsWith("=") });
    }
  }
  return { packages, apiVersions: new Map(Object.entries(table.apiVersions)) };
}

/** The newer, with what it no longer has as the older had it. */
function merged(newer, older) {
  const packages = new Map(newer.packages);
  for (const [name, messages] of older.packages) {
    const both = new Map(newer.packages.get(name));
    packages.set(name, both);
    for (const [message, { fields, list }] of messages) {
      const now = both.get(message);
      const all = new Map(now?.fields);
      for (const [number, field] of fields)
        if (!all.has(number))
          all.set(
            number,
            now === undefined ? field : { ...field, flags: `${field.flags.replace("~", "")}~` },
          );
      both.set(message, { fields: all, list: list || now?.list === true });
    }
  }
  return { packages, apiVersions: new Map([...older.apiVersions, ...newer.apiVersions]) };
}

/** Members of the table: what is reached from whatever has metadata. */
function tableOf({ packages, apiVersions }) {
  const reached = new Set();
  const reach = (full) => {
    if (reached.has(full) || SPECIAL.test(full) || full.length === 1) return;
    const at = full.lastIndexOf(".");
    const message = packages.get(full.slice(0, at))?.get(full.slice(at + 1));
    if (message === undefined) throw new Error(`no message ${full}`);
    reached.add(full);
    for (const { type } of message.fields.values()) reach(type);
  };
  const kinds = {};
  for (const [apiVersion, name] of apiVersions) {
    if (/^(?:authentication|authorization|admission|imagepolicy)\./.test(name)) continue;
    for (const [kind, { fields }] of packages.get(name))
      if (fields.get(1)?.type === "meta.v1.ObjectMeta") {
        reach(`${name}.${kind}`);
        kinds[apiVersion] = name;
      }
  }
  const messages = {};
  for (const full of [...reached].sort()) {
    const at = full.lastIndexOf(".");
    const home = full.slice(0, at);
    const { fields, list } = packages.get(home).get(full.slice(at + 1));
    messages[home] ??= {};
    const local = (type) => (type.startsWith(`${home}.`) ? type.slice(home.length + 1) : type);
    const text = [...fields]
      .sort(([a], [b]) => a - b)
      .map(([number, { name, flags, type }]) => `${number} ${name} ${flags}${local(type)}`)
      .join("|");
    messages[home][full.slice(at + 1)] = list ? `=${text}` : text;
  }
  return {
    apiVersions: Object.fromEntries(Object.entries(kinds).sort(([a], [b]) => (a < b ? -1 : 1))),
    goNames: goNamesOf(packages, reached),
    messages,
  };
}

/** The table with a release, which may be one that it has; `apis` is the table of kinds. */
export function addMessages(table, kubernetes, apis) {
  const all = merged(readMessages(kubernetes), messagesIn(table));
  const missing = apis.resources.flatMap(({ kind, versions }) =>
    versions
      .filter(
        ({ first, apiVersion }) =>
          first === kubernetes.release && !all.packages.get(all.apiVersions.get(apiVersion))?.has(kind),
      )
      .map(({ apiVersion }) => `${apiVersion} ${kind}`),
  );
  if (missing.length > 0)
    throw new Error(`Kubernetes ${kubernetes.release}: no message of ${missing.join(", ")}`);
  return { ...table, ...tableOf(all) };
}

/**
 * The table as it was at `older`, of which the table itself cannot tell: messages and fields of the `newer` releases that
 * it did not have are left out.
 */
export function cutMessages(table, older, newer) {
  const then = readMessages(older);
  const since = newer.map(readMessages);
  const { packages, apiVersions } = messagesIn(table);
  for (const [name, messages] of packages)
    for (const [message, known] of messages) {
      const old = then.packages.get(name)?.get(message);
      const now = since
        .map((each) => each.packages.get(name)?.get(message))
        .filter((each) => each !== undefined);
      for (const number of [...known.fields.keys()]) {
        const field = old?.fields.get(number);
        if (field !== undefined) known.fields.set(number, field);
        else if (now.some(({ fields }) => fields.has(number))) known.fields.delete(number);
      }
      if (old === undefined && now.length > 0) messages.delete(message);
    }
  for (const [apiVersion, name] of apiVersions)
    if (!then.apiVersions.has(apiVersion) && since.some((each) => each.apiVersions.has(apiVersion))) {
      apiVersions.delete(apiVersion);
      packages.delete(name);
    }
  return { ...table, ...tableOf({ packages, apiVersions }) };
}
