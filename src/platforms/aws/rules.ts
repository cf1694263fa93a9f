import type { PlatformRules } from "../platform.js";
import { applyDefaults } from "./defaults.js";
import { upconvert } from "./upconvert.js";
import { validate } from "./validation.js";

export const rules: PlatformRules = { name: "aws", upconvert, applyDefaults, validate };
