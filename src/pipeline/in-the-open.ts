/**
 * What is wrong with the secrets of a directory in which they are encrypted to be committed (`--secrets sops`): one that
 * lies in the open goes to everybody who reads the repository, and one that Git passes over is in no clone.
 */
import { decode } from "../core/files.js";
import { isList, isObject, type Json } from "../core/json.js";
import { type Problem, warning } from "../core/problem.js";
import {
  type AssetDirectory,
  type DiskFile,
  heldBack,
  IGNORE_FILE,
  INSTALL_CONFIG,
  isImage,
  isKeyed,
  type PhasePlan,
  refreshedIgnore,
  STATE_FILE,
  type Status,
} from "../directory/index.js";
import { isEncrypted } from "../kubernetes/secrets.js";
import {
  INFRASTRUCTURE_FOLDER,
  KUSTOMIZATION_FILE,
  SECRETS_FOLDER,
  SHARED_FOLDER,
} from "../phases/infrastructure-manifests/layout.js";
import { secretFields } from "../text/redact.js";
import { isSealedText } from "../text/sealed.js";
import { commandLine, pathWord, wordIn } from "../text/shell.js";
import { readYaml, rootsOf, toJson } from "../text/yaml-read.js";
import { readObjects } from "../validate/documents.js";
import type { CompileFlags } from "./options.js";

/** True where every file with secrets is encrypted and committed, so that a clone has each of them. */
export const encryptsSecrets = ({ options }: Pick<AssetDirectory, "options">): boolean =>
  options["secrets"] === "sops";

/** Generated files with secrets that are not encrypted, the state among them, by path. A run that writes encrypts them. */
export function openFiles({ files, record }: AssetDirectory): readonly string[] {
  const phases = Object.values(record?.phases ?? {});
  const secret = phases.flatMap((phase) =>
    Object.entries(phase?.files ?? {}).flatMap(([path, { digests }]) =>
      digests.some(isKeyed) ? [path] : [],
    ),
  );
  return [STATE_FILE, ...secret].filter((path) => {
    const file = files.get(path);
    return file !== undefined && file.sealed === undefined && !isImage(path);
  });
}

/** @param command the command that writes the files, without the word slipway */
export const openFileProblems = (files: readonly string[], command: string): readonly Problem[] =>
  files.map((file) =>
    warning(
      "CAPI008",
      "Invalid",
      "",
      "contains unencrypted secrets in a directory whose other files can be committed",
      { file, hint: `to encrypt it again, run: slipway ${command}` },
    ),
  );

/**
 * What is the user's to encrypt or to leave out of .gitignore.
 * @param layout how this run lays out secrets; left out, as is recorded
 */
export const ownProblems = (
  directory: AssetDirectory,
  plans: readonly PhasePlan[],
  layout = directory.options["secrets"],
): readonly Problem[] =>
  layout === "sops"
    ? encryptedProblems(directory, plans)
    : goesToGit(directory)
      ? openConfig(directory, layout === "separate" ? ALL_ELSE : "the file is not ignored by Git")
      : [];

const ALL_ELSE = "the other files in the directory can be committed";

const encryptedProblems = (directory: AssetDirectory, plans: readonly PhasePlan[]): readonly Problem[] => [
  ...openConfig(directory, ALL_ELSE),
  ...openManifests(plans, directory.path),
  ...keptFromGit(directory),
];

/** True if slipway's own ignore file is present, which excludes the generated files, and Git does not ignore the install-config. */
const goesToGit = (directory: AssetDirectory): boolean =>
  (decode(directory.files.get(IGNORE_FILE)?.data ?? new Uint8Array()) ?? "")
    .split(/\r?\n/)
    .some((line) => line.trim() === `/${STATE_FILE}`) && !directory.isIgnored(INSTALL_CONFIG);

/** Folders whose files are committed with `--secrets separate`. */
const COMMITTED = [INFRASTRUCTURE_FOLDER, SHARED_FOLDER];

/**
 * With `--secrets separate`: Secrets of the user's in a folder that is committed. `validate` reports them as an error.
 * @param layout how this run lays out secrets; left out, as is recorded
 */
export function misplacedSecrets(
  { options }: Pick<AssetDirectory, "options">,
  plans: readonly PhasePlan[],
  layout = options["secrets"],
): readonly Problem[] {
  if (layout !== "separate") return [];
  return openSecrets(plans, ["added", "edited"])
    .filter(({ file }) => COMMITTED.some((folder) => file.startsWith(`${folder}/`)))
    .map(({ file }) =>
      warning(
        "CAPI021",
        "Forbidden",
        "kind",
        `the folder is meant to be committed, but contains this Secret; Secrets belong in ${SECRETS_FOLDER}/`,
        { file, hint: `move the file to ${SECRETS_FOLDER}/ and its entry to the kustomization.yaml there` },
      ),
    );
}

/** The Secrets that are not encrypted, in files that the user added or changed. */
function openSecrets(plans: readonly PhasePlan[], statuses: readonly Status[]): readonly { file: string }[] {
  const own = plans
    .flatMap(({ paths }) => paths)
    .flatMap(({ status, disk }) =>
      statuses.includes(status) && disk !== undefined && disk.sealed === undefined ? [disk] : [],
    );
  return readObjects(own).documents.filter(
    ({ object }) => object["apiVersion"] === "v1" && object["kind"] === "Secret" && !isEncrypted(object),
  );
}

