/** What a provider of Cluster API rejects, as problems of the field that causes it. */

import type { Problem } from "../core/diagnostics.js";
import { type Found, problem, warning } from "../core/problem.js";

/** The provider rejects the object. */
export const broken = (field: string, message: string, hint: string): Problem & Found =>
  problem("CAPI101", "Invalid", field, message, hint);

/** The provider accepts the object, which is probably unintended. */
export const doubtful = (field: string, message: string, hint: string): Problem & Found =>
  warning("CAPI102", "Invalid", field, message, hint);
