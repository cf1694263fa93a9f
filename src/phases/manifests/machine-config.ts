import type { JsonObject } from "../../core/json.js";
import type { NormalConfig } from "../../platforms/config.js";

export type Role = "master" | "worker" | "arbiter";
export type Pool = NormalConfig["controlPlane"];

/** What one MachineConfig sets; the rest has the values that stand for "leave it". */
export interface MachineConfig {
  readonly name: string;
  readonly fips?: boolean;
  readonly kernelArguments?: readonly string[];
  /** Members of the Ignition config beside `ignition`. */
  readonly ignition?: JsonObject;
}
