import type { PlatformRules } from "../platform.js";
import { applyDefaults } from "./defaults.js";
import { origins, upconvert } from "./upconvert.js";
import { validate } from "./validation.js";

export const awsRules: PlatformRules = { name: "aws", upconvert, origins, applyDefaults, validate };
