/** The parts of an Ignition config; platforms make them too, so that they stand there. */
export type {
  IgnitionFile,
  IgnitionParts,
  IgnitionUnit,
} from "../../platforms/ignition.js";
