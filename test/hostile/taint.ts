/**
 * Secrets by taint: texts that stand in every place of an input that can hold a secret, and are looked for in all that
 * leaves slipway, as they are and as what they become on the way (base64, twice, hexadecimal).
 */
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { dump, loadAll } from "js-yaml";
import { isJson, isList, isObject, type Json, type JsonObject } from "../../src/core/json.js";
import { type Form, resolveForm } from "../../src/text/form.js";

/** Every mark begins with this; no text of slipway's holds it. */
export const CORE = "Tq7zK9wXbVsJ4hYp";
let marks = 0;

/** A secret that no other place has: letters and digits, long enough to be found in base64 of base64. */
export const mark = (): string => `${CORE}${String(++marks).padStart(4, "0")}Zz`;

const base64Inside = (text: string): readonly string[] =>
  [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)]).toString("base64");
    // The first and the last group of four hold neighbours, too.
    return whole.slice(shift === 0 ? 0 : 4, -4);
  });

const ONCE = base64Inside(CORE);
const FORMS: readonly string[] = [
  CORE,
  ...ONCE,
  ...ONCE.flatMap(base64Inside),
  Buffer.from(CORE).toString("hex"),
];

/** Where a text holds a mark: what stands around the first, undefined where there is none. */
export function markedIn(text: string, more: readonly string[] = []): string | undefined {
  for (const form of [...FORMS, ...more]) {
    const at = text.indexOf(form);
    if (at >= 0) return text.slice(Math.max(0, at - 120), at + form.length + 20);
  }
  return undefined;
}

/** Members of inputs whose texts are secrets, beside those that a schema marks: names of kubeconfigs, credentials, keys. */
const SECRET_MEMBERS =
  /^(?:password|token|secret|auth|api_?key|private_key|client-?secret|clientCertificatePassword|application_credential_secret|client-key-data|user_?data|plaintext|clientSecret|secretKey)$/i;
const PROXIES = /^https?Proxy$/;

/** `{"auths": …}` with marks, as a pull secret is. */
export const pullSecret = (): string =>
  JSON.stringify({
    auths: {
      "registry.example.com": {
        auth: Buffer.from(`user:${mark()}`).toString("base64"),
        email: "a@example.com",
      },
      "mirror.example.com:5000": { auth: Buffer.from(`${mark()}:${mark()}`).toString("base64") },
    },
  });

/** The same value with a mark in every place that can hold a secret. */
export function planted(value: Json, name = "", ofSecret = false): Json {
  if (isList(value)) return value.map((each) => planted(each, name, ofSecret));
  if (isObject(value)) {
    const isSecret = value["kind"] === "Secret";
    return Object.fromEntries(
      Object.entries(value).map(([member, each]): [string, Json] => {
        if (isSecret && member === "data" && isObject(each))
          return [member, mapped(each, () => Buffer.from(mark()).toString("base64"))];
        if (isSecret && member === "stringData" && isObject(each)) return [member, mapped(each, mark)];
        if (isSecret && member === "metadata" && isObject(each)) return [member, applied(each)];
        if (member === "env" && isList(each)) return [member, [...each, { name: "PASSWORD", value: mark() }]];
        if (/^(?:command|args)$/.test(member) && isList(each))
          return [member, [...each, `--oidc-client-secret=${mark()}`]];
        return [member, planted(each, member, isSecret)];
      }),
    );
  }
  if (typeof value !== "string" || value === "") return value;
  if (name === "pullSecret") return pullSecret();
  if (name === "sshKey") return value;
  if (PROXIES.test(name)) return `http://user:${mark()}@proxy.example.com:3128`;
  return SECRET_MEMBERS.test(name) ? mark() : value;
}

/** The metadata of a Secret that `kubectl apply` made: the whole of it stands in an annotation. */
const applied = (metadata: JsonObject): JsonObject => ({
  ...metadata,
  annotations: {
    ...(isObject(metadata["annotations"]) ? metadata["annotations"] : {}),
    "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ stringData: { a: mark() } }),
  },
});

