/** Manifests of a made-up cluster, as texts, for tests of what reads them back. */
import { createReporter, type Diagnostic } from "../../src/core/diagnostics.js";
import type { Json, JsonObject } from "../../src/core/json.js";
import type { Choice } from "../../src/reconstruct/control-plane.js";
import { planReconstruction, type ReconstructionPlan } from "../../src/reconstruct/plan.js";
import { INFRA_ID } from "./infrastructure.js";

export const NAMESPACE = INFRA_ID;
export const STATE_TEXT = '{\n    "a": {}\n}';

export const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");

export interface Planned {
  readonly plan: ReconstructionPlan | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Plans from texts; names of files are `0.yaml`, `1.yaml` … in their order. */
export function planOf(texts: readonly string[], choice: Choice = {}): Planned {
  const reporter = createReporter();
  const plan = planReconstruction(
    texts.map((text, i) => ({ file: `${i}.yaml`, text })),
    choice,
    reporter.report,
  );
  return { plan, diagnostics: reporter.diagnostics };
}

/** The selected files as texts, by path. */
export const filesOf = (plan: ReconstructionPlan | undefined): Record<string, string> =>
  Object.fromEntries((plan?.files ?? []).map(({ path, data }) => [path, Buffer.from(data).toString("utf8")]));

export const controlPlane = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "cluster.openshift.io/v1alpha1",
  kind: "OpenShiftControlPlane",
  metadata: { name: INFRA_ID, namespace: NAMESPACE, ...metadata },
  spec: { installStateSecretRef: { name: "state" }, ...spec },
});

export const selecting = (selector: Json): JsonObject => controlPlane({ manifestsSelector: selector });

export const secret = (name: string, changes: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: NAMESPACE, ...metadata },
  ...changes,
});

export const stateSecret = (data: JsonObject = { ".openshift_install_state.json": base64(STATE_TEXT) }) =>
  secret("state", { data });

/** A Secret with one file, labels as slipway generates them. */
export const manifest = (
  folder: string,
  key: string,
  text = `# ${folder} ${key}\n`,
  labels: JsonObject = {},
): JsonObject =>
  secret(
    `m-${folder}-${key.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`,
    { data: { [key]: base64(text) } },
    { labels: { "cluster.openshift.io/manifest-folder": folder, pick: "yes", ...labels } },
  );

export const PICK: JsonObject = { matchLabels: { pick: "yes" } };
