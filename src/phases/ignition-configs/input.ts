/** What the parts of the phase are made from. */
import type { Problem } from "../../core/diagnostics.js";
import type { OutputFile } from "../../core/files.js";
import type { ClusterPki } from "../../pki/cluster.js";
import type { PlatformInput, PlatformModule } from "../../platforms/platform.js";
import type { IgnitionOptions, InternalReleaseImage } from "../assets.js";

export interface IgnitionInput extends PlatformInput {
  readonly platform: PlatformModule;
  /** `<name>.<baseDomain>` without a trailing dot. */
  readonly domain: string;
  readonly pki: ClusterPki;
  /** Login of the registry inside the cluster, where there is one. */
  readonly internalReleaseImage: InternalReleaseImage | undefined;
  /** manifests/ and openshift/ as they are on disk. */
  readonly manifestFiles: readonly OutputFile[];
  readonly options: IgnitionOptions;
  /** Reports a problem at the place where its `field` was written, unless it names a file of its own. */
  report(problem: Problem): void;
}

/** Where everything of the installation lies on the bootstrap node. */
export const ROOT = "/opt/openshift";
