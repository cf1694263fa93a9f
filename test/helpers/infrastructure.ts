/** Inputs of the infrastructure-manifests phase, made by hand, with a platform that stands for any. */

import { createReporter, type Diagnostic } from "../../src/core/diagnostics.js";
import { encode, type OutputFile, textFile } from "../../src/core/files.js";
import { releaseNamed } from "../../src/core/release.js";
import type { Assets } from "../../src/phases/assets.js";
import { infrastructureManifests } from "../../src/phases/infrastructure-manifests/index.js";
import type { NormalConfig } from "../../src/platforms/config.js";
import type { PlatformInfrastructure, PlatformModule } from "../../src/platforms/platform.js";
import { createRenderer } from "../../src/text/render.js";
import { PLANTED } from "./planted.js";

export const INFRA_ID = "egret-abcde";

export const CONFIG: NormalConfig = {
  apiVersion: "v1",
  metadata: { name: "egret" },
  baseDomain: "example.com",
  additionalTrustBundlePolicy: "Proxyonly",
  networking: {
    networkType: "OVNKubernetes",
    machineNetwork: [{ cidr: "10.0.0.0/16" }],
    clusterNetwork: [{ cidr: "10.128.0.0/14", hostPrefix: 23 }],
    serviceNetwork: ["172.30.0.0/16"],
  },
  controlPlane: {
    name: "master",
    replicas: 3,
    hyperthreading: "Enabled",
    architecture: "amd64",
    platform: {},
  },
  compute: [{ name: "worker", replicas: 3, hyperthreading: "Enabled", architecture: "amd64", platform: {} }],
  platform: { none: {} },
  publish: "External",
  pullSecret: `{"auths":{"registry.example.com":{"auth":"${PLANTED.pullSecretAuth}"}}}`,
};

const unused = (): never => {
  throw new Error("not used by this phase");
};

/** A platform that answers with the given objects; placeholders for both unless told otherwise. */
export function platformWith(infrastructure: Partial<PlatformInfrastructure> = {}): PlatformModule {
  const placeholder = {
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
    placeholder: true,
  };
  return {
    name: "none",
    applyDefaults: (config) => config,
    validate: () => undefined,
    needs: [],
    resolveFacts: unused,
    readCredentials: unused,
    manifests: {
      infrastructure: unused,
      dns: unused,
      ingressPlatform: unused,
      noProxy: unused,
      cloudProviderConfig: unused,
      credentialsSecret: unused,
      networkMtu: unused,
      extra: unused,
    },
    machines: unused,
    infrastructure: () => ({
      cluster: { ...placeholder, kind: "REPLACE-ME-Cluster", name: "REPLACE-ME-infrastructure-cluster" },
      machineTemplate: {
        ...placeholder,
        kind: "REPLACE-ME-MachineTemplate",
        name: "REPLACE-ME-machine-template",
      },
      objects: [],
      ...infrastructure,
    }),
    supplement: () => [],
  };
}

export type Needs = Pick<Assets, (typeof infrastructureManifests.needs)[number]>;

const FACTS: Assets["facts"] = { apiVersion: "slipway.dev/v1alpha1", kind: "CloudFacts" };

export const STATE = encode(
  `{\n    "*installconfig.ClusterID": {\n        "InfraID": "${INFRA_ID}"\n    }\n}\n`,
);
export const INSTALL_CONFIG = encode("# as the user wrote it\napiVersion: v1\nmetadata: {name: egret}\n");

export const MANIFESTS: readonly OutputFile[] = [
  textFile("manifests/cluster-config.yaml", "apiVersion: v1\nkind: ConfigMap\n"),
  textFile("manifests/cluster-dns-02-config.yml", "apiVersion: config.openshift.io/v1\nkind: DNS\n"),
  textFile("openshift/99_kubeadmin-password-secret.yaml", `kind: Secret\n# ${PLANTED.password}\n`, {
    secret: true,
  }),
];

export function needs(changes: Partial<Needs> = {}): Needs {
  return {
    "install-config": {
      config: CONFIG,
      written: {},
      normalForm: "apiVersion: v1\n",
      position: () => ({ file: "install-config.yaml", line: 1, column: 1 }),
    },
    "install-config-file": INSTALL_CONFIG,
    identity: { infraID: INFRA_ID, clusterID: "00000000-0000-0000-0000-000000000000" },
    facts: FACTS,
    credentials: undefined,
    platform: platformWith(),
    "manifest-files": MANIFESTS,
    "generated-manifests": MANIFESTS,
    state: STATE,
    "infrastructure-options": options(),
    "custom-infrastructure": undefined,
    ...changes,
  };
}

export const options = (
  changes: Partial<Assets["infrastructure-options"]> = {},
): Assets["infrastructure-options"] => ({
  namespace: INFRA_ID,
  controllerNamespace: "capa-system",
  contract: "v1beta1",
  secrets: "inline",
  releaseImage: undefined,
  ...changes,
});

export interface PhaseRun {
  readonly files: readonly OutputFile[];
  readonly diagnostics: readonly Diagnostic[];
}

const render = await createRenderer(["infrastructure-manifests"], (problem) => {
  throw new Error(problem.message);
});

export function runPhase(changes: Partial<Needs> = {}): PhaseRun {
  const reporter = createReporter();
  const files = infrastructureManifests.run(needs(changes), {
    release: releaseNamed("4.22"),
    render,
    tool: "slipway test",
    report: reporter.report,
  });
  return { files, diagnostics: reporter.diagnostics };
}
