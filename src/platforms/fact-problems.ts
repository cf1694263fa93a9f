/** What the facts about a cloud, or the installer once it asks the cloud, say against an install-config. */

import { type Found, problem } from "../core/problem.js";

/** A fact contradicts the install-config or another fact. */
export const mismatch = (field: string, message: string, hint = "", kind: Found["kind"] = "Invalid"): Found =>
  problem("FACT002", kind, field, message, hint);

/** openshift-install rejects the value when it validates against the cloud. */
export const rejected = (kind: Found["kind"], field: string, message: string, hint: string): Found =>
  problem("FACT008", kind, field, message, hint);
