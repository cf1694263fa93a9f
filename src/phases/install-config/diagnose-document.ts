/** What a document is, when it is not an install-config; and what stands behind the first document. */
import type { Problem } from "../../core/diagnostics.js";
import { problem, required, warning } from "../../core/problem.js";
import type { Form } from "../../text/form.js";
import { child, readYaml, type YamlDocument, type YamlNode } from "../../text/yaml-read.js";
import { foldKey } from "./decode-unknown.js";

/** Why a text without content has none. */
export function emptyDocument(text: string, file: string, next: number): Problem {
  const what =
    text.trim() === ""
      ? "the file is empty"
      : next > 0
        ? "the first YAML document is empty"
        : "the file contains only comments";
  return required("YAML006", "apiVersion", what, {
    file,
    line: next,
    column: next > 0 ? 1 : 0,
    hint:
      next > 0
        ? "remove everything before the install-config; the installer reads only the first document"
        : "remove the file and create a new one: slipway create install-config --platform PLATFORM --name NAME --base-domain DOMAIN",
  });
}

const MEMBERS = "an install-config has apiVersion: v1 and fields such as baseDomain and platform";

const CHECK_DIRECTORY = "to check its directory with the install-config, run: slipway validate --dir DIR";

/** A root that is not an install-config: a list, a text, or another object that may hold one. */
export function foreignDocument(root: YamlNode, form: Form, file: string): Problem | undefined {
  const foreign = ({ line, column }: YamlNode, found: string, hint = MEMBERS): Problem =>
    problem("IC001", "Invalid", "", `expected an install-config, found ${found}`, {
      file,
      line,
      column,
      hint,
    });
  if (root.type !== "mapping")
    return foreign(
      root,
      root.type === "sequence" ? "a list" : "a single value",
      "an install-config is a mapping of keys to values",
    );
  const { entries } = root;
  if (
    entries.some(({ name }) => name === "*installconfig.InstallConfig" || name === "*installconfig.ClusterID")
  )
    return foreign(root, "the state file of an asset directory", CHECK_DIRECTORY);
  if (["clusterName", "clusterID", "infraID"].every((member) => child(root, member) !== undefined))
    return foreign(root, "the metadata.json of a cluster", CHECK_DIRECTORY);
  const kind = child(root, "kind");
  const kindText = kind?.type === "scalar" && kind.kind === "string" ? kind.text : "";
  for (const member of ["data", "stringData"]) {
    const data = child(root, member);
    const names = data?.type === "mapping" ? data.entries.map(({ name }) => name) : [];
    const inner = names.find((name) => /install-?config/i.test(name));
    if (inner === undefined) continue;
    const isEncoded = kindText === "Secret" && member === "data";
    return foreign(
      data ?? root,
      `${article(kindText)} with an install-config in ${member}`,
      `save the value of ${inner} as install-config.yaml${isEncoded ? ", decoded from Base64" : ""}`,
    );
  }
  const known = new Set(Object.keys(form.properties ?? {}).map(foldKey));
  for (const common of ["apiversion", "kind", "metadata"]) known.delete(common);
  const alien = !entries.some(({ name }) => known.has(foldKey(name)));
  if (alien && kindText === "" && entries.length > 2 && child(root, "apiVersion") === undefined)
    return foreign(root, "a mapping without any field of an install-config");
  if (kindText === "" || kindText.toLowerCase() === "installconfig" || !alien) return undefined;
  return foreign(kind ?? root, article(kindText));
}

/** A kind with its article; one that does not read like a kind is an object. */
function article(kind: string): string {
  if (!/^[A-Za-z]{1,40}$/.test(kind)) return "an object";
  return `${/^[AEIOU]/i.test(kind) ? "an" : "a"} ${kind}`;
}

/** Warns of content after the first document, which is ignored. */
export function ignoredRest(text: string, file: string, first: YamlDocument): Problem | undefined {
  if (first.next === 0) return undefined;
  const lines = text.split(/\r\n|[\r\n]/).slice(first.next - 1);
  const marked = /^(?:---|\.\.\.)(?:\s|$)/.test(lines[0] ?? "");
  const rest = lines.slice(marked ? 1 : 0);
  const content = rest.findIndex((line) => !/^\s*(?:#.*|---\s*|\.\.\.\s*)?$/.test(line));
  if (content < 0) return undefined;
  const line = first.next + (marked ? 1 : 0) + content;
  const ignored = (code: "IC007" | "YAML007", message: string, hint: string): Problem =>
    warning(code, "Invalid", "", message, { file, line, column: 1, hint });
  if (!marked)
    return ignored(
      "IC007",
      "the install-config ends before this line; the rest of the file is ignored",
      "indent every top-level key like the first one",
    );
  const others = readYaml(rest.join("\n"), file).documents.some(({ root }) => root !== undefined);
  return ignored(
    "YAML007",
    `${others ? "the file contains another YAML document; " : ""}the installer reads only the first document and ignores the rest`,
    "keep only one document in the file",
  );
}
