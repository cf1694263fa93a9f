/** The script that asks a cloud, with its head. */
import type { Release } from "../../../core/release.js";
import type { NormalConfig } from "../../../platforms/config.js";
import type { FactsCollector } from "../../../platforms/fact-questions.js";
import { quote } from "../../../text/quote.js";

export const factsScript = (collector: FactsCollector, config: NormalConfig, release: Release): string =>
  [
    "#!/bin/sh",
    `# Prints the facts file of the cluster ${quote(config.metadata.name)}. Calls ${collector.program}, which only reads.`,
    `# Set ${collector.login}, then run: sh THIS-FILE > facts.yaml`,
    "set -eu",
    `command -v ${collector.program} >/dev/null || {`,
    `  echo '${collector.program} is not on the PATH' >&2`,
    "  exit 1",
    "}",
    "",
    ...collector.lines(config, release),
    "",
  ].join("\n");