/** Secrets that the user added: their files are the user's to encrypt, and are read encrypted as well. */
function openManifests(plans: readonly PhasePlan[], directory: string): Problem[] {
  return openSecrets(plans, ["added"]).map(({ file }) =>
    warning(
      "CAPI008",
      "Invalid",
      "",
      "this Secret is not encrypted, and the other files in the directory can be committed",
      {
        file,
        hint: `encrypt it with: sops encrypt --in-place --encrypted-regex '^(data|stringData)$' ${wordIn(directory, file)}`,
      },
    ),
  );
}

/**
 * The one input with secrets that is the user's to encrypt.
 * @param why it matters
 */
function openConfig({ inputs, path }: AssetDirectory, why: string): Problem[] {
  const config = inputs.get(INSTALL_CONFIG);
  const [root] = rootsOf(readYaml(decode(config?.data ?? new Uint8Array()) ?? "", INSTALL_CONFIG).documents);
  if (config === undefined || root === undefined) return [];
  const fields = secretFields(openPart(toJson(root), encryptedTexts(config)));
  const names = [...new Set(["pullSecret", "sshKey", ...fields.map((field) => field.replace(/^.*\./, ""))])];
  const expression = `^(${names.map((name) => name.replace(/\W/g, ".")).join("|")})$`;
  const file = wordIn(path, INSTALL_CONFIG);
  const encrypt = `${commandLine(["sops", "encrypt", "--in-place", "--encrypted-regex", expression])} ${file}`;
  const command = config.sealed === undefined ? encrypt : `sops decrypt --in-place ${file} && ${encrypt}`;
  return fields.map((field) =>
    warning(
      "CAPI008",
      "Invalid",
      field,
      `${field === "pullSecret" ? "the pull secret" : "the secret"} is not encrypted, and ${why}`,
      {
        file: INSTALL_CONFIG,
        hint:
          field === "pullSecret"
            ? `encrypt it with: ${command}; or remove it and set --pull-secret FILE`
            : `encrypt it with: ${command}`,
      },
    ),
  );
}

/** A kustomization that generates or transforms objects, as a plug-in that decrypts is called. */
const CALLS_PLUGIN = /^(?:generators|transformers):/m;

/**
 * Argo CD renders encrypted Secrets as they are, unless a plug-in decrypts them: the API server refuses the result.
 * @param flags how the run lays out secrets, and the controller that applies them
 */
export function undecryptedProblems(
  { files }: Pick<AssetDirectory, "files">,
  plans: readonly PhasePlan[],
  { secrets, gitops }: Pick<CompileFlags, "secrets" | "gitops">,
): readonly Problem[] {
  const isMade = plans.some(({ phase }) => phase === "infrastructure-manifests");
  if (secrets !== "sops" || gitops !== "argocd" || !isMade) return [];
  const list = files.get(`${SECRETS_FOLDER}/${KUSTOMIZATION_FILE}`)?.data;
  if (CALLS_PLUGIN.test(decode(list ?? new Uint8Array()) ?? "")) return [];
  return [
    warning(
      "CAPI049",
      "NotSupported",
      "",
      "Argo CD does not decrypt SOPS files: it renders these Secrets with their encrypted values, and the API server rejects them",
      {
        file: `${SECRETS_FOLDER}/`,
        hint: "install the plug-in that slipway init --gitops argocd writes, or KSOPS (docs/gitops.md); or use --gitops flux, or keep the Secrets out of Git with --secrets separate and apply them yourself",
      },
    ),
  ];
}

/** The texts that SOPS has encrypted in a file. */
const encryptedTexts = ({ sealed }: DiskFile): ReadonlySet<string> =>
  new Set([...(sealed?.opened?.values.values() ?? [])].map(({ plain }) => plain.text));

/** The value with nothing where it is encrypted. */
const openPart = (value: Json, encrypted: ReadonlySet<string>): Json =>
  isList(value)
    ? value.map((each) => openPart(each, encrypted))
    : isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, openPart(each, encrypted)]))
      : typeof value === "string" && (encrypted.has(value) || isSealedText(value))
        ? ""
        : value;

/** Lines of slipway's own for another layout: what they name is encrypted now, and is in no clone. */
function keptFromGit({ files, path }: AssetDirectory): Problem[] {
  const data = files.get(IGNORE_FILE)?.data;
  const lines = heldBack(decode(data ?? new Uint8Array()) ?? "", "sops");
  // A file of slipway's own is written anew by every run.
  return lines.length === 0 || refreshedIgnore(data, "sops") !== undefined
    ? []
    : [
        warning(
          "CAPI009",
          "Invalid",
          "",
          `.gitignore excludes encrypted files that are meant to be committed: ${lines.join(", ")}`,
          {
            file: IGNORE_FILE,
            hint: `to remove the lines, run: slipway init --dir ${pathWord(path)} --secrets sops; otherwise clones do not contain these files`,
          },
        ),
      ];
}
