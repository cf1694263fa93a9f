/**
 * The members of an Ignition config by spec version (docs/reference/ignition-configs.md §4a; the specification of each
 * version, 3.0.0 to 3.5.0). `since` is the minor number of the version that has a member first.
 */

export type Shape =
  | { readonly type: "text" | "integer" | "boolean" | "any" }
  | { readonly type: "list"; readonly of: Shape }
  | { readonly type: "object"; readonly members: Members };

export interface Member {
  readonly shape: Shape;
  readonly since: number;
  readonly required: boolean;
}

export type Members = Readonly<Record<string, Member>>;

/** Spec versions that are known, by their minor number; all have the major number 3. */
export const NEWEST_MINOR = 5;

const text: Shape = { type: "text" };
const integer: Shape = { type: "integer" };
const boolean: Shape = { type: "boolean" };
const list = (of: Shape): Shape => ({ type: "list", of });
const object = (members: Readonly<Record<string, Member | Shape>>): Shape => ({
  type: "object",
  members: Object.fromEntries(
    Object.entries(members).map(([name, each]) => [
      name,
      "shape" in each ? each : { shape: each, since: 0, required: false },
    ]),
  ),
});
const since = (minor: number, shape: Shape): Member => ({ shape, since: minor, required: false });
const required = (shape: Shape): Member => ({ shape, since: 0, required: true });

const headers = since(1, list(object({ name: required(text), value: text })));
const verification = object({ hash: text });
/** Something to fetch; a file's could be compressed from the start, all others since 3.1. */
const resource = (compression: Shape | Member): Shape =>
  object({ source: text, compression, verification, httpHeaders: headers });
const fetched = resource(since(1, text));
const contents = resource(text);
const owner = object({ id: integer, name: text });
const node = { path: required(text), overwrite: boolean, user: owner, group: owner };

export const CONFIG: Shape = object({
  ignition: required(
    object({
      version: required(text),
      config: object({ merge: list(fetched), replace: fetched }),
      timeouts: object({ httpResponseHeaders: integer, httpTotal: integer }),
      security: object({ tls: object({ certificateAuthorities: list(fetched) }) }),
      proxy: since(1, object({ httpProxy: text, httpsProxy: text, noProxy: list(text) })),
    }),
  ),
  storage: object({
    disks: list(
      object({
        device: required(text),
        wipeTable: boolean,
        partitions: list(
          object({
            label: text,
            number: integer,
            sizeMiB: integer,
            startMiB: integer,
            typeGuid: text,
            guid: text,
            wipePartitionEntry: boolean,
            shouldExist: boolean,
            resize: since(2, boolean),
          }),
        ),
      }),
    ),
    raid: list(
      object({
        name: required(text),
        level: text,
        devices: list(text),
        spares: integer,
        options: list(text),
      }),
    ),
    filesystems: list(
      object({
        device: required(text),
        format: text,
        path: text,
        wipeFilesystem: boolean,
        label: text,
        uuid: text,
        options: list(text),
        mountOptions: since(1, list(text)),
      }),
    ),
    files: list(object({ ...node, contents, append: list(contents), mode: integer })),
    directories: list(object({ ...node, mode: integer })),
    links: list(object({ ...node, target: text, hard: boolean })),
    luks: since(
      2,
      list(
        object({
          name: required(text),
          label: text,
          uuid: text,
          device: text,
          keyFile: fetched,
          wipeVolume: boolean,
          options: list(text),
          discard: since(4, boolean),
          openOptions: since(4, list(text)),
          clevis: object({
            tpm2: boolean,
            tang: list(object({ url: required(text), thumbprint: text, advertisement: since(4, text) })),
            threshold: integer,
            custom: object({ pin: text, config: text, needsNetwork: boolean }),
          }),
          cex: since(5, object({ enabled: boolean })),
        }),
      ),
    ),
  }),
  systemd: object({
    units: list(
      object({
        name: required(text),
        enabled: boolean,
        mask: boolean,
        contents: text,
        dropins: list(object({ name: required(text), contents: text })),
      }),
    ),
  }),
  passwd: object({
    users: list(
      object({
        name: required(text),
        passwordHash: text,
        sshAuthorizedKeys: list(text),
        uid: integer,
        gecos: text,
        homeDir: text,
        noCreateHome: boolean,
        primaryGroup: text,
        groups: list(text),
        noUserGroup: boolean,
        noLogInit: boolean,
        shell: text,
        system: boolean,
        shouldExist: since(2, boolean),
      }),
    ),
    groups: list(
      object({
        name: required(text),
        gid: integer,
        passwordHash: text,
        system: boolean,
        shouldExist: since(2, boolean),
      }),
    ),
  }),
  kernelArguments: since(3, object({ shouldExist: list(text), shouldNotExist: list(text) })),
});
