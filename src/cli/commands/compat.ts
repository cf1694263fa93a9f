/** `slipway compat`: questions about versions, asked of tables. */
import type { Group } from "../command.js";
import { compatApis, compatStorageVersions } from "./compat-apis.js";
import { compatGates } from "./compat-gates.js";

export const compat: Group = {
  word: "compat",
  summary: "Answer questions about feature gates, APIs and storage versions at other versions",
  commands: [compatGates, compatApis, compatStorageVersions],
};
