import { userSupplied } from "../user-supplied.js";

/** Platform none: only the type appears (docs/reference/install-config-and-manifests.md §3.3). */
export const platform = userSupplied({
  name: "none",
  infrastructure: () => ({ type: "None", spec: {}, status: {} }),
});
