import type { PlatformRules } from "../platform.js";
import { applyDefaults } from "./defaults.js";
import { validate } from "./validation.js";

export const noneRules: PlatformRules = { name: "none", applyDefaults, validate };
