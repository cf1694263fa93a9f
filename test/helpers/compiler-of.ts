/** Compiles install-configs by the rules of one platform, for its tests. */
import { createReporter, isError } from "../../src/core/diagnostics.js";
import type { InstallConfigAsset } from "../../src/phases/assets.js";
import { compileInstallConfig } from "../../src/phases/install-config/index.js";
import { readInstallConfig } from "../../src/phases/install-config/read.js";
import type { PlatformModule } from "../../src/platforms/platform.js";
import { releaseOf } from "./install-configs.js";

export function compilerOf(platform: PlatformModule) {
  /** Compiles a text; what is said has severity, code, kind, field and place. */
  function compile(text: string, release = "4.22") {
    const reporter = createReporter();
    const options = { release: releaseOf(release), lenient: false };
    const read = readInstallConfig(text, "install-config.yaml", options, reporter.report);
    const asset =
      read === undefined
        ? undefined
        : compileInstallConfig(read, { release: options.release, platform }, reporter.report);
    return { asset, said: reporter.diagnostics };
  }

  /** The compiled config of a text that has no error. */
  function compiled(text: string, release = "4.22"): InstallConfigAsset {
    const { asset, said } = compile(text, release);
    if (asset === undefined) throw new Error(JSON.stringify(said.filter(isError)));
    return asset;
  }

  return { compile, compiled };
}