/** Objects of a cluster that lie in a dump beside those that somebody asked for. */
const beside = (): JsonObject[] => [
  {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "db-login", namespace: "shop" },
    data: { password: "eA==" },
    stringData: { token: "x" },
  },
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "login-0", namespace: "shop" },
    spec: { containers: [{ name: "a", image: "a", command: ["a"], args: ["b"], env: [] }] },
    status: { phase: "Running" },
  },
];

const mapped = (object: JsonObject, text: () => string): JsonObject =>
  Object.fromEntries(Object.keys(object).map((key) => [key, text()]));

/** A file with marks, when it is YAML or JSON of objects; anything else as it is. */
export function plantedFile(data: Buffer): Buffer {
  const text = data.toString("utf8");
  const isDump = /^kind: PersistentVolumeClaim$/m.test(text);
  if (
    !isDump &&
    !/kind"?: "?Secret\b|[Pp]assword|pullSecret|secret|token|plaintext|apikey|^ *command:/m.test(text)
  )
    return data;
  try {
    const documents: unknown[] = loadAll(text);
    const values = documents.filter(isJson);
    if (values.length === 0 || values.length < documents.length || !values.some(isObject)) return data;
    if (/^\s*\{/.test(text)) return Buffer.from(JSON.stringify(planted(values[0] ?? null), null, 2));
    const all = isDump && values.length > 1 ? [...values, ...beside()] : values;
    return Buffer.from(all.map((each) => dump(planted(each), { lineWidth: -1 })).join("---\n"));
  } catch {
    return data;
  }
}

/** A file with a login in every address that has none, in the form in which people write one. */
export const withLogins = (data: Buffer): Buffer =>
  Buffer.from(
    data
      .toString("latin1")
      .replaceAll(/\bhttps?:\/\/(?=[\w[])(?![^\s/"']*@)/g, (scheme) => `${scheme}user:${mark()}@`),
    "latin1",
  );

export type Path = readonly (string | number)[];

/** Places of a form that a schema marks `writeOnly`; the first element stands for a list. */
export function writeOnlyPaths(form: Form, root = form, path: Path = [], depth = 0): Path[] {
  if (depth > 12) return [];
  const node = {
    ...resolveForm(form, root),
    ...(form.writeOnly === undefined ? {} : { writeOnly: form.writeOnly }),
  };
  if (node.writeOnly === true) return [path];
  return [
    ...Object.entries(node.properties ?? {}).flatMap(([name, each]) =>
      writeOnlyPaths(each, root, [...path, name], depth + 1),
    ),
    ...(node.items === undefined ? [] : writeOnlyPaths(node.items, root, [...path, 0], depth + 1)),
  ];
}

/** A copy with another value at a place, which is made where it is missing. */
export function withValue(value: Json, [step, ...rest]: Path, leaf: Json): Json {
  if (step === undefined) return leaf;
  if (typeof step === "number") {
    const list = isList(value) ? [...value] : [];
    list[step] = withValue(list[step] ?? {}, rest, leaf);
    return list;
  }
  const object = isObject(value) ? value : {};
  return {
    ...object,
    [step]: withValue(object[step] ?? (typeof rest[0] === "number" ? [] : {}), rest, leaf),
  };
}

export interface Written {
  readonly path: string;
  readonly mode: number;
  readonly text: string;
}

/** Files and folders of a tree: what stands in them, and their modes. */
export function writtenIn(folder: string): { readonly files: Written[]; readonly folders: Written[] } {
  const files: Written[] = [];
  const folders: Written[] = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const full = join(folder, name);
    const stat = lstatSync(full);
    const entry = { path: relative(folder, full), mode: stat.mode & 0o777 };
    if (stat.isDirectory()) folders.push({ ...entry, text: "" });
    else if (stat.isFile()) files.push({ ...entry, text: readFileSync(full, "latin1") });
  }
  return { files, folders };
}
