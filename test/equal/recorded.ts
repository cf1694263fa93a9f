/** Recorded runs of a real installer: folders with an install-config, the identifiers and the files that it wrote. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isObject, type Json, textAt } from "../../src/core/json.js";
import type { FileTexts } from "./compare.js";
import type { Identity } from "./slipway.js";

/** Files with random keys and passwords, and the one that names who made the files; no recording has them. */
const LEFT_OUT =
  /user-data-secret\.yaml$|machine-config-server|configmap-root-ca|kubeadmin-password|openshift-install-manifests/;

export interface Recording {
  readonly name: string;
  readonly installConfig: string;
  readonly identity: Identity;
  readonly files: FileTexts;
}

export const casesIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => statSync(join(folder, name)).isDirectory());

export function readRecording(folder: string, name: string): Recording {
  const own = join(folder, name);
  const ids: Json = JSON.parse(readFileSync(join(own, "ids.json"), "utf8"));
  if (!isObject(ids)) throw new Error(`${own}/ids.json is not an object`);
  return {
    name,
    installConfig: readFileSync(join(own, "install-config.yaml"), "utf8"),
    identity: { infraID: textAt(ids, "infraID"), clusterID: textAt(ids, "clusterID") },
    files: filesBelow(own),
  };
}

const FOLDERS = ["manifests", "openshift", "cluster-api", "cluster-api/machines"];

/** The files of `manifests/`, `openshift/` and, where it is there, `cluster-api/` of an asset directory. */
export function filesBelow(folder: string): FileTexts {
  const paths = FOLDERS.filter((part) => existsSync(join(folder, part))).flatMap((part) =>
    readdirSync(join(folder, part), { withFileTypes: true }).flatMap((each) =>
      each.isFile() ? [`${part}/${each.name}`] : [],
    ),
  );
  return new Map(paths.sort().map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

/** Files without those that no recording has; cluster-api/ was not recorded. */
export const withoutRandom = (files: FileTexts): FileTexts =>
  new Map([...files].filter(([path]) => !LEFT_OUT.test(path) && !path.startsWith("cluster-api/")));
