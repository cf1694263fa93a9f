/** What the data tables of openstack say. */
import { factsAt } from "../../core/by-release.js";
import features from "./data/features.json" with { type: "json" };

/** True when the installer of the release does what the feature says (data/features.json). */
export const has = factsAt(features.features);
