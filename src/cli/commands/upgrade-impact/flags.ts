/** Flags of `slipway upgrade-impact`. */
import { FLAGS, flagsOf } from "../../../pipeline/flags.js";
import { list, toggle } from "../../flags.js";

export const clusterState = list(
  "cluster-state",
  "dump of the objects in the management cluster: kubectl get … --output yaml; - for standard input",
  { value: "DUMP", stream: "own", names: "input", oneEach: true },
);

export const verbose = toggle("verbose", "list unchanged objects and all changed fields as well");

/** What is compiled is what `check` compiles. */
export const compileFlags = flagsOf("check").filter((flag) => flag !== FLAGS.diff);
