/** What a document is, when it is not an install-config; and what stands behind the first document. */
import type { Problem } from "../../core/diagnostics.js";
import type { Form } from "../../text/form.js";
import { child, readYaml, type YamlDocument, type YamlNode } from "../../text/yaml-read.js";
import { foldKey } from "./decode-unknown.js";

/** Why a text without content has none. */
export function emptyDocument(text: string, file: string, next: number): Problem {
  const what =
    text.trim() === ""
      ? "the file is empty"
      : next > 0
        ? "the first document is empty"
        : "the file holds nothing but comments";
  return {
    code: "YAML006",
    kind: "Required",
    file,
    line: next,
    column: next > 0 ? 1 : 0,
    field: "apiVersion",
    message: `${what}; there is no install-config in it`,
    hint:
      next > 0
        ? "the installer reads the first document only: remove what precedes the install-config"
        : "remove it; slipway create install-config --platform PLATFORM --name NAME --base-domain DOMAIN writes one to start from",
  };
}

/** A root that is not an install-config: a list, a text, or another object that may hold one. */
export function foreignDocument(root: YamlNode, form: Form, file: string): Problem | undefined {
  const problem = (at: YamlNode, message: string, hint: string): Problem => ({
    code: "IC001",
    kind: "Invalid",
    file,
    line: at.line,
    column: at.column,
    message,
    hint,
  });
  if (root.type === "sequence")
    return problem(
      root,
      "the file holds a list, not an install-config",
      "an install-config is a mapping: keys with values",
    );
  if (root.type === "scalar")
    return problem(
      root,
      "the file holds a single value, not an install-config",
      "an install-config is a mapping: keys with values",
    );
  const { entries } = root;
  if (
    entries.some(({ name }) => name === "*installconfig.InstallConfig" || name === "*installconfig.ClusterID")
  )
    return problem(
      root,
      "this is the state of an earlier run, not an install-config",
      "slipway validate --dir DIR checks the directory that it lies in, with the install-config",
    );
  if (["clusterName", "clusterID", "infraID"].every((member) => child(root, member) !== undefined))
    return problem(
      root,
      "this is the metadata.json of a cluster, not an install-config",
      "slipway validate --dir DIR checks the directory that it lies in, with the install-config",
    );
  const kind = child(root, "kind");
  const kindText = kind?.type === "scalar" && kind.kind === "string" ? kind.text : "";
  for (const member of ["data", "stringData"]) {
    const data = child(root, member);
    const names = data?.type === "mapping" ? data.entries.map(({ name }) => name) : [];
    const inner = names.find((name) => /install-?config/i.test(name));
    if (inner === undefined) continue;
    const decode = kindText === "Secret" && member === "data" ? ", decoded from base64," : "";
    return problem(
      data ?? root,
      `this is ${article(kindText)} that holds an install-config under ${member}`,
      `save the value of ${inner}${decode} as install-config.yaml`,
    );
  }
  const known = new Set(Object.keys(form.properties ?? {}).map(foldKey));
  for (const common of ["apiversion", "kind", "metadata"]) known.delete(common);
  const alien = !entries.some(({ name }) => known.has(foldKey(name)));
  if (alien && kindText === "" && entries.length > 2 && child(root, "apiVersion") === undefined)
    return problem(
      root,
      "no key at the top of the file is one of an install-config",
      "an install-config has apiVersion v1 and members such as baseDomain and platform",
    );
  if (kindText === "" || kindText.toLowerCase() === "installconfig" || !alien) return undefined;
  return problem(
    kind ?? root,
    `this is ${article(kindText)}, not an install-config`,
    "an install-config has apiVersion v1 and members such as baseDomain and platform",
  );
}

/** A kind with its article; one that does not read like a kind is an object. */
function article(kind: string): string {
  if (!/^[A-Za-z]{1,40}$/.test(kind)) return "an object";
  return `${/^[AEIOU]/i.test(kind) ? "an" : "a"} ${kind}`;
}

/** Warns of what stands behind the first document, since nobody reads it. */
export function ignoredRest(text: string, file: string, first: YamlDocument): Problem | undefined {
  if (first.next === 0) return undefined;
  const lines = text.split(/\r\n|[\r\n]/).slice(first.next - 1);
  const marked = /^(?:---|\.\.\.)(?:\s|$)/.test(lines[0] ?? "");
  const rest = lines.slice(marked ? 1 : 0);
  const content = rest.findIndex((line) => !/^\s*(?:#.*|---\s*|\.\.\.\s*)?$/.test(line));
  if (content < 0) return undefined;
  const line = first.next + (marked ? 1 : 0) + content;
  const at = { kind: "Invalid", severity: "warning", file, line, column: 1 } as const;
  if (!marked)
    return {
      ...at,
      code: "IC007",
      message: "the install-config ends before this line; what follows is not read",
      hint: "indent every key at the top as the first one",
    };
  const others = readYaml(rest.join("\n"), file).documents.some(({ root }) => root !== undefined);
  return {
    ...at,
    code: "YAML007",
    message: `${others ? "there is another document; " : ""}the installer reads the first document only, and nothing from here on`,
    hint: "keep one document in the file",
  };
}
