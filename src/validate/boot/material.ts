/**
 * Certificates and identities as they stand in the manifests, in the pointer configs and in the config of the first
 * machine, each with
 * the file that holds it (docs/reference/ignition-configs.md §3e).
 */
import { decode } from "../../core/files.js";
import { isJson, isList, isObject, type Json, type JsonObject } from "../../core/json.js";
import { identityOf } from "../../kubernetes/identity.js";
import { secretData } from "../../kubernetes/secrets.js";
import { FIRST_CONFIG } from "../../phases/ignition-configs/forms.js";
import { readYaml, toJson } from "../../text/yaml-read.js";
import type { DiskText } from "../documents.js";

/** A text, such as a certificate, with the file and the field where it stands. */
export interface Placed {
  readonly file: string;
  readonly field: string;
  readonly text: string;
}

/** A pointer config: where a role gets its config, and the CAs that it trusts. */
export interface Pointer {
  readonly file: string;
  /** Address of `ignition.config.merge[0]`; empty without one. */
  readonly source: string;
  /** PEM. */
  readonly authorities: readonly string[];
}

export interface BootMaterial {
  /** One for each place; the first one is what the others are held against. */
  readonly rootCAs: readonly Placed[];
  readonly pointers: readonly Pointer[];
  /** Certificates of the machine config server. */
  readonly servers: readonly Placed[];
  readonly clusterIDs: readonly Placed[];
  readonly infraIDs: readonly Placed[];
  /** Certificates in the config of the first machine, by the name of the file in tls/ without its ending. */
  readonly bootstrapCertificates: ReadonlyMap<string, string>;
}

const TLS = "/opt/openshift/tls/";

/** Reads what is there; what cannot be read is told by other checks. */
export function bootMaterial(files: ReadonlyMap<string, DiskText>): BootMaterial {
  const objects = [...files.values()]
    .filter(({ path }) => /^(?:manifests|openshift)\/[^/]+\.(?:yaml|yml|json)$/.test(path))
    .flatMap(({ path, data }) => {
      const object = jsonOf(data, path);
      return isObject(object) ? [{ path, object }] : [];
    });
  const of = (kind: string, namespace: string, name: string) =>
    objects.filter(({ object }) => {
      const identity = identityOf(object);
      return identity.kind === kind && identity.namespace === namespace && identity.name === name;
    });
  const MCO = "openshift-machine-config-operator";
  const configMap = (namespace: string, name: string, key: string): Placed[] =>
    of("ConfigMap", namespace, name).flatMap(({ path, object }) =>
      placed(path, `data[${key}]`, dig(object, "data", key)),
    );
  const secret = (name: string): Placed[] =>
    of("Secret", MCO, name).flatMap(({ path, object }) =>
      placed(path, "data[tls.crt]", decode(secretData(object).get("tls.crt") ?? new Uint8Array())),
    );
  const configs = Object.values(FIRST_CONFIG)
    .filter((path) => files.has(path))
    .map((path) => ({ path, files: bootstrapFiles(files.get(path)) }));
  const fromBootstrap = (path: string): Placed[] =>
    configs.flatMap((config) => placed(config.path, `storage.files[${path}]`, config.files.get(path)));
  const pointers = [
    ...objects.flatMap(({ path, object }) => userData(path, object)),
    ...[...files.values()].flatMap((file) =>
      /^(?:master|worker|arbiter)\.ign$/.test(file.path)
        ? pointerOf(file.path, jsonOf(file.data, file.path))
        : [],
    ),
  ];
  const metadata = jsonOf(files.get("metadata.json")?.data, "metadata.json");
  return {
    rootCAs: [
      ...configMap("kube-system", "root-ca", "ca.crt"),
      ...configMap(MCO, "machine-config-server-ca", "ca-bundle.crt"),
      ...secret("machine-config-server-ca"),
      ...fromBootstrap(`${TLS}root-ca.crt`),
    ],
    pointers,
    servers: [...secret("machine-config-server-tls"), ...fromBootstrap(`${TLS}machine-config-server.crt`)],
    clusterIDs: [
      ...of("ClusterVersion", "openshift-cluster-version", "version").flatMap(({ path, object }) =>
        placed(path, "spec.clusterID", dig(object, "spec", "clusterID")),
      ),
      ...of("ClusterVersion", "", "version").flatMap(({ path, object }) =>
        placed(path, "spec.clusterID", dig(object, "spec", "clusterID")),
      ),
      ...placed("metadata.json", "clusterID", dig(metadata, "clusterID")),
    ],
    infraIDs: [
      ...of("Infrastructure", "", "cluster").flatMap(({ path, object }) =>
        placed(path, "status.infrastructureName", dig(object, "status", "infrastructureName")),
      ),
      ...placed("metadata.json", "infraID", dig(metadata, "infraID")),
    ],
    bootstrapCertificates: new Map(
      [...(configs[0]?.files ?? [])].flatMap(([path, text]): [string, string][] =>
        path.startsWith(TLS) && path.endsWith(".crt") ? [[path.slice(TLS.length, -4), text]] : [],
      ),
    ),
  };
}

const placed = (file: string, field: string, text: Json | undefined): Placed[] =>
  typeof text === "string" && text !== "" ? [{ file, field, text }] : [];

const dig = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((from, key) => (isObject(from) ? from[key] : undefined), value);

const listIn = (value: Json | undefined, ...path: readonly string[]): readonly Json[] => {
  const found = dig(value, ...path);
  return isList(found) ? found : [];
};

function jsonOf(data: Uint8Array | undefined, file: string): Json | undefined {
  const text = data === undefined ? undefined : decode(data);
  const root = text === undefined ? undefined : readYaml(text, file, { firstOnly: true }).documents[0]?.root;
  return root === undefined ? undefined : toJson(root);
}

/** The pointer config in a user-data Secret. */
function userData(path: string, object: JsonObject): Pointer[] {
  const { kind, namespace, name } = identityOf(object);
  if (kind !== "Secret" || namespace !== "openshift-machine-api" || !name.endsWith("-user-data")) return [];
  return pointerOf(path, jsonOf(secretData(object).get("userData"), path));
}

function pointerOf(file: string, config: Json | undefined): Pointer[] {
  if (!isObject(config)) return [];
  const [merge] = listIn(config, "ignition", "config", "merge");
  const authorities = listIn(config, "ignition", "security", "tls", "certificateAuthorities");
  return [
    {
      file,
      source: textOf(dig(merge, "source")),
      authorities: authorities.flatMap((each) => textOfUrl(dig(each, "source")) ?? []),
    },
  ];
}

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** The text of a base64 data URL. */
function textOfUrl(source: Json | undefined): string | undefined {
  const data = typeof source === "string" ? /^data:[^,]*;base64,(.*)$/s.exec(source)?.[1] : undefined;
  return data === undefined ? undefined : Buffer.from(data, "base64").toString("utf8");
}

function bootstrapFiles(file: DiskText | undefined): Map<string, string> {
  const config = parse(file);
  return new Map(
    listIn(config, "storage", "files").flatMap((each): [string, string][] => {
      const [path, text] = [dig(each, "path"), textOfUrl(dig(each, "contents", "source"))];
      return typeof path === "string" && text !== undefined ? [[path, text]] : [];
    }),
  );
}

/** The config is large, and JSON wherever it is right. */
function parse(file: DiskText | undefined): Json | undefined {
  try {
    const value: unknown = file === undefined ? undefined : JSON.parse(decode(file.data) ?? "");
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
