/** Flags of the commands that work on many clusters at once. */
import { text } from "../flags.js";

export const fleet = text(
  "fleet",
  "process many clusters: a file with one directory per line, or a table (slipway explain fleet); - reads standard input; --output json prints one document per line",
  { value: "FILE", stream: "own", topic: "Fleets" },
);
export const shard = text(
  "shard",
  "with --fleet: only the clusters in shard I of N, chosen by name; I from 0 to N-1",
  { value: "I/N", topic: "Fleets" },
);
export const jobs = text("jobs", "with --fleet: number of worker processes (default: one per core)", {
  value: "N",
  topic: "Fleets",
});
export const changed = text(
  "changed",
  "with --fleet: only clusters whose inputs are among the changed paths in this file, as git diff --name-only -z prints them; - reads standard input",
  { value: "FILE", stream: "own", topic: "Fleets" },
);

export const FLEET_FLAGS = [fleet, shard, changed, jobs];
