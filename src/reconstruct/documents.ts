/**
 * The objects of manifests of any origin that a cluster is reconstructed from: files in a repository, `kubectl get`
 * dumps, answers of the API. Only Secrets and OpenShiftControlPlanes count; whatever else stands between them is
 * passed over.
 */
import type { Problem } from "../core/diagnostics.js";
import { CONTROL_PLANE_GROUP, CONTROL_PLANE_KIND } from "../crd/openshift-control-plane.js";
import { identityOf, type ObjectIdentity } from "../kubernetes/identity.js";
import { memberObject, membersOf } from "../kubernetes/list-members.js";
import {
  ASSISTED_CONTROL_PLANE_GROUP,
  ASSISTED_CONTROL_PLANE_KIND,
} from "../kubernetes/openshift-assisted.js";
import { readYaml, type YamlDocument, type YamlNode } from "../text/yaml-read.js";
import { type ObjectDocument, problemAt } from "../validate/documents.js";
import { splitJsonStream } from "./json-stream.js";

/** A text with the name that its user knows it by. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
}

/** An object, where it stands, and what it is. */
export interface SourceObject extends ObjectDocument {
  readonly identity: ObjectIdentity;
}

export interface SourceObjects {
  readonly controlPlanes: readonly SourceObject[];
  /** Control planes of assisted-service, from which nothing is reconstructed. */
  readonly assisted: readonly SourceObject[];
  readonly secrets: readonly SourceObject[];
}

const isControlPlane = ({ group, kind }: ObjectIdentity): boolean =>
  group === CONTROL_PLANE_GROUP && kind === CONTROL_PLANE_KIND;
const isAssisted = ({ group, kind }: ObjectIdentity): boolean =>
  group === ASSISTED_CONTROL_PLANE_GROUP && kind === ASSISTED_CONTROL_PLANE_KIND;
const isSecret = ({ group, kind }: ObjectIdentity): boolean => group === "" && kind === "Secret";

/** `file:line` of an object, for messages. */
export const placeOf = ({ file, node }: ObjectDocument): string => `${file}:${node.line}`;

/** A problem at a field of an object. */
export const at = problemAt;

/** A text in which neither word stands holds nothing of ours, readable or not. */
const OURS = /Secret|OpenShiftControlPlane/;

/**
 * Every Secret and OpenShiftControlPlane of the texts, in their order. What cannot be read is an error where
 * something of ours may stand in it, else a warning.
 */
export function readSources(texts: readonly SourceText[], report: (problem: Problem) => void): SourceObjects {
  const found: SourceObject[] = [];
  const assisted: SourceObject[] = [];
  for (const { file, text } of texts) {
    const severity = OURS.test(text) ? "error" : "warning";
    for (const document of documentsOf(text, file)) {
      const objects = document.root === undefined ? [] : objectsIn(document.root, file).map(withIdentity);
      const ours = objects.filter(({ identity }) => isControlPlane(identity) || isSecret(identity));
      found.push(...ours);
      assisted.push(...objects.filter(({ identity }) => isAssisted(identity)));
      problemsOf(document, ours.length > 0, severity).forEach(report);
    }
  }
  return {
    controlPlanes: found.filter(({ identity }) => isControlPlane(identity)),
    assisted,
    secrets: found.filter(({ identity }) => isSecret(identity)),
  };
}

/** The documents of a text; JSON objects one behind the other, which YAML does not know, are one each. */
function documentsOf(text: string, file: string): readonly YamlDocument[] {
  const { documents, problems } = readYaml(text, file);
  if (problems.length === 0) return documents;
  const parts = splitJsonStream(text) ?? [];
  if (parts.length === 0) return documents;
  let line = 0;
  let counted = 0;
  return parts.flatMap((part) => {
    line += text.slice(counted, part.offset).split("\n").length - 1;
    counted = part.offset;
    // Lines are those of the file; on its first one an object counts columns from its own start.
    return readYaml(`${"\n".repeat(line)}${part.text}`, file).documents;
  });
}

const withIdentity = (document: ObjectDocument): SourceObject => ({
  ...document,
  identity: identityOf(document.object),
});

/** Of a document that holds nothing of ours only that it could not be read is worth a word. */
function problemsOf(
  { problems, root }: YamlDocument,
  ours: boolean,
  severity: "error" | "warning",
): readonly Problem[] {
  const told = joinedOnce(problems);
  if (ours) return told;
  const errors = told.filter((each) => (each.severity ?? "error") === "error");
  // A document that was read to its end is known to hold nothing of ours, but where a member of an object stands
  // twice: then two objects run into each other, as where files are joined without `---` between them.
  const lost = root === undefined ? errors : errors.filter(isJoined);
  return lost.map((each) => ({ ...each, severity }));
}

/** Of objects that run into each other every member appears twice; the first place is enough. */
function joinedOnce(problems: readonly Problem[]): readonly Problem[] {
  const first = problems.findIndex(isJoined);
  return problems.flatMap((each, index) => {
    if (!isJoined(each)) return [each];
    return index === first
      ? [{ ...each, hint: `${each.hint}, or separate two objects with a line ---` }]
      : [];
  });
}

const isJoined = ({ code, field }: Problem): boolean =>
  code === "YAML002" && /^(?:(?:^|\.)items\[\d+\])*$/.test(field ?? "");

/** The objects of a document, those of its lists among them. */
const objectsIn = (root: YamlNode, file: string): ObjectDocument[] =>
  membersOf(root).flatMap((member) => {
    const object = memberObject(member);
    if (typeof object?.["apiVersion"] !== "string" || typeof object["kind"] !== "string") return [];
    return [{ file, object, base: member.base, node: member.node }];
  });
