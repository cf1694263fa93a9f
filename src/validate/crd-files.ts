/** Folders of CustomResourceDefinitions (`--crds DIR`), already read. */
import type { Report } from "../core/diagnostics.js";
import { release } from "../core/minor.js";
import { kubernetesOf, type Release } from "../core/release.js";
import { loadCompile } from "../crd/cel/compile.js";
import { crdView } from "../crd/definition.js";
import { OPENSHIFT_CONTROL_PLANE } from "../crd/openshift-control-plane.js";
import { compilerOf } from "../crd/rules.js";
import { type Crd, loadCel, readCrd } from "../crd/schema.js";
import { crdFindings } from "../crd/validation.js";
import { memberObject, membersOf } from "../kubernetes/list-members.js";
import { readYaml } from "../text/yaml-read.js";
import type { Known, ValidationOptions } from "./context.js";

/** A text with the name under which people know it. */
export interface NamedDefinitions {
  readonly file: string;
  readonly text: string;
}

/**
 * The definitions in texts of YAML or JSON, several in a file and lists included; other objects are passed over. What
 * an API server would refuse of a definition is a warning, since it is somebody else's.
 * @param target the release whose API server is to take them; the newest that is known where it is left out
 */
export async function readDefinitions(
  texts: readonly NamedDefinitions[],
  report: Report,
  target?: Release,
): Promise<Crd[]> {
  const hasRules = texts.some(({ text }) => text.includes("x-kubernetes-validations"));
  const compile = hasRules ? await loadCompile() : undefined;
  const compiler =
    compile === undefined || target === undefined
      ? compile && { compile }
      : compilerOf(compile, release(kubernetesOf(target)));
  return texts.flatMap(({ file, text }) => {
    const { documents, problems } = readYaml(text, file);
    problems.forEach(report);
    const members = documents.flatMap(({ root }) => (root === undefined ? [] : membersOf(root)));
    return members.flatMap((member): Crd[] => {
      const value = memberObject(member);
      const crd = value === undefined ? undefined : readCrd(value);
      if (crd === undefined || value === undefined) return [];
      for (const finding of crdFindings(value, compiler))
        report({ ...finding, severity: "warning", file, line: member.node.line, column: 1 });
      return [crd];
    });
  });
}

/** What objects are held against by definitions; rules in CEL are evaluated where they can be. */
export const withDefinitions = async (
  texts: readonly NamedDefinitions[],
  report: Report,
  target: Release,
): Promise<Pick<ValidationOptions, "crds" | "cel">> => ({
  crds: await readDefinitions(texts, report, target),
  cel: await loadCel(),
});

/** The definition of our own kind; slipway always has it. */
const OWN: readonly Crd[] = [OPENSHIFT_CONTROL_PLANE].flatMap((definition) => {
  const spec = crdView(definition);
  return readCrd({ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", spec }) ?? [];
});

/** The definition of an object's kind, where there is one. */
export const definitionOf = (
  { identity }: Pick<Known, "identity">,
  { crds = [] }: Pick<ValidationOptions, "crds">,
): Crd | undefined =>
  [...crds, ...OWN].find(({ group, kind }) => group === identity.group && kind === identity.kind);
