// The protobuf messages of stored built-in kinds as a table: which field number is which member of the JSON form.
//
//   node scripts/kubernetes-messages.mjs FOLDER … > schemas/data/kubernetes-messages.json
//
// Each FOLDER is a published Go module as it lies in a module cache (k8s.io/api@v0.37.2), the newest release first:
// kinds and fields that a newer one no longer has are taken from an older one. Read are generated.proto for the
// messages, the tags of the Go structs beside it for the names in JSON, and register.go for the group.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const folders = process.argv.slice(2);
if (folders.length === 0) throw new Error("name the folders of the modules, the newest first");
const stored = JSON.parse(
  readFileSync(new URL("../schemas/data/kubernetes-apis.json", import.meta.url), "utf8"),
);

/** Full name of a package → name of a message → { fields: number → { name, type }, list? }. */
const packages = new Map();
/** apiVersion → package. */
const apiVersions = new Map();

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

function readPackage(file) {
  const text = readFileSync(file, "utf8");
  const folder = dirname(file);
  const name = shortName(/^package ([\w.]+);/m.exec(text)[1]);
  const structs = goStructs(folder);
  const messages = packages.get(name) ?? new Map();
  packages.set(name, messages);
  const qualified = (type) =>
    SCALARS[type] ?? (type.includes(".") ? shortName(type.replace(/^\./, "")) : `${name}.${type}`);
  for (const [, message, body] of text.matchAll(/^message (\w+) \{\n(.*?)^\}/gms)) {
    const older = messages.has(message);
    const known = messages.get(message) ?? { fields: new Map(), list: false };
    messages.set(message, known);
    const struct = structs.get(message);
    for (const line of body.split("\n")) {
      const field =
        /^ {2}(?:(optional|repeated|required) ([\w.]+)|map<string, ([\w.]+)>) (\w+) = (\d+);/.exec(line);
      if (field === null) continue;
      const [, label, type, value, protoName, number] = field;
      if (known.fields.has(Number(number))) continue;
      const go = struct?.get(Number(number));
      const flags = `${label === "repeated" ? "[" : ""}${value === undefined ? "" : "{"}${go?.pointer ? "*" : ""}${go !== undefined && !go.omitempty && !go.inline ? "!" : ""}${older ? "~" : ""}`;
      if (struct === undefined && protoName === "items") known.list = true;
      known.fields.set(Number(number), {
        name: go?.inline ? "" : go?.json || protoName,
        flags,
        type: qualified(value ?? type),
      });
    }
  }
  const register = readdirSync(folder).includes("register.go")
    ? readFileSync(join(folder, "register.go"), "utf8")
    : "";
  const group = /GroupName\s*=\s*"([^"]*)"/.exec(register)?.[1] ?? groupNameOf(folder);
  const version = name.split(".").at(-1);
  if (group !== undefined) apiVersions.set(group === "" ? version : `${group}/${version}`, name);
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

for (const folder of folders)
  for (const each of readdirSync(folder, { recursive: true }).sort())
    if (each.endsWith("generated.proto")) readPackage(join(folder, each));

/** What is reached from whatever has metadata. */
const reached = new Set();
const missing = [];
function reach(full) {
  if (reached.has(full) || SPECIAL.test(full) || full.length === 1) return;
  const at = full.lastIndexOf(".");
  const message = packages.get(full.slice(0, at))?.get(full.slice(at + 1));
  if (message === undefined) throw new Error(`no message ${full}`);
  reached.add(full);
  for (const { type } of message.fields.values()) reach(type);
}
for (const { kind, versions } of stored.resources)
  for (const { apiVersion } of versions)
    if (!packages.get(apiVersions.get(apiVersion))?.has(kind)) missing.push(`${apiVersion} ${kind}`);
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
const version = /([^/]+\/[^/]+@[^/]+)\/?$/;
console.error(`without a message: ${missing.join(", ") || "none"}`);
console.log(
  JSON.stringify(
    {
      source: folders.map((folder) => version.exec(folder)?.[1] ?? folder),
      about:
        "Messages by package: fields as NUMBER NAME TYPE. No name: inline. Types: s string, i integer of 32 bits, l of 64, b boolean, y bytes, d double, or a message. Before it: [ list, { map from texts, * pointer (kept when present), ! not left out when empty, ~ no longer in the newest release that has the message. = before the fields: the value is its list. Made by scripts/kubernetes-messages.mjs.",
      apiVersions: Object.fromEntries(Object.entries(kinds).sort(([a], [b]) => (a < b ? -1 : 1))),
      messages,
    },
    null,
    2,
  ),
);
