/** What the data tables of ibmcloud say; the tables are in data/. */
import { factsAt } from "../../core/by-release.js";
import features from "./data/features.json" with { type: "json" };

/** True when the installer of the release does what the feature says. */
export const has = factsAt(features.features);

/** The regions of releases that list them. */
export const REGIONS: readonly string[] = features.regions;

/** Architectures that the releases' CoreOS streams have an image of IBM Cloud for. */
export const IMAGE_ARCHITECTURES: readonly string[] = features.imageArchitectures;
