/** `slipway compat`: questions about versions, asked of tables. */
import type { Group } from "../../command.js";
import { compatApis, compatStorageVersions } from "./apis.js";
import { compatGates } from "./gates.js";
import {
  compatCel,
  compatDiff,
  compatFields,
  compatImport,
  compatLifecycle,
  compatLint,
  compatMatrix,
  compatPlan,
  compatSkew,
  compatVersion,
} from "./group.js";
import { compatFlags, compatUsage } from "./usage.js";

export const compat: Group = {
  word: "compat",
  summary: "Feature gates, APIs and storage versions at emulated versions",
  commands: [
    compatGates,
    compatApis,
    compatStorageVersions,
    compatFields,
    compatCel,
    compatSkew,
    compatVersion,
    compatPlan,
    compatUsage,
    compatFlags,
    compatLint,
    compatLifecycle,
    compatDiff,
    compatMatrix,
    compatImport,
  ],
};
