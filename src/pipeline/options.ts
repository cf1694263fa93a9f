/**
 * Options of a compile: what the command line says, else what an earlier run recorded. A recorded file is named
 * relative to the asset directory, so that directory and file can move together (design: cli-contract, Pipeline).
 */
import type { DirectoryRecord } from "../directory/index.js";
import type { ShimSources } from "../phases/ignition-configs/shims.js";

export type Contract = "v1beta1" | "v1beta2";
export type SecretsLayout = "inline" | "separate";

/** Flags that are remembered. Absent means: not given. */
export interface CompileFlags {
  readonly release?: string | undefined;
  readonly releaseImage?: string | undefined;
  /** The release image was first named to ignition-configs: it is not wrapped, so that what is wrapped stays as it is. */
  readonly releaseImageIsLate?: boolean | undefined;
  readonly namespace?: string | undefined;
  readonly controllerNamespace?: string | undefined;
  readonly contract?: Contract | undefined;
  readonly secrets?: SecretsLayout | undefined;
  readonly lenient?: boolean | undefined;
  /** Write the Secrets that Cluster API's Machines get their config from. */
  readonly dataSecrets?: boolean | undefined;
  /** Where machines read their config from, if not in the way of the platform. */
  readonly userData?: string | undefined;
  /** Addresses of configs by role; kept in the state, since they may be signed. */
  readonly shimSources?: ShimSources | undefined;
  readonly emulatedVersion?: string | undefined;
  readonly minCompatibilityVersion?: string | undefined;
}

/** Flags that name an input file or folder; their paths are remembered. */
export const FILE_FLAGS = [
  "facts",
  "coreos-stream",
  "credentials",
  "pull-secret",
  "ssh-key",
  "templates",
] as const;
export type FileFlag = (typeof FILE_FLAGS)[number];

const TEXTS = {
  release: "release",
  releaseImage: "release-image",
  userData: "user-data",
  namespace: "namespace",
  controllerNamespace: "controller-namespace",
  contract: "contract",
  secrets: "secrets",
  emulatedVersion: "emulated-version",
  minCompatibilityVersion: "min-compatibility-version",
} as const;

const DATA_SECRETS = "data-secrets";

/** Flags of this run over those of the record. */
export function effectiveFlags(given: CompileFlags, record: DirectoryRecord | undefined): CompileFlags {
  const recorded = (name: string): string | undefined => {
    const value = record?.options[name];
    return typeof value === "string" ? value : undefined;
  };
  const contract = recorded(TEXTS.contract);
  const secrets = recorded(TEXTS.secrets);
  const dataSecrets = record?.options[DATA_SECRETS];
  return {
    release: given.release ?? recorded(TEXTS.release),
    releaseImage: given.releaseImage ?? recorded(TEXTS.releaseImage),
    namespace: given.namespace ?? recorded(TEXTS.namespace),
    controllerNamespace: given.controllerNamespace ?? recorded(TEXTS.controllerNamespace),
    contract: given.contract ?? (contract === "v1beta1" || contract === "v1beta2" ? contract : undefined),
    secrets: given.secrets ?? (secrets === "inline" || secrets === "separate" ? secrets : undefined),
    emulatedVersion: given.emulatedVersion ?? recorded(TEXTS.emulatedVersion),
    minCompatibilityVersion: given.minCompatibilityVersion ?? recorded(TEXTS.minCompatibilityVersion),
    userData: given.userData ?? recorded(TEXTS.userData),
    dataSecrets: given.dataSecrets ?? (typeof dataSecrets === "boolean" ? dataSecrets : undefined),
    lenient: given.lenient === true || record?.options["lenient"] === true,
  };
}

/** The options as the record remembers them; undefined ones are left as they were. */
export function recordedOptions(
  flags: CompileFlags,
  files: Readonly<Partial<Record<FileFlag, string>>>,
): Record<string, string | boolean> {
  const named: readonly (readonly [string, string | boolean | undefined])[] = [
    [TEXTS.release, flags.release],
    [TEXTS.releaseImage, flags.releaseImage],
    [TEXTS.namespace, flags.namespace],
    [TEXTS.controllerNamespace, flags.controllerNamespace],
    [TEXTS.contract, flags.contract],
    [TEXTS.secrets, flags.secrets],
    [TEXTS.emulatedVersion, flags.emulatedVersion],
    [TEXTS.minCompatibilityVersion, flags.minCompatibilityVersion],
    [TEXTS.userData, flags.userData],
    [DATA_SECRETS, flags.dataSecrets],
    ["lenient", flags.lenient === true ? true : undefined],
    ...FILE_FLAGS.map((name) => [name, files[name]] as const),
  ];
  return Object.fromEntries(named.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
