/** Flags of `slipway create install-config`. */
import { HANDLED_STARTERS } from "../../../platforms/starters.js";
import type { Flag } from "../../flags.js";
import { choice, text, toggle } from "../../flags.js";

export const platform = choice("platform", "where the cluster runs", HANDLED_STARTERS);
export const name = text("name", "name of the cluster", { value: "NAME" });

export const baseDomain = text("base-domain", "domain below which the cluster gets its own", {
  value: "DOMAIN",
});
export const region = text("region", "region of the cluster (aws)", { value: "REGION" });
export const platformName = text("platform-name", "name of the platform (external)", { value: "NAME" });
export const fromStdin = toggle("from-stdin", "take the install-config from standard input, unchanged");

/** The flags that answer a platform's questions, by name. */
export const PLATFORM_FLAGS: Readonly<Record<string, Flag<string | undefined>>> = {
  region,
  "platform-name": platformName,
};
