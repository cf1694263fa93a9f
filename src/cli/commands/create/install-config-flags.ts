/** Flags of `slipway create install-config`. */
import { HANDLED_PLATFORMS, starterOf } from "../../../platforms/registry.js";
import type { Flag } from "../../flags.js";
import { choice, text, toggle } from "../../flags.js";

export const platform = choice("platform", "platform of the cluster", HANDLED_PLATFORMS);
export const name = text("name", "name of the cluster", { value: "NAME" });

export const baseDomain = text("base-domain", "base domain of the cluster", {
  value: "DOMAIN",
});
export const machineNetwork = text(
  "machine-network",
  "CIDR of the machines (default: 10.0.0.0/16, or the platform's)",
  {
    value: "CIDR",
  },
);
export const fromStdin = toggle(
  "from-stdin",
  "read the install-config from standard input and store it unchanged",
);

/** The flags that answer the questions of platforms, by name; a flag may serve several. */
export const PLATFORM_FLAGS: ReadonlyMap<string, Flag<string | undefined>> = new Map(
  HANDLED_PLATFORMS.flatMap((each) => starterOf(each)?.questions ?? []).map(({ flag, about, value }) => {
    const asking = HANDLED_PLATFORMS.filter((each) =>
      starterOf(each)?.questions.some((question) => question.flag === flag),
    );
    return [flag, text(flag, `${about} (${asking.join(", ")})`, { value })];
  }),
);
