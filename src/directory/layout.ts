/** Names in an asset directory: what upstream fixes, and what is ours. */

/** The phases that write an asset directory, in the order in which they run. */
export const PHASES = [
  "manifests",
  "cluster-api",
  "infrastructure-manifests",
  "ignition-configs",
  "agent-manifests",
  "agent-config-image",
  "image-based-config-image",
] as const;
export type PhaseName = (typeof PHASES)[number];

export const INSTALL_CONFIG = "install-config.yaml";
/** Hosts and their networks, for the agent-based installer. */
export const AGENT_CONFIG = "agent-config.yaml";
/** The image that configures hosts of an agent-based installation. */
export const AGENT_CONFIG_IMAGE = "agentconfig.noarch.iso";
/** The node of an image-based installation. */
export const IMAGE_BASED_CONFIG = "image-based-config.yaml";
/** Settings of the image that an image-based installation starts from. */
export const IMAGE_BASED_INSTALLATION_CONFIG = "image-based-installation-config.yaml";
/** The image that configures a node of an image-based installation. */
export const IMAGE_BASED_CONFIG_IMAGE = "imagebasedconfig.iso";
/** Folder of the user's manifests for a cluster of an image-based installation. */
export const EXTRA_MANIFESTS = "extra-manifests";
/** The state: identity, keys, passwords and what phases wrote, under upstream\'s name (docs/reference/install-config-and-manifests.md §2.5). */
export const STATE_FILE = ".openshift_install_state.json";
/** Folder of everything that only slipway reads. */
export const OWN_FOLDER = ".slipway";
/** The record of what was generated, with which options and by which phases: digests, no secret. */
export const RECORD_FILE = `${OWN_FOLDER}/record.json`;
/** The record that a run is about to make true; it is renamed to the record when everything else is in place. */
export const JOURNAL_FILE = `${OWN_FOLDER}/journal.json`;
/** Held by a run that writes. */
export const LOCK_FILE = `${OWN_FOLDER}/lock`;
/** What this working copy last wrote; ignored by Git, as everything here but the record. */
export const WORKING_COPY_FILE = `${OWN_FOLDER}/local.json`;
/** Keeps everything here but the record out of Git. */
export const OWN_IGNORE_FILE = `${OWN_FOLDER}/.gitignore`;
/** Lets Git merge the record line by line. */
export const OWN_ATTRIBUTES_FILE = `${OWN_FOLDER}/.gitattributes`;

export interface Folder {
  readonly path: string;
  readonly phase: PhaseName;
  /** Every file in it is secret: mode 0700 instead of 0755. */
  readonly private: boolean;
  /** Files that we did not write are the user's additions to the phase. */
  readonly additions: boolean;
}

/** The folders that phases fill. The asset directory itself takes `*.ign` and `metadata.json`. */
export const FOLDERS: readonly Folder[] = [
  { path: "manifests", phase: "manifests", private: false, additions: true },
  { path: "openshift", phase: "manifests", private: false, additions: true },
  // The inner folder first: it has to be empty before the outer one can be.
  { path: "cluster-api/machines", phase: "cluster-api", private: false, additions: true },
  { path: "cluster-api", phase: "cluster-api", private: false, additions: true },
  {
    path: "infrastructure-manifests",
    phase: "infrastructure-manifests",
    private: false,
    additions: true,
  },
  {
    path: "infrastructure-manifests-shared",
    phase: "infrastructure-manifests",
    private: false,
    additions: true,
  },
  {
    path: "infrastructure-manifests-secrets",
    phase: "infrastructure-manifests",
    private: true,
    additions: true,
  },
  { path: "data-secrets", phase: "ignition-configs", private: true, additions: false },
  { path: "auth", phase: "ignition-configs", private: true, additions: false },
  { path: "cluster-manifests", phase: "agent-manifests", private: false, additions: false },
  { path: "mirror", phase: "agent-manifests", private: false, additions: false },
  { path: "auth", phase: "agent-config-image", private: true, additions: false },
  { path: "auth", phase: "image-based-config-image", private: true, additions: false },
  { path: EXTRA_MANIFESTS, phase: "image-based-config-image", private: false, additions: true },
];

/** Images that machines read from a drive: useless once encrypted, and therefore never committed. */
export const isImage = (path: string): boolean => IMAGES.some(([image]) => image === path);

const IMAGES: readonly (readonly [path: string, phase: PhaseName])[] = [
  [AGENT_CONFIG_IMAGE, "agent-config-image"],
  [IMAGE_BASED_CONFIG_IMAGE, "image-based-config-image"],
];

/** The phase of a generated file that lies in the directory itself. */
const phaseOfRoot = (path: string): PhaseName =>
  IMAGES.find(([image]) => image === path)?.[1] ?? "ignition-configs";

/** Generated files that lie in the directory itself (docs/reference/install-config-and-manifests.md §2.3). */
export const isRootOutput = (name: string): boolean =>
  name.endsWith(".ign") || name === "metadata.json" || isImage(name);

/** Whether a phase may generate this path. */
export const isOutputOf = (phase: PhaseName, path: string): boolean =>
  folderOf(path) === ""
    ? isRootOutput(path) && phase === phaseOfRoot(path)
    : FOLDERS.some((folder) => folder.phase === phase && folder.path === folderOf(path));

/**
 * A manifest that the user deletes stays away. What ignition-configs writes, or an image, a machine or a person cannot
 * do without: there a deleted file is made anew.
 */
export const remembersRemovals = (phase: PhaseName): boolean =>
  phase !== "ignition-configs" && !IMAGES.some(([, each]) => each === phase);

/** The two folders whose files go to the cluster, wrapped or in the bootstrap ignition. */
export const MANIFEST_FOLDERS: readonly string[] = ["manifests", "openshift"];

/** True for a folder of which the installer reads the files with an ending of manifests, and passes over the others. */
export const takesManifests = (folder: string): boolean =>
  FOLDERS.some(({ path, phase }) => path === folder && (phase === "manifests" || phase === "cluster-api"));

/**
 * Files of the user that a phase reads beside install-config.yaml (docs/reference/install-config-and-manifests.md
 * §2.4).
 */
export const INPUT_FILES = [
  INSTALL_CONFIG,
  AGENT_CONFIG,
  IMAGE_BASED_CONFIG,
  IMAGE_BASED_INSTALLATION_CONFIG,
  "tls/kubeadmin-password.hash",
  "tls/kubeadmin-password",
  "tls/bound-service-account-signing-key.key",
] as const;

/** Folder part of a path; empty for a file of the asset directory itself. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/**
 * What upstream takes from a manifest folder: flat files with one of these endings
 * (docs/reference/install-config-and-manifests.md §2.4).
 */
export const isManifestName = (path: string): boolean => /\.(?:yaml|yml|json)$/.test(path);

/** A list of the names of the files beside it: it holds no secret, wherever it lies. */
export const isKustomization = (path: string): boolean => path.endsWith("/kustomization.yaml");
