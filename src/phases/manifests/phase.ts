/**
 * The manifests phase: every file of `manifests/` and `openshift/`
 * (docs/reference/install-config-and-manifests.md §3.2, §3.6, §3.7).
 */
import { placed } from "../../core/diagnostics.js";
import { byCodeUnit, type OutputFile } from "../../core/files.js";
import { clusterDomain } from "../../platforms/config.js";
import { definePhase } from "../assets.js";
import { bootImages } from "./boot-images.js";
import { machineConfigServer, machineConfigServerCA, rootCA } from "./certificates.js";
import { clusterConfig } from "./cluster-config.js";
import { clusterVersion } from "./cluster-version.js";
import { dns } from "./dns.js";
import { effectiveVersion } from "./effective-version.js";
import { featureGate } from "./feature-gate.js";
import { fencing } from "./fencing.js";
import { imageContentSourcePolicy, imageDigestMirrorSet } from "./image-mirrors.js";
import { cloudProviderConfig, infrastructure, kubeCloudConfig } from "./infrastructure.js";
import { ingress, ingressController } from "./ingress.js";
import type { Asset, ManifestInput } from "./input.js";
import { installRecord } from "./install-record.js";
import { internalReleaseImage } from "./internal-release-image.js";
import { machineConfigs } from "./machine-configs.js";
import { network, networkOperator } from "./network.js";
import { osImageStream } from "./os-image-stream.js";
import { pki } from "./pki.js";
import { proxy } from "./proxy.js";
import { checkRules } from "./rules.js";
import { scheduler } from "./scheduler.js";
import { cloudCredentials, kubeadmin, pullSecret } from "./secrets.js";
import { trustBundle } from "./trust-bundle.js";
import { userData } from "./user-data.js";

const ASSETS: readonly Asset[] = [
  clusterConfig,
  clusterVersion,
  kubeCloudConfig,
  rootCA,
  machineConfigServerCA,
  machineConfigServer,
  internalReleaseImage,
  pullSecret,
  infrastructure,
  cloudProviderConfig,
  dns,
  ingress,
  ingressController,
  network,
  networkOperator,
  proxy,
  scheduler,
  trustBundle,
  imageContentSourcePolicy,
  imageDigestMirrorSet,
  bootImages,
  kubeadmin,
  featureGate,
  effectiveVersion,
  installRecord,
  osImageStream,
  pki,
  cloudCredentials,
  userData,
  machineConfigs,
  fencing,
  (input) => input.platform.manifests.extra(input),
  (input) => (input.machinesElsewhere ? [] : input.platform.machines(input)),
];

export const manifests = definePhase({
  name: "manifests",
  needs: ["install-config", "identity", "pki", "kubeadmin", "facts", "credentials", "platform"],
  summary: "Generate the installer's manifests",
  run(
    needs,
    { release, render, tool, effectiveVersions, machinesElsewhere = false, mastersSchedulable, report },
  ) {
    const { config, normalForm, position } = needs["install-config"];
    const input: ManifestInput = {
      config,
      normalForm,
      domain: clusterDomain(config),
      identity: needs.identity,
      pki: needs.pki,
      kubeadmin: needs.kubeadmin,
      facts: needs.facts,
      credentials: needs.credentials,
      platform: needs.platform,
      release,
      tool,
      effectiveVersions,
      machinesElsewhere,
      mastersSchedulable,
      report: (problem) => report(placed(problem, position(problem.field ?? ""))),
    };
    checkRules(input);
    const files = ASSETS.flatMap((asset) => asset(input)).map(({ template, view, path, secret = false }) =>
      render.file(template, view, path, { secret }),
    );
    return inOrder(files);
  },
});

/** By path; two writers of one path are a bug. */
function inOrder(files: readonly OutputFile[]): OutputFile[] {
  const sorted = [...files].sort((a, b) => byCodeUnit(a.path, b.path));
  sorted.forEach(({ path }, index) => {
    if (sorted[index + 1]?.path === path) throw new Error(`two assets write ${path}`);
  });
  return sorted;
}
