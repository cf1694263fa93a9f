/**
 * Installation without a registry (4.21, gate NoRegistryClusterInstall): an InternalReleaseImage of the user in
 * openshift/ asks for it, and the registry inside the cluster then needs a certificate and a password
 * (docs/reference/ignition-configs.md §1b row 26, docs/reference/install-config-and-manifests.md §3.2).
 */
import { decode, type OutputFile } from "../core/files.js";
import type { RandomSource } from "../core/inputs.js";
import { isObject } from "../core/json.js";
import type { Release } from "../core/release.js";
import { identityOf } from "../kubernetes/identity.js";
import { INTERNAL_RELEASE_IMAGE } from "../pki/graph.js";
import { certifyLeaf, type NameInput, type Period } from "../pki/sign.js";
import type { InstallConfig } from "../platforms/config.js";
import { gateEnabled } from "../platforms/enabled-gates.js";
import { readYaml, toJson } from "../text/yaml-read.js";
import type { InternalReleaseImage, KeyPair } from "./assets.js";
import { hashPassword } from "./kubeadmin.js";

const USER = "openshift";
const PASSWORD_BYTES = 32;
const SALT_BYTES = 16;

/** Whether a YAML file of openshift/ is the object that asks for it, with the gate on. JSON files do not count. */
export const wantsInternalReleaseImage = (
  config: InstallConfig,
  release: Release,
  files: readonly Pick<OutputFile, "path" | "data">[],
): boolean =>
  gateEnabled(release, config, "NoRegistryClusterInstall") &&
  files.some(
    ({ path, data }) => /^openshift\/[^/]*\.ya?ml$/.test(path) && isTheObject(path, decode(data) ?? ""),
  );

function isTheObject(path: string, text: string): boolean {
  const root = readYaml(text, path).documents[0]?.root;
  const object = root === undefined ? undefined : toJson(root);
  if (!isObject(object)) return false;
  const { kind, name } = identityOf(object);
  return kind === "InternalReleaseImage" && name === "cluster";
}

/** Certificate for a key, password and its hash; made once and kept in the state. */
export async function createInternalReleaseImage(
  key: string,
  rootCA: KeyPair,
  names: NameInput,
  period: Period,
  random: RandomSource,
): Promise<InternalReleaseImage> {
  const password = Buffer.from(random.bytes(PASSWORD_BYTES, "internal-release-image-password")).toString(
    "base64",
  );
  const hash = await hashPassword(password, random.bytes(SALT_BYTES, "internal-release-image-salt"));
  return {
    pair: certifyLeaf(INTERNAL_RELEASE_IMAGE, key, rootCA, names, period),
    password,
    htpasswd: `${USER}:${hash}\n`,
  };
}
