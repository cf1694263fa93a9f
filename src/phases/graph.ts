/** The graph of phases and of what they exchange, for `slipway graph`. */

import { agentConfigImage } from "./agent/config-image.js";
import { agentManifests } from "./agent/index.js";
import type { Assets } from "./assets.js";
import { clusterApi } from "./cluster-api/index.js";
import { ignitionConfigs } from "./ignition-configs/index.js";
import { imageBasedConfigImage } from "./image-based/config-image.js";
import { infrastructureManifests } from "./infrastructure-manifests/index.js";
import { manifests } from "./manifests/phase.js";

export interface GraphNode {
  readonly name: string;
  readonly kind: "input" | "asset" | "phase" | "output";
  readonly summary: string;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  /** Pairs of node names, from what is needed to what needs it. */
  readonly edges: readonly (readonly [from: string, to: string])[];
}

const INPUTS = {
  "install-config.yaml": "Configuration of the cluster",
  "agent-config.yaml": "Hosts of an agent-based installation",
  "image-based-config.yaml": "Node of an image-based installation",
  "extra-manifests/": "Your own manifests of an image-based installation",
  "--facts": "Facts about the cloud",
  "--coreos-stream": "Boot images by region and architecture",
  "--credentials": "Cloud credentials",
  "--custom-infrastructure": "Your own infrastructure cluster and machine template",
  "--nmstatectl": "Program that generates keyfiles of static networks",
  "--crds": "CustomResourceDefinitions to validate objects against",
  "state file": "Identity, keys and passwords of an earlier run",
  flags: "Values set on the command line",
  randomness: "New names, passwords and keys",
} as const;

/** Where each asset comes from; the compiler asks for a line for every new asset. */
const SOURCES: {
  readonly [Name in keyof Assets]: readonly (keyof typeof INPUTS | keyof Assets | PhaseNode)[];
} = {
  "install-config": ["phase install-config"],
  "install-config-file": ["phase install-config"],
  identity: ["state file", "flags", "randomness"],
  pki: ["state file", "randomness"],
  kubeadmin: ["state file", "randomness"],
  facts: ["--facts", "--coreos-stream", "install-config"],
  credentials: ["--credentials", "state file"],
  platform: ["install-config"],
  "manifest-files": ["manifests/", "openshift/"],
  "generated-manifests": ["phase manifests"],
  state: ["install-config", "identity", "pki", "kubeadmin"],
  "infrastructure-options": ["flags"],
  "custom-infrastructure": ["--custom-infrastructure", "--crds", "identity"],
  "cluster-pki": ["state file", "pki", "randomness"],
  "ignition-options": ["flags"],
  "agent-config": ["agent-config.yaml", "install-config"],
  "agent-options": ["flags"],
  "agent-objects": ["cluster-manifests/", "mirror/"],
  "agent-files": ["cluster-manifests/"],
  "agent-access": ["state file", "randomness"],
  "image-based-config": ["image-based-config.yaml", "--nmstatectl"],
  "image-based-access": ["state file", "randomness"],
  "extra-manifests": ["extra-manifests/"],
  "network-keyfiles": ["agent-objects", "--nmstatectl", "state file"],
};

type PhaseNode =
  | "phase install-config"
  | "phase manifests"
  | "manifests/"
  | "openshift/"
  | "cluster-manifests/"
  | "mirror/";

const OUTPUTS = [
  { phase: manifests, files: ["manifests/", "openshift/"] },
  { phase: clusterApi, files: ["cluster-api/"] },
  { phase: infrastructureManifests, files: ["infrastructure-manifests/"] },
  {
    phase: ignitionConfigs,
    files: ["bootstrap.ign", "master.ign, worker.ign, arbiter.ign", "auth/", "metadata.json"],
  },
  { phase: agentManifests, files: ["cluster-manifests/", "mirror/"] },
  { phase: agentConfigImage, files: ["agentconfig.noarch.iso"] },
  { phase: imageBasedConfigImage, files: ["imagebasedconfig.iso"] },
] as const;

