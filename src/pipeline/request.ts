/** What the pipeline is asked, and what it answers. */
import type { Problem } from "../core/diagnostics.js";
import type { OutputFile } from "../core/files.js";
import type { Flag } from "../core/flags.js";
import type { Inputs, KeyAlgorithm } from "../core/inputs.js";
import type { Release } from "../core/release.js";
import type { AssetDirectory } from "../directory/index.js";
import type { CloudFacts } from "../generated/types/cloud-facts.js";
import type { InstallConfigAsset, PhaseContext } from "../phases/assets.js";
import type { Credentials, Identity, PlatformModule, RuleContext } from "../platforms/platform.js";
import type { TemplateOverride } from "../text/render.js";
import type { FileFlag, TextFlag } from "./flags.js";
import type { CompileFlags } from "./options.js";
import type { Secrets } from "./secrets.js";

/** A file that a flag names, already read. */
export interface NamedText {
  /** As the user knows it. */
  readonly file: string;
  readonly text: string;
}

/** The folder as the user names it, and its files, already read. */
export interface CustomSource {
  readonly folder: string;
  readonly files: readonly CustomFile[];
}

export interface CustomFile {
  readonly file: string;
  readonly data: Uint8Array;
  /** Values of the Secret in it are encrypted and no available key opens them; everything else can be read. */
  readonly isSealed?: boolean;
}

export interface CompileRequest {
  /** For the agent-based or the image-based installer, which have rules of their own and ask no cloud. */
  readonly method?: RuleContext["method"];
  readonly directory: Pick<AssetDirectory, "state" | "record" | "inputs" | "files"> & {
    readonly path?: string;
    readonly rootNames?: readonly string[];
  };
  readonly release: Release;
  /** The flags in force: those of this run over the recorded ones. */
  readonly flags: CompileFlags;
  /** Whether this run was given a flag; the others are recorded or defaults. */
  isGiven?(flag: Flag<unknown>): boolean;
  readonly given: { readonly infraID?: string | undefined; readonly clusterID?: string | undefined };
  readonly texts: Readonly<Partial<Record<TextFlag, NamedText>>>;
  /** Infrastructure of the user's (`--custom-infrastructure`). */
  readonly custom?: CustomSource | undefined;
  /** The texts of `--crds`. */
  readonly crds?: readonly NamedText[] | undefined;
  /** What `nmstatectl gc` answers to a network; undefined when it could not be run, which is reported. */
  nmstate?(network: string): Promise<{ readonly ok: boolean; readonly text: string } | undefined>;
  /** Text of a file that the credentials name; without it there is none. */
  readFile?(path: string): string | undefined;
  /** Stands for each credential that the record knows of and that is not at hand, as in a clone. */
  readonly placeholder?: string;
  /** Stands in for values of the install-config that are encrypted. */
  readonly sealedWord?: string;
  /** Files and folders that are encrypted and that no available key opens. */
  readonly sealedTexts?: readonly FileFlag[];
  readonly overrides: ReadonlyMap<string, TemplateOverride>;
  /** Top folders of the templates that the target needs. */
  readonly templateFolders: readonly string[];
  readonly inputs: Inputs;
  /** The bytes that the secrets of a new cluster follow from; without it they are random. */
  readonly seed?: Uint8Array | undefined;
  /** Of keys that are made anew; undefined: that of the keys that are there, else RSA. */
  readonly algorithm: KeyAlgorithm | undefined;
  /** Certificates that end before it are signed again; those of manifests/ too, which hold the root CA. */
  readonly renewBefore?: Date | undefined;
  /** Name and version of the tool. */
  readonly tool: string;
  report(problem: Problem): void;
}

/** The manifests phase with everything that it was made from. */
export interface Compiled {
  readonly installConfig: InstallConfigAsset;
  readonly identity: Identity;
  readonly secrets: Secrets;
  readonly platform: PlatformModule;
  /** The platforms that the config names beside it. */
  readonly others: readonly PlatformModule[];
  readonly facts: CloudFacts;
  readonly credentials: Credentials | undefined;
  /** Time, and where the secrets that this run makes come from. */
  readonly inputs: Inputs;
  readonly context: PhaseContext & { report(problem: Problem): void };
  /** Files of manifests/ and openshift/. */
  readonly files: readonly OutputFile[];
}

/** What is known before anything is generated. */
export type CompiledConfig = Pick<
  Compiled,
  "installConfig" | "identity" | "platform" | "others" | "facts" | "credentials" | "inputs"
>;

/** A reporter that remembers whether an error went through it. */
export function watched(report: (problem: Problem) => void): {
  failed(): boolean;
  report(problem: Problem): void;
} {
  let failed = false;
  return {
    failed: () => failed,
    report(problem) {
      failed ||= (problem.severity ?? "error") === "error";
      report(problem);
    },
  };
}
