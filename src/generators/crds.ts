/** The files of `slipway generate crds`: for each API of ours its CustomResourceDefinition, and the roles that go with it. */
import type { OutputFile } from "../core/files.js";
import { type CrdDefinition, crdName, crdView } from "../kubernetes/crd-definition.js";
import { CONTROL_PLANE_ROLE, OPENSHIFT_CONTROL_PLANE } from "../kubernetes/openshift-control-plane.js";
import type { Renderer } from "../text/render.js";

/** Folder of the templates that the renderer must have loaded. */
export const CRD_TEMPLATES = "crds";

/** Every definition that is written, in the order of their names. */
export const DEFINITIONS: readonly CrdDefinition[] = [OPENSHIFT_CONTROL_PLANE];

/** Name order is apply order: a role about a kind does not need the kind to exist. */
export const crdFiles = (render: Renderer): readonly OutputFile[] => [
  ...DEFINITIONS.map((definition) =>
    render.file("crds/customresourcedefinition.yaml", crdView(definition), `${crdName(definition)}.yaml`),
  ),
  render.file(
    "crds/clusterrole.yaml",
    { ...CONTROL_PLANE_ROLE },
    `${OPENSHIFT_CONTROL_PLANE.plural}.clusterrole.yaml`,
  ),
];
