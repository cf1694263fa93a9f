import type { PlatformRules } from "../platform.js";
import { applyDefaults } from "./defaults.js";
import { addEdgePool } from "./edge-pool.js";
import { upconvert } from "./upconvert.js";
import { validate } from "./validation.js";

export const rules: PlatformRules = { name: "aws", upconvert, finish: addEdgePool, applyDefaults, validate };
