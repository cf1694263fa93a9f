import type { Found } from "../core/problem.js";

/** Takes what is wrong with an object, at a Kubernetes field path; keys with dots are in brackets. */
export type Refuse = (finding: Found) => void;
