/** What differs by OpenShift release for every platform: a table with its source, asked by name. */
import table from "../../tables/release-facts.json" with { type: "json" };
import { factsAt } from "../core/by-release.js";

/** True when the fact of the table holds at the release; the compiler knows the names. */
export const inForce = factsAt(table.facts);
