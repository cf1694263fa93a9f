/** Asset directory: remedies of the diagnostics. */
import type { Remedies } from "./remedy.js";

export const DIRECTORY: Remedies<"DIR" | "INIT" | "KEY" | "SOPS"> = {
  DIR001: {
    remedy: "Check its permissions, and replace special files with regular ones.",
  },
  DIR002: {
    remedy: "Check permissions, free space and quota of the file system, then run the command again.",
    why: "The run stops before or between files, so every file has either its old or its new content.",
    example: "df -h cluster && ls -ld cluster",
  },
  DIR003: {
    remedy: 'Use a relative path without "..".',
  },
  DIR004: {
    remedy: "Rename one of the two files.",
  },
  DIR005: {
    remedy: "Replace the link with a copy of its target, or remove it.",
    why: "slipway writes only below its directory, so that a link in a cloned repository cannot redirect a Secret to another location.",
    example: 'cp --remove-destination "$(readlink -f manifests/extra.yaml)" manifests/extra.yaml',
  },
  DIR006: {
    remedy: "Move it away, or specify another directory.",
    why: "slipway never deletes a file, folder or device that it did not create.",
    example: "mv cluster/manifests cluster/manifests.old",
  },
  DIR007: {
    remedy: "Wait until the other run has ended, then run the command again.",
    why: "Two runs that write at the same time would mix their files. A lock that was not renewed for some minutes is taken over.",
    example: "slipway create manifests --dir cluster    # again, once the other run has ended",
  },
  DIR008: {
    remedy: "Run the command again.",
  },
  DIR010: {
    remedy: "Restore .openshift_install_state.json from version control or a backup.",
  },
  DIR011: {
    remedy: "Restore .openshift_install_state.json from version control or a backup.",
  },
  DIR012: {
    remedy: "Use the directory of that cluster, or remove the flag that names another cluster.",
  },
  DIR013: {
    remedy: "Restore .openshift_install_state.json; new keys would not match the existing files.",
  },
  DIR014: {
    remedy: "Run: slipway create install-config --platform PLATFORM --name NAME --base-domain DOMAIN.",
    why: "Every phase starts from install-config.yaml, or from the state of an earlier run.",
    example:
      "slipway create install-config --dir cluster --platform none --name heron --base-domain example.com",
  },
  DIR015: {
    remedy: "Check the path and the permissions.",
    why: "Files that are named by flags, and files that an earlier run recorded, are read before anything is written.",
    example: "slipway create manifests --dir cluster --facts cluster/facts.yaml",
  },
  DIR016: {
    remedy:
      "Restore manifests/ and openshift/ from version control, or accept the loss and run slipway create manifests.",
    why: "With --consume, as with openshift-install, a phase deletes the manifests that it used. Compiling them again does not bring back edits.",
    example: "git checkout HEAD -- cluster/manifests cluster/openshift",
  },
  DIR017: {
    remedy: "Restore .openshift_install_state.json, or provide the age key that decrypts it.",
    why: "The state has the cluster's private keys. A run without it would create new keys that do not match the files in the repository.",
    example: "slipway create manifests --dir cluster --age-key-file key.txt",
  },
  DIR018: {
    remedy: "Update the flag that the message shows, or use the previous --release.",
  },
  DIR019: {
    remedy: "Move the file away, or choose another path.",
  },
  DIR020: {
    remedy: "Restore .slipway/record.json from version control.",
  },
  DIR021: {
    remedy: "Run the command once with the flag and the value that you want.",
  },
  DIR022: {
    remedy: "Run the command that the message shows.",
    why: "The inputs changed, but this command updates only its own files. Applying a mix of old and new files gives a cluster that does not match its configuration.",
    example: "slipway create ignition-configs --dir cluster",
  },
  DIR030: {
    remedy:
      "Decide per file: --ours PATH keeps your version, --theirs PATH uses the generated one. Edit the file to combine both.",
    why: "slipway merges edits field by field. Where you and the generator changed the same field, only you can decide. Nothing is written until you do.",
    example: `slipway create manifests --dir cluster --diff
slipway create manifests --dir cluster --ours manifests/cluster-network-02-config.yml`,
  },
  DIR031: {
    remedy: "Use paths relative to the asset directory.",
  },
  DIR032: {
    remedy: "Specify it in one of the two flags.",
  },
  DIR033: {
    remedy: "Add the comments again, or keep them in a separate file.",
  },
  DIR034: {
    remedy: "Remove the path from --theirs.",
  },
  DIR035: {
    remedy: "If that was not intended, restore it with --theirs PATH; otherwise no change is required.",
  },
  DIR036: {
    remedy: "Copy the manifest from that clone, or commit it there.",
    why: "Another clone with different manifests committed the Secret. If you apply the folder from here, the cluster gets different files.",
    example: "git pull",
  },
  DIR040: {
    remedy: "Keep only .yaml, .yml and .json files directly in the folder.",
  },
  DIR041: {
    remedy: "Save it as UTF-8.",
  },
  DIR042: {
    remedy: "Move it out of the asset directory.",
  },
  DIR043: {
    remedy: "Replace the link with a copy of its target.",
  },
  DIR044: {
    remedy: "Use a file system that stores file modes, or mount it with umask=077.",
  },
  INIT001: {
    remedy: "Add the shown lines to your file, or move the file away.",
    why: "The file is yours and may have settings that slipway does not know, so it is never replaced.",
    example: "slipway check --dir cluster    # add this step to your own workflow",
  },
  INIT002: {
    remedy: "Run slipway init with --fleet FILE for all clusters, or with --dir DIR for one of them.",
    why: "An asset directory has files of one cluster. Ignore rules and a pipeline for the folder above would not apply to the clusters in it.",
    example: "slipway init --fleet fleet.txt --ci github    # writes fleet.txt if it does not exist",
  },
  INIT003: {
    remedy: "Add the directory to the fleet file.",
    why: "The pipeline and the GitOps files only know the clusters in the fleet file.",
    example: "echo clusters/egret >> fleet.txt",
  },
  INIT004: {
    remedy: "Use --secrets sops or --secrets separate, and keep the cluster's directory in the repository.",
    why: "With --secrets inline, Git ignores the folder with the objects, so a controller finds nothing to apply.",
    example: "slipway init --dir clusters/egret --secrets sops --gitops flux",
  },
  INIT005: {
    remedy: "Run slipway create infrastructure-manifests with the same --gitops.",
    why: "Without its annotations, the controller applies the objects in another order, and may delete objects whose files are removed.",
    example: "slipway create infrastructure-manifests --dir clusters/egret --gitops argocd",
  },
  INIT006: {
    remedy: "Delete the file, or add the cluster to the fleet file.",
    why: "The controller applies the cluster until the file is removed. Removing the file deletes nothing in the management cluster.",
    example: "git rm gitops/flux/egret.yaml",
  },
  KEY001: {
    remedy: "Create a new pool with: slipway keys --count N --out FILE.",
  },
  KEY002: {
    remedy: "Refill the pool with the command shown.",
  },
  SOPS001: {
    remedy: "Restore the file from version control, then run slipway create.",
    why: "The message authentication code of SOPS covers the whole file, so a file that was cut or merged line by line cannot be decrypted.",
    example: "git checkout --theirs clusters/heron/.openshift_install_state.json",
  },
  SOPS002: {
    remedy: "Provide the private key with --age-key-file, SOPS_AGE_KEY_FILE or SOPS_AGE_KEY.",
    why: "slipway decrypts with age keys only, because other key services need a network.",
    example: "slipway check --dir cluster --age-key-file ~/.config/sops/age/keys.txt",
  },
  SOPS003: {
    remedy: "Use age1… recipients and AGE-SECRET-KEY-1… keys, and a valid .sops.yaml.",
  },
  SOPS004: {
    remedy: "Replace the secrets that a removed recipient has read, or run the sops command shown.",
    why: "Encrypting again only protects new values: a removed recipient has read the old ones, and Git keeps them.",
    example: "slipway secrets update-keys --fleet fleet.txt",
  },
};