const SUMMARIES: { readonly [Name in keyof Assets]: string } = {
  "install-config": "Valid install-config with defaults",
  "install-config-file": "Install-config as wrapped",
  identity: "Infrastructure name and UUID",
  pki: "Root CA and machine config server",
  kubeadmin: "Password and its hash",
  facts: "Facts required by the platform",
  credentials: "Platform credentials",
  platform: "Platform-specific settings",
  "manifest-files": "Both folders on disk, including edits",
  "generated-manifests": "Both folders as generated",
  state: "State file after the manifests phase",
  "infrastructure-options": "Namespace, contract, secrets layout",
  "custom-infrastructure": "Your own objects instead of the platform's",
  "cluster-pki": "All keys with their certificates",
  "ignition-options": "Release image, bootstrap address",
  "agent-config": "Hosts with their networks and roles",
  "agent-options": "Release image",
  "agent-objects": "Objects of assisted-service and mirrors, including edits",
  "agent-files": "cluster-manifests/ on disk, including edits",
  "agent-access": "Signers, tokens and the administrator's certificate",
  "image-based-config": "Name, network and labels of the node",
  "image-based-access": "Signers and the administrator's certificate",
  "extra-manifests": "Your own manifests",
  "network-keyfiles": "Keyfiles of the hosts' static networks",
};

const keysOf = <T extends object>(table: T): (keyof T & string)[] =>
  Object.keys(table).filter((key): key is keyof T & string => key in table);

export function phaseGraph(): Graph {
  const assets = keysOf(SOURCES);
  const nodes: GraphNode[] = [
    ...keysOf(INPUTS).map((name): GraphNode => ({ name, kind: "input", summary: INPUTS[name] })),
    {
      name: "phase install-config",
      kind: "phase",
      summary: "Read, convert, default and validate the install-config",
    },
    ...assets.map((name): GraphNode => ({ name, kind: "asset", summary: SUMMARIES[name] })),
    ...OUTPUTS.flatMap(({ phase, files }) => [
      { name: `phase ${phase.name}`, kind: "phase", summary: phase.summary } as const,
      ...files.map(
        (name) => ({ name, kind: "output", summary: `Files of the phase ${phase.name}` }) as const,
      ),
    ]),
  ];
  const edges: [string, string][] = [
    ["install-config.yaml", "phase install-config"],
    ...assets.flatMap((to) => SOURCES[to].map((from): [string, string] => [from, to])),
    ...OUTPUTS.flatMap(({ phase, files }) => [
      ...phase.needs.map((need): [string, string] => [need, `phase ${phase.name}`]),
      ...files.map((file): [string, string] => [`phase ${phase.name}`, file]),
    ]),
  ];
  return { nodes, edges };
}

const SHAPES = { input: "note", asset: "ellipse", phase: "box", output: "folder" } as const;

/** Graphviz text. */
export function toDot({ nodes, edges }: Graph): string {
  const quote = (text: string): string => JSON.stringify(text);
  return [
    "digraph slipway {",
    "  rankdir=LR;",
    '  node [fontname="sans-serif"];',
    ...nodes.map(
      ({ name, kind, summary }) => `  ${quote(name)} [shape=${SHAPES[kind]}, tooltip=${quote(summary)}];`,
    ),
    ...edges.map(([from, to]) => `  ${quote(from)} -> ${quote(to)};`),
    "}",
    "",
  ].join("\n");
}

const BRACKETS = { input: [">", "]"], asset: ["([", "])"], phase: ["[", "]"], output: ["[(", ")]"] } as const;

/** Mermaid flowchart text. */
export function toMermaid({ nodes, edges }: Graph): string {
  const id = (name: string): string => `n${nodes.findIndex((node) => node.name === name)}`;
  return [
    "flowchart LR",
    ...nodes.map(({ name, kind }) => `  ${id(name)}${BRACKETS[kind][0]}"${name}"${BRACKETS[kind][1]}`),
    ...edges.map(([from, to]) => `  ${id(from)} --> ${id(to)}`),
    "",
  ].join("\n");
}
