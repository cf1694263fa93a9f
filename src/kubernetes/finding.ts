/** What is found wrong with an object. */
import type { Found } from "../core/problem.js";

/** Something wrong with an object, at a Kubernetes field path; keys with dots are in brackets. */
export type ObjectFinding = Found;

export type Refuse = (finding: ObjectFinding) => void;
