/**
 * Options of a compile: what the command line says, else what an earlier run recorded. A recorded file is named
 * relative to the asset directory, so that directory and file can move together (design: cli-contract, Pipeline).
 */
import { formatRelease, type Release } from "../core/release.js";
import type { DirectoryRecord, InstallerState, OptionValue, PhaseName } from "../directory/index.js";
import type { ShimSources } from "../phases/ignition-configs/shims.js";

export type Contract = "v1beta1" | "v1beta2";
export type GitOps = "argocd" | "flux" | "none";
/** `sops`: in a folder of their own, and every file with a secret is encrypted. */
export type SecretsLayout = "inline" | "separate" | "sops";

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
  readonly sharedObjects?: "inline" | "separate" | undefined;
  readonly gitops?: GitOps | undefined;
  /** For whom files are encrypted, with `sops`. */
  readonly ageRecipients?: readonly string[] | undefined;
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
  sharedObjects: "shared-objects",
  gitops: "gitops",
  emulatedVersion: "emulated-version",
  minCompatibilityVersion: "min-compatibility-version",
} as const;

const DATA_SECRETS = "data-secrets";
const AGE_RECIPIENTS = "age-recipient";
export const LAYOUTS = ["inline", "separate", "sops"] as const satisfies readonly SecretsLayout[];

/** Flags of this run over those of the record. */
export function effectiveFlags(
  given: CompileFlags,
  options: Readonly<Record<string, OptionValue>> = {},
): CompileFlags {
  const recorded = (name: string): string | undefined => {
    const value = options[name];
    return typeof value === "string" ? value : undefined;
  };
  const contract = recorded(TEXTS.contract);
  const secrets = recorded(TEXTS.secrets);
  const sharedObjects = recorded(TEXTS.sharedObjects);
  const gitops = recorded(TEXTS.gitops);
  const dataSecrets = options[DATA_SECRETS];
  return {
    release: given.release ?? recorded(TEXTS.release),
    releaseImage: given.releaseImage ?? recorded(TEXTS.releaseImage),
    namespace: given.namespace ?? recorded(TEXTS.namespace),
    controllerNamespace: given.controllerNamespace ?? recorded(TEXTS.controllerNamespace),
    contract: given.contract ?? (contract === "v1beta1" || contract === "v1beta2" ? contract : undefined),
    sharedObjects:
      given.sharedObjects ??
      (sharedObjects === "inline" || sharedObjects === "separate" ? sharedObjects : undefined),
    gitops:
      given.gitops ?? (gitops === "argocd" || gitops === "flux" || gitops === "none" ? gitops : undefined),
    secrets: given.secrets ?? LAYOUTS.find((each) => each === secrets),
    ageRecipients:
      given.ageRecipients ??
      recorded(AGE_RECIPIENTS)
        ?.split(",")
        .filter((each) => each !== ""),
    emulatedVersion: given.emulatedVersion ?? recorded(TEXTS.emulatedVersion),
    minCompatibilityVersion: given.minCompatibilityVersion ?? recorded(TEXTS.minCompatibilityVersion),
    userData: given.userData ?? recorded(TEXTS.userData),
    dataSecrets: given.dataSecrets ?? (typeof dataSecrets === "boolean" ? dataSecrets : undefined),
    lenient: given.lenient === true || options["lenient"] === true,
  };
}

/** What of a directory decides which flags are in force. */
interface Remembered {
  readonly record: Pick<DirectoryRecord, "options"> | undefined;
  readonly state: Pick<InstallerState, "options" | "ignitionOptions"> | undefined;
}

/** A recorded option that is text. */
export const textOption = (
  options: Readonly<Record<string, unknown>> | undefined,
  name: string,
): string | undefined => {
  const value = options?.[name];
  return typeof value === "string" ? value : undefined;
};

/** The release as it is written in the flags, in the record or in the state; undefined where none says. */
export const releaseIn = (given: CompileFlags, { record, state }: Remembered): string | undefined =>
  effectiveFlags(given, record?.options).release ?? textOption(state?.options, TEXTS.release);

/** The flags of this run over those that are remembered. */
export function flagsInForce(
  given: CompileFlags,
  { record, state }: Remembered,
  target: PhaseName,
  release: Release,
): CompileFlags {
  const inForce = effectiveFlags(given, record?.options);
  const early = textOption(state?.options, TEXTS.releaseImage);
  const late = textOption(state?.ignitionOptions, TEXTS.releaseImage);
  return {
    ...inForce,
    // Recorded even when it is the default, which is another one with the next version of slipway.
    release: formatRelease(release),
    releaseImage: inForce.releaseImage ?? early ?? late,
    releaseImageIsLate:
      early === undefined &&
      (target === "ignition-configs" || (given.releaseImage === undefined && late !== undefined)),
  };
}

/** A file that a flag names. */
export interface NamedInput {
  /** Relative to the asset directory. */
  readonly path: string;
  readonly data: Uint8Array;
  /** The file is committed along with the directory; the place of another one is for this working copy alone. */
  readonly isShared: boolean;
}

/** Flags of which a clone has to know that they were given, although the file itself is nobody else's. */
const KNOWN_TO_ALL: readonly FileFlag[] = ["credentials"];

/** The options as the record remembers them; undefined takes one back, and those that are not named stay. */
export function recordedOptions(
  flags: CompileFlags,
  files: Readonly<Partial<Record<FileFlag, NamedInput>>>,
): Record<string, OptionValue | undefined> {
  const named: readonly (readonly [string, OptionValue | undefined])[] = [
    [TEXTS.release, flags.release],
    [TEXTS.releaseImage, flags.releaseImage],
    [TEXTS.namespace, flags.namespace],
    [TEXTS.controllerNamespace, flags.controllerNamespace],
    [TEXTS.contract, flags.contract],
    [TEXTS.secrets, flags.secrets],
    [TEXTS.sharedObjects, flags.sharedObjects],
    [TEXTS.gitops, flags.gitops],
    [TEXTS.emulatedVersion, flags.emulatedVersion],
    [TEXTS.minCompatibilityVersion, flags.minCompatibilityVersion],
    [TEXTS.userData, flags.userData],
    [DATA_SECRETS, flags.dataSecrets],
    [AGE_RECIPIENTS, flags.ageRecipients?.join(",")],
    ["lenient", flags.lenient === true ? true : undefined],
  ];
  const own = FILE_FLAGS.flatMap((name): [string, OptionValue | undefined][] => {
    const file = files[name];
    if (file === undefined) return [];
    return [[name, file.isShared ? file.path : KNOWN_TO_ALL.includes(name) ? true : undefined]];
  });
  return Object.fromEntries([
    ...named.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
    ...own,
  ]);
}

/** The options that only the working copy remembers, over those that it knew. */
export function ownOptions(
  files: Readonly<Partial<Record<FileFlag, NamedInput>>>,
  known: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const own = FILE_FLAGS.flatMap((name): [string, string][] => {
    const file = files[name];
    return file === undefined || file.isShared ? [] : [[name, file.path]];
  });
  const shared = FILE_FLAGS.filter((name) => files[name]?.isShared === true);
  const kept = Object.entries(known).filter(([name]) => !shared.some((each) => each === name));
  return Object.fromEntries([...kept, ...own]);
}
