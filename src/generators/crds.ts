/** The files of `slipway generate crds`: for each API of ours its CustomResourceDefinition, and the roles that go with it. */
import type { OutputFile } from "../core/files.js";
import { type CrdDefinition, crdName, crdView } from "../crd/definition.js";
import { CONTROL_PLANE_ROLE, OPENSHIFT_CONTROL_PLANE } from "../crd/openshift-control-plane.js";
import {
  APPROVAL_PLURAL,
  REQUEST_PLURAL,
  TRANSFER_GROUP,
  type TransferRole,
  transferDefinitions,
  transferRoles,
} from "../crd/storage-transfer.js";
import type { Renderer } from "../text/render.js";

/** Folder of the templates that the renderer must have loaded. */
export const CRD_TEMPLATES = "crds";

export interface CrdOptions {
  /** API group of the storage transfer definitions. */
  readonly transferGroup?: string;
}

/** Every definition that is written, in the order of their names. */
export function definitionsOf({ transferGroup = TRANSFER_GROUP }: CrdOptions = {}): readonly CrdDefinition[] {
  const { approval, request } = transferDefinitions(transferGroup);
  return [OPENSHIFT_CONTROL_PLANE, approval, request];
}

/**
 * Name order is apply order: a role about a kind does not need the kind to exist. The two roles of transfers have no
 * namespace: they are applied to the namespace of each side (`kubectl apply -n`).
 */
export function crdFiles(render: Renderer, options: CrdOptions = {}): readonly OutputFile[] {
  const { requester, approver } = transferRoles(options.transferGroup ?? TRANSFER_GROUP);
  const role = (view: TransferRole, path: string): OutputFile =>
    render.file("crds/role.yaml", { ...view }, path);
  return [
    ...definitionsOf(options).map((definition) =>
      render.file("crds/customresourcedefinition.yaml", crdView(definition), `${crdName(definition)}.yaml`),
    ),
    render.file(
      "crds/clusterrole.yaml",
      { ...CONTROL_PLANE_ROLE },
      `${OPENSHIFT_CONTROL_PLANE.plural}.clusterrole.yaml`,
    ),
    role(approver, `${APPROVAL_PLURAL}.approver.role.yaml`),
    role(requester, `${REQUEST_PLURAL}.requester.role.yaml`),
  ];
}
