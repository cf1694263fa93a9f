import type { NormalConfig } from "../../platforms/config.js";

export type { MachineConfig, MachineRole as Role } from "../../platforms/platform.js";

export type Pool = NormalConfig["controlPlane"];
