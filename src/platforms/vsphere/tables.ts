/** What differs by release on vsphere; the table is data/features.json. */
import { factsAt } from "../../core/by-release.js";
import features from "./data/features.json" with { type: "json" };

/** True when the installer of the release does what the feature says. */
export const has = factsAt(features.features);
