/** What the data tables of baremetal say. */
import { factsAt } from "../../core/by-release.js";
import controllers from "./data/controllers.json" with { type: "json" };
import features from "./data/features.json" with { type: "json" };

/** True when the installer of the release does what the feature says (data/features.json). */
export const has = factsAt(features.features);

/** A kind of management controller. */
export interface Controller {
  /** Name of the driver that speaks to it. */
  readonly driver: string;
  readonly secureBoot: boolean;
  /** Boots hosts from an image that it reads itself; the others need a provisioning network. */
  readonly virtualMedia: boolean;
}

/** Every scheme of an address, with the kind of controller that it means. */
export const CONTROLLERS: ReadonlyMap<string, Controller> = new Map(
  controllers.controllers.flatMap((row) =>
    row.schemes.flatMap((scheme) =>
      [scheme, ...row.transports.map((each) => `${scheme}+${each}`)].map((name): [string, Controller] => [
        name,
        row,
      ]),
    ),
  ),
);
