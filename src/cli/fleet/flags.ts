/** Flags of the commands that work on many clusters at once. */
import { text } from "../flags.js";

export const fleet = text(
  "fleet",
  "work on many clusters: a list of directories, one a line, or a table (slipway explain fleet); - reads standard input; with --output json one document a line",
  { value: "FILE", topic: "Fleets" },
);
export const shard = text(
  "shard",
  "with --fleet: only the clusters of shard I of N, which their names decide; I from 0 to N-1",
  { value: "I/N", topic: "Fleets" },
);
export const jobs = text("jobs", "with --fleet: processes to work in (default: one for each core)", {
  value: "N",
  topic: "Fleets",
});

export const FLEET_FLAGS = [fleet, shard, jobs];
